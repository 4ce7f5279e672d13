"""The table asks the league through the gateway: signed by the table, carried, answered, kept in a file."""

from __future__ import annotations

import asyncio
import json
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from common.messages import Answer, Event
from dicetable.__main__ import main
from dicetable.ledger.entries import Thrown
from dicetable.service import league
from dicetable.service.league import LeagueOutbox
from dicetable.service.league_client import KEPT_FILE, LeagueClient
from dicetable.table.pairings import Pairing
from gateway.signals.league import LeagueAnswer, LeagueRelay, Upload
from league import contests, results
from league.app import application
from league.database import connect, prepare
from tests.dicetable.oddities import ODDITIES, put
from tests.dicetable.service.calling import called
from tests.league.bars import Bar, entries, join
from tests.league.sending import NOW_S, sent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dicetable.service.healing_ledger import HealingLedger
    from dicetable.service.server import TableServer
    from dicetable.table.table import Table
    from league.database import Database


class Socket:
    """The link without a socket: what the table publishes, and what the gateway asks of it."""

    def __init__(self, desk: LeagueClient) -> None:
        self.desk = desk
        self.clients = [1]
        self.payloads: dict[str, Any] = {}
        self.event_news = asyncio.Event()
        self.table = cast("Table", SimpleNamespace())
        self.now_s = 0.0

    def publish(self, event: Event) -> None:
        self.payloads[event.event] = json.loads(json.dumps(event.payload))

    async def ask(self, kind: str, payload: dict[str, Any]) -> Answer:
        request = SimpleNamespace(payload=json.loads(json.dumps(payload)))
        reply: Any = self.desk.kinds()[kind].begin(request, self.table)  # type: ignore[arg-type]
        return Answer(reply.accepted, reply.sentence)

    def turn(self, seconds: float = 10.0) -> None:
        self.now_s += seconds
        self.desk.publish(cast("TableServer", self), self.table, self.now_s)


def record_of(bar: Bar) -> HealingLedger:
    return cast("HealingLedger", SimpleNamespace(folder=bar.ledger.folder, ledger=bar.ledger))


class Joined:
    """A table in a league over plain function calls: no socket, no HTTP, everything else is real."""

    def __init__(self, folder: Path) -> None:
        self.league: Database = connect(f"sqlite:///{folder / 'league.sqlite3'}")
        prepare(self.league)
        self.bar = Bar(folder / "bar")
        self.bar.register(self.league)
        join(self.bar, self.bar.table)
        self.socket = Socket(LeagueClient(record_of(self.bar)))
        self.outbox = LeagueOutbox(self.bar.ledger)
        self.app = application(self.league, lambda: self.now_s)
        self.now_s = 0
        self.upload = Upload(self, "http://127.0.0.1")  # type: ignore[arg-type]
        self.upload.request = self.request  # type: ignore[method-assign]
        self.desk = LeagueRelay(self.upload)
        self.desk.link = self.socket  # type: ignore[assignment]
        self.log: list[tuple[str, str, int]] = []
        self.away = ""

    def request(self, method: str, path: str, data: bytes) -> LeagueAnswer:
        """What the server answers, run as it runs under uvicorn."""
        if self.away == "503":
            return LeagueAnswer(503, {"error": "away", "message": "the database does not answer"})
        if self.away:
            raise ConnectionError(self.away)
        self.now_s = int(time.time())
        status, body = asyncio.run(called(self.app, method, path, data))
        self.log.append((method, path.split("/", 4)[-1], status))
        return LeagueAnswer(status, json.loads(body))

    def step(self) -> None:
        self.socket.turn()
        self.desk.looked_s = float("-inf")
        asyncio.run(self.desk.step())


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[Joined]:
    made = Joined(tmp_path)
    yield made
    made.bar.close()
    made.league.close()


def cup(joined: Joined) -> int:
    number = contests.add(joined.league, "Friday cup", "bracket", "six_by_6")
    contests.change_players(joined.league, number, "joined", ("Ann", "Bob", "Cleo", "Dan"))
    contests.add_event(joined.league, number, {"event": "begun"})
    return number


def test_a_question_goes_to_the_league_and_the_result_decides_the_match(joined: Joined) -> None:
    number = cup(joined)
    joined.step()
    pairings = joined.socket.desk.pairings
    assert (pairings.member, pairings.connected) == (True, True)
    (contest,) = pairings.contests
    assert (contest.number, contest.game, contest.called) == (number, "six_by_6", ())
    assert {each.name for each in contest.waiting} == {"Ann", "Bob", "Cleo", "Dan"}
    cleo = next(each for each in contest.waiting if each.name == "Cleo")
    pairings.ask(contest, cleo)
    joined.step()
    answer = pairings.answer
    assert answer is not None
    assert (answer.game, len(answer.players), cleo in answer.players) == ("six_by_6", 2, True)
    assert pairings.contests[0].called == answer.players  # the news that came with it: it is this table's now
    names = [each.name for each in answer.players]
    pairings.plays(answer.players)
    joined.bar.play("six_by_6", names)
    for _ in range(2):
        joined.step()
    assert pairings.links == {}
    sent(joined.league, joined.bar, joined.bar.batch(joined.bar.rows()))
    results.fold_waiting(joined.league, NOW_S)
    assert contests.settle(joined.league) == 1


def test_what_the_league_said_outlives_the_table(joined: Joined) -> None:
    cup(joined)
    joined.step()
    said = joined.socket.desk.pairings.contests
    joined.socket.desk.pairings.links = {"Ann": "00" * 8}
    joined.socket.turn()
    again = LeagueClient(record_of(joined.bar))
    assert (again.pairings.contests, again.pairings.links) == (said, {"Ann": "00" * 8})


def test_an_erased_name_is_not_in_what_the_league_said_either(
    joined: Joined, capsys: pytest.CaptureFixture[str]
) -> None:
    cup(joined)
    joined.step()
    folder = joined.bar.ledger.folder
    contest = joined.socket.desk.pairings.contests[0]
    name, other = (each.name for each in contest.waiting[:2])
    joined.bar.ledger.close()
    assert main(["ledger", "erase-name", name, "--folder", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == []
    said = (folder / KEPT_FILE).read_text()
    assert name not in said
    assert other in said


@pytest.mark.parametrize("oddity", ODDITIES)
def test_whatever_lies_in_place_of_the_file_the_table_goes_on(joined: Joined, oddity: str) -> None:
    put(joined.bar.ledger.folder / KEPT_FILE, oddity)
    desk = LeagueClient(record_of(joined.bar))
    assert desk.pairings.contests == ()
    joined.socket.desk = desk
    cup(joined)
    joined.step()
    assert len(desk.pairings.contests) == 1


def test_without_a_network_the_question_waits_and_is_signed_anew(joined: Joined) -> None:
    cup(joined)
    joined.step()
    pairings = joined.socket.desk.pairings
    contest = pairings.contests[0]
    pairings.ask(contest, contest.waiting[0])
    joined.socket.turn()
    for away in ("no network", "503"):
        joined.away = away
        with pytest.raises(ConnectionError, match=away):
            asyncio.run(joined.desk.step())
    first = joined.socket.payloads["league"]
    joined.socket.turn(61.0)
    assert joined.socket.payloads["league"]["number"] == first["number"]
    joined.away = ""
    joined.step()
    assert pairings.answer is not None


def test_a_refusal_comes_with_its_reason(joined: Joined) -> None:
    cup(joined)
    joined.step()
    pairings = joined.socket.desk.pairings
    contest = pairings.contests[0]
    joined.league.close()
    joined.league = connect(f"sqlite:///{joined.bar.folder.parent / 'league.sqlite3'}")
    joined.app = application(joined.league, lambda: joined.now_s + 3600)
    pairings.ask(contest, contest.waiting[0])
    joined.step()
    assert pairings.answer == Pairing("", (), "the table's clock and the server's differ: set both")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("league_news", {"contests": [{}]}),
        ("league_news", {"contests": [0] * 9}),
        ("league_news", {"contests": [], "more": 1}),
        ("league_said", {"number": 1, "players": [{"player": "x", "name": "Ann"}]}),
        ("league_said", {"number": 1, "why": "x" * 201}),
        ("league_said", {"number": 99}),
    ],
)
def test_a_gateway_that_lies_is_refused(joined: Joined, kind: str, payload: dict[str, Any]) -> None:
    assert not asyncio.run(joined.socket.ask(kind, payload)).accepted


def test_names_that_no_panel_can_show_and_unknown_games_are_left_out(joined: Joined) -> None:
    player = {"player": "00" * 8, "name": "A\x1b[2J"}
    one = {"contest": 1, "name": "Cup", "game": "six_by_6", "waiting": [player], "called": []}
    news = {"contests": [one, {**one, "game": "chess"}, {**one, "name": "C\n"}]}
    assert asyncio.run(joined.socket.ask("league_news", news)).accepted
    assert [(each.name, each.waiting) for each in joined.socket.desk.pairings.contests] == [("Cup", ())]


def test_whatever_a_league_asks_for_no_picture_goes_out(joined: Joined) -> None:
    asked: list[tuple[str, str]] = []

    def request(method: str, path: str, _: bytes) -> LeagueAnswer:
        asked.append((method, path.rsplit("/", 1)[-1]))
        return LeagueAnswer(200, {"contests": [], "pictures": [1, 2, 3]})

    for entry in entries("six_by_6", ("Ann", "Bob"), 5):
        joined.bar.ledger.append(entry, b"\xff\xd8" if isinstance(entry, Thrown) else b"")
    joined.upload.request = request  # type: ignore[method-assign,assignment]
    joined.step()
    assert asked == [("GET", "news")]


def test_a_table_that_leaves_asks_nothing_more(joined: Joined) -> None:
    joined.step()
    league.leave(joined.bar.ledger.folder)
    joined.socket.turn()
    assert joined.socket.payloads["league"]["table"] == ""
    assert not joined.socket.desk.pairings.member
    before = list(joined.log)
    joined.step()
    assert joined.log == before


def test_the_league_is_asked_for_news_when_somebody_looks_and_else_seldom(joined: Joined) -> None:
    joined.step()
    asked = [each for each in joined.log if each[1] == "news"]
    for looks in (0, 1, 1):
        joined.socket.desk.pairings.looks = looks
        joined.socket.turn()
        asyncio.run(joined.desk.step())
    assert [each for each in joined.log if each[1] == "news"] == [*asked, ("GET", "news", 200)]
