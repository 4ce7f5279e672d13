"""Lessons for the eye from an entry: which readings were right, and which throws no longer teach anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable.eye.lessons import MOST_TAUGHT, Lesson, Retraction, Said, Taught
from dicetable.ledger.entries import Corrected, DieDetails, Opened, Thrown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dicetable.ledger.entries import Entry
    from dicetable.table.table_state import TableState
    from dicetable.table.throw_rules import Throw

MOST_LESSONS: Final = 100
"""Lessons that wait for the eye; the oldest are dropped."""


def lesson_of(entry: Entry, after: TableState, row: int, throw: Throw | None) -> Said | None:
    """The lesson of an entry of this row, given the table state after it; None if it teaches nothing.

    A throw teaches the values that were sure, and those that another seat confirmed. A value that only the
    thrower confirmed teaches nothing, nor do dice that were entered by hand.
    """
    if after.match is None or after.opened is None:
        return None
    seed = after.opened.seed
    if isinstance(entry, Corrected):
        return Retraction(seed, entry.revision)
    if not isinstance(entry, Thrown) or throw is None:
        return None
    details = entry.details or (DieDetails(),) * len(entry.dice)
    taught = tuple(
        Taught(number, kind, value, confirmed=one.confirmed_by is not None)
        for number, (kind, value), one in zip(throw.numbers, entry.dice, details, strict=True)
        if one.confirmed_by != "nobody"
    )
    return (
        Lesson(throw.seen.time_s, row, seed, after.match.revision, taught[:MOST_TAUGHT]) if taught else None
    )


def retractions(entries: Iterable[Entry]) -> Iterator[Retraction]:
    """The corrections from before the table started: the eye may not know of them yet."""
    seed = None
    for entry in entries:
        if isinstance(entry, Opened):
            seed = entry.seed
        elif isinstance(entry, Corrected) and seed is not None:
            yield Retraction(seed, entry.revision)
