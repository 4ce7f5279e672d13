"""The rows of a ledger: their chain, and reading them back with every row checked; the epochs, and the head.

Epochs are the stretches of a ledger between repairs and restores. A new one begins with a row of the chain
whose number is higher than any that was used before. It names the last row of the epoch before and the rows
that are lost.

The head is a small file beside the database that remembers its last row, so that rows cut off its end are
missed. It is written after the commit and never waited for: it may lag behind the database, it is never ahead
of a sound one. It is on the disk before the database is, and in its place before a repaired one is. A ledger
whose head is gone or unreadable is therefore damaged, and how many of its last rows are lost is not known.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from common import files
from common.files import first_bytes
from common.statements import SIZES, Row, checksum, is_number
from dicetable.ledger import players
from dicetable.ledger.database import DamageError, reading
from dicetable.ledger.entries import BadEntry, Epoch, LostRows, load

COLUMNS = "number, match, at_utc, body, evidence_sha256, previous, checksum"
TYPES = [int, int, str, bytes, bytes, bytes, bytes]
EPOCH_MARK: Final = b'"entry":"epoch"'
HEAD_NAME: Final = "ledger.head"
HEAD_LAYOUT: Final = struct.Struct(">4sQQ32sQ")
HEAD_MARK: Final = b"DTHE"
CRC_BYTES: Final = 4
NO_ROW: Final = bytes(32)
"""What the first row of all is chained to."""
NO_EVIDENCE: Final = b""


@dataclass(frozen=True, slots=True)
class KnownGaps:
    """Where numbers of rows may be left out.

    Attributes:
        epochs: numbers of the rows that begin an epoch. Each is higher than any that was used before.
        after_losses: numbers of the first row after rows that were lost.
    """

    epochs: frozenset[int]
    after_losses: frozenset[int]


def chained(
    before: Row | None,
    opens: bool,
    at_utc: str,
    body: bytes,
    evidence_sha256: bytes = NO_EVIDENCE,
    number: int | None = None,
) -> Row:
    """The row that comes after `before`, in a new match or in the same one; the next by number."""
    if number is None:
        number = 1 if before is None else before.number + 1
    match = number if opens else 0 if before is None else before.match
    previous = NO_ROW if before is None else before.checksum
    summed = checksum(number, match, at_utc, body, evidence_sha256, previous)
    return Row(number, match, at_utc, body, evidence_sha256, previous, summed)


def columns(row: Row) -> tuple[int, int, str, bytes, bytes, bytes, bytes]:
    """The row as the table `entry` has it."""
    return (
        row.number,
        row.match,
        row.at_utc,
        row.body,
        row.evidence_sha256,
        row.previous,
        row.checksum,
    )


def check_order(row: Row, before: Row | None, gaps: KnownGaps) -> None:
    """Raises DamageError unless the row is sound and follows `before`; a recorded loss excuses a gap."""
    if not row.sound:
        raise DamageError(f"row {row.number} is not what was written")
    if before is not None and row.number in gaps.epochs:
        if row.previous != before.checksum or row.match != before.match:
            raise DamageError(f"row {row.number} does not follow row {before.number}")
    elif before is None or row.number in gaps.after_losses:
        if not row.begins:
            raise DamageError(f"row {row.number} opens no match, and the one before it is missing")
    elif not row.follows(before):
        raise DamageError(f"row {row.number} does not follow row {before.number}")
    elif not row.opens and row.match != before.match:
        raise DamageError(f"row {row.number} belongs to another match than row {before.number}")


def rows(connection: sqlite3.Connection, match: int | None = None) -> Iterator[Row]:
    """The rows of one match, or all, in order; DamageError at the first that is not as it was written."""
    if match is not None and not is_number(match):
        return
    where = "" if match is None else "WHERE match = :match AND number >= :match"
    before: Row | None = None
    with reading():
        gaps = known_losses(connection)
        for columns in connection.execute(
            f"SELECT {COLUMNS} FROM entry {where} ORDER BY number",  # noqa: S608 - of constants
            {"match": match},
        ):
            row = as_written(columns)
            check_order(row, before, gaps)
            yield row
            before = row


def bodies(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[str, bytes]]:
    """The time and the entry of each row with a number above `after`, in order.

    Every row is checked as in `rows`; those that simply follow the one before take a quicker way.
    """
    with reading():
        gaps = known_losses(connection)
        special = gaps.epochs | gaps.after_losses
        before: Sequence[Any] | None = None
        number, match, checksum = -1, 0, b""
        pack, sha256 = SIZES.pack, hashlib.sha256
        for columns in connection.execute(
            f"SELECT {COLUMNS} FROM entry WHERE number > ? ORDER BY number",  # noqa: S608 - of constants
            (after,),
        ):
            try:
                row_number, its_match, at_utc, body, picture, previous, summed = columns
                time_bytes = at_utc.encode()
                sizes = pack(row_number, its_match, len(time_bytes), len(body), len(picture), len(previous))
                follows = (
                    row_number == number + 1
                    and previous == checksum
                    and its_match in (match, row_number)
                    and sha256(sizes + time_bytes + body + picture + previous).digest() == summed
                    and row_number not in special
                )
            except (TypeError, AttributeError, struct.error):
                follows = False
            if not follows:
                check_order(as_written(columns), as_written(before) if before else None, gaps)
            number, match, checksum = columns[0], columns[1], columns[6]
            before = columns
            yield columns[2], columns[3]


@reading()
def row(connection: sqlite3.Connection, number: int) -> Row | None:
    """The row of that number, not checked against its neighbours; None if there is none."""
    sql = f"SELECT {COLUMNS} FROM entry WHERE number = ?"  # noqa: S608 - of constants
    columns = connection.execute(sql, (number,)).fetchone() if is_number(number) else None
    return as_written(columns) if columns else None


@reading()
def last(connection: sqlite3.Connection) -> Row | None:
    (number,) = connection.execute("SELECT max(number) FROM entry").fetchone()
    return row(connection, number) if number else None


def as_written(columns: Sequence[Any]) -> Row:
    """The row with these columns; DamageError if the ledger never writes such."""
    if [type(column) for column in columns] != TYPES or not is_number(columns[0]):
        raise DamageError(f"row {columns[0]} is not what was written")
    return Row(*columns)


def known_losses(connection: sqlite3.Connection) -> KnownGaps:

    def numbers(sql: str) -> frozenset[int]:
        return frozenset(number for (number,) in connection.execute(sql))

    return KnownGaps(numbers("SELECT first FROM epoch"), numbers("SELECT last + 1 FROM loss"))


@reading()
def check(connection: sqlite3.Connection, remembered: Head | None) -> Row | None:
    """Reads everything; returns the last row. Raises DamageError.

    Without `remembered` it can't miss rows that were cut off the end.
    """
    first = 1
    final = None
    reached = False
    named: set[str] = set()
    begun: list[tuple[Row, Epoch]] = []
    for row in rows(connection):
        first = row.number if final is None else first
        final = row
        reached = reached or (remembered is not None and row.checksum == remembered.checksum)
        named |= players.named_in(row.body)
        if (epoch := epoch_in(row)) is not None:
            begun.append((row, epoch))
    if remembered is not None and remembered.last and not reached:
        held = f"ends at row {final.number}" if final else "is empty"
        raise DamageError(f"the ledger {held}, row {remembered.last} was written too")
    check_epochs(connection, begun, first)
    if remembered is not None and remembered.epoch != current_epoch(connection):
        raise DamageError("the table of epochs is not what was written")
    if missing := named - players.stored(connection).names.keys():
        raise DamageError(f"player {min(missing)} is missing")
    for entry, size in connection.execute("SELECT entry, length(jpeg) FROM evidence ORDER BY entry"):
        if final is None or not 1 <= entry <= final.number or not size:
            raise DamageError(f"picture {entry} belongs to no row")
    return final


@reading()
def evidence(connection: sqlite3.Connection, number: int) -> bytes | None:
    """The picture kept with a row, JPEG; None if none is kept (any more). DamageError if it has changed."""
    sql = "SELECT evidence_sha256, jpeg FROM entry JOIN evidence ON entry = number WHERE number = ?"
    stored = connection.execute(sql, (number,)).fetchone() if is_number(number) else None
    if stored is None:
        return None
    sha256, jpeg = stored
    if sha256 == NO_EVIDENCE or not isinstance(jpeg, bytes) or hashlib.sha256(jpeg).digest() != sha256:
        raise DamageError(f"the picture of row {number} is not what was written")
    return jpeg


def epoch_in(row: Row) -> Epoch | None:
    """The epoch that begins with the row, if one does."""
    if EPOCH_MARK not in row.body:
        return None
    try:
        entry = load(row.body)
    except BadEntry:
        return None
    return entry if isinstance(entry, Epoch) else None


def index_epochs(connection: sqlite3.Connection, begun: Iterable[tuple[Row, Epoch]]) -> None:
    """Copies what the chain's rows say of epochs and losses into the tables beside it."""
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


def check_epochs(connection: sqlite3.Connection, begun: Iterable[tuple[Row, Epoch]], first: int) -> None:
    """Raises DamageError if the tables differ from the chain, which begins with row `first`.

    Rows that were pruned are in the tables alone, and nothing depends on them.
    """
    firsts, losses = indexed(begun)
    epochs = {
        number: row_first
        for number, row_first in connection.execute("SELECT * FROM epoch")
        if not is_number(row_first) or row_first >= first
    }
    if epochs != firsts:
        raise DamageError("the table of epochs is not what was written")
    stored = connection.execute("SELECT * FROM loss")
    lost = {row_first: last for row_first, last in stored if not is_number(last) or last >= first}
    if lost != {row_first: last for row_first, last in losses.items() if last >= first}:
        raise DamageError("the table of losses is not what was written")


def current_epoch(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT coalesce(max(number), 1) FROM epoch").fetchone()
    return int(number)


def lost_between(rows: Sequence[Row], first: int, last: int) -> LostRows:
    """Which rows of those numbers are lost, and are not named by an epoch among `rows`.

    A row that follows the one before it by its checksum lost none: an epoch may leave numbers out.
    """
    named = {lost for row in rows if (epoch := epoch_in(row)) is not None for lost in epoch.lost}
    lost_rows = []
    following = first
    checksum = None
    for row in rows:
        if row.number > following and row.previous != checksum:
            lost_rows.append((following, row.number - 1))
        following, checksum = row.number + 1, row.checksum
    if last >= following:
        lost_rows.append((following, last))
    return tuple(lost for lost in lost_rows if lost not in named)


@dataclass(frozen=True, slots=True)
class Head:
    """The numbers of the first and last row, the last one's checksum, and the number of the epoch."""

    first: int
    last: int
    checksum: bytes
    epoch: int = 1


def read_head(path: Path) -> Head | None:
    """The head in the file; None if there is no file.

    Raises DamageError if it is not what was written, OSError if it can't be read.
    """
    try:
        data = first_bytes(path, HEAD_LAYOUT.size + CRC_BYTES + 1)
    except FileNotFoundError:
        return None
    return unpacked_head(data)


def sound_head(path: Path) -> Head | None:
    """The head in the file; None if it is gone or damaged, for those who have seen to the damage."""
    try:
        return read_head(path)
    except DamageError:
        return None


def unpacked_head(data: bytes) -> Head:
    """The head in the bytes that `packed_head` made. Raises DamageError."""
    fields, crc = data[:-CRC_BYTES], data[-CRC_BYTES:]
    if len(fields) != HEAD_LAYOUT.size or zlib.crc32(fields) != int.from_bytes(crc, "big"):
        raise DamageError("ledger.head is not what was written")
    mark, *numbers = HEAD_LAYOUT.unpack(fields)
    if mark != HEAD_MARK:
        raise DamageError("ledger.head is not what was written")
    return Head(*numbers)


def write_head(path: Path, head: Head) -> None:
    """Writes without waiting for the disk. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | files.NO_LINK | files.AT_ONCE, 0o644)
    try:
        os.write(descriptor, packed_head(head))
    finally:
        os.close(descriptor)


def write_first_head(path: Path) -> None:
    """Writes the head of a ledger that begins, durably, before there is a database. Raises OSError."""
    files.atomic_write(path, packed_head(Head(1, 0, NO_ROW)))


def packed_head(head: Head) -> bytes:
    fields = HEAD_LAYOUT.pack(HEAD_MARK, head.first, head.last, head.checksum, head.epoch)
    return fields + zlib.crc32(fields).to_bytes(CRC_BYTES, "big")
