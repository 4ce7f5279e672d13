"""The operator's requests: games, corrections that a seat confirms, codes on the panel, long work."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from common import texts
from common.messages import Answer
from dicetable.config.games import HouseRules
from dicetable.ledger.entries import Corrected
from dicetable.service.game_requests import known_dice
from dicetable.service.operator_requests import LEAST_UP_S, OperatorRequests
from dicetable.service.server import Request
from dicetable.table.game_list import GameList
from hardware.simulated import clock
from tests.dicetable.service.fakes import Bench

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path


class Table(Bench):
    """A service with fakes, asked as the gateway asks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.kinds = OperatorRequests(self.service, None, folder).kinds()
        self.wait(0.1)

    async def begin(self, kind: str, **payload: Any) -> Answer:
        """Begins a request and waits for its answer."""
        asked = json.loads(json.dumps(payload))
        request = Request(id=1, kind=f"operator_{kind}", payload=asked)
        found = self.kinds[request.kind].begin(request, self.service.table)
        return found if isinstance(found, Answer) else await found

    def ask(self, kind: str, **payload: Any) -> Answer:
        """The answer, in virtual time, while the table goes on."""
        return clock.run(self.answered(self.begin(kind, **payload)), self.clock)

    async def answered(self, begun: Coroutine[Any, Any, Answer]) -> Answer:
        asked = asyncio.ensure_future(begun)
        while not asked.done():
            await asyncio.sleep(0)
            self.wait(0.1)
        return asked.result()

    def output(self, kind: str, **payload: Any) -> bytes:
        """The output of a program, in real time; it runs at a low priority, so a busy machine takes long."""
        answer = asyncio.run(self.begin(kind, **payload))
        assert answer.accepted, answer.sentence
        return answer.body

    def start(self) -> Answer:
        return self.ask("start", game="six_by_6", names={"1": "Ann", "2": "Bob"})

    def throw_by_hand(self) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Seat 1 enters the dice and seat 2 confirms them; the revision and the dice."""
        self.tap("table.menu", "seat1.ok")
        while "Enter dice" not in " ".join(self.lines):
            self.tap("seat1.plus")
        self.tap("seat1.ok")
        for _ in range(60):
            last = self.service.table.state.last_throw()
            if last is not None:
                return last
            self.tap("seat1.ok", "seat2.ok")
        pytest.fail("nobody could enter the dice")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.close()


def test_a_game_is_started_paused_resumed_and_ended(table: Table) -> None:
    assert table.start().accepted
    state = table.service.table.state
    assert state.opened is not None
    assert (state.opened.game, state.opened.seats) == ("six_by_6", ("Ann", "Bob"))
    assert table.start().sentence == texts.operator.GAME_RUNS
    assert table.ask("restart").sentence == texts.operator.GAME_RUNS
    assert table.ask("resume").sentence == texts.operator.NOT_PAUSED
    assert table.ask("pause").accepted
    assert table.ask("pause").accepted
    table.wait(0.1)
    assert table.lines[0] == texts.panel.PAUSED
    assert table.ask("resume").accepted
    assert not table.service.table.paused
    assert table.ask("pause").accepted
    assert table.ask("end").accepted
    assert table.service.table.state.match is None
    assert not table.service.table.above
    assert table.ask("end").sentence == texts.operator.NO_GAME
    table.wait(LEAST_UP_S)
    assert table.ask("restart").accepted
    assert table.service.restart_requested


def test_a_hostile_gateway_cannot_keep_the_table_restarting(table: Table) -> None:
    for _ in range(20):
        assert table.ask("restart").sentence == texts.operator.JUST_STARTED
    assert not table.service.restart_requested


@pytest.mark.parametrize(
    "payload",
    [
        {"game": "chess", "names": {"1": "Ann", "2": "Bob"}},
        {"game": "six_by_6", "names": {"1": "Ann", "9": "Bob"}},
        {"game": "six_by_6", "names": {"1": "Ann", "8": "Bob"}},
        {"game": "six_by_6", "names": {"1": "Ann", "2": "Ann"}},
        {"game": "six_by_6", "names": {"1": "Ann", "2": "   "}},
        {"game": "sixes", "names": {"1": "Ann", "2": "Bob"}},
        {"game": "six_by_6", "names": {}},
        {"game": "six_by_6", "names": {"1": "Ann", "2": "x" * 100}},
        {"game": "six_by_6", "names": {"1": "Ann", "2": "Bob"}, "options": {"nonsense": 3}},
        {"game": "six_by_6", "names": {"1": "Ann", "2": "Bob"}, "more": 1},
        {"game": 7, "names": []},
    ],
)
def test_a_game_that_cannot_be_is_refused_and_nothing_is_written(
    table: Table, payload: dict[str, Any]
) -> None:
    refused = table.ask("start", **payload)
    assert not refused.accepted
    assert refused.sentence
    assert table.service.table.state.match is None
    assert table.service.parts.ledger.count == 0


@pytest.mark.parametrize("name", ["\u202eAnn", "\u200b", "\u3164", "A\nB", "A  B", "日本", " ", "\ufdfa"])
def test_a_name_that_no_panel_can_show_is_refused_from_the_operator_too(table: Table, name: str) -> None:
    count = table.service.parts.ledger.count
    answer = table.ask("start", game="six_by_6", names={"1": name, "2": "Bob"})
    assert (answer.accepted, answer.sentence) == (False, texts.phones.NO_NAME)
    assert table.service.parts.ledger.count == count
    assert table.ask("start", game="six_by_6", names={"1": " Łukasz ", "2": "Bob"}).accepted
    assert table.service.table.state.match is not None
    assert table.service.table.state.match.seats == ("Łukasz", "Bob")


def test_every_place_has_a_name_and_every_game_its_options(table: Table) -> None:
    told = table.ask("seats").result
    assert [seat["seat"] for seat in told["seats"]] == [1, 2, 3, 4]
    assert all(seat["name"] for seat in told["seats"])
    for game, options in told["options"].items():
        assert all(option["label"] for option in options), game


def test_a_correction_counts_when_a_seat_says_so_and_only_then(table: Table) -> None:
    assert table.ask("correct", revision=1, dice=[("d6", 1)]).sentence == texts.operator.NO_GAME
    table.start()
    revision, dice = table.throw_by_hand()
    wanted: list[list[str | int]] = [[kind, face % 6 + 1] for kind, face in dice]
    before = table.service.parts.ledger.count
    for bad in ([("d6", 7)], [("d7", 1)], [*wanted, ("d6", 1)]):
        assert not table.ask("correct", revision=revision, dice=bad).accepted
    assert not table.ask("correct", revision=revision + 50, dice=wanted).accepted
    late = table.ask("correct", revision=revision, dice=wanted)
    assert late.sentence == texts.operator.NOT_CONFIRMED
    assert table.service.parts.ledger.count == before

    async def story() -> None:
        asked = asyncio.ensure_future(table.begin("correct", revision=revision, dice=wanted))
        await asyncio.sleep(0)
        table.wait(0.2)
        assert table.lines[0] == texts.panel.IS_IT_RIGHT
        again = await table.begin("correct", revision=revision, dice=wanted)
        assert again.sentence == texts.operator.MENU_OPEN
        table.tap("seat2.ok")
        assert (await asked).accepted

    clock.run(story(), table.clock)
    assert list(table.service.parts.ledger.entries())[-1] == Corrected(
        revision, known_dice(wanted) or (), (2,)
    )


def test_who_hangs_up_takes_the_question_away(table: Table) -> None:
    table.start()
    revision, dice = table.throw_by_hand()

    async def story() -> None:
        asked = asyncio.ensure_future(table.begin("correct", revision=revision, dice=list(dice)))
        await asyncio.sleep(0)
        assert table.service.table.above
        asked.cancel()
        with suppress(asyncio.CancelledError):
            await asked

    clock.run(story(), table.clock)
    assert not table.service.table.above


def test_a_code_takes_the_panel_s_last_line_and_keeps_nobody_waiting(table: Table) -> None:
    table.start()
    table.wait(0.1)
    before = table.lines
    assert table.ask("code", code="123 456", lives_s=10).result == {"panel": True}
    table.wait(0.1)
    assert table.lines == [*before[:3], "Operator: 123 456"]
    assert not table.service.table.above
    table.wait(10.5)
    assert "123" not in " ".join(table.lines)
    for bad in ("<b>", "1", "1" * 30, "abc"):
        assert not table.ask("code", code=bad, lives_s=10).accepted


@pytest.mark.slow
def test_the_ledger_is_searched_and_exported_by_programs(table: Table) -> None:
    table.start()
    table.ask("end")
    found = json.loads(table.output("ledger", words="ann six by"))
    told = [(game["title"], game["seats"], game["open"]) for game in found["games"]]
    assert told == [("Six By 6", ["Ann", "Bob"], False)]
    assert json.loads(table.output("ledger", words="zoe"))["games"] == []
    one = json.loads(table.output("ledger", match=found["games"][0]["number"]))
    assert [entry["number"] for entry in one["entries"]] == [1, 2]
    lines = table.output("export").splitlines()
    assert [json.loads(line)["entry"]["entry"] for line in lines] == ["opened", "closed"]
    assert table.output("export", start=3) == b""


def test_a_third_program_waits_a_fifth_is_refused_and_one_nobody_waits_for_is_ended(table: Table) -> None:
    started: list[asyncio.subprocess.Process] = []
    create = asyncio.create_subprocess_exec

    async def kept(*command: str, **pipes: Any) -> asyncio.subprocess.Process:
        started.append(await create(*command, **pipes))
        return started[-1]

    async def starts(count: int) -> None:
        while len(started) < count:
            await asyncio.sleep(0.01)

    async def story() -> None:
        asked = [asyncio.ensure_future(table.begin("ledger", words="")) for _ in range(5)]
        assert (await asked[4]).sentence == texts.gateway.TABLE_BUSY
        await starts(2)
        asked[2].cancel()
        asked[0].cancel()
        await starts(3)
        assert started[0].returncode == -signal.SIGKILL
        assert (await asked[3]).accepted
        asked[1].cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        again = asyncio.ensure_future(table.begin("ledger", words=""))
        assert (await again).accepted
        assert len(started) == 4

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", kept)
        asyncio.run(story())


def test_power_off_and_an_eye_that_cannot_be_asked(table: Table) -> None:
    assert table.ask("eye", what="view").sentence == texts.operator.NO_EYE
    assert table.ask("link").result == {"link": None}
    assert table.ask("off").accepted
    assert table.service.table.off_requested


ANCHOR = HouseRules(name="The Anchor's", game="six_by_6", options={"sets": 2})


def test_a_game_is_started_by_house_rules(table: Table) -> None:
    table.service.table.games = GameList([ANCHOR])
    assert table.ask("seats").result["house_rules"] == [
        {"name": "The Anchor's", "game": "six_by_6", "options": {"sets": 2}}
    ]
    names = {"1": "Ann", "2": "Bob"}
    refused = table.ask("start", game="yacht", house_rules="The Anchor's", names=names)
    assert refused.sentence == texts.operator.NO_SUCH_GAME
    assert table.ask("start", game="six_by_6", house_rules="The Anchor's", names=names).accepted
    opened = table.service.table.state.opened
    assert opened is not None
    assert (opened.options, opened.house_rules) == ({"sets": 2}, "The Anchor's")
    assert table.ask("end").accepted
    changed = table.ask(
        "start", game="six_by_6", house_rules="The Anchor's", names=names, options={"sets": 3}
    )
    assert changed.accepted
    opened = table.service.table.state.opened
    assert opened is not None
    assert (opened.options, opened.house_rules) == ({"sets": 3}, None)
