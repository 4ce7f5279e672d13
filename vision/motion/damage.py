"""Finds damaged frames: a large part of the picture is suddenly another, and in the next frame it is back.

A decoder takes a JPEG that lost some of its middle for a picture. Nothing real comes and goes like that: dice
and hands that cover so much are still there one frame later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.reading import Image

SOME: Final = (slice(8, None, 16), slice(4, None, 8), 1)
"""Rows, columns and channel of the pixels that are compared."""
OFF: Final = 30
"""Grey levels by which a pixel is another."""
LEAST_SHARE: Final = 0.02
"""Share of the pixels that damage changes, at least. Less: dice that turn fast are looked at, too."""
BACK: Final = 0.25
"""Of a damaged frame's share, the next frame has less than this part."""
LONGEST_S: Final = 0.15
"""From the frame before to the frame after. In a longer time a hand could come and go."""


class SeenFrame(NamedTuple):
    """A frame, when it was taken, and some of its pixels."""

    frame: Image
    time_s: float
    some: Image

    def off(self, other: SeenFrame) -> float:
        """The share of the pixels in which it differs from another frame."""
        return cv2.countNonZero((cv2.absdiff(self.some, other.some) > OFF).view(np.uint8)) / self.some.size


class DamageWatch:
    """Passes frames on, without the damaged ones; `found` counts these.

    It holds a frame that is suddenly off until the next one comes.
    """

    def __init__(self) -> None:
        self.found = 0
        self.before: SeenFrame | None = None
        self.held: SeenFrame | None = None

    def whole(self, frame: Image, time_s: float) -> tuple[SeenFrame, ...]:
        """The frames (uint8, H×W×3) to look at now, oldest first: none, this one, or two."""
        new = SeenFrame(frame, time_s, np.ascontiguousarray(frame[SOME]))
        before, held = self.before, self.held
        self.held = None
        passed = () if held is None else (held,)
        if before is None or before.frame.shape != frame.shape:
            self.before = new
            return (*passed, new)
        if held is not None:
            if time_s - before.time_s <= LONGEST_S and new.off(before) < BACK * held.off(before):
                self.found += 1
                self.before = new
                return (new,)
            before = self.before = held
        if new.off(before) >= LEAST_SHARE:
            self.held = new
            return passed
        self.before = new
        return (*passed, new)
