"""`/roll` and `/overlay`: the last throw for programs and streams, and who else may read it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gateway.rolls import NO_ROLL, NewRolls, rolls_of
from tests.gateway.serving import HANGING_S, PretendTable, Served, Stream, over_the_wire
from tests.gateway.signals.signalling import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

SIGNALS = Path(__file__).resolve().parents[2] / "docs" / "signals.md"
SEATS = [{"name": "Ann", "colour": 3}, {"name": "Bob", "colour": 1}]
STREAM = "Accept: text/event-stream"
GROUND = "[document.documentElement, document.body].map((part) => getComputedStyle(part).backgroundColor)"
OTHER = "https://dice.example.org"


def throw(number: int, *dice: tuple[str, int], seat: str = "Ann", **more: Any) -> dict[str, Any]:
    """A throw as a snapshot lists it."""
    sums = {
        "total": sum(value for _, value in dice),
        "formula": None,
        "result": None,
        "kept": [True] * len(dice),
        "natural": None,
    }
    return {
        "number": number,
        "game": "rolls",
        "seat": seat,
        "dice": [{"kind": kind, "value": value} for kind, value in dice],
        **sums,
        **more,
    }


def state(*throws: dict[str, Any], **more: Any) -> bytes:
    """A state with these throws, the newest first."""
    return told(throws=list(throws), seats=SEATS, game="rolls", **more)


ADVANTAGE = throw(
    41, ("d20", 17), ("d20", 4), formula="2d20kh+5", result=22, kept=[True, False], natural=None
)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PretendTable]:
    made = PretendTable(tmp_path / "table.sock")
    made.state = state(ADVANTAGE)
    yield made
    made.close()


def test_the_last_throw_is_json(table: PretendTable) -> None:
    with Served(table.path) as served:
        with closing(Stream(served.port)) as screen:
            screen.until(b"event: state")
        assert served.json("/roll") == {
            "v": 1,
            "throw": 41,
            "verdict": "counts",
            "reason": None,
            "game": "rolls",
            "seat": "Ann",
            "colour": 3,
            "dice": [
                {"kind": "d20", "value": 17, "kept": True},
                {"kind": "d20", "value": 4, "kept": False},
            ],
            "total": 21,
            "formula": "2d20kh+5",
            "result": 22,
            "natural": None,
        }


def test_each_new_throw_is_an_event_and_missed_ones_come_later(table: PretendTable) -> None:
    with Served(table.path) as served:
        with closing(Stream(served.port, "/roll", STREAM)) as rolls:
            rolls.until(b"event: last\n")
            table.tell(state(throw(42, ("d6", 3)), ADVANTAGE))
            came = rolls.until(b'"throw": 42')
            assert b"id: 42\nevent: roll" in came
            assert b"event: state" not in came
        table.tell(state(throw(44, ("d6", 1)), throw(43, ("d6", 2)), throw(42, ("d6", 3))))
        with closing(Stream(served.port, "/roll", STREAM, "Last-Event-ID: 42")) as rolls:
            came = rolls.until(b'event: roll\ndata: {"v": 1, "throw": 44')
            assert re.findall(rb'event: (\w+)\ndata: {"v": 1, "throw": (\d+)', came) == [
                (b"last", b"44"),
                (b"roll", b"43"),
                (b"roll", b"44"),
            ]


def test_a_throw_that_waits_for_people_has_no_total() -> None:
    asked = {
        "about": "value",
        "text": "Is it 4?",
        "seat": "Bob",
        "dice": [{"kind": "d6", "value": 4, "before": None, "asked": True}],
    }
    *_, waiting = rolls_of(json.loads(state(ADVANTAGE, question=asked)))
    assert (waiting["verdict"], waiting["reason"], waiting["total"]) == ("confirm", "Is it 4?", None)
    assert (waiting["throw"], waiting["seat"], waiting["colour"]) == (None, "Bob", 1)
    assert waiting["dice"] == [{"kind": "d6", "value": 4, "kept": True}]


def test_questions_about_no_throw_are_no_rolls() -> None:
    asked = {"about": "game", "text": "End it?", "seat": "", "dice": []}
    assert [roll["throw"] for roll in rolls_of(json.loads(state(ADVANTAGE, question=asked)))] == [41]


def test_new_rolls_are_told_once_and_corrected_ones_again() -> None:
    new = NewRolls(None)
    first, second = NO_ROLL | {"throw": 1}, NO_ROLL | {"throw": 2}
    waiting = NO_ROLL | {"verdict": "vouch"}
    assert new.of([first]) == []
    assert new.of([first, waiting]) == [waiting]
    assert new.of([first, waiting]) == []
    assert new.of([first, second]) == [second]
    corrected = first | {"total": 5}
    assert new.of([corrected, second]) == [corrected]
    assert new.of([]) == []
    assert new.of([first]) == [first]


def test_a_ledger_that_begins_anew_brings_nothing_back() -> None:
    new = NewRolls(57)
    assert new.of([NO_ROLL | {"throw": 3}]) == []
    assert [roll["throw"] for roll in new.of([NO_ROLL | {"throw": 4}])] == [4]


def test_only_the_listed_pages_may_read_along(table: PretendTable) -> None:
    with Served(table.path) as served:
        for path in ("/roll", "/overlay"):
            assert b"access-control" not in over_the_wire(served.port, path, f"Origin: {OTHER}").lower()
    with Served(table.path, origins=(OTHER,)) as served:
        for path in ("/roll", "/overlay"):
            answer = over_the_wire(served.port, path, f"Origin: {OTHER}").lower()
            assert f"access-control-allow-origin: {OTHER}".encode() in answer
            other = over_the_wire(served.port, path, "Origin: https://elsewhere.example").lower()
            assert b"access-control-allow-origin" not in other
        with closing(Stream(served.port, "/roll", STREAM, f"Origin: {OTHER}")) as rolls:
            assert b"access-control-allow-origin: " + OTHER.encode() in rolls.until(b"event: last")
        for path in ("/api/state", "/api/throws", "/phone"):
            assert b"access-control" not in over_the_wire(served.port, path, f"Origin: {OTHER}").lower()


WRONG = {
    "seconds=soon": "seconds: a number from 0 to 3600",
    "seconds=3601": "seconds: a number from 0 to 3600",
    "align=top": "align: left, center, right",
    "colour=red": "colour: six hexadecimal digits",
    "name=yes": "name: on or off",
    "speed=1": "speed: no option of the overlay: use seconds, align",
}


def test_a_wrong_option_says_what_is_right(table: PretendTable) -> None:
    with Served(table.path) as served:
        for options, says in WRONG.items():
            status, _, body = served.get(f"/overlay?{options}")
            assert (status, says in json.loads(body)["error"]) == (400, True), options


def example(language: str) -> str:
    """The code in that language in docs/signals.md."""
    found = re.search(rf"```{language}\n(.*?)```", SIGNALS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_python_of_the_docs_follows_the_rolls(table: PretendTable) -> None:
    with Served(table.path) as served:
        command = [sys.executable, "-c", example("python"), f"http://127.0.0.1:{served.port}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as following:
            assert following.stdout is not None
            try:
                said = threading.Thread(target=tell_until, args=(table, following))
                said.start()
                assert following.stdout.readline() == "Ann 22\n"
            finally:
                following.kill()
                said.join(HANGING_S)


def tell_until(table: PretendTable, following: subprocess.Popen[str]) -> None:
    """New throws, one after the other, until the program ends: it may not listen yet."""
    number = 42
    while following.poll() is None and number < 42 + 10 * HANGING_S:
        table.tell(state(ADVANTAGE | {"number": number}))
        number += 1
        try:
            following.wait(0.1)
        except subprocess.TimeoutExpired:
            continue


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.slow
def test_overlay_and_javascript_of_the_docs(table: PretendTable, browser: Browser, tmp_path: Path) -> None:
    pages = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    own = f"http://127.0.0.1:{pages.server_address[1]}"
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    try:
        with Served(table.path, origins=(own,)) as served:
            address = f"http://127.0.0.1:{served.port}"
            code = example("javascript").replace("http://127.0.0.1:8080", address)
            (tmp_path / "own.html").write_text(f"<body><script>{code}</script>", encoding="utf-8")
            other, overlay = browser.new_page(), browser.new_page(viewport={"width": 400, "height": 300})
            errors: list[str] = []
            overlay.on("console", lambda line: errors.append(line.text))
            overlay.on("pageerror", lambda error: errors.append(str(error)))
            with other.expect_response(f"{address}/roll"):
                other.goto(f"{own}/own.html")
            with overlay.expect_response(f"{address}/roll"):
                overlay.goto(f"{address}/overlay?seconds=1")
            assert overlay.locator("#roll").get_attribute("data-state") == "hidden"
            table.tell(
                state(throw(42, ("d20", 17), ("d20", 4), formula="2d20kh+5", result=22, kept=[True, False]))
            )
            other.get_by_text("Ann: d20 17 = 22").wait_for()
            overlay.locator("#roll[data-state=in] #dice[data-throw='42']").wait_for()
            assert overlay.locator("#total").inner_text() == "22"
            assert overlay.locator("#formula").inner_text() == "2d20kh+5"
            assert overlay.locator("#dice .dropped").count() == 1
            assert (
                overlay.evaluate("getComputedStyle(document.documentElement).backgroundColor")
                == "rgba(0, 0, 0, 0)"
            )
            overlay.locator("#roll[data-state=out]").wait_for()
            overlay.locator("#roll[data-state=hidden]").wait_for(state="attached")
            fits_any_size(table, overlay, address)
            assert errors == []
    finally:
        pages.shutdown()
        pages.server_close()


def fits_any_size(table: PretendTable, overlay: Page, address: str) -> None:
    """Whatever the size of the window and the number of dice, all of the throw is inside."""
    overlay.goto(f"{address}/overlay?seconds=0&motion=off")
    formula = "2d20kh+d4+d6-3"
    number = 50
    for width, height in ((1920, 1080), (800, 160), (300, 900), (160, 120)):
        overlay.set_viewport_size({"width": width, "height": height})
        for count in (1, 4, 30):
            number += 1
            dice = [("d6", 1 + place % 6) for place in range(count)]
            table.tell(state(throw(number, *dice, seat="Bartholomew the Old", formula=formula, result=105)))
            overlay.locator(f"#dice[data-throw='{number}']").wait_for()
            boxes = [part.bounding_box() for part in overlay.locator("#roll p, #dice > *").all()]
            assert len(boxes) == 3 + count
            for box in boxes:
                assert box is not None
                assert box["x"] >= -1
                assert box["y"] >= -1
                assert box["x"] + box["width"] <= width + 1
                assert box["y"] + box["height"] <= height + 1
                assert min(box["width"], box["height"]) >= 4
