"""Epochs: the stretches of a ledger between repairs, roll-backs and upgrades.

A new epoch begins with a row of the chain whose number is higher than any that was used before. It names the
last row of the epoch before and the rows that are lost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from dicetable.files.read_file import read_file
from dicetable.ledger.entries import BadEntry, Cause, Epoch, LostRows, OldHead, dump, load
from dicetable.ledger.head import Head
from dicetable.ledger.rows import chained, columns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from dicetable.ledger.rows import Row

MARK: Final = b'"entry":"epoch"'
ROLLED_BACK: Final = "ledger.rolled-back"
"""The note that a downgrade leaves: the head of the ledger before it."""
MOST_NOTE_BYTES: Final = 4096


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


def index(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Writes into the tables beside the chain what its rows say of epochs and losses."""
    for row in rows:
        if (epoch := of(row)) is not None:
            connection.execute("INSERT INTO epoch VALUES (?, ?)", (epoch.epoch, row.number))
            connection.executemany("INSERT OR IGNORE INTO loss VALUES (?, ?)", epoch.lost)


def current(connection: sqlite3.Connection) -> int:
    """The number of the epoch that goes on; 1 if none but the first ever began."""
    (number,) = connection.execute("SELECT coalesce(max(number), 1) FROM epoch").fetchone()
    return int(number)


def seal(connection: sqlite3.Connection, folder: Path, last: Row | None, at_utc: str) -> Row | None:
    """Begins an epoch after the rows of schema 1, in a ledger that has schema 2 now; its last row then.

    A ledger without a row needs none, unless numbers were used before it was rolled back.
    """
    before = rolled_back(folder)
    old = before or (Head(1, last.number, last.checksum) if last else None)
    if old is None:
        return None
    losses = "SELECT first, last FROM loss WHERE first <= last ORDER BY first"
    why = Cause.ROLL_BACK if before else Cause.UPGRADE
    entry = new(why, old.epoch, old, tuple(connection.execute(losses)))
    row = first_row(last, max(last.number if last else 0, old.last), at_utc, entry)
    connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", columns(row))
    index(connection, [row])
    return row


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


def rolled_back(folder: Path) -> Head | None:
    """The head of the ledger before it was brought down; None if it was not."""
    try:
        match json.loads(read_file(folder / ROLLED_BACK, MOST_NOTE_BYTES)):
            case {"epoch": int(epoch), "last": int(last), "checksum": str(checksum)}:
                return Head(1, last, bytes.fromhex(checksum), epoch)
    except (OSError, ValueError):
        pass
    return None


def forget_roll_back(folder: Path) -> None:
    """Removes the note: the ledger was brought up again."""
    (folder / ROLLED_BACK).unlink(missing_ok=True)
