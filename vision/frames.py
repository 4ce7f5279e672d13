"""Frames as they come from a camera: made smaller, kept for a while, and passed on without the damaged ones.

Knows no camera driver and no clock but the frames' own times.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading import Image

LOST_S: Final = 0.15
"""In a longer time without sight of it anything may have happened: a die is gone, a hand came and went."""
WIDEST = 480
"""Frames are halved until they are no wider: 1280×720 becomes 320×180."""


def downsample(frame: Image) -> Image:
    """The frame (uint8, H×W×3 BGR) halved as often as it takes; each pixel is the mean of what it covers."""
    while frame.shape[1] > WIDEST:
        size = (frame.shape[1] // 2, frame.shape[0] // 2)
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    return frame


def middle_level(levels: npt.NDArray[Any]) -> float:
    """The median of some levels; `np.median` takes three times as long for so few."""
    flat = levels.ravel()
    half = flat.size // 2
    if flat.size % 2:
        return float(np.partition(flat, half)[half])
    low, high = np.partition(flat, (half - 1, half))[half - 1 : half + 1].tolist()
    return float((low + high) / 2)


def downsampling(width: int) -> int:
    """The factor by which frames of this width become smaller: 4 for 1280."""
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
"""The next frame shows less than this part of a damaged frame's changed share. Higher: a die that turns fast
is taken for damage."""


class SeenFrame(NamedTuple):
    """A frame, when it was taken, and some of its pixels."""

    frame: Image
    time_s: float
    some: Image

    def off(self, frame: SeenFrame) -> float:
        """The share of the pixels in which it differs from another frame."""
        return cv2.countNonZero((cv2.absdiff(self.some, frame.some) > OFF).view(np.uint8)) / self.some.size


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
            if time_s - before.time_s <= LOST_S and new.off(before) < BACK * held.off(before):
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
EVERY_S: Final = 0.06
"""Between two frames that are kept, at least. A roll in slow motion jerks if it is much longer."""
MOST_FRAMES: Final = 22
"""The ring holds 9 MB at most, with frames of STRIP_PX."""
STRIP_PX: Final = 704
"""Widest frame that is kept, in pixels."""
LEAST_MOVED: Final = 30
"""Pixels of a kept frame that a die changes as it moves, at least, of those that are compared."""


class Strip:
    """A ring of frames with their times, one each EVERY_S while something moves; STRIP_S of motion."""

    def __init__(self) -> None:
        self.frames: deque[tuple[float, Image]] = deque(maxlen=MOST_FRAMES)

    def see(self, view: Image, time_s: float) -> None:
        """One more frame, of which a smaller copy is kept."""
        if self.frames and time_s < self.frames[-1][0]:
            self.frames.clear()
        while self.frames and time_s - self.frames[0][0] > STRIP_S:
            self.frames.popleft()
        if self.frames and time_s - self.frames[-1][0] < EVERY_S:
            return
        new = packed(view)
        if self.frames and new.shape == self.frames[-1][1].shape:
            change = cv2.absdiff(new[::2, ::2], self.frames[-1][1][::2, ::2])
            if cv2.countNonZero((change > OFF).view(np.uint8)) < LEAST_MOVED:
                return
        self.frames.append((time_s, new))


def packed(view: Image) -> Image:
    """The picture (uint8, H×W×3 BGR) at most STRIP_PX wide, in half the memory; for `unpacked`."""
    by = max(1.0, view.shape[1] / STRIP_PX)
    size = (2 * int(view.shape[1] / by / 2), 2 * int(view.shape[0] / by / 2))
    small = view
    while small.shape[1] >= 2 * size[0]:
        small = np.asarray(cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2YUV_I420), np.uint8)


def unpacked(planes: Image) -> Image:
    """The picture (uint8, H×W×3 BGR)."""
    return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), np.uint8)
