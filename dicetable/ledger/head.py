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

from dicetable.files.read_file import first_bytes

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "ledger.head"
LAYOUT: Final = struct.Struct(">4sQQ32sQ")
MARK: Final = b"DTH2"
LAYOUT_OF_SCHEMA_1: Final = struct.Struct(">4sQQ32s")
MARK_OF_SCHEMA_1: Final = b"DTH1"
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
    packed, crc = data[:-CRC_BYTES], data[-CRC_BYTES:]
    if zlib.crc32(packed) != int.from_bytes(crc, "big"):
        return None
    if len(packed) == LAYOUT.size:
        mark, *fields = LAYOUT.unpack(packed)
        return Head(*fields) if mark == MARK else None
    if len(packed) == LAYOUT_OF_SCHEMA_1.size:
        mark, *fields = LAYOUT_OF_SCHEMA_1.unpack(packed)
        return Head(*fields) if mark == MARK_OF_SCHEMA_1 else None
    return None


def write(path: Path, head: Head) -> None:
    """Remembers; OSError if the disk refuses."""
    packed = LAYOUT.pack(MARK, head.first, head.last, head.checksum, head.epoch)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    try:
        os.pwrite(descriptor, with_crc(packed), 0)
    finally:
        os.close(descriptor)


def packed_for_schema_1(head: Head) -> bytes:
    """The file's content as version 0.1.0 reads it."""
    return with_crc(LAYOUT_OF_SCHEMA_1.pack(MARK_OF_SCHEMA_1, head.first, head.last, head.checksum))


def with_crc(packed: bytes) -> bytes:
    """The content of the file."""
    return packed + zlib.crc32(packed).to_bytes(CRC_BYTES, "big")
