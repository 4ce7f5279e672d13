"""What is heard of a game, in a real browser whose audio is written down or rendered instead of played."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gateway.settings import Look
from tests.gateway.pages import thrown
from tests.gateway.serving import HANGING_S, PretendTable, Served, until

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
    disconnect() { this.to = null; }
    start(at) { window.heard.push({ node: this, at }); }
    stop(at) { this.stopped = at; }
}
window.AudioContext = class {
    constructor() {
        Object.assign(this, { state: "suspended", currentTime: 5, sampleRate: 48000 });
        this.pressed = navigator.userActivation.hasBeenActive;
        this.destination = new Part(this, "destination");
    }
    async resume() { if (!this.pressed) await new Promise(() => {}); this.state = "running"; }
    async close() { this.state = "closed"; }
    async suspend() { this.state = "suspended"; }
    createGain() { return new Part(this, "gain"); }
    createOscillator() { return new Part(this, "oscillator"); }
    createBufferSource() { return new Part(this, "noise"); }
    createBiquadFilter() { return new Part(this, "filter"); }
    async decodeAudioData(data) {
        if (data.byteLength > 3) throw new Error("damaged");
        return new TextDecoder().decode(data);
    }
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


RATE, LASTS_S = 48_000, 3
RENDERED = f"""
window.AudioContext = class extends OfflineAudioContext {{
    constructor() {{
        super(1, {RATE * LASTS_S}, {RATE});
        this.running = false;
        window.context = this;
    }}
    get state() {{ return this.running ? "running" : "suspended"; }}
    async resume() {{ this.running = true; }}
    async suspend() {{ this.running = false; }}
}};
"""
SAMPLES = """async (steps) => {
    const { play, setVolume, turnOff, turnOn } = await import("/static/sound.js");
    const named = { play, setVolume, turnOff, turnOn };
    await turnOn();
    for (const [step, ...given] of steps) await named[step](...given);
    return [...(await window.context.startRendering()).getChannelData(0)];
}"""


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
    table = PretendTable(tmp_path / "table.sock")
    (tmp_path / "Turn-Cleo.mp3").write_bytes(b"ID3")
    (tmp_path / "turn-Dan.wav").write_bytes(b"RIFF but damaged")
    served = Served(table.path, look=Look(sounds=str(tmp_path)))
    page = browser.new_page()
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
    assert guest.page.locator("#volume").is_hidden()
    assert guest.page.get_attribute("#sound", "aria-pressed") == "false"


@pytest.mark.parametrize("flags", [["--autoplay-policy=no-user-gesture-required"], []])
def test_a_display_sounds_by_itself_where_the_browser_allows_it(
    browser: Browser, tmp_path: Path, flags: list[str]
) -> None:
    """With the flag of the kiosk line in docs/screen.md and without; until someone turns the sound off."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    program = shutil.which("chromium")
    television = browser.browser_type.launch(executable_path=program, args=[*arguments, *flags])
    table = PretendTable(tmp_path / "table.sock")
    table.state = thrown(1, picture=False)
    with closing(table), Served(table.path) as served:
        page = television.new_context().new_page()
        page.set_default_timeout(1000 * HANGING_S)
        page.clock.install()
        page.goto(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector("body[data-revision='1']")
        if flags:
            page.wait_for_selector("#sound[aria-pressed=true]")
            assert page.locator("#volume").is_visible()
        else:
            page.clock.run_for(10_000)
            assert page.get_attribute("#sound", "aria-pressed") == "false"
            page.click("#sound")
            page.wait_for_selector("#sound[aria-pressed=true]")
        page.click("#sound")
        page.wait_for_selector("#sound[aria-pressed=false]")
        page.reload()
        page.wait_for_selector("body[data-revision='1']")
        page.clock.run_for(10_000)
        assert page.get_attribute("#sound", "aria-pressed") == "false"
    television.close()


@pytest.mark.parametrize(
    ("hours", "quiet"),
    [
        ("", []),
        ("13:00-15:30", ["13:00", "15:29"]),
        ("23:00-08:00", ["23:00", "00:00", "07:59"]),
    ],
)
def test_in_the_quiet_hours_nothing_is_heard(guest: Guest, hours: str, quiet: list[str]) -> None:
    page = guest.page
    page.click("#sound[aria-pressed=false]")
    page.wait_for_selector("#sound[aria-pressed=true]")
    page.evaluate("(hours) => { document.body.dataset.quiet = hours; }", hours)
    times = ["00:00", "07:59", "08:00", "13:00", "15:29", "15:30", "22:59", "23:00"]
    is_quiet = """async (times) => {
        const { isQuiet } = await import("/static/sound.js");
        return times.filter((time) => isQuiet(new Date(`2026-01-01T${time}`)));
    }"""
    assert sorted(page.evaluate(is_quiet, times)) == sorted(quiet)
    page.clock.set_fixed_time("2026-01-01T14:00")
    guest.heard()
    heard = guest.tell(throws=True, todo="Ann: throw", asked="Ann")
    assert (heard == []) == ("15:29" in quiet)


def test_the_bar_s_own_sound_takes_the_place_of_the_built_in_one(guest: Guest) -> None:
    guest.page.click("#sound[aria-pressed=false]")
    guest.page.wait_for_selector("#sound[aria-pressed=true]")
    nodes = "() => window.heard.filter(({ node }) => node).map(({ node }) => node.buffer ?? node.type)"
    until(lambda: guest.page.evaluate(nodes))
    guest.heard()
    for name in ("Cleo", "Dan"):  # the browser can't decode Dan's
        guest.state |= {"todo": f"{name}: throw", "asked": name, "revision": guest.state["revision"] + 1}
        guest.table.tell(json.dumps(guest.state).encode())
        until(lambda: guest.page.evaluate(nodes))
        assert guest.page.evaluate(nodes)[:1] == ["ID3" if name == "Cleo" else "triangle"]
        guest.heard()


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


def test_the_next_prompt_is_said_once_the_moment_is_over(guest: Guest) -> None:
    page = guest.page
    page.click("#sound[aria-pressed=false]")
    page.wait_for_selector("#sound[aria-pressed=true]")
    guest.heard()
    bust = {"text": "BUST!", "caption": "Ann busts", "place": 1}
    news = {"todo": "Bob: throw one die", "happened": ["Ann busts"]}
    heard = guest.tell(moments={"number": 7, "told": [bust]}, **news)
    assert said(heard) == ["Ann busts"]
    page.click("#moment .large")
    page.wait_for_selector("#moment", state="hidden")
    assert said(guest.heard()) == ["Bob: throw one die"]


def test_the_count_of_a_bid_goes_up_with_a_drum(guest: Guest) -> None:
    page = guest.page
    page.click("#sound[aria-pressed=false]")
    page.wait_for_selector("#sound[aria-pressed=true]")
    page.clock.install(time=0)
    page.clock.pause_at(1)
    guest.heard()
    bid = {"text": "23×⚅", "caption": "Ann bids 23 sixes", "place": 1, "colour": 1}
    heard = guest.tell(moments={"number": 7, "told": [bid]})
    page.wait_for_selector("#moment .large")
    assert [each["kind"] for each in sounds(heard + guest.heard())] == ["noise", "triangle"]  # a slam
    assert page.locator("#moment .large").inner_text() == "23×"
    count = bid | {"text": "8 of 23×⚅", "caption": "There are 8"}
    heard = guest.tell(moments={"number": 8, "told": [count]})
    page.wait_for_selector("#moment .large:has-text('of 23')")
    beats = sounds(heard + guest.heard())
    assert [each["hertz"][0] for each in beats] == [190] * 9 + [150]
    assert [each["after"] for each in beats] == pytest.approx([0.055 * hit for hit in range(9)] + [0.56])
    for ms, shown in ((300, 4), (150, 6), (200, 8), (500, 8)):
        page.clock.run_for(ms)
        assert page.locator("#moment .large").inner_text() == f"{shown} of 23×"


def test_dice_that_count_light_up_one_by_one_under_the_bid(guest: Guest) -> None:
    page = guest.page
    page.click("#sound[aria-pressed=false]")
    page.wait_for_selector("#sound[aria-pressed=true]")
    page.clock.install(time=0)
    page.clock.pause_at(1)
    guest.heard()
    dice = [{"kind": "d6", "value": face, "counts": face in (2, 1)} for face in (2, 5, 1, 6, 2, 3)]
    count = {"text": "3 of 5×⚁", "caption": "there are 3", "place": 2, "colour": 2, "best": False}
    count |= {"event": "revealed", "dice": dice, "of": "5 twos, called by Bob"}
    heard = guest.tell(moments={"number": 9, "told": [count]})
    page.wait_for_selector("#moment .counted")
    beats = sounds(heard + guest.heard())
    assert [each["hertz"][0] for each in beats] == [190] * 3 + [150]
    assert [each["after"] for each in beats[:3]] == pytest.approx([0.0, 0.22, 0.44])
    lit: list[tuple[str, int]] = []
    for ms in (10, 220, 220, 220, 1000):
        page.clock.run_for(ms)
        number = page.locator("#moment .number").inner_text()
        lit.append((number, page.locator("#moment .counted .lit").count()))
        assert page.locator("#moment .who").inner_text() == "5 twos, called by Bob"
    assert lit == [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("3", 3)]
    dim = page.locator("#moment .counted .die:not(.lit)")
    assert [die.get_attribute("aria-label") for die in dim.all()] == ["5", "6", "3"]
    assert page.evaluate("+getComputedStyle(document.querySelector('#moment .die:not(.lit)')).opacity") < 0.5
    page.clock.run_for(2000)
    assert page.locator("#moment").is_hidden()


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


@pytest.fixture(scope="module")
def rendered(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rendered]:
    table = PretendTable(tmp_path_factory.mktemp("sounds") / "table.sock")
    with closing(table), Served(table.path) as served:
        yield Rendered(browser, served.port)


class Rendered:
    """Renders what a page that was just opened plays."""

    def __init__(self, browser: Browser, port: int) -> None:
        self.browser = browser
        self.port = port

    def samples(self, *steps: tuple[Any, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Three seconds from when the loudspeaker was pressed; each step is a function and its arguments."""
        page = self.browser.new_page()
        page.add_init_script(RENDERED)
        page.goto(f"http://127.0.0.1:{self.port}/")
        found = np.array(page.evaluate(SAMPLES, steps))
        page.close()
        return found


def level(samples: np.ndarray[Any, Any]) -> float:
    """The RMS of its loudest 50 ms, in dB of full scale."""
    window = RATE // 20
    power = np.convolve(samples**2, np.ones(window) / window, "valid").max()
    return float(10 * np.log10(power))


def test_the_dice_are_heard_out_before_what_came_of_them(guest: Guest) -> None:
    guest.page.click("#sound")
    guest.page.wait_for_selector("#sound[aria-pressed=true]")
    guest.heard()
    row = guest.state["revision"] + 1
    for news in (
        {"todo": "Ann: throw", "asked": "Ann"},
        {"happened": ["Ann busts"], "events": [{"row": row + 1, "event": "bust"}]},
        {"phase": "over", "winners": ["Bob"], "todo": "Bob wins"},
    ):
        heard = sounds(guest.tell(throws=True, **news))
        knocks = [each["after"] for each in heard if each["kind"] == "noise"]
        tones = [each["after"] for each in heard if each["kind"] != "noise"]
        assert len(knocks) == 6
        assert min(tones) > max(knocks) + 0.04


def test_volume_and_loudspeaker_act_on_what_sounds(rendered: Rendered) -> None:
    full = rendered.samples(("setVolume", 1), ("play", "win"))
    half = rendered.samples(("setVolume", 0.5), ("play", "win"))
    assert level(half) - level(full) == pytest.approx(20 * np.log10(0.5**2), abs=0.1)
    assert not rendered.samples(("setVolume", 0), ("play", "win")).any()
    assert not rendered.samples(("turnOff",), ("play", "win")).any()
    assert not rendered.samples(("play", "win"), ("turnOff",), ("turnOn",)).any()
