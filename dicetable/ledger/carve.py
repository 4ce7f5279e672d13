"""Finds rows in the raw pages of a damaged database and its write-ahead log, whatever SQLite makes of them.

SQLite's own `.recover` finds fewer rows, and Debian 12's does not work: docs/research/ledger-recovery.md.

It trusts no pointer further than it can check it: a row that was found counts only if its checksum says so,
which is for the caller to ask. Formats: https://sqlite.org/fileformat2.html, sections 1.6 (pages), 2.1
(records) and 4.1 (log).
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Final

from dicetable.ledger.database import LONGEST_VALUE_BYTES, PAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Value = int | bytes | None
TABLE_LEAF: Final = 0x0D
LOG_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24
MOST_COLUMNS: Final = 16
WHOLE_BYTES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class UnreadableError(ValueError):
    """These bytes are no row."""


def carve(database: Path, log: Path, most_bytes: int) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Every (rowid, values) in any page of the files, stale copies too; text comes as bytes.

    Reads at most `most_bytes` of each file; the log without the database says nothing.
    """
    if not database.is_file():
        return
    frames = list(chunks(log, LOG_HEADER_BYTES, FRAME_HEADER_BYTES, most_bytes))
    with database.open("rb") as file:
        pages = DatabasePages(
            file.fileno(), most_bytes, {number_of(frame): frame[FRAME_HEADER_BYTES:] for frame in frames}
        )
        for number, page in enumerate(chunks(database, 0, 0, most_bytes), 1):
            yield from rows_of(page, 100 if number == 1 else 0, pages)
        for frame in frames:
            yield from rows_of(frame[FRAME_HEADER_BYTES:], 100 if number_of(frame) == 1 else 0, pages)


def number_of(frame: bytes) -> int:
    """Which page of the database a frame of the log holds."""
    return int.from_bytes(frame[:4], "big")


class DatabasePages:
    """Each page as it was written last: in the log if it is there, else in the database."""

    def __init__(self, database: int, most_bytes: int, in_log: Mapping[int, bytes]) -> None:
        self.database = database
        self.most = most_bytes // PAGE_BYTES
        self.in_log = in_log

    def page(self, number: int) -> bytes:
        """The page, filled up with zeros; UnreadableError if there is none of that number."""
        if number in self.in_log:
            return self.in_log[number]
        if not 1 <= number <= self.most:
            raise UnreadableError(f"no page {number}")
        return os.pread(self.database, PAGE_BYTES, (number - 1) * PAGE_BYTES).ljust(PAGE_BYTES, b"\0")


def chunks(path: Path, skip: int, header: int, most_bytes: int) -> Iterator[bytes]:
    """The pages of a file, each with the header before it; a torn last one is filled up with zeros."""
    if not path.is_file():
        return
    size = header + PAGE_BYTES
    with path.open("rb") as file:
        file.seek(skip)
        for _ in range(most_bytes // size):
            chunk = file.read(size)
            if not chunk:
                return
            yield chunk.ljust(size, b"\0")


def rows_of(page: bytes, start: int, pages: DatabasePages) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """The rows whose cells lie in this page, if it is a leaf of a table."""
    if page[start] != TABLE_LEAF:
        return
    (count,) = struct.unpack_from(">H", page, start + 3)
    room = (PAGE_BYTES - start - 8) // 2
    for index in range(min(count, room)):
        (at,) = struct.unpack_from(">H", page, start + 8 + 2 * index)
        try:
            yield row_at(page, at, pages)
        except (UnreadableError, IndexError):
            continue


def row_at(page: bytes, at: int, pages: DatabasePages) -> tuple[int, tuple[Value, ...]]:
    """The row whose cell begins at this offset of its page."""
    size, at = varint(page, at)
    rowid, at = varint(page, at)
    if size > LONGEST_VALUE_BYTES:
        raise UnreadableError("too long")
    most = PAGE_BYTES - 35
    if size <= most:
        return rowid, values(page[at : at + size])
    least = (PAGE_BYTES - 12) * 32 // 255 - 23
    local = least + (size - least) % (PAGE_BYTES - 4)
    local = local if local <= most else least
    parts = [page[at : at + local]]
    following = int.from_bytes(page[at + local : at + local + 4], "big")
    for _ in range((size - local + PAGE_BYTES - 5) // (PAGE_BYTES - 4)):
        overflow = pages.page(following)
        parts.append(overflow[4:])
        following = int.from_bytes(overflow[:4], "big")
    return rowid, values(b"".join(parts)[:size])


def values(record: bytes) -> tuple[Value, ...]:
    """The columns of a record."""
    size, at = varint(record, 0)
    types: list[int] = []
    while at < size and len(types) < MOST_COLUMNS:
        kind, at = varint(record, at)
        types.append(kind)
    found: list[Value] = []
    for kind in types:
        if kind in WHOLE_BYTES:
            end = at + WHOLE_BYTES[kind]
            found.append(int.from_bytes(record[at:end], "big", signed=True))
        elif kind in (8, 9):
            end = at
            found.append(kind - 8)
        elif kind >= 12:
            end = at + (kind - 12) // 2
            found.append(record[at:end])
        else:
            end = at + (8 if kind == 7 else 0)
            found.append(None)
        if end > len(record):
            raise UnreadableError("cut short")
        at = end
    return tuple(found)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The variable-length whole number at an offset, and the offset after it."""
    number = 0
    for step in range(8):
        byte = data[at + step]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, at + step + 1
    return number << 8 | data[at + 8], at + 9
