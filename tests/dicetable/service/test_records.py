"""What guests may look up: the figures of `dicetable stats`, without anything that is not for them."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

import pytest

from common.messages import Answer
from dicetable.ledger import database
from dicetable.ledger.entries import DieDetails, Opened, Thrown
from dicetable.service import ledger_queries
from dicetable.service.operator_requests import OperatorRequests, Records
from hardware.simulated.clock import VirtualClock
from tests.dicetable.ledger.books import ledger as ledger_at_noon
from tests.dicetable.ledger.scripts import SEATS, script

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.service.loop import Service
    from dicetable.table.table import Table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game of Six Shooter and one of Six By 6, and a red d6 that shows sixes."""
    with closing(ledger_at_noon(tmp_path)) as ledger:
        for entry in [*script("six_shooter", 3), *script("six_by_6", 3)]:
            ledger.append(entry)
        ledger.append(Opened("fairness", ("ann",), {"kind": "d6", "dice": 1}, 1, (), (1,), ()))
        for _ in range(60):
            ledger.append(Thrown((("d6", 6),), (), details=(DieDetails(die_id="red"),)))
    return tmp_path


def told(folder: Path, what: str, names: str = "names") -> Any:
    return json.loads(json.dumps(ledger_queries.main(folder, what, names)))


def test_players_have_their_games_and_the_evening_its_heading(folder: Path) -> None:
    found = told(folder, "players")
    assert {one["name"] for one in found["players"]} == set(SEATS)
    assert sum(sum(one["won"].values()) for one in found["players"]) >= 2
    assert all(len(one["form"]) == sum(one["played"].values()) for one in found["players"])
    evening = found["evening"]
    assert evening["day"] == "Saturday 21 November 2026"
    assert evening["counted"] == "2 games, 4 players"
    assert [line.split("  ")[1].partition(":")[0] for line in evening["matches"]] == [
        "Six Shooter",
        "Six By 6",
    ]
    assert evening["highlights"][0].startswith("Most wins: ")
    assert any(line.startswith("Best turn: ") for line in found["records"])
    for best in found["best"]:
        assert set(best) == {"number", "caption", "name"}
        assert best["name"] in SEATS
        assert any(best["name"] in line for line in found["records"])
    assert "points in one turn of Six By 6" in [best["caption"] for best in found["best"]]


def test_names_can_be_numbers(folder: Path) -> None:
    found = told(folder, "players", "numbers")
    assert {one["name"] for one in found["players"]} == {f"player {number}" for number in range(1, 5)}
    assert not any(name in json.dumps(found) for name in SEATS)


def test_one_player_can_have_no_name_in_the_records(folder: Path) -> None:
    away, *others = sorted(SEATS)
    found = json.loads(json.dumps(ledger_queries.main(folder, "players", "names", away.upper(), "nobody")))
    names = {one["name"] for one in found["players"]}
    assert len(names) == len(SEATS)
    assert {*others} < names
    (number,) = names - {*others}
    assert number.startswith("player ")
    assert away not in json.dumps(found)


def test_each_die_has_its_verdict_in_words_and_its_curve(folder: Path) -> None:
    dice = {die["name"]: die for die in told(folder, "dice")["dice"]}
    red = dice["red"]
    assert (red["kind"], red["throws"], red["verdict"]) == ("d6", 60, "biased")
    assert red["words"].startswith("BIASED: 6 came up 100.0 % of the time")
    assert red["curve"][0] == [0, 0.0]
    assert red["curve"][-1][0] == 60
    assert max(len(die["curve"]) for die in dice.values()) == ledger_queries.MOST_POINTS


def test_nothing_says_where_the_ledger_is(folder: Path) -> None:
    assert str(folder) not in json.dumps([told(folder, "players"), told(folder, "dice")])
    (folder / database.NAME).write_bytes(b"x" * 10_000)
    assert told(folder, "players") == told(folder, "dice") == {"failed": True}


def test_a_new_table_has_no_records(tmp_path: Path) -> None:
    nothing: dict[str, Any] = {"players": [], "records": [], "best": [], "evening": None, "dice": []}
    assert told(tmp_path / "none", "players") == told(tmp_path / "none", "dice") == nothing
    with closing(ledger_at_noon(tmp_path)):
        pass
    assert told(tmp_path, "players") == {"players": [], "records": [], "best": [], "evening": None}
    assert told(tmp_path, "dice") == {"dice": []}


class NoService:
    """What `OperatorRequests` looks at before it is asked anything."""

    class parts:  # noqa: N801
        clock = VirtualClock()


def test_a_table_whose_records_are_off_counts_nothing(tmp_path: Path) -> None:
    operating = OperatorRequests(cast("Service", NoService()), None, tmp_path)
    said = asyncio.run(operating.records(Records(what="players"), cast("Table", None)))
    assert isinstance(said, Answer)
    assert not said.accepted
    assert "switched off" in said.sentence
