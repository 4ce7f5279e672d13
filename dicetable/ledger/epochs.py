"""Epochs: the stretches of a ledger between repairs and restores.

A new epoch begins with a row of the chain whose number is higher than any that was used before. It names the
last row of the epoch before and the rows that are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable.ledger.entries import BadEntry, Cause, Epoch, LostRows, OldHead, dump, load
from dicetable.ledger.rows import DamageError, chained, is_number

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from dicetable.ledger.head import Head
    from dicetable.ledger.rows import Row

MARK: Final = b'"entry":"epoch"'


def first_row(before: Row | None, highest: int, at_utc: str, entry: Epoch) -> Row:
    """The row that begins an epoch after `before`, the last row that is left."""
    return chained(before, opens=False, at_utc=at_utc, body=dump(entry), number=highest + 1)


def new(why: Cause, before: int, head: Head | None, lost: LostRows) -> Epoch:
    """What that row says; `before` is the number of the epoch that ends."""
    return Epoch(before + 1, why, OldHead(head.last, head.checksum.hex()) if head else None, lost)


def of(row: Row) -> Epoch | None:
    """The epoch that begins with the row, if one does."""
    if MARK not in row.body:
        return None
    try:
        entry = load(row.body)
    except BadEntry:
        return None
    return entry if isinstance(entry, Epoch) else None


def index(connection: sqlite3.Connection, begun: Iterable[tuple[Row, Epoch]]) -> None:
    """Writes into the tables beside the chain what its rows say of epochs and losses."""
    firsts, losses = indexed(begun)
    connection.executemany("INSERT INTO epoch VALUES (?, ?)", firsts.items())
    connection.executemany("INSERT INTO loss VALUES (?, ?)", losses.items())


def indexed(begun: Iterable[tuple[Row, Epoch]]) -> tuple[dict[int, int], dict[int, int]]:
    """The first row of each epoch, and the last row of each loss by its first."""
    firsts: dict[int, int] = {}
    losses: dict[int, int] = {}
    for row, epoch in begun:
        firsts.setdefault(epoch.epoch, row.number)
        for first, last in epoch.lost:
            losses.setdefault(first, last)
    return firsts, losses


def check(connection: sqlite3.Connection, begun: Iterable[tuple[Row, Epoch]], first: int) -> None:
    """Raises DamageError if the tables say something else than the chain, which begins with row `first`.

    What was pruned is in the tables alone, and nothing depends on it.
    """
    firsts, losses = indexed(begun)
    known = {
        number: its
        for number, its in connection.execute("SELECT * FROM epoch")
        if not is_number(its) or its >= first
    }
    if known != firsts:
        raise DamageError("the table of epochs is not what was written")
    stored = connection.execute("SELECT * FROM loss")
    lost = {its: last for its, last in stored if not is_number(last) or last >= first}
    if lost != {its: last for its, last in losses.items() if last >= first}:
        raise DamageError("the table of losses is not what was written")


def current(connection: sqlite3.Connection) -> int:
    """The number of the epoch that goes on; 1 if none but the first ever began."""
    (number,) = connection.execute("SELECT coalesce(max(number), 1) FROM epoch").fetchone()
    return int(number)


def lost_between(rows: Sequence[Row], first: int, last: int) -> LostRows:
    """Which rows of those numbers are lost, and are not named by an epoch among `rows`.

    A row that follows the one before it by its checksum lost none: an epoch may leave numbers out.
    """
    named = {lost for row in rows if (epoch := of(row)) is not None for lost in epoch.lost}
    found = []
    following = first
    checksum = None
    for row in rows:
        if row.number > following and row.previous != checksum:
            found.append((following, row.number - 1))
        following, checksum = row.number + 1, row.checksum
    if last >= following:
        found.append((following, last))
    return tuple(lost for lost in found if lost not in named)
