"""Frames of a camera in which nothing moves, for calibrating and enrolling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from dicetable import texts
from vision.motion.segmentation import Segmenter
from vision.motion.watch import Motion, MotionWatch
from vision.nets import load_nets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.ports import Camera, Frame
    from vision.reading import Image

PATIENCE_S: Final = 15
"""A camera that gives no frame for so long is silent; a tray that moves for so long does not come to rest."""
HEALING_S: Final = 3
"""A camera that says what is wrong with it may still come round within this time."""
CALM_S: Final = 0.5
"""Nothing moves for so long before a frame is still: longer than in a game, as dice are laid by hand."""
EMPTY_S: Final = 6.0
"""A tray is empty for that long, and longer, only if a die that lies there is not seen."""
FRAMES: Final = 8
"""Still frames that a calibration averages to reduce the noise in the picture of the empty tray."""


class NoFramesError(Exception):
    """The camera gives no pictures, or none that is still; the text says why and what to do."""


class StillFrames:
    """Collects still frames that follow one another, without a moving one between them."""

    def __init__(self, count: int = FRAMES) -> None:
        self.count = count
        self.frames: list[Image] = []
        self.seen_s = float("-inf")
        self._watch = still_watch()

    def feed(self, frame: Frame) -> bool:
        """Takes one more frame, unless it is the same one again; returns whether there are enough."""
        if frame.time_s > self.seen_s and len(self.frames) < self.count:
            self.seen_s = frame.time_s
            if is_still(self._watch, frame):
                self.frames.append(frame.pixels)
            else:
                self.frames.clear()
        return len(self.frames) >= self.count

    def mean(self) -> Image:
        """The mean of the frames (uint8, H×W×3 BGR)."""
        return np.asarray(np.rint(np.mean(self.frames, axis=0)), np.uint8)


def still_watch() -> MotionWatch:
    """A watch over frames of which nothing is known yet."""
    return MotionWatch(Segmenter(load_nets().segmentation), window_s=CALM_S)


def is_still(watch: MotionWatch, frame: Frame) -> bool:
    """Whether nothing at all moves up to this frame, and no hand is seen."""
    return watch.watch(frame.pixels, frame.time_s) is Motion.SETTLED and watch.stillness.still


def still_picture(camera: Camera) -> Image:
    """The mean of some still frames. Raises NoFramesError if there are none."""
    stills = StillFrames()
    camera.start()
    try:
        frame = next_frame(camera)
        until_s = frame.time_s + PATIENCE_S
        while not stills.feed(frame):
            if not stills.frames and frame.time_s > until_s:
                raise NoFramesError(texts.rig.MOVES)
            frame = next_frame(camera)
    finally:
        camera.stop()
    return stills.mean()


def still_frames(camera: Camera) -> Iterator[Image]:
    """The first still frame, and one each time that all lies still again; NoFramesError if none come.

    A tray that is empty between two dice gives a frame only if it stays so.
    """
    watch, first, given = still_watch(), True, False
    moved_s = -np.inf
    while True:
        frame = next_frame(camera)
        if not is_still(watch, frame):
            moved_s, given = frame.time_s, False
            continue
        between_dice = watch.is_empty() and not first
        if not given and frame.time_s - moved_s > (EMPTY_S if between_dice else CALM_S):
            first, given = False, True
            yield frame.pixels


def next_frame(camera: Camera) -> Frame:
    """The next frame of a camera that was started; NoFramesError if none comes."""
    for second in range(PATIENCE_S):
        frame = camera.frame(1.0)
        if frame is not None:
            return frame
        if camera.degraded is not None and second + 1 >= HEALING_S:
            break
    degraded = camera.degraded
    raise NoFramesError(f"{degraded.what}: {degraded.remedy}" if degraded else texts.health.CAMERA_SILENT)
