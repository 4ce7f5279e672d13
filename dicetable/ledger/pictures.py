"""The evidence of an accepted throw, as one piece of bytes: the picture at rest, and the strip of the motion.

Both are JPEG files, one after the other, and a trailer has the length of the second. A viewer that shows only
the first image of a file shows the picture at rest.

A note inside a JPEG file, in a comment segment, says what it shows: it goes wherever the picture goes.
"""

import json
import struct
from typing import Any, Final

from common.strict_json import parse_json

TRAILER: Final = struct.Struct(">8sI")
MARK: Final = b"\0motion\0"
START: Final = b"\xff\xd8"
HEADERS: Final = range(0xE0, 0xF0)
"""The segments that must come first in some kinds of JPEG files."""
COMMENT: Final = 0xFE
NOTE: Final = b"dicetable "
LONGEST_NOTE: Final = 2000


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


def segments(jpeg: bytes) -> list[tuple[int, int, int]]:
    """The segments before the picture itself: the marker of each, and where it starts and ends."""
    parts: list[tuple[int, int, int]] = []
    start = len(START)
    while jpeg[:start].startswith(START) and start + 4 <= len(jpeg) and jpeg[start] == 0xFF:
        marker = jpeg[start + 1]
        end = start + 2 + int.from_bytes(jpeg[start + 2 : start + 4], "big")
        if end > len(jpeg) or not (marker in HEADERS or marker == COMMENT):
            break
        parts.append((marker, start, end))
        start = end
    return parts


def noted(jpeg: bytes, note: dict[str, Any]) -> bytes:
    """The file with a note in it, after its headers; ValueError if it is no JPEG or the note is too long."""
    text = NOTE + json.dumps(note, separators=(",", ":")).encode()
    if not jpeg.startswith(START) or len(text) > LONGEST_NOTE:
        raise ValueError("a note needs a JPEG file, and has to be short")
    position = max((end for marker, _, end in segments(jpeg) if marker in HEADERS), default=len(START))
    return (
        jpeg[:position] + bytes((0xFF, COMMENT)) + (len(text) + 2).to_bytes(2, "big") + text + jpeg[position:]
    )


def note_of(jpeg: bytes) -> dict[str, Any]:
    """The note in the file; empty if there is none, or it cannot be read."""
    for marker, start, end in segments(jpeg):
        text = jpeg[start + 4 : end]
        if marker == COMMENT and text.startswith(NOTE) and len(text) <= LONGEST_NOTE:
            try:
                note = parse_json(text[len(NOTE) :])
            except ValueError:
                return {}
            return note if isinstance(note, dict) else {}
    return {}
