"""A small file beside the database that remembers its last row, so that rows cut off its end are missed.

It is written after the commit and never waited for: it may lag behind the database, it is never ahead of a
sound one.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dicetable.files import atomic_write, first_bytes
from dicetable.ledger.rows import NO_ROW

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "ledger.head"
LAYOUT: Final = struct.Struct(">4sQQ32sQ")
MARK: Final = b"DTHE"
CRC_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Head:
    """The numbers of the first and last row, the last one's checksum, and the number of the epoch."""

    first: int
    last: int
    checksum: bytes
    epoch: int = 1


def read(path: Path) -> Head | None:
    """What was remembered; None if there is nothing, or nothing sound."""
    try:
        data = first_bytes(path, LAYOUT.size + CRC_BYTES + 1)
    except OSError:
        return None
    fields, crc = data[:-CRC_BYTES], data[-CRC_BYTES:]
    if zlib.crc32(fields) != int.from_bytes(crc, "big"):
        return None
    if len(fields) != LAYOUT.size:
        return None
    mark, *numbers = LAYOUT.unpack(fields)
    return Head(*numbers) if mark == MARK else None


def write(path: Path, head: Head) -> None:
    """Remembers; OSError if the disk refuses."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    try:
        os.pwrite(descriptor, packed(head), 0)
    finally:
        os.close(descriptor)


def write_first(path: Path) -> None:
    """Remembers that a ledger begins. It is on the disk before there is a database; OSError.

    A database without a head has thus lost it, however empty it is.
    """
    atomic_write(path, packed(Head(1, 0, NO_ROW)))


def packed(head: Head) -> bytes:
    """The content of the file."""
    fields = LAYOUT.pack(MARK, head.first, head.last, head.checksum, head.epoch)
    return fields + zlib.crc32(fields).to_bytes(CRC_BYTES, "big")
