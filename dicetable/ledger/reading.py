"""Reads what is stored, checking every row on the way."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dicetable.ledger.rows import NO_EVIDENCE, DamageError, Row, check_order

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from dicetable.ledger.head import Head

COLUMNS = "number, match, at_utc, body, evidence_sha256, previous, checksum"
TYPES = [int, int, str, bytes, bytes, bytes, bytes]


def rows(connection: sqlite3.Connection, match: int | None = None) -> Iterator[Row]:
    """The rows of one match, or all, in order; DamageError at the first that is not as it was written."""
    gaps = frozenset(before for (before,) in connection.execute("SELECT before FROM gap"))
    where = "" if match is None else "WHERE match = :match AND number >= :match"
    before: Row | None = None
    for columns in connection.execute(
        f"SELECT {COLUMNS} FROM entry {where} ORDER BY number",  # noqa: S608 - of constants
        {"match": match},
    ):
        if [type(column) for column in columns] != TYPES:
            raise DamageError(f"row {columns[0]} is not what was written")
        row = Row(*columns)
        check_order(row, before, gaps)
        yield row
        before = row


def check(connection: sqlite3.Connection, remembered: Head | None) -> Row | None:
    """Reads every row; returns the last. Raises DamageError, also for rows that are missing at the end."""
    last = None
    reached = False
    for last in rows(connection):
        reached = reached or (remembered is not None and last.checksum == remembered.checksum)
    if remembered is not None and remembered.last and not reached:
        held = f"ends at row {last.number}" if last else "is empty"
        raise DamageError(f"the ledger {held}, row {remembered.last} was written too")
    for entry, size in connection.execute("SELECT entry, length(jpeg) FROM evidence ORDER BY entry"):
        if last is None or not 1 <= entry <= last.number or not size:
            raise DamageError(f"picture {entry} belongs to no row")
    return last


def evidence(connection: sqlite3.Connection, number: int) -> bytes | None:
    """The picture kept with a row, JPEG; None if none is kept (any more). DamageError if it has changed."""
    sql = "SELECT evidence_sha256, jpeg FROM entry JOIN evidence ON entry = number WHERE number = ?"
    found = connection.execute(sql, (number,)).fetchone()
    if found is None:
        return None
    sha256, jpeg = found
    if sha256 == NO_EVIDENCE or hashlib.sha256(jpeg).digest() != sha256:
        raise DamageError(f"the picture of row {number} is not what was written")
    return bytes(jpeg)
