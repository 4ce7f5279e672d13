"""Reads what is stored, checking every row on the way."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any

from dicetable.ledger import epochs, players
from dicetable.ledger.causes import reading
from dicetable.ledger.rows import NO_EVIDENCE, SIZES, DamageError, KnownGaps, Row, check_order, is_number

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from dicetable.ledger.entries import Epoch
    from dicetable.ledger.head import Head

COLUMNS = "number, match, at_utc, body, evidence_sha256, previous, checksum"
TYPES = [int, int, str, bytes, bytes, bytes, bytes]


def rows(connection: sqlite3.Connection, match: int | None = None) -> Iterator[Row]:
    """The rows of one match, or all, in order; DamageError at the first that is not as it was written."""
    if match is not None and not is_number(match):
        return
    where = "" if match is None else "WHERE match = :match AND number >= :match"
    before: Row | None = None
    with reading():
        known = known_losses(connection)
        for columns in connection.execute(
            f"SELECT {COLUMNS} FROM entry {where} ORDER BY number",  # noqa: S608 - of constants
            {"match": match},
        ):
            row = as_written(columns)
            check_order(row, before, known)
            yield row
            before = row


def bodies(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[str, bytes]]:
    """When each row with a number above `after` was accepted, and its entry, in order.

    Every row is checked, as `rows` does it; those that simply follow the one before them in a quicker way.
    """
    with reading():
        known = known_losses(connection)
        special = known.epochs | known.after_losses
        before: Sequence[Any] | None = None
        number, match, checksum = -1, 0, b""
        pack, sha256 = SIZES.pack, hashlib.sha256
        for columns in connection.execute(
            f"SELECT {COLUMNS} FROM entry WHERE number > ? ORDER BY number",  # noqa: S608 - of constants
            (after,),
        ):
            try:
                its, its_match, at_utc, body, picture, previous, summed = columns
                at = at_utc.encode()
                sizes = pack(its, its_match, len(at), len(body), len(picture), len(previous))
                follows = (
                    its == number + 1
                    and previous == checksum
                    and its_match in (match, its)
                    and sha256(sizes + at + body + picture + previous).digest() == summed
                    and its not in special
                )
            except (TypeError, AttributeError, struct.error):
                follows = False
            if not follows:
                check_order(as_written(columns), as_written(before) if before else None, known)
            number, match, checksum = columns[0], columns[1], columns[6]
            before = columns
            yield columns[2], columns[3]


@reading()
def row(connection: sqlite3.Connection, number: int) -> Row | None:
    """The row of that number, by itself; None if there is none. DamageError if the like was never written."""
    sql = f"SELECT {COLUMNS} FROM entry WHERE number = ?"  # noqa: S608 - of constants
    columns = connection.execute(sql, (number,)).fetchone() if is_number(number) else None
    return as_written(columns) if columns else None


@reading()
def last(connection: sqlite3.Connection) -> Row | None:
    """The last row; None if there is none."""
    (number,) = connection.execute("SELECT max(number) FROM entry").fetchone()
    return row(connection, number) if number else None


def as_written(columns: Sequence[Any]) -> Row:
    """The row with these columns; DamageError if the like was never written."""
    if [type(column) for column in columns] != TYPES or not is_number(columns[0]):
        raise DamageError(f"row {columns[0]} is not what was written")
    return Row(*columns)


def known_losses(connection: sqlite3.Connection) -> KnownGaps:
    """Where rows are known to be lost, and where epochs begin."""

    def numbers(sql: str) -> frozenset[int]:
        return frozenset(number for (number,) in connection.execute(sql))

    return KnownGaps(numbers("SELECT first FROM epoch"), numbers("SELECT last + 1 FROM loss"))


@reading()
def check(connection: sqlite3.Connection, remembered: Head | None) -> Row | None:
    """Reads everything; returns the last row. Raises DamageError, also for what is missing at the end.

    A head that is gone is no damage unless everything else is gone too.
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
        if (epoch := epochs.of(row)) is not None:
            begun.append((row, epoch))
    if remembered is None and final is None:
        raise DamageError("the ledger is empty, and ledger.head is gone")
    if remembered is not None and remembered.last and not reached:
        held = f"ends at row {final.number}" if final else "is empty"
        raise DamageError(f"the ledger {held}, row {remembered.last} was written too")
    epochs.check(connection, begun, first)
    if remembered is not None and remembered.epoch != epochs.current(connection):
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
    found = connection.execute(sql, (number,)).fetchone() if is_number(number) else None
    if found is None:
        return None
    sha256, jpeg = found
    if sha256 == NO_EVIDENCE or not isinstance(jpeg, bytes) or hashlib.sha256(jpeg).digest() != sha256:
        raise DamageError(f"the picture of row {number} is not what was written")
    return jpeg
