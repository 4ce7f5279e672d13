"""What is kept of an accepted throw, as one piece of bytes: the picture at rest, and the strip of the motion.

Both are JPEG files, one after the other, and a trailer tells how long the second is. Whatever shows only the
first image of a file shows the picture at rest. Rows of earlier releases hold the picture alone.
"""

from __future__ import annotations

import struct
from typing import Final

TRAILER: Final = struct.Struct(">8sI")
MARK: Final = b"\0motion\0"


def joined(picture: bytes, motion: bytes) -> bytes:
    """The evidence of a throw; either part may be empty, and without a picture there is none."""
    return picture + motion + TRAILER.pack(MARK, len(motion)) if picture and motion else picture


def parts(evidence: bytes) -> tuple[bytes, bytes]:
    """The picture at rest and the strip of the motion, which is empty if none was kept."""
    if len(evidence) < TRAILER.size:
        return evidence, b""
    mark, length = TRAILER.unpack(evidence[-TRAILER.size :])
    end = len(evidence) - TRAILER.size
    if mark != MARK or length > end:
        return evidence, b""
    return evidence[: end - length], evidence[end - length : end]
