"""Tracks where the tray is seen: learned once, confirmed by the markers, updated if the camera moved.

The dice in the tray also show the focal length of a lens that was never calibrated. Seen from above, a longer
lens from higher up shows the same tray, but dice toward its ends less from the side. Most dice lie flat, and
where their tops point shows the focal length better, throw by throw. Without markers it shows how far the
camera hangs aslant.
"""

import math
from collections.abc import Sequence
from enum import Enum
from typing import Final

import cv2
import numpy as np

from vision.reading import Box, Image, SeenTop
from vision.tray.camera import LENSES, CameraPose, FocalLength, aslant, usual_camera
from vision.tray.markers import Floats, Markers, find_markers
from vision.tray.pose import MOVED_MM, Tray, learn, place

SAME_MM: Final = 3.0
"""A top this near to where one was in the last reading is that of a die that lies as it lay."""
SAME_PART: Final = 0.01
"""A top this near to one in the last reading is that of a die that lies as it lay, where no tray gives
millimetres; as a part of the frame's longer side."""
ENOUGH: Final = 2
"""This many markers, with eight corners, determine the camera's position."""


class TrayStatus(Enum):
    """The outcome of a check of the markers."""

    UNKNOWN = "the tray was never seen, and is not now"
    LEARNED = "it is seen for the first time"
    SAME = "it is where it was"
    CAMERA_MOVED = "the camera stands elsewhere now, and that place is known"
    ASTRAY = "the camera stands elsewhere, and too few markers are seen to find where"
    COVERED = "no marker is seen"


class TrayWatch:
    """Holds the tray as the camera sees it now (`tray`), and as it saw it first (`first`).

    `hidden` are the markers that were not seen when the tray was found where it was.
    """

    def __init__(self, first: Tray | None = None) -> None:
        self.first = self.tray = first
        self.hidden: frozenset[int] = frozenset()
        self.last_tops: tuple[SeenTop, ...] | None = ()
        self.without_tray: CameraPose | None = None
        self.shape: tuple[int, ...] = ()

    def look(self, frame: Image) -> TrayStatus:
        """Checks where the markers are in a still frame (uint8, H×W×3 BGR)."""
        if self.tray is None:
            self.first = self.tray = learn(find_markers(frame))
            return TrayStatus.UNKNOWN if self.tray is None else TrayStatus.LEARNED
        markers: Markers = find_markers(frame, self.tray.markers)
        now = place(self.tray.layout, markers, self.tray.lens)
        if now is None and not in_place(self.tray, markers):
            markers = find_markers(frame)
            now = place(self.tray.layout, markers, self.tray.lens)
            if now is None and not in_place(self.tray, markers):
                return TrayStatus.ASTRAY if markers else TrayStatus.COVERED
        if now is None or self.tray.moved_mm(now) <= MOVED_MM or in_place(self.tray, markers):
            self.hidden = frozenset(self.tray.markers) - frozenset(markers)
            return TrayStatus.SAME
        self.tray = now.with_focal(self.tray.focal)
        self.hidden = frozenset()
        return TrayStatus.CAMERA_MOVED

    def hides_marker(self, box: Box) -> bool:
        """Whether what is in this box of the frame lies over a marker that is not seen."""
        if self.tray is None:
            return False
        x, y, w, h = box
        middle = x + w / 2, y + h / 2
        for number in self.hidden:
            corners = np.asarray(self.tray.markers[number], np.float32).reshape(-1, 2)
            a, b = corners.mean(axis=0).tolist()
            over = cv2.pointPolygonTest(corners, middle, measureDist=False) >= 0
            if over or (x <= a <= x + w and y <= b <= y + h):
                return True
        return False

    def recall(self, focal: FocalLength) -> None:
        """Takes a focal length that dice showed before; a calibrated lens is known better.

        The dice of the next reading teach nothing: it may come from them.
        """
        if self.tray is not None and self.tray.lens is None:
            self.first = self.tray = self.tray.with_focal(focal)
            self.last_tops = None

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """The camera that takes frames of this shape, as well as it is known."""
        if self.tray is not None:
            return self.tray.camera(shape)
        if self.without_tray is None or self.shape != shape:
            return usual_camera(shape)
        return self.without_tray

    def learn_camera(self, tops: Sequence[SeenTop], shape: tuple[int, ...]) -> None:
        """Learns from the tops of dice in a frame of this shape what the lens is like, or how it hangs.

        A die that lies as it lay at the last reading says nothing new.
        """
        near_px = SAME_PART * max(shape[:2]) if self.tray is None else SAME_MM * self.tray.px_per_mm()
        before, self.last_tops = self.last_tops, tuple(tops)
        if before is None:
            return
        fresh = [top for top in tops if all(math.dist(top.pixel, old.pixel) > near_px for old in before)]
        if not fresh:
            return
        if self.tray is None:
            self.without_tray, self.shape = slant_from_dice(self.camera(shape), shape, fresh), shape
            return
        tray = self.tray.with_focal(focal_from_dice(self.tray, shape, fresh))
        if self.tray is self.first:
            self.first = tray
        self.tray = tray

    def from_first(self) -> Floats:
        """3×3: from pixels of the first position to pixels of the current one."""
        if self.tray is None or self.first is None:
            return np.eye(3)
        return np.asarray(self.tray.to_px @ self.first.to_mm, np.float64)


def in_place(tray: Tray, markers: Markers) -> bool:
    """Whether the markers show that the camera stands where it stood: then so does all else.

    Where two of them lie as they did, another that does not is covered in part by a die.
    """
    off = [np.abs(tray.mm(corners) - tray.layout[number]).max() for number, corners in markers.items()]
    same = sum(bool(most <= MOVED_MM) for most in off)
    return same >= ENOUGH or 0 < same == len(off)


TOP_ERROR: Final = 0.02
"""Standard deviation of where a top points beside its measurement's own error: no net is right on average."""
LEAST_DICE_ERROR: Final = 0.03
"""Dice show a focal length no better than to this relative error. Larger: later dice count more."""
LEAST_SLANT_ERROR: Final = 0.03
"""Dice show straight up no better than to this error, as a sine. Larger: later dice count more, so that a
camera that was pushed is found sooner."""
STEP: Final = 0.02
"""Step of the logarithm of the focal length over which the slopes are taken."""
ROUNDS: Final = 3
"""Times that the least squares are weighted anew."""


def focal_from_dice(tray: Tray, shape: tuple[int, ...], tops: Sequence[SeenTop]) -> FocalLength | None:
    """The focal length after these tops were seen in a frame of this shape; None under a calibrated lens.

    Robust least squares over the logarithm of the focal length, about what was known of it.
    """
    if tray.lens is not None:
        return None
    now = tray.camera(shape)
    sides, prior = now.focal_px / max(shape[:2]), now.focal_error**-2
    longer = tray.with_focal(FocalLength(sides * np.exp(STEP), now.focal_error)).camera(shape)
    plumbs = np.array([now.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2)
    slopes = (np.array([longer.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2) - plumbs) / STEP
    off = np.array([top.top for top in tops]).reshape(-1, 2) - plumbs
    errors = np.hypot([top.error for top in tops], TOP_ERROR)
    # Iteratively reweighted least squares with Cauchy's weights: a die that leans hardly counts.
    change, precision = 0.0, prior
    for _ in range(ROUNDS):
        left = np.linalg.norm(off - change * slopes, axis=1) / errors
        weights = 1 / errors**2 / (1 + (left / 2) ** 2)
        precision = prior + float(weights @ (slopes**2).sum(1))
        change = float(weights @ (slopes * off).sum(1)) / precision
    fitted = float(np.clip(sides * np.exp(change), *LENSES))
    return FocalLength(fitted, max(min(LEAST_DICE_ERROR, now.focal_error), precision**-0.5))


def slant_from_dice(camera: CameraPose, shape: tuple[int, ...], tops: Sequence[SeenTop]) -> CameraPose:
    """The camera hanging as these tops in a frame of this shape show it: most of them point straight up.

    Robust least squares about how it was known to hang.
    """
    off = np.array([np.array(top.top) - camera.plumb(top.pixel, shape) for top in tops])
    errors = np.hypot([top.error for top in tops], TOP_ERROR)
    change, prior = np.median(off, axis=0), camera.slant_error**-2
    precision = prior
    for _ in range(ROUNDS):
        left = np.linalg.norm(off - change, axis=1) / errors
        weights = 1 / errors**2 / (1 + (left / 2) ** 2)
        precision = prior + float(weights.sum())
        change = weights @ off / precision
    middle = ((shape[1] - 1) / 2, (shape[0] - 1) / 2)
    error = max(min(LEAST_SLANT_ERROR, camera.slant_error), precision**-0.5)
    return aslant(camera, shape, camera.plumb(middle, shape) + change, error)
