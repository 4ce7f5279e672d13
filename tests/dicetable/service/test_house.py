"""An evening with the house at a seat: two people press and throw, and the house never needs a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Closed, Decided, Opened, Thrown
from dicetable.statistics import matches, players
from tests.dicetable.service.lives import Life

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.ledger.entries import Entry

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap_throws")]
HOUSE = "House"
MOST_ENTRIES = 300


def evening(folder: Path, game: str, closed: int) -> list[Entry]:
    """The entries of so many games of two people and the house, with a power cut in a turn of the house."""
    life = Life(folder, game)
    life.simulation.house = 1
    while life.state.to_act != HOUSE:
        life.until_entries(1)
    life.cut()
    life = Life(folder, game)
    life.simulation.house = 1
    entries: list[Entry] = []
    while sum(isinstance(entry, Closed) for entry in entries) < closed:
        assert len(entries) < MOST_ENTRIES
        if life.over:
            turn_until_closed(life)
        else:
            life.until_entries(1)
        entries = rows(life)
    life.cut()
    return entries


def rows(life: Life) -> list[Entry]:
    """All entries of the ledger."""
    ledger = life.service.parts.ledger
    found = [ledger.row(number) for number in range(1, ledger.count + 1)]
    return [row[1] for row in found if row is not None]


def turn_until_closed(life: Life) -> None:
    """People look at who has won, and begin the next game."""
    until_s = life.clock.now_s() + 60.0
    while life.over:
        assert life.clock.now_s() < until_s
        life.clock.sleep(0.1)
        life.service.turn()
        life.simulation.step(life.service.table, life.clock.now_s())


def test_two_people_and_the_house_play_an_evening(tmp_path: Path) -> None:
    entries = evening(tmp_path, "sixes", closed=2)
    games = [entry for entry in entries if isinstance(entry, Opened)]
    assert [game.game for game in games] == ["sixes", "six_by_6"]
    assert all(game.house == ((3, "easy"),) for game in games)
    decided = [entry for entry in entries if isinstance(entry, Decided)]
    assert all(entry.by_table == (entry.seat == HOUSE) for entry in decided)
    assert {"accept", "call", "challenge", "recast"} & {
        entry.action["type"] for entry in decided if entry.seat == HOUSE
    }
    assert any(isinstance(entry, Thrown) for entry in entries)


def test_statistics_have_no_record_of_the_house(tmp_path: Path) -> None:
    entries = evening(tmp_path, "six_by_6", closed=1)
    (match,) = matches.played(("2026-11-21T20:00:00.000+00:00", entry) for entry in entries)
    assert match.house == (HOUSE,)
    assert match.winners
    assert {player.name for player in players.players([match])} == set(match.seats) - {HOUSE}
    assert HOUSE not in {chance.seat for chance in match.chances}
    assert matches.numbered([match])[HOUSE] == HOUSE
