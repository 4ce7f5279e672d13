"""The pages about players and dice, with a table that counts as the test says."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from starlette.requests import Request

from common.messages import Answer
from games.registry import GAMES
from gateway import records as records_
from gateway.link import BusyError
from gateway.pages import cached_gzip
from gateway.records import CountingError, RecordsCache, RecordsPages
from gateway.settings import Look
from tests.gateway.pages import CONTRAST, barriers
from tests.gateway.serving import PretendTable, Served, until
from tests.gateway.stages import DIGITS, faults
from tests.gateway.states import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from gateway.link import TableLink

ODD = '</h1>"&%/?#é'
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
SIZES = ((1920, 1080), (1280, 720), (820, 1180), (390, 844), (360, 740))
LUCK = {"times": 12, "expected": 8.5, "came": 10.0, "standard_deviations": 1.25}


def player(name: str, won: int, played: int) -> dict[str, Any]:
    return {
        "name": name, "played": {"sixes": 1, "six_shooter": played - 1}, "won": {"six_shooter": won},
        "streak": min(2, won), "longest_streak": won, "form": [at < won for at in range(min(20, played))],
        "luck": {"six_shooter": LUCK, "six_by_6": LUCK | {"standard_deviations": None}},
        "skill": {"six_shooter": {"decisions": 4, "chips_lost": 6.0}},
    }  # fmt: skip


CUT_OFF = """() => [...document.querySelectorAll("svg text")].filter((each) => {
    const [text, chart] = [each, each.closest("svg")].map((one) => one.getBoundingClientRect());
    return text.left < chart.left - 1 || text.right > chart.right + 1;
}).map((each) => each.textContent)"""
SPILLED = """() => {
    const box = document.getElementById("best").getBoundingClientRect();
    return [...document.querySelectorAll("#best li > *")].filter((each) => {
        if (!each.checkVisibility()) return false;
        const own = each.getBoundingClientRect(), around = each.parentElement.getBoundingClientRect();
        return own.bottom > Math.max(innerHeight, box.bottom) + 1 || own.top < box.top - 1
            || own.left < around.left - 1 || own.right > around.right + 1;
    }).map((each) => each.textContent);
}"""
PEOPLE = [player("Wilhelmine", 61, 104), player(ODD, 2, 5), player("..", 1, 3)]
PEOPLE += [player(f"{letter}aximilian", 0, 20) for letter in "MNOPQR"]
HIGHLIGHTS = ["Most wins: Wilhelmine, 61", "Least likely: Wilhelmine did not bust in Six Shooter at 0.1 %"]
PLAYERS: dict[str, Any] = {
    "players": PEOPLE,
    "records": ["Longest streak: Wilhelmine, 61 wins"],
    "best": [
        {"number": "61", "caption": "wins in a row", "name": "Wilhelmine"},
        {"number": "1,250", "caption": "points in one turn of Money Shot", "name": ODD},
        {"number": "1 in 46,656", "caption": "odds beaten in Six By 6", "name": "Maximilian"},
    ],
    "evening": {
        "day": "Wednesday 30 September 2026",
        "counted": "104 games, 9 players",
        "players": PEOPLE,
        "highlights": HIGHLIGHTS,
        "matches": [
            f"20:{minute}  Six Shooter: Wilhelmine won (Wilhelmine, Maximilian)" for minute in range(10, 50)
        ],
    },
}


def die(name: str, kind: str, faces: int, verdict: str) -> dict[str, Any]:
    interval = [0.5 / faces, 1.5 / faces]
    told = [
        {"face": face, "count": 7, "share": 1 / faces, "interval": interval} for face in range(1, faces + 1)
    ]
    words = "not enough throws yet: about 1,800 more would tell a face that comes 50 % too often"
    curve = [[0, 0.0], [100, -0.4], [1204, 1.4]]
    return {
        "name": name,
        "kind": kind,
        "throws": 1204,
        "verdict": verdict,
        "words": words,
        "faces": told,
        "curve": curve,
    }


DICE = {
    "dice": [
        die("d20", "d20", 20, "too_few"),
        die(ODD, "d6", 6, "biased"),
        die("d12", "d12", 12, "no_bias_found"),
    ]
}


class Counting:
    """What the table answers, and how often it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"players": PLAYERS, "dice": DICE}
        self.asked: list[str] = []

    def answer(self, kind: str, payload: dict[str, Any]) -> bytes | None:
        if kind != "records":
            return None
        self.asked.append(payload["what"])
        found = self.answers.get(payload["what"])
        return None if found is None else json.dumps(found).encode()


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def table(tmp_path: Path, counting: Counting) -> Iterator[PretendTable]:
    made = PretendTable(tmp_path / "pretend.sock", counting.answer)
    yield made
    made.close()


def started(served: Served) -> Served:
    """Once the table is reached."""
    served.start()
    until(lambda: served.get("/records")[0] != 503)
    return served


def test_guests_look_up_players_and_dice(served: Served, counting: Counting) -> None:
    started(served)
    assert all(b'"/records"' in served.get(path)[2] for path in ("/", "/phone"))
    status, headers, records = served.get("/records")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"Wednesday 30 September 2026" in records
    assert f'<a href="/players/{quote(ODD, safe="")}">'.encode() in records
    assert b'href="/players/.."' not in records
    status, _, page = served.get(f"/players/{quote(ODD, safe='')}")
    assert status == 200
    assert b"of 5 games won" in page
    assert b"10 without a bust, 8.5 expected, in 12 throws<" in page
    assert b"standard deviations" not in page
    status, _, dice = served.get("/dice")
    assert status == 200
    assert b"Not enough throws yet: about 1,800 more" in dice
    for body in (records, page, dice):
        assert b"</h1>&quot;&amp;%/?#" in body.replace(b"&lt;/h1&gt;", b"</h1>")
        assert ODD.encode() not in body
    assert counting.asked == ["players", "dice"]


def test_a_screen_is_told_the_best_of_all_time(served: Served, counting: Counting) -> None:
    started(served)
    assert b'id="best"' in served.get("/")[2]
    status, headers, told = served.get("/api/best")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(told) == {"v": 1, "best": PLAYERS["best"]}
    assert counting.asked == ["players"]


def test_an_evening_and_a_player_are_pictures_of_their_own(served: Served) -> None:
    started(served)
    for path in ("/pictures/evening", f"/pictures/players/{quote(ODD, safe='')}"):
        status, headers, picture = served.get(path)
        assert (status, headers["content-type"]) == (200, "image/svg+xml")
        assert [ET.fromstring(picture).get(name) for name in ("width", "height")] == ["1080", "1350"]
    assert served.get("/pictures/players/nobody")[0] == 404


def test_what_there_is_not_is_said_in_a_sentence(served: Served, counting: Counting) -> None:
    started(served)
    status, _, page = served.get("/players/nobody")
    assert status == 404
    assert b"No one by that name has played here." in page
    counting.answers["dice"] = {"failed": True}
    status, _, page = served.get("/dice")
    assert status == 503
    assert b"The records can&#x27;t be read right now." in page


def test_a_new_table_invites_to_play(served: Served, counting: Counting) -> None:
    counting.answers = {"players": {"players": [], "records": [], "evening": None}, "dice": {"dice": []}}
    started(served)
    assert b"No one has played here yet." in served.get("/records")[2]
    assert b"No die has been thrown yet." in served.get("/dice")[2]
    assert served.get("/pictures/evening")[0] == 404


def test_switched_off_there_are_no_such_pages(served: Served) -> None:
    served.operator["records"] = False
    served.start()
    assert all(b'"/records"' not in served.get(path)[2] for path in ("/", "/phone"))
    for path in ("/records", "/players/Ann", "/dice", "/pictures/evening"):
        assert served.get(path)[0] == 404


class PretendLink:
    """A table that answers once it may."""

    def __init__(self) -> None:
        self.writer: object = "first connection"
        self.may_answer = asyncio.Event()
        self.asked = 0
        self.refuses = False
        self.body: dict[str, Any] = {}

    async def ask(self, _: str, payload: dict[str, Any], __: float) -> Answer:
        self.asked += 1
        await self.may_answer.wait()
        told = self.body or {payload["what"]: self.asked}
        return Answer(not self.refuses, body=json.dumps(told).encode())


class Clocked:
    """A desk with a clock of its own."""

    def __init__(self) -> None:
        self.s = 1000.0
        self.link = PretendLink()
        self.desk = RecordsCache(cast("TableLink", self.link), lambda: self.s)

    async def told(self) -> int:
        return int((await self.desk.get("dice"))["dice"])


def test_a_room_of_guests_costs_one_counting() -> None:
    async def play() -> None:
        room = Clocked()
        room.link.may_answer.set()
        assert await asyncio.gather(*(room.told() for _ in range(50))) == [1] * 50
        room.s += 29.0
        assert await room.told() == 1
        room.s += 2
        assert await room.told() == 2

    asyncio.run(play())


def test_what_took_long_is_kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        monkeypatch.setattr(records_, "WAIT_S", 0.0)
        room = Clocked()
        with pytest.raises(CountingError):
            await room.told()
        room.s += 60.0
        room.link.may_answer.set()
        await asyncio.sleep(0)
        await room.desk.counting["dice"]
        room.s += 1199.0
        assert await room.told() == 1
        room.s += 2
        room.link.may_answer.clear()
        assert await room.told() == 1  # the old one, while the table counts anew
        assert room.link.asked == 2

    asyncio.run(play())


def test_a_ledger_that_takes_too_long_is_not_counted_again_and_again() -> None:
    async def play() -> None:
        room = Clocked()
        for asked in (1, 2):
            room.link.refuses = True
            room.link.may_answer.clear()
            waiting = asyncio.create_task(room.told())
            while room.link.asked < asked:
                await asyncio.sleep(0)
            room.s += 120.0
            room.link.may_answer.set()
            for _ in range(3):
                with pytest.raises(BusyError):
                    await (room.told() if waiting.done() else waiting)
            assert room.link.asked == asked
            room.s += 2400.0
        room.link.refuses = False
        assert await room.told() == 3
        room.link.refuses = True
        room.s += 31.0
        assert await room.told() == 3, "the old one is better than none"

    asyncio.run(play())


def browser_asks(**path: str) -> Request:
    """A request of a browser that takes gzip."""
    headers = [(b"accept-encoding", b"gzip")]
    return Request({"type": "http", "method": "GET", "headers": headers, "path_params": path})


def all_told() -> RecordsPages:
    """The pages, with a table that answers at once."""
    link = PretendLink()
    link.may_answer.set()
    link.body = PLAYERS | DICE
    return RecordsPages(Look(), cast("TableLink", link))


@pytest.mark.parametrize("which", ["records", "dice"])
def test_a_long_page_is_made_once_for_a_room_of_guests(monkeypatch: pytest.MonkeyPatch, which: str) -> None:
    made: list[object] = []
    whole = records_.whole_page

    def page(*given: Any, **more: Any) -> bytes:
        made.append(given)
        return whole(*given, **more)

    monkeypatch.setattr(records_, "whole_page", page)
    shown = all_told()

    async def ask() -> set[bytes]:
        return {bytes((await getattr(shown, which)(browser_asks())).body) for _ in range(20)}

    assert (len(asyncio.run(ask())), len(made)) == (1, 1)


def test_the_pages_of_an_evening_do_not_fill_the_memory() -> None:
    before = cached_gzip.cache_info().currsize
    shown = all_told()

    async def ask() -> None:
        for answer in (
            await shown.records(browser_asks()),
            await shown.dice(browser_asks()),
            await shown.player(browser_asks(name="Wilhelmine")),
        ):
            assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
            assert gzip.decompress(bytes(answer.body)).rstrip().endswith(b"</html>")

    asyncio.run(ask())
    assert cached_gzip.cache_info().currsize == before


def test_nothing_is_kept_from_a_table_that_was_away() -> None:
    async def play() -> None:
        room = Clocked()
        room.link.may_answer.set()
        assert await room.told() == 1
        room.link.writer = None
        with pytest.raises(BusyError):
            await room.told()
        room.link.writer = "second connection"
        assert await room.told() == 2
        room.link.refuses, room.link.writer = True, "third connection"
        with pytest.raises(BusyError):
            await room.told()

    asyncio.run(play())


@pytest.mark.slow
def test_the_pages_hold_in_every_size(browser: Browser, served: Served) -> None:
    served.operator["look"] = Look("The Golden Anchor 88", "", "#7fe0c3")
    started(served)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    paths = {"records": "/records", "player": "/players/Wilhelmine", "dice": "/dice"}
    for width, height in SIZES:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.on("pageerror", lambda error: faults.append(str(error)))
        for name, path in paths.items():
            page.goto(f"http://127.0.0.1:{served.port}{path}")
            page.screenshot(path=SCREENSHOTS / f"{name}-{width}.png", full_page=width < 1000)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            assert page.evaluate(CUT_OFF) == [], (name, width)
            if width in (1920, 360):
                assert page.evaluate(CONTRAST) == {}
                assert barriers(page) == []
        page.close()
    assert faults == []


@pytest.mark.slow
def test_games_and_records_take_turns_between_games(
    browser: Browser, served: Served, table: PretendTable
) -> None:
    table.state = json.dumps(IDLE).encode()
    started(served)
    for width, height in SIZES:
        page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page.clock.install(time=0)
        page.clock.pause_at(1)
        page.goto(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector("#best li", state="attached")
        names = [each.text_content() for each in page.locator("#best .name").all()]
        assert names == ["Wilhelmine", ODD, "Maximilian"]
        if width >= 1280:
            assert page.locator(".games").is_visible()
            assert not page.locator("#best").is_visible()
            titles: set[str] = set()
            for _ in range(3):
                page.screenshot(path=SCREENSHOTS / f"posters-{len(titles)}-{width}.png")
                assert faults(page) == {}
                titles |= set(page.locator(".game h3:visible").all_text_contents())
                page.clock.run_for(16_000)
            assert titles == {game.title for game in GAMES.values()}
            assert not page.locator(".games").is_visible()
        assert page.locator("#best").is_visible()
        for number in range(3 if width >= 1280 else 1):
            page.clock.run_for(16_000 if number else 0)
            page.screenshot(path=SCREENSHOTS / f"best-{number}-{width}.png", full_page=width < 1000)
            assert page.evaluate(SPILLED) == []
            if width >= 1280:
                assert page.locator("#best .name:visible").all_text_contents() == [names[number]]
                assert page.evaluate(DIGITS, "#best .shown strong") >= 0.15
                assert faults(page) == {}
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width >= 1280:
            page.clock.run_for(16_000)
            assert page.locator(".games").is_visible()
        page.close()


@pytest.mark.slow
def test_a_page_is_shared_as_a_picture(browser: Browser, served: Served, tmp_path: Path) -> None:
    started(served)
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"http://127.0.0.1:{served.port}/players/Wilhelmine")
    with page.expect_download() as download:
        page.click("#share")
    assert download.value.suggested_filename == "Wilhelmine.png"
    saved = tmp_path / "shared.png"
    download.value.save_as(saved)
    data = saved.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert [int.from_bytes(data[at : at + 4], "big") for at in (16, 20)] == [1080, 1350]
    page.close()


@pytest.mark.slow
def test_the_wall_stays_up_to_date(browser: Browser, served: Served, counting: Counting) -> None:
    started(served)
    page = browser.new_page(viewport={"width": 1920, "height": 1080})
    page.clock.install(time=0)
    page.goto(f"http://127.0.0.1:{served.port}/records")
    assert page.locator("#highlights li").count() == 2
    counting.answers["players"] = PLAYERS | {
        "evening": PLAYERS["evening"] | {"highlights": ["Most wins: Ann, 62"]}
    }
    served.kill()
    served.start()
    until(lambda: b"Ann, 62" in served.get("/records")[2])
    page.clock.run_for(61_000)
    page.wait_for_selector("text=Most wins: Ann, 62")
    page.close()
