"""What is heard of a game, in a real browser whose audio and speech are written down instead of played."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.dicetable.gateway.serving import HANGING_S, PretendTable, Served
from tests.dicetable.gateway.test_guest_page import thrown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

STUB = """
window.heard = [];
class Course {
    constructor() { this.value = 1; this.course = []; }
    setValueAtTime(value, at) { this.course.push([value, at]); }
    exponentialRampToValueAtTime(value, at) { this.course.push([value, at]); }
}
class Part {
    constructor(context, kind) {
        Object.assign(this, { context, kind, gain: new Course(), frequency: new Course(), to: null });
    }
    connect(to) { this.to = to; return to; }
    start(at) { window.heard.push({ node: this, at }); }
    stop(at) { this.stopped = at; }
}
window.AudioContext = class {
    constructor() {
        Object.assign(this, { state: "suspended", currentTime: 5, sampleRate: 48000 });
        this.destination = new Part(this, "destination");
        window.contexts = (window.contexts || 0) + 1;
    }
    async resume() { this.state = "running"; }
    async suspend() { this.state = "suspended"; }
    createGain() { return new Part(this, "gain"); }
    createOscillator() { return new Part(this, "oscillator"); }
    createBufferSource() { return new Part(this, "noise"); }
    createBiquadFilter() { return new Part(this, "filter"); }
    createBuffer(_, length) { return { getChannelData: () => new Float32Array(length) }; }
};
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
    pending: false,
    speak({ text, volume, lang }) { window.heard.push({ said: text, volume, lang }); },
    cancel() { window.heard.push({ cancelled: true }); },
} });
"""
TAKEN = """() => window.heard.splice(0).map((each) => {
    if (!each.node) return each;
    const path = [];
    for (let at = each.node; at; at = at.to) path.push(at.kind);
    let volume = each.node;
    while (volume.to.kind !== "destination") volume = volume.to;
    return { kind: each.node.type || each.node.kind, path, volume: volume.gain.value,
             hertz: each.node.frequency.course.map(([value]) => value),
             after: each.at - each.node.context.currentTime };
})"""


class Guest:
    """A guest page at a table that a test tells what to say."""

    def __init__(self, page: Page, table: PretendTable) -> None:
        self.page = page
        self.table = table
        self.state: dict[str, Any] = json.loads(thrown(1, picture=False)) | {
            "todo": "Bob: throw",
            "asked": "Bob",
        }

    def tell(self, **news: Any) -> list[dict[str, Any]]:
        """Tells a state with these news; what is heard of it."""
        number = self.state["revision"] + 1
        if news.pop("throws", False):
            news["throws"] = [self.state["throws"][0] | {"number": number}]
        self.state |= news | {"revision": number, "row": number}
        self.table.tell(json.dumps(self.state).encode())
        self.page.wait_for_selector(f"body[data-revision='{number}']")
        return self.heard()

    def heard(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(TAKEN)
        return found


@pytest.fixture
def guest(browser: Browser, tmp_path: Path) -> Iterator[Guest]:
    table = PretendTable(tmp_path / "state.sock")
    served = Served(table.path)
    page = browser.new_page()
    page.set_default_timeout(4000 * HANGING_S)
    page.add_init_script(STUB)
    made = Guest(page, table)
    table.state = json.dumps(made.state).encode()
    try:
        served.start()
        page.goto(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector("body[data-revision='1']")
        yield made
    finally:
        page.close()
        served.kill()
        table.close()


def said(heard: list[dict[str, Any]]) -> list[str]:
    return [each["said"] for each in heard if "said" in each]


def sounds(heard: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in heard if "kind" in each]


def test_nothing_is_heard_until_somebody_presses_the_loudspeaker(guest: Guest) -> None:
    assert guest.tell(throws=True, todo="Ann: throw", asked="Ann") == []
    assert guest.tell(phase="over", winners=["Ann"], happened=["Ann wins"]) == []
    assert guest.page.evaluate("window.contexts || 0") == 0
    assert guest.page.locator("#volume").is_hidden()
    assert guest.page.get_attribute("#sound", "aria-pressed") == "false"


def test_each_event_has_its_own_sound_and_words(guest: Guest) -> None:
    page = guest.page
    page.click("#sound[aria-pressed=false]")
    page.wait_for_selector("#sound[aria-pressed=true]")
    turn = [("triangle", [660, 660]), ("triangle", [880, 880])]
    assert [(each["kind"], each["hertz"]) for each in guest.heard()] == turn  # how loud it is

    heard = guest.tell(throws=True)
    assert [each["kind"] for each in heard] == ["noise"] * 6
    assert [each["after"] for each in heard] == pytest.approx([0, 0.07, 0.13, 0.22, 0.28, 0.4])
    assert all(each["path"] == ["noise", "filter", "gain", "destination"] for each in heard)

    heard = guest.tell(todo="Ann: throw 6 dice", asked="Ann", happened=["Bob scores 4"])
    assert [(each["kind"], each["hertz"]) for each in sounds(heard)] == turn
    assert said(heard) == ["Bob scores 4. Ann: throw 6 dice"]

    heard = guest.tell(happened=["Ann busts"], events=[{"row": guest.state["revision"] + 1, "event": "bust"}])
    assert [(each["kind"], each["hertz"]) for each in sounds(heard)] == [
        ("sawtooth", [300, 120]),
        ("sawtooth", [220, 70]),
    ]
    assert said(heard) == ["Ann busts. Ann: throw 6 dice"]

    heard = guest.tell(phase="over", winners=["Ann", "Bob"], todo="Ann and Bob win", asked=None, happened=[])
    assert [each["hertz"][0] for each in sounds(heard)] == [523, 659, 784, 1047]
    assert said(heard) == ["Ann, Bob won!"]
    assert guest.tell(paused=True) == []  # nothing that anybody has to hear


def test_the_volume_is_that_of_everything_and_off_is_off(guest: Guest) -> None:
    page = guest.page
    page.click("#sound")
    page.wait_for_selector("#sound[aria-pressed=true]")
    assert [each["volume"] for each in guest.heard()] == pytest.approx([0.36] * 2)
    page.fill("#volume", "0.3")
    heard = guest.tell(throws=True, todo="Ann: throw", asked="Ann")
    assert len(sounds(heard)) == 6 + 2
    assert [each["volume"] for each in sounds(heard)] == pytest.approx([0.09] * 8)
    assert all(each["path"][-2:] == ["gain", "destination"] for each in sounds(heard))
    assert [each["volume"] for each in heard if "said" in each] == [0.3]
    assert [each["lang"] for each in heard if "said" in each] == ["en"]
    page.click("#sound")
    page.wait_for_selector("#sound[aria-pressed=false]")
    assert {"cancelled": True} in guest.heard()
    assert guest.tell(throws=True, todo="Bob: throw", asked="Bob") == []
    assert page.locator("#volume").is_hidden()
