"""The board of the evening."""

from __future__ import annotations

from common.snapshot import ShownDie, TableEvent
from dicetable.ledger.entries import MemoryJournal
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.publisher import Publisher, snapshot
from dicetable.service.server import TableServer
from dicetable.service.throws import Board
from dicetable.table.table import Table


def over(*winners: str) -> list[TableEvent]:
    dice: list[ShownDie] = [{"kind": "d6", "value": 2}, {"kind": "d6", "value": 5}]
    thrown: TableEvent = {"row": 1, "event": "throw", "game": "sixes", "seat": "ann", "dice": dice}
    return [thrown, {"row": 2, "event": "game_over", "game": "sixes", "winners": list(winners)}]


def test_it_counts_games_dice_and_wins() -> None:
    made = Board()
    assert made.to_json() is None
    for winners in (("ann",), ("bob", "cleo"), ("bob",)):
        made.count(over(*winners))
    wins = [{"name": "bob", "wins": 2}, {"name": "ann", "wins": 1}, {"name": "cleo", "wins": 1}]
    assert made.to_json() == {"games": 3, "dice": 6, "wins": wins}


def test_the_five_who_won_most_are_named() -> None:
    made = Board()
    made.count(over(*"abcdefg"))
    made.count(over("g"))
    told = made.to_json()
    assert told is not None
    assert [each["name"] for each in told["wins"]] == ["g", "a", "b", "c", "d"]


def test_it_is_cleared_hours_after_the_last_entry() -> None:
    journal = MemoryJournal()
    table = Table(journal, lambda: 1, entries=journal.entries)
    archive = MemoryArchive(journal)
    made = Publisher(TableServer())
    made.turn(1.0, table, archive)
    assert made.throws is not None
    made.throws.board.count(over("ann"))
    made.turn(21600.0, table, archive)
    told = snapshot(table, [], board=made.throws.board)["tonight"]
    assert told is not None
    assert told["wins"] == [{"name": "ann", "wins": 1}]
    made.turn(21602.0, table, archive)
    assert snapshot(table, [], board=made.throws.board)["tonight"] is None
