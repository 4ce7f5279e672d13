"""A finished match whose throws have pictures at the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.league import evidence, folding
from dicetable.league.players import Names
from dicetable.ledger.entries import Thrown
from tests.dicetable.league.bars import entries
from tests.dicetable.league.test_ingestion import NOW_S, sent

if TYPE_CHECKING:
    from dicetable.league.database import Database
    from tests.dicetable.league.bars import Bar

JPEG = b"\xff\xd8\xff what lay in the tray"


def played(league: Database, bar: Bar, jpeg: bytes = JPEG) -> tuple[int, list[int]]:
    """Ann and Bob play; the row of their first throw, and their pseudonyms in seat order."""
    first = bar.ledger.last.number + 1 if bar.ledger.last else 1
    for entry in entries("six_by_6", ("Ann", "Bob"), 5):
        bar.ledger.append(entry, jpeg if isinstance(entry, Thrown) else b"")
    sent(league, bar, bar.batch(bar.rows(first)))
    folding.fold_waiting(league, NOW_S)
    row = next(each.number for each in bar.rows(first) if each.evidence_sha256)
    with league.reading() as session:
        seats = session.rows(
            "SELECT player_id FROM result_seat WHERE table_id = ? ORDER BY seat", (bar.table,)
        )
        assert evidence.sides(session, Names(session), bar.table, row) == {player for (player,) in seats}
    return row, [player for (player,) in seats[:2]]
