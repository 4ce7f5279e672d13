"""The guest page in a real browser, beside a whole simulated table in virtual time."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from common import messages
from common.snapshot import Snapshot
from dicetable.eye.evidence import evidence, strip
from dicetable.service import simulation
from dicetable.service.publisher import LOOK_S, READ_S, snapshot
from dicetable.service.throws import marks
from games.registry import GAMES
from hardware.simulated.faults import parse
from tests.dicetable.service.evenings import Evening
from tests.extent import usually
from tests.gateway.pages import (
    CONTRAST,
    CUT_OFF,
    LIVE_REGIONS,
    SCREENSHOTS,
    SIZES,
    barriers,
    thrown,
)
from tests.gateway.serving import HANGING_S, PretendTable, Served
from tests.hardware.simulated.truth import truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap_throws")]

RESTARTS = 20


class Screens:
    """A page of each size at one gateway."""

    def __init__(self, browser: Browser, port: int) -> None:
        self.faults: list[str] = []
        self.pages = {name: self.opened(browser, port, size) for name, size in SIZES.items()}

    def opened(self, browser: Browser, port: int, size: tuple[int, int]) -> Page:
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        page.goto(f"http://127.0.0.1:{port}/")
        return page

    def wait(self, condition: str, argument: object = None, turn: Callable[[], None] | None = None) -> None:
        """Until it holds on every page; the table goes on meanwhile."""
        for page in self.pages.values():
            for _ in range(round(HANGING_S / 0.05)):
                if turn is not None:
                    turn()
                if page.evaluate(condition, argument):
                    break
                page.wait_for_timeout(50)
            else:
                pytest.fail(f"never: {condition}")

    def keep(self, name: str) -> None:
        """Takes a screenshot of every page."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for size, page in self.pages.items():
            page.screenshot(path=SCREENSHOTS / f"{name}-{size}.png", full_page=size == "phone")

    def check(self) -> None:
        """No script failed, nothing is wider than the page, everybody can read it."""
        assert self.faults == []
        for size, page in self.pages.items():
            assert page.evaluate(CONTRAST) == {}
            assert barriers(page) == []
            assert page.evaluate(LIVE_REGIONS) == ["live"]
            for width in (360, 390) if size == "phone" else (1920,):
                page.set_viewport_size({"width": width, "height": SIZES[size][1]})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.emulate_media(reduced_motion="reduce")
            moving = "document.getAnimations().filter((each) => each.playState === 'running').length"
            assert page.evaluate(moving) == 0
            assert not page.locator("#confetti").is_visible()
            page.emulate_media(reduced_motion="no-preference")

    def close(self) -> None:
        for page in self.pages.values():
            page.close()


@pytest.fixture
def evening(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Evening]:
    game = getattr(request, "param", "six_shooter")
    if GAMES[game].limit is None:
        monkeypatch.setattr(simulation, "ROUNDS", None)  # else people get up before it ends
    made = Evening(tmp_path, game)
    made.eye.looks = True
    yield made
    made.close()


@pytest.fixture
def served(evening: Evening) -> Iterator[Served]:
    with Served(evening.path) as made:
        yield made


@pytest.fixture
def screens(browser: Browser, served: Served, evening: Evening) -> Iterator[Screens]:
    made = Screens(browser, served.port)
    made.wait("() => document.body.dataset.link === 'live'", turn=evening.turn)
    yield made
    made.close()


def shown(evening: Evening, screens: Screens) -> dict[str, Any]:
    """The newest state, once every page shows it."""
    evening.clock.sleep(LOOK_S)
    evening.service.turn()
    state = evening.published
    screens.wait("r => Number(document.body.dataset.revision) >= r", state["revision"])
    screens.wait("() => [...document.images].every((each) => each.complete)", turn=evening.service.turn)
    return state


def texts_of(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_text_contents()]


MARKED = """() => {
    const picture = document.getElementById("picture").getBoundingClientRect();
    const { naturalWidth, naturalHeight } = document.getElementById("picture");
    const scale = Math.min(picture.width / naturalWidth, picture.height / naturalHeight);
    return [...document.querySelectorAll("#marks .box")].map((each) => {
        const box = each.getBoundingClientRect();
        return [(box.x + box.width / 2 - picture.x) / scale / naturalWidth,
                (box.y + box.height / 2 - picture.y) / scale / naturalHeight];
    });
}"""
"""The middle of each mark on the screen, as parts of the picture's width and height."""


def marked_right(evening: Evening, screens: Screens, throw: dict[str, Any]) -> int:
    """Each die that is marked has its value, in every size; how many are.

    One that was thrown just now is marked where it lies; a picture that waited shows what lay there earlier.
    """
    screens.wait("() => !document.getElementById('seen').hidden", turn=evening.service.turn)
    lying = truth(evening.simulation.world).dice
    values = [str(die["value"]) for die in throw["dice"]]
    middles: list[list[float]] = []
    for page in screens.pages.values():
        middles = page.evaluate(MARKED)
        assert texts_of(page, "#marks text") == values[: len(middles)]
        if throw["number"] < evening.service.parts.ledger.count:
            continue
        for die, (x, y) in zip(throw["dice"], middles, strict=False):
            boxes = [each.box for each in lying if [each.lying.kind, each.lying.value] == [*die.values()]]
            assert any(
                (x, y) == pytest.approx(((left + wide / 2) / 1280, (top + high / 2) / 720), abs=0.01)
                for left, top, wide, high in boxes
            )
    return len(middles)


@pytest.mark.parametrize("evening", usually({"six_shooter", "liars_dice", "yacht"}, GAMES), indirect=True)
def test_a_whole_game_is_on_every_screen(evening: Evening, screens: Screens) -> None:
    for page in screens.pages.values():
        page.emulate_media(reduced_motion="reduce")
    game = evening.simulation.games[evening.simulation.played]
    kept = {"over"}
    count = marked = 0
    while not evening.over:
        evening.turn()
        if evening.service.parts.ledger.count == count:
            continue
        count = evening.service.parts.ledger.count
        state = shown(evening, screens)
        for page in screens.pages.values():
            if state["phase"] in ("play", "over"):
                assert texts_of(page, "#todo") == [state["todo"]]
                assert texts_of(page, "#seats .name") == [seat["name"] for seat in state["seats"]]
                assert texts_of(page, "#seats .score") == [seat["beside"] for seat in state["seats"]]
                assert texts_of(page, "#facts li") == state["facts"]
            assert page.locator("#throws li").count() == len(state["throws"])
        assert screens.pages["television"].evaluate(CUT_OFF) == []
        if state["throws"] and state["throws"][0]["picture"] and state["podium"] is None:
            marked += marked_right(evening, screens, state["throws"][0])
        if state["phase"] not in kept or count == 25:
            kept.add(state["phase"])
            name = f"{state['game'] or 'no-game'}-{state['phase']}"
            screens.keep(name if count < 25 else f"{name}-later")
    state = shown(evening, screens)
    assert (state["phase"], state["game"]) == ("over", game)
    assert marked > 0
    for page in screens.pages.values():
        page.emulate_media(reduced_motion="no-preference")
        assert texts_of(page, "#seats .winner .name") == state["winners"]
        assert page.locator("#confetti i").count() > 0
        best = state["podium"]["best"] or state["throws"][0]
        assert page.locator("#picture").is_visible() == best["picture"]
        assert page.locator("#places .name").first.inner_text() == state["podium"]["places"][0]["name"]
        assert page.locator("#podium").is_visible()
        assert state["winners"][0] in page.locator("#live").inner_text()
    screens.keep(f"{state['game']}-over")
    screens.check()


def test_a_throw_is_replayed_once_and_on_phones_on_request(browser: Browser, tmp_path: Path) -> None:
    frames = [(i / 10, np.full((180, 320, 3), 60 + 40 * i, np.uint8)) for i in range(5)]
    sheet = strip(frames, 0.6)
    picture = evidence(np.full((720, 1280, 3), 90, np.uint8))
    seen = marks([(128, 72, 64, 72), (640, 360, 64, 72)], picture, sheet)
    table = PretendTable(tmp_path / "pretend.sock")
    for number in (5, 6, 7):
        table.bodies[(messages.PICTURE, number)] = picture
        table.bodies[(messages.MOTION, number)] = sheet
        table.bodies[(messages.MARKS, number)] = json.dumps(seen).encode()
    table.state = thrown(5)
    with closing(table), Served(table.path) as served:
        page = Screens(browser, served.port).pages["television"]
        page.wait_for_selector("#seen:not([hidden])")
        assert page.locator("#replay").is_hidden()  # nobody can touch it there
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.locator("#replay").is_visible()
        assert page.locator("#motion").is_hidden()
        middles = page.evaluate(MARKED)
        assert middles == [pytest.approx([0.125, 0.15], abs=0.01), pytest.approx([0.525, 0.55], abs=0.01)]
        page.evaluate(FRAMES_SEEN)

        def frames_seen() -> list[list[int]]:
            page.wait_for_selector("#motion[data-frame='4']", state="attached")
            page.wait_for_selector("#motion", state="hidden")
            found: list[list[int]] = page.evaluate("window.seen.splice(0)")
            return found

        table.tell(thrown(6))
        assert frames_seen() == [[at, 240] for at in range(5)]
        page.click("#replay")
        assert frames_seen() == [[at, 240] for at in range(5)]
        page.emulate_media(reduced_motion="reduce")
        table.tell(thrown(7))
        page.wait_for_selector("#replay:text-is('Show the frames')")
        page.wait_for_selector("body[data-revision='7']")
        page.wait_for_selector("#seen:not([hidden])")
        assert page.locator("#motion").is_hidden()
        page.click("#replay")
        page.wait_for_selector("#motion:not([hidden])")
        assert page.evaluate("document.getElementById('motion').width") == 4 * 240
        page.screenshot(path=SCREENSHOTS / "frames-of-a-throw.png")
        page.click("#replay:text-is('Show the dice at rest')")
        assert page.locator("#motion").is_hidden()
        assert page.evaluate("window.seen.splice(0)") == []
        table.asked.clear()
        table.tell(thrown(8, picture=False))
        page.wait_for_selector("body[data-revision='8']")
        assert page.locator("#seen").is_hidden()
        assert page.locator("#replay").is_hidden()
        assert table.asked == []
        page.close()


FRAMES_SEEN = """() => {
    window.seen = [];
    const canvas = document.getElementById("motion");
    new MutationObserver(() => window.seen.push([Number(canvas.dataset.frame), canvas.width]))
        .observe(canvas, { attributeFilter: ["data-frame"] });
}"""
"""Writes down each frame of a replay and its width."""


def test_eight_seats_fit_on_a_television(evening: Evening, browser: Browser, tmp_path: Path) -> None:
    while evening.service.parts.ledger.count < 14:
        evening.turn()
    state = Snapshot(**snapshot(evening.table, []), revision=1)
    state["seats"] = [state["seats"][number % 3] for number in range(8)]
    table = PretendTable(tmp_path / "pretend.sock")
    table.state = json.dumps(state).encode()
    with closing(table), Served(table.path) as served:
        screens = Screens(browser, served.port)
        screens.wait("() => document.body.dataset.revision === '1'")
        screens.keep("eight-seats")
        assert screens.pages["television"].evaluate(CUT_OFF) == []
        screens.check()
        screens.close()


def test_what_is_wrong_is_said_once_in_words_for_guests(evening: Evening, screens: Screens) -> None:
    while evening.table.state.awaited is None:
        evening.turn()
    evening.simulation.world.inject(parse("unplugged:600"))
    while "camera" not in evening.table.degraded:
        evening.turn()
    shown(evening, screens)
    screens.keep("trouble")
    for page in screens.pages.values():
        assert texts_of(page, "#troubles p") == ["The table can't see the dice right now."]
        assert texts_of(page, "#wrong") == [""], "trouble is said once"
        assert texts_of(page, "#todo") == ["The game waits."], "nobody is asked to throw"
    screens.check()


def test_the_gateway_is_killed_stopped_and_restarted_all_through_a_game(
    evening: Evening, screens: Screens, served: Served
) -> None:
    while not evening.table.state.match:
        evening.turn()
    record = evening.service.parts.ledger
    for number in range(RESTARTS):
        before = record.count
        if number % 10 == 9:
            assert served.process is not None
            served.process.send_signal(signal.SIGSTOP)
            while record.count < before + 2:
                evening.turn()
            served.process.send_signal(signal.SIGCONT)
            shown(evening, screens)
            continue
        served.kill()
        screens.wait("() => document.body.dataset.link === 'stale'")
        if number == 0:
            screens.keep("out-of-date")
            screens.check()
        while record.count == before:
            evening.turn()
        served.start()
        screens.wait("() => document.body.dataset.link === 'live'", turn=evening.turn)
        shown(evening, screens)
    assert record.count >= RESTARTS
    assert record.ledger is not None
    rows = record.ledger.rows()
    numbers = [row.number for row in rows if b'"thrown"' in row.body or b'"revealed"' in row.body]
    assert all_throws(evening, screens) == numbers[::-1]
    screens.check()


def all_throws(evening: Evening, screens: Screens) -> list[int]:
    """The numbers of all throws that the gateway tells, page after page, while the table goes on."""
    found: list[int] = []

    def turn() -> None:
        evening.clock.sleep(READ_S)
        evening.service.turn()

    while True:
        page = screens.pages["phone"]
        page.evaluate(ASKED, found[-1] if found else messages.HIGHEST)
        screens.wait("() => !('pending' in window)", turn=turn)
        told: list[int] = page.evaluate("window.told")
        if not told:
            return found
        found += told


ASKED = """(before) => {
    window.pending = true;
    fetch(`/api/throws?before=${before}`).then((answer) => answer.json()).then(({ throws }) => {
        window.told = throws.map((each) => each.number);
        delete window.pending;
    });
}"""


def test_markup_in_names_is_text(browser: Browser, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&"
    dice = [{"kind": "d6", "value": evil}, {"kind": evil, "value": 3}]
    flags = dict.fromkeys(
        ("corrected", "picture", "asked", "away", "winner", "paused", "menu", "rolling"), True
    )
    words = ("game", "title", "asked", "awaits", "todo", "wrong")
    lists = ("panel", "winners", "rules", "choices", "due", "happened", "facts")
    throw: dict[str, object] = flags | {
        "number": 7,
        "game": evil,
        "seat": evil,
        "dice": dice,
        "by_hand": False,
    }
    seat: dict[str, object] = flags | dict.fromkeys(
        ("name", "score", "standing", "under_cup", "number", "beside", "place"), evil
    )
    seat |= {"dice": dice, "out": True}
    beside: list[object] = [{"number": evil, "caption": evil}]
    stage: dict[str, object] = {
        "number": evil,
        "caption": evil,
        "dice": dice,
        "slots": 3,
        "tokens": 2,
        "token": evil,
        "beside": beside,
    }
    state = (
        flags
        | dict.fromkeys(words, evil)
        | {name: [evil] for name in lists}
        | {"v": 1, "revision": 1, "phase": "play", "rolling": True, "seats": [seat], "throws": [throw]}
        | {"stage": stage, "moments": {"number": 1, "told": [{"text": evil, "caption": evil, "place": evil}]}}
        | {"troubles": [{"part": evil, "what": f"Another fault: {evil}", "remedy": evil, "guests": evil}]}
    )
    table = PretendTable(tmp_path / "table.sock")
    table.state = json.dumps(state).encode()
    with closing(table), Served(table.path) as served:
        screens = Screens(browser, served.port)
        screens.wait("() => document.body.dataset.revision === '1'")
        for page in screens.pages.values():
            assert texts_of(page, "#seats .name") == [evil]
            assert texts_of(page, "#todo") == [evil]
            assert page.evaluate("document.querySelectorAll('img[src=x]').length") == 0
            assert page.evaluate("[...document.scripts].every((each) => each.src && !each.textContent)")
        screens.keep("hostile")
        screens.check()
        screens.close()
