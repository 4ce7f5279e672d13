"""The table's socket on the fake clock: what a gateway receives, and that it never affects the game."""

from __future__ import annotations

import json
import logging
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from common import messages
from dicetable.ledger.entries import Revealed, Thrown
from dicetable.service import publisher, server
from dicetable.service.publisher import snapshot
from dicetable.service.throws import MOST_EVENTS
from games.match import Match
from games.registry import GAMES
from hardware.ports import Degraded
from tests.dicetable.service.evenings import PATIENCE_S, TURN_S, Evening
from tests.extent import usually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("cheap_throws")


FIELDS = {
    "v", "revision", "phase", "paused", "menu", "panel", "troubles", "winners", "throws", "game", "title",
    "rules", "asked", "awaits", "todo", "choices", "due", "wrong", "rolling", "happened", "facts", "seats",
    "row", "events", "position", "options", "fairness", "stage", "moments", "set_up", "tonight", "oks",
    "question", "phones", "paused_by", "podium", "rematch", "house_rules", "log", "guide",
}  # fmt: skip


class Evenings(Protocol):
    def __call__(
        self, game: str, folder: str = "evening", *, screens: bool = True, seats: int = 3
    ) -> Evening:
        """An evening that ends with the test."""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Evenings]:
    begun: list[Evening] = []

    def made(game: str, folder: str = "evening", *, screens: bool = True, seats: int = 3) -> Evening:
        (tmp_path / folder).mkdir()
        begun.append(Evening(tmp_path / folder, game, screens=screens, seats=seats))
        return begun[-1]

    yield made
    for evening in begun:
        evening.close()


@pytest.mark.parametrize("game", usually({"six_shooter"}, GAMES, slow={"liars_dice"}))
def test_a_whole_game_is_followed(game: str, begin: Evenings) -> None:
    evening = begin(game)
    gateway = evening.connect()
    told: list[dict[str, Any]] = []
    while not evening.over:
        assert evening.clock.now_s() < PATIENCE_S
        evening.turn()
        told += gateway.states()
    evening.turn()
    told += gateway.states()
    assert all(set(state) == FIELDS for state in told)
    assert [state["revision"] for state in told] == list(range(1, len(told) + 1))
    assert GAMES[game].title in {state["title"] for state in told}
    assert {"idle", "set_up", "play", "over"} <= {state["phase"] for state in told}
    last = told[-1]
    match = evening.table.state.match
    assert match is not None
    assert last["title"] == GAMES[match.game].title
    assert last["winners"] == [seat["name"] for seat in last["seats"] if seat["winner"]]
    thrown = [
        entry for entry in evening.service.parts.ledger.entries() if isinstance(entry, Thrown | Revealed)
    ]
    assert [[tuple(die.values()) for die in throw["dice"]] for throw in last["throws"][: len(thrown)]] == [
        [tuple(die) for die in entry.dice] for entry in reversed(thrown[-10:])
    ]
    assert {throw["seat"] for throw in last["throws"]} <= {*match.seats, ""}
    assert all(state["wrong"] or state["todo"] for state in told if state["phase"] == "play")
    assert [line["number"] for line in last["log"]][-1] <= last["row"]
    assert len(last["log"]) <= 6
    check_events(told, thrown, match)


def check_events(told: list[dict[str, Any]], thrown: list[Thrown | Revealed], match: Match) -> None:
    """The events of a whole game, each as often as it happened, though every state lists many."""
    by_row: dict[int, list[dict[str, Any]]] = {}
    for state in told:
        assert len(state["events"]) <= MOST_EVENTS
        assert all(event["row"] <= state["row"] for event in state["events"])
        for row in {event["row"] for event in state["events"]}:
            by_row.setdefault(row, [event for event in state["events"] if event["row"] == row])
    events = [event for row in sorted(by_row) for event in by_row[row] if event["game"] == match.game]
    throws = [event for event in events if event["event"] == "throw"]
    assert [event["dice"] for event in throws] == [
        [{"kind": kind, "value": value} for kind, value in entry.dice] for entry in thrown
    ]
    assert [e["winners"] for e in events if e["event"] == "game_over"] == [told[-1]["winners"]]
    turns = [event["seat"] for event in events if event["event"] == "turn"]
    assert all(before != after for before, after in pairwise(turns))
    assert {state["asked"] for state in told if state["game"] == match.game} - {None} == set(turns)
    requests = Counter(name for records in match_events(match) for name in records)
    assert sum(event["event"] == "bust" for event in events) == requests["bust"]
    assert sum(event["event"] == "rack" for event in events) == requests["rack"]


def match_events(match: Match) -> Iterator[list[str]]:
    """What each request of a match brought about, by replaying its log."""
    log = match.log
    for end in range(1, len(log) + 1):
        happened = Match.replay(log[:end]).events
        yield ["rack" if event.get("rack") else str(event["event"]) for event in happened]


@pytest.mark.slow
def test_busts_and_racks_are_told(begin: Evenings) -> None:
    for game, event in (("six_shooter", "bust"), ("six_by_6", "rack")):
        evening = begin(game, game)
        gateway = evening.connect()
        found: set[str] = set()
        while event not in found:
            assert evening.clock.now_s() < 4 * PATIENCE_S
            evening.turns(10)
            found |= {told["event"] for state in gateway.states() for told in state["events"]}


def test_pictures_wait_while_cups_are_down(begin: Evenings) -> None:
    evening = begin("liars_dice")
    gateway = evening.connect()
    waited = shown = 0
    while waited < 3 or shown < 3:
        assert not evening.over
        evening.turn()
        now = evening.table.state
        for state in gateway.states():
            newest = state["throws"][:1]
            if not newest:
                continue
            number = newest[0]["number"]
            for kind in (messages.PICTURE, messages.MOTION, messages.MARKS):
                gateway.ask(kind, number)
            evening.turns(3)
            assert [bool(each.answer.body) for each in gateway.answers()] == [newest[0]["picture"]] * 3
            if now.shown:
                assert not newest[0]["picture"]
                waited += 1
            else:
                shown += newest[0]["picture"]


def test_older_throws_are_told_page_after_page(begin: Evenings) -> None:
    evening = begin("six_shooter", seats=2)
    while evening.service.parts.ledger.count < 40:
        evening.turn()
    gateway = evening.connect()
    before, told = messages.HIGHEST, []
    while True:
        gateway.ask(messages.THROWS, before)
        pages: list[messages.Answered] = []
        while not pages:
            evening.clock.sleep(TURN_S)
            evening.service.turn()
            pages = gateway.answers()
        page = json.loads(pages[0].answer.body)
        told += page
        if not page:
            break
        before = page[-1]["number"]
    ledger = evening.service.parts.ledger.ledger
    assert ledger is not None
    numbers = [row.number for row in ledger.rows() if b'"thrown"' in row.body or b'"revealed"' in row.body]
    assert [throw["number"] for throw in told] == numbers[::-1]
    assert {throw["seat"] for throw in told} == {"Seat 1", "Seat 2"}


def played(begin: Evenings, folder: str, hostile: list[str]) -> list[tuple[float, int]]:
    """When each entry was accepted in an evening of a minute and a half, with such clients at the table."""
    evening = begin("six_by_6", folder, screens=bool(hostile))
    clients = {name: evening.connect() for name in hostile}
    accepted: list[tuple[float, int]] = []
    for _ in range(900):
        for name, client in clients.items():
            try:
                if name == "flood":
                    for _ in range(20):
                        client.ask(messages.THROWS, messages.HIGHEST)
                elif name == "pictures":
                    for _ in range(20):
                        client.ask(messages.PICTURE, 3)
            except BlockingIOError:
                pass
            except OSError:  # let go: it takes nothing
                clients[name] = evening.connect()
        before = evening.service.parts.ledger.count
        evening.turn()
        if evening.service.parts.ledger.count > before:
            accepted.append((round(evening.clock.now_s(), 3), evening.service.parts.ledger.count))
    return accepted


@pytest.mark.slow
def test_the_table_accepts_at_the_same_moment_whatever_its_clients_do(begin: Evenings) -> None:
    alone = played(begin, "alone", [])
    assert len(alone) > 10
    assert played(begin, "besieged", ["silent", "flood", "pictures", "silent too"]) == alone


class Counting:
    """An archive that counts what is read from it."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.read = 0

    @property
    def count(self) -> int:
        return int(self.inner.count)

    def row(self, number: int) -> Any:
        self.read += 1
        return self.inner.row(number)

    def evidence(self, number: int) -> Any:
        self.read += 1
        return self.inner.evidence(number)

    def outgoing(self, number: int) -> bytes:
        self.read += 1
        return bytes(self.inner.outgoing(number))


def test_what_the_table_records_is_published_without_reading_it_back(begin: Evenings) -> None:
    evening = begin("six_shooter")
    gateway = evening.connect()
    archive = Counting(evening.service.archive)
    evening.service.archive = archive
    while evening.service.parts.ledger.count < 12:
        evening.turn()
    assert archive.read == 0
    evening.turns(3)
    state = gateway.states()[-1]
    assert state["row"] == evening.service.parts.ledger.count
    assert state["throws"]


def test_a_turn_does_a_bounded_piece_of_work(begin: Evenings) -> None:
    evening = begin("six_shooter")
    while evening.service.parts.ledger.count < 40:
        evening.turn()
    archive = Counting(evening.service.archive)
    evening.service.archive = archive
    made = evening.service.parts.sockets.publisher
    assert made is not None
    made.table = None  # begins anew, with this archive
    clients = [evening.connect() for _ in range(server.MOST_CLIENTS)]
    for client in clients:
        for _ in range(20):
            client.ask(messages.THROWS, messages.HIGHEST)
            client.ask(messages.PICTURE, 9)
    most = 0
    for _ in range(200):
        before = archive.read
        evening.clock.sleep(publisher.READ_S)
        evening.service.turn()
        most = max(most, archive.read - before)
    assert 0 < most <= 40


def test_a_client_that_reads_nothing_is_let_go_and_one_that_reads_slowly_gets_the_newest(
    begin: Evenings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "snapshot", lambda table, *_: {"large": "x" * 400_000, "now": table.now_s})
    evening = begin("six_by_6")
    stuck, slow = evening.connect(), evening.connect()
    told: list[dict[str, Any]] = []
    for turn in range(300):
        evening.turn()
        if turn % 50 == 49:
            told += slow.states()
    assert len(evening.server.clients) == 1
    assert stuck.sent_away
    for _ in range(50):
        evening.service.turn()
        told += slow.states()
    revisions = [state["revision"] for state in told]
    assert revisions == sorted(revisions)
    assert revisions[-1] == evening.published["revision"] > len(revisions)


def test_what_is_no_row_is_refused(begin: Evenings) -> None:
    evening = begin("six_by_6")
    gateway = evening.connect()
    for number, kind in ((-1, "picture"), (2**53, "marks"), (1, "secrets")):
        gateway.ask(kind, number)
    evening.turns(3)
    assert [each.answer.accepted for each in gateway.answers()] == [False] * 3


def test_one_client_too_many_is_sent_away_and_a_place_that_is_left_is_free(begin: Evenings) -> None:
    evening = begin("six_by_6")
    clients = [evening.connect() for _ in range(5)]
    evening.turns(10)
    assert clients[-1].sent_away
    clients[0].socket.close()
    evening.turns(3)
    newcomer = evening.connect()
    evening.turns(3)
    assert newcomer.states()


def test_a_fault_of_this_part_costs_the_screens_and_not_the_game(
    begin: Evenings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    evening = begin("six_by_6")
    gateway = evening.connect()
    monkeypatch.setattr(publisher, "snapshot", lambda *_: 1 / 0)
    evening.turns(100)
    assert evening.service.parts.ledger.count > 0
    faults = [record for record in caplog.records if "state=failed" in record.getMessage()]
    assert len(faults) == 1
    assert gateway.sent_away


def test_degraded_parts_are_told_in_the_words_of_the_panel(begin: Evenings) -> None:
    evening = begin("six_by_6")
    evening.table.report("camera", Degraded("The camera is gone.", "plug it in"))
    found = snapshot(evening.table, [])
    assert found["troubles"] == [
        {
            "part": "CAMERA TROUBLE",
            "what": "The camera is gone.",
            "remedy": "plug it in",
            "guests": "The table can't see the dice right now.",
        }
    ]
    evening.table.report("config", Degraded("The config is wrong.", "correct it"))
    assert snapshot(evening.table, [])["troubles"][1]["guests"] == ""
