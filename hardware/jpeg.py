"""What a JPEG's header tells of how it is stored, without decoding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""Markers of a picture's frame; the others of this range are tables."""
PROGRESSIVE = {0xC2, 0xC6, 0xCA, 0xCE}
SCAN, END = 0xDA, 0xD9
ALONE = {0x01, *range(0xD0, 0xD9)}
"""Markers that nothing belongs to."""
COEFFICIENT_BYTES = 2


class Segment(NamedTuple):
    """A marker and what belongs to it."""

    marker: int
    body: bytes


def coefficient_bytes(data: bytes) -> int:
    """What a decoder must hold of the picture's coefficients at once: all, unless one scan tells everything.

    Of each component as many as its samples, in blocks of eight by eight; libjpeg holds them in two bytes.
    """
    frame: Segment | None = None
    for segment in header(data):
        if segment.marker in FRAMES:
            frame = segment
        elif segment.marker == SCAN and frame is not None and len(frame.body) >= 6:
            at_once = frame.marker not in PROGRESSIVE and segment.body[:1] == frame.body[5:6]
            return 0 if at_once else COEFFICIENT_BYTES * samples(frame.body)
    return 0


def samples(frame: bytes) -> int:
    """How many samples the components of a frame have together."""
    height, width = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
    sampled = [(each >> 4, each & 15) for each in frame[7 : 6 + 3 * frame[5] : 3]]
    across, down = (max((side[i] for side in sampled), default=1) or 1 for i in (0, 1))
    blocks = (-(-width // (8 * across)), -(-height // (8 * down)))
    return sum(64 * blocks[0] * blocks[1] * h * v for h, v in sampled)


def header(data: bytes) -> Iterator[Segment]:
    """The segments up to the first scan's."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF or marker in ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4])
        yield Segment(marker, data[at + 4 : at + 2 + length])
        if marker in (SCAN, END):
            return
        at += 2 + max(2, length)
