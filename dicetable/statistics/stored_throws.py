"""The throws of a ledger: those of its rows, and the daily totals of the rows that it has let go of."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.reader import Reader
from dicetable.statistics import totals
from dicetable.statistics.fold import fold_into

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.statistics.fold import Folded


def stored_throws(folder: Path, since: str = "", day: str = "") -> tuple[Folded, tuple[str, ...]]:
    """The throws, and what does not count and why, one sentence each.

    Args:
        folder: of the ledger.
        since: rows accepted before (ISO 8601, UTC) do not count.
        day: days of the totals before it, such as 2026-11-21, do not count.

    Raises:
        DamageError, sqlite3.DatabaseError, BadEntry: the ledger is not what was written.
        JournalError, OSError: it is not there, or cannot be read.
    """
    notes: tuple[str, ...] = ()
    with closing(Reader(folder)) as reader:
        reader.snapshot()
        try:
            gone = totals.read(folder)
        except totals.TotalsError as error:
            gone = totals.Totals()
            notes = (texts.statistics.totals_damaged(str(folder / totals.NAME), str(error)),)
        folded = gone.since(day)
        first = reader.first()
        fold_into(lambda at: folded if at >= since else None, reader.bodies(gone.reached))
    if counts := sum(sum(counted.counts) for tape in folded.tapes.kinds.values() for counted in tape.days):
        notes += (texts.statistics.rows_gone(counts),)
    if gone.first > 1:
        notes += (texts.statistics.gone_before(gone.first),)
    elif not gone.first and not notes and first > 1:
        notes += (texts.statistics.gone_before(first),)
    elif gone.first and first > gone.reached + 1:
        notes += (texts.statistics.gone_between(gone.reached + 1, first - 1),)
    if gone.unreadable:
        notes += (texts.statistics.totals_unreadable(gone.unreadable),)
    return folded, notes
