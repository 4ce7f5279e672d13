"""Frames on their way to the watch: damaged ones are left out, the others made small, the latest kept."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.reading import Image

WIDEST = 480
"""Frames are halved until they are no wider: 1280×720 becomes 320×180."""


def downsample(frame: Image) -> Image:
    """The frame (uint8, H×W×3 BGR) halved as often as it takes; each pixel is the mean of what it covers."""
    while frame.shape[1] > WIDEST:
        size = (frame.shape[1] // 2, frame.shape[0] // 2)
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    return frame


def downsampling(width: int) -> int:
    """By how much frames of this width become smaller: 4 for 1280."""
    by = 1
    while width > WIDEST:
        width, by = width // 2, by * 2
    return by


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


STRIP_S: Final = 2.0
EVERY_S: Final = 0.1
"""Between two frames that are kept."""
EARLY_S: Final = 1e-3
"""Frames of a camera come a little early or late."""


class Strip:
    """A ring of small frames with their times, one each EVERY_S; together LONGEST_S of motion."""

    def __init__(self) -> None:
        self.frames: deque[tuple[float, Image]] = deque(maxlen=round(STRIP_S / EVERY_S))

    def see(self, small: Image, time_s: float) -> None:
        """One more frame, which must not be written to later."""
        if self.frames and time_s < self.frames[-1][0]:
            self.frames.clear()
        while self.frames and time_s - self.frames[0][0] > STRIP_S:
            self.frames.popleft()
        if not self.frames or time_s - self.frames[-1][0] >= EVERY_S - EARLY_S:
            self.frames.append((time_s, small))
