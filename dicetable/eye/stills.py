"""Waits until nothing moves under the camera: still frames, readings of them, and views of the lens sheet.

Everything here takes frames one after the other, from a camera (`frames_of`) or from the eye (wizards.py).
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from common import texts
from hardware.ports import Camera, Frame
from vision.motion.segmentation import Segmenter
from vision.motion.watch import Motion, MotionWatch
from vision.nets import load_nets
from vision.reader import DiceReader
from vision.reading import Image, Reading
from vision.recognition.enrolled import EnrolledDice
from vision.tray.camera import SQUARE_MM, SQUARES, SheetView, find_sheet
from vision.tray.markers import Floats

PATIENCE_S: Final = 15
"""A camera that gives no frame for so long is silent; a tray that moves for so long does not come to rest."""
HEALING_S: Final = 3
"""A camera that says what is wrong with it may still recover within this time."""
CALM_S: Final = 0.5
"""Nothing moves for so long before a frame is still: longer than in a game, as dice are laid by hand."""
EMPTY_S: Final = 6.0
"""A tray is empty for that long, and longer, only if a die that lies there is not seen."""
FRAMES: Final = 8
"""Still frames that a calibration averages to reduce the noise in the picture of the empty tray."""
READING_TIMEOUT_S: Final = 5.0

VIEWS: Final = 14
"""Views of the lens sheet that a calibration of the lens takes."""
STILL_PX: Final = 1.5
"""The sheet is held still if its corners move less than this from one frame to the next."""
ANEW: Final = 0.08
"""A view is a new one if an outer corner of the sheet moved by this part of the frame's width."""
NO_NEW_VIEW_S: Final = 60.0
"""After so long without a new view the collection ends."""


class NoFramesError(Exception):
    """The camera gives no pictures, or none that is still; the text says why and what to do."""


def next_frame(camera: Camera) -> Frame:
    """The next frame of a running camera. Raises NoFramesError if none comes."""
    for second in range(PATIENCE_S):
        frame = camera.frame(1.0)
        if frame is not None:
            return frame
        if camera.degraded is not None and second + 1 >= HEALING_S:
            break
    degraded = camera.degraded
    raise NoFramesError(f"{degraded.what}: {degraded.remedy}" if degraded else texts.health.CAMERA_SILENT)


def frames_of(camera: Camera) -> Iterator[Frame]:
    """The frames of a running camera. Raises NoFramesError when they end."""
    while True:
        yield next_frame(camera)


class StillnessWatch:
    """Watches frames for any motion, from a state in which nothing is known yet."""

    def __init__(self) -> None:
        segmenter = Segmenter(load_nets().segmentation)
        self.watch = MotionWatch(segmenter, window_s=CALM_S)

    def is_still(self, frame: Frame) -> bool:
        """Whether nothing at all moves up to this frame, and no hand is seen."""
        settled = self.watch.watch(frame.pixels, frame.time_s) is Motion.SETTLED
        return settled and self.watch.stillness.still


def still_mean(frames: Iterable[Frame], count: int = FRAMES) -> Image:
    """The mean of `count` still frames without a moving one between them (uint8, H×W×3 BGR).

    Raises NoFramesError if the tray does not come to rest.
    """
    watch, until_s = StillnessWatch(), np.inf
    stills: list[Image] = []
    for frame in frames:
        until_s = min(until_s, frame.time_s + PATIENCE_S)
        if watch.is_still(frame):
            stills.append(frame.pixels)
        else:
            stills.clear()
        if len(stills) == count:
            return np.asarray(np.rint(np.mean(stills, axis=0)), np.uint8)
        if not stills and frame.time_s > until_s:
            break
    raise NoFramesError(texts.rig.MOVES)


def still_picture(camera: Camera) -> Image:
    """The mean of some still frames of a camera, which is started and stopped. Raises NoFramesError."""
    camera.start()
    try:
        return still_mean(frames_of(camera))
    finally:
        camera.stop()


def stills_after_motion(frames: Iterable[Frame]) -> Iterator[Image]:
    """The first still frame, and one each time that all lies still again after something moved.

    A tray that is empty between two dice gives a frame only if it stays so.
    """
    watch, first, shown = StillnessWatch(), True, False
    moved_s = -np.inf
    for frame in frames:
        if not watch.is_still(frame):
            moved_s, shown = frame.time_s, False
            continue
        between_dice = watch.watch.is_empty() and not first
        if not shown and frame.time_s - moved_s > (EMPTY_S if between_dice else CALM_S):
            first, shown = False, True
            yield frame.pixels


@dataclass(frozen=True, slots=True)
class StillReading:
    """The last frame read, the consensus of all frames, and the mean time of a frame in milliseconds."""

    frame: Frame
    reading: Reading
    reading_ms: float


def look(
    camera: Camera, frames: int, reader: DiceReader, enrolled: EnrolledDice | None = None
) -> StillReading | None:
    """Reads `frames` frames of dice that lie still; None if the camera gives no more frames.

    `reading_ms` is the mean time from a frame's pixels to its dice.
    """
    readings = []
    frame = None
    spent = 0.0
    for _ in range(frames):
        frame = camera.frame(READING_TIMEOUT_S)
        if frame is None:
            return None
        started = time.perf_counter()
        readings.append(reader.read(frame.pixels, enrolled=enrolled))
        spent += time.perf_counter() - started
    if frame is None:
        raise ValueError("at least one frame must be read")
    return StillReading(frame, reader.agree(readings), 1000 * spent / frames)


class LensViews:
    """Collects views of the lens sheet, each held still and unlike those before.

    `outer` has the outer corners of each view (4×2 pixels), `seen` those of the sheet in the last frame.
    """

    def __init__(self) -> None:
        self.views: list[SheetView] = []
        self.outer: list[Floats] = []
        self.seen: Floats | None = None

    @property
    def enough(self) -> bool:
        return len(self.views) == VIEWS

    def look(self, frame: Frame) -> SheetView | None:
        """The view in a frame, if it is held still and new; else None."""
        view = find_sheet(frame.pixels)
        outer = None if view is None else outer_corners(view)
        still = self.seen is not None and outer is not None and farthest(self.seen, outer) < STILL_PX
        self.seen = outer
        if view is None or outer is None or not still or self.enough:
            return None
        unlike = ANEW * view.shape[1]
        if any(farthest(corners, outer) <= unlike for corners in self.outer):
            return None
        self.views.append(view)
        self.outer.append(outer)
        return view


def new_views(frames: Iterable[Frame]) -> Iterator[SheetView]:
    """Each view that LensViews takes, until there are enough or no new one comes for NO_NEW_VIEW_S."""
    taken = LensViews()
    since_s: float | None = None
    for frame in frames:
        since_s = frame.time_s if since_s is None else since_s
        view = taken.look(frame)
        if view is not None:
            since_s = frame.time_s
            yield view
        if taken.enough or frame.time_s - since_s > NO_NEW_VIEW_S:
            return


def outer_corners(view: SheetView) -> Floats | None:
    """Where the four corners of the sheet's board are seen, or would be, 4×2 pixels."""
    matrix = cv2.findHomography(view.sheet_mm[:, :2], view.pixels)[0]
    if matrix is None:
        return None
    width, height = SQUARES[0] * SQUARE_MM, SQUARES[1] * SQUARE_MM
    corners = np.array([[0.0, 0.0], [width, 0], [width, height], [0, height]]).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(corners, matrix), np.float64).reshape(-1, 2)


def farthest(first: Floats, second: Floats) -> float:
    return float(np.linalg.norm(first - second, axis=1).max())
