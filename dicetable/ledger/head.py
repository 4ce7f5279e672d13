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

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "ledger.head"
LAYOUT: Final = struct.Struct(">4sQQ32s")
MARK: Final = b"DTH1"


@dataclass(frozen=True, slots=True)
class Head:
    """The numbers of the first and last row, and the last one's checksum."""

    first: int
    last: int
    checksum: bytes


def read(path: Path) -> Head | None:
    """What was remembered; None if there is nothing, or nothing sound."""
    try:
        with path.open("rb") as file:
            data = file.read(LAYOUT.size + 5)
    except OSError:
        return None
    packed, crc = data[: LAYOUT.size], data[LAYOUT.size :]
    if len(data) != LAYOUT.size + 4 or zlib.crc32(packed) != int.from_bytes(crc, "big"):
        return None
    mark, first, last, checksum = LAYOUT.unpack(packed)
    return Head(first, last, checksum) if mark == MARK else None


def write(path: Path, head: Head) -> None:
    """Remembers; OSError if the disk refuses."""
    packed = LAYOUT.pack(MARK, head.first, head.last, head.checksum)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        os.pwrite(descriptor, packed + zlib.crc32(packed).to_bytes(4, "big"), 0)
    finally:
        os.close(descriptor)
