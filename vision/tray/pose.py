"""Maps pixels to millimetres on the tray's floor with the four markers, so that positions stay comparable.

The markers' known size determines how they lie to one another; nobody has to measure. Points are mapped,
pictures are not warped. The origin is the middle of the markers, x goes right, y away from the player."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.tray.camera import CameraPose, camera_over, told_by_dice
from vision.tray.markers import IDS, MARKER_MM, find_markers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.stillness import Area
    from vision.reading import Box, Image, SeenTop
    from vision.tray.camera import FocalLength
    from vision.tray.lens import Lens
    from vision.tray.markers import Floats, Markers

LEAST_MARKERS = 3
"""Markers needed to accept a new camera position; one may be covered."""


OFF_MM = 0.3
"""How far a corner may be from where the others put it; a fit absorbs most of the movement of one marker."""


MOVED_MM = 0.6
"""How far the view must have moved on the tray before the camera counts as moved."""


RIM_MM = 10.0
"""How far beyond the markers the watched area reaches: over the rim, where hands pass and no dice lie."""


MIDDLE_PART = 0.4
"""Height of a die's centre over the tray, as a fraction of the longer side of its box."""


SIDE_POINTS = 8
"""Points along a side of the watched area, which a lens may show curved."""


STEPS = 40
"""Maximum number of steps of the fit; it needs about six."""


SQUARE_MM = MARKER_MM / 2 * np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
"""The corners of a marker around its centre: its own top left first, then clockwise."""


def mapped(matrix: Floats, points: Floats) -> Floats:
    """Maps N×2 points through a 3×3 homography."""
    there = np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix), np.float64)
    return there.reshape(-1, 2)


def homography(points: Floats, onto: Floats) -> Floats | None:
    """The 3×3 matrix that best maps N×2 points onto others (least squares); None if there is none."""
    found: tuple[Floats | None, object] = cv2.findHomography(points, onto, 0)  # type: ignore[assignment]
    return None if found[0] is None else np.asarray(found[0], np.float64)


@dataclass(frozen=True)
class Tray:
    """The tray as seen by one camera from one position.

    Attributes:
        layout: the corners of each marker in millimetres on the floor, 4×2.
        to_mm: 3×3, from undistorted pixels to millimetres.
        to_px: 3×3, the inverse.
        lens: the camera's lens; None if it was never calibrated, and is assumed to have no distortion.
        focal: its focal length, if dice have told it since; that of a calibrated lens is known.
    """

    layout: Markers
    to_mm: Floats
    to_px: Floats
    lens: Lens | None = None
    focal: FocalLength | None = None
    _cameras: dict[tuple[int, ...], CameraPose] = field(default_factory=dict, repr=False, compare=False)

    def mm(self, pixels: Floats) -> Floats:
        """The positions of N×2 pixels on the floor, N×2 mm."""
        return mapped(self.to_mm, undistorted(pixels, self.lens))

    def pixels(self, places_mm: Floats) -> Floats:
        """The pixels of positions on the floor (N×2 mm)."""
        seen = mapped(self.to_px, places_mm)
        return seen if self.lens is None else self.lens.distorted(seen)

    @property
    def markers(self) -> dict[int, Floats]:
        """The pixels of the markers' corners."""
        return {number: self.pixels(corners) for number, corners in self.layout.items()}

    @property
    def marker_boxes(self) -> list[Box]:
        """The boxes of the markers in the frame."""
        edges = [(*corners.min(axis=0), *corners.max(axis=0)) for corners in self.markers.values()]
        return [(int(x), int(y), int(right - x) + 1, int(low - y) + 1) for x, y, right, low in edges]

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """The camera with frames of this shape; fitted once."""
        if shape not in self._cameras:
            places = np.concatenate(list(self.layout.values()))
            self._cameras[shape] = camera_over(places, self.pixels(places), shape, self.lens, self.focal)
        return self._cameras[shape]

    def with_focal(self, focal: FocalLength | None) -> Tray:
        """The same tray under a lens of this focal length."""
        return self if focal == self.focal else replace(self, focal=focal, _cameras={})

    def longer_mm(self, box: Box, _shape: tuple[int, ...]) -> float:
        """The size on the floor of an object that fills a box's longer side, in mm."""
        x, y, w, h = box
        middle = np.array([x + w / 2, y + h / 2])
        across, down = np.array([w / 2, 0.0]), np.array([0.0, h / 2])
        left, right, top, bottom = self.mm(
            np.stack([middle - across, middle + across, middle - down, middle + down])
        )
        return float(max(np.linalg.norm(right - left), np.linalg.norm(bottom - top)))

    def position_mm(self, box: Box, shape: tuple[int, ...]) -> tuple[float, float]:
        """The position (x, y) on the tray of the centre of the top of a die that lies flat in a box.

        The middle of the box shows the middle of the die, which is above the tray by about 0.4 of the box;
        the top is straight above that.
        """
        x, y, w, h = box
        floor = self.mm(np.array([[x + w / 2, y + h / 2]]))[0]
        right, away = self.camera(shape).below(floor, MIDDLE_PART * self.longer_mm(box, shape)).tolist()
        return round(right, 1), round(away, 1)

    def px_per_mm(self) -> float:
        """Pixels per millimetre in the middle of the tray."""
        ends = self.pixels(np.array([[-5.0, 0.0], [5.0, 0.0]]))
        return float(np.linalg.norm(ends[1] - ends[0])) / 10

    def moved_mm(self, now: Tray) -> float:
        """The largest movement of the view over the tray at the markers since `before`."""
        return max(
            float(np.linalg.norm(now.mm(pixels) - self.mm(pixels), axis=1).max())
            for pixels in self.markers.values()
        )

    def area(self, width: int, height: int, scale: float) -> Area:
        """The watched part of a frame `scale` times as large as the camera's: tray and rim; bool, H×W."""
        hull = np.concatenate(list(self.layout.values()))
        low, high = hull.min(axis=0) - RIM_MM, hull.max(axis=0) + RIM_MM
        corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        along = np.linspace(0, 1, SIDE_POINTS, endpoint=False)[:, None]
        ring = np.concatenate(
            [a + along * (b - a) for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)]
        )
        mask = np.zeros((height, width), np.uint8)
        cv2.fillPoly(mask, [np.rint(self.pixels(ring) * scale).astype(np.int32)], 1)
        return mask.astype(np.bool_)


def undistorted(pixels: Floats, lens: Lens | None) -> Floats:
    """N×2 pixels as an undistorted lens would show them."""
    return pixels if lens is None else lens.undistorted(pixels)


def place(layout: Markers, found: Markers, lens: Lens | None = None) -> Tray | None:
    """The tray according to the markers found; None if too few of them agree.

    A marker that is not where the layout has it (it was moved, or glued again) is left out.
    """
    used = {number: undistorted(corners, lens) for number, corners in found.items() if number in layout}
    while len(used) >= LEAST_MARKERS:
        to_mm = homography(np.concatenate(list(used.values())), np.concatenate([layout[n] for n in used]))
        if to_mm is None or abs(np.linalg.det(to_mm)) < 1e-12:
            return None
        off = {
            number: float(np.linalg.norm(mapped(to_mm, corners) - layout[number], axis=1).max())
            for number, corners in used.items()
        }
        if max(off.values()) <= OFF_MM:
            return Tray(layout, to_mm, np.asarray(np.linalg.inv(to_mm), np.float64), lens)
        used = without_odd_one(layout, used, off)
    return None


def without_odd_one(layout: Markers, used: Markers, off: dict[int, float]) -> dict[int, Floats]:
    """The markers without the one whose removal lets the others agree best."""

    def left(number: int) -> float:
        rest = {n: corners for n, corners in used.items() if n != number}
        points, onto = np.concatenate(list(rest.values())), np.concatenate([layout[n] for n in rest])
        matrix = homography(points, onto)
        if matrix is None:
            return float("inf")
        return float(np.linalg.norm(mapped(matrix, points) - onto, axis=1).max())

    odd = min(off, key=left)
    return {number: corners for number, corners in used.items() if number != odd}


def learn(found: Markers, lens: Lens | None = None) -> Tray | None:
    """The tray from one view of all four markers, using only their size; None if they are inconsistent.

    Fits the view (a homography) and the position and rotation of each marker by Levenberg–Marquardt.
    """
    if set(found) != set(IDS):
        return None
    straight = {number: undistorted(found[number], lens) for number in IDS}
    seen = np.concatenate(list(straight.values()))
    sides = [np.linalg.norm(np.roll(one, -1, axis=0) - one, axis=1).mean() for one in straight.values()]
    scale = MARKER_MM / float(np.mean(sides))
    poses = []
    for number in IDS:
        corners = straight[number] * [scale, -scale]
        along = corners[1] - corners[0] + corners[2] - corners[3]
        poses.append([*corners.mean(axis=0), np.arctan2(along[1], along[0])])
    start = np.array(poses)
    view = homography(squares(start), seen)
    if view is None:
        return None
    fitted = fit(seen, start, view)
    corners_mm = squares(upright(fitted))
    layout = {number: corners_mm[4 * i : 4 * i + 4] for i, number in enumerate(IDS)}
    return place(layout, found, lens)


def squares(poses: Floats) -> Floats:
    """The corners of markers at these poses (M×3: x, y in mm, rotation in radians), 4M×2 mm."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turns = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    return np.asarray((np.einsum("mij,kj->mki", turns, SQUARE_MM) + poses[:, None, :2]).reshape(-1, 2))


def upright(poses: Floats) -> Floats:
    """The same markers with their middle as the origin and x from the left pair to the right pair."""
    middle = poses[:, :2].mean(axis=0)
    across = poses[1, :2] + poses[2, :2] - poses[0, :2] - poses[3, :2]
    angle = np.arctan2(across[1], across[0])
    c, s = np.cos(angle), np.sin(angle)
    moved = (poses[:, :2] - middle) @ np.array([[c, -s], [s, c]])
    return np.column_stack([moved, poses[:, 2] - angle])


def fit(seen: Floats, start: Floats, view: Floats) -> Floats:
    """The markers' poses (4×3) that best explain the 16 corners seen with some view; the first is fixed."""

    def off(guess: Floats) -> Floats:
        poses = np.concatenate([start[:1], guess[8:].reshape(3, 3)])
        return np.asarray(
            (mapped(np.append(guess[:8], 1.0).reshape(3, 3), squares(poses)) - seen).ravel(), np.float64
        )

    guess = np.concatenate([(view / view[2, 2]).ravel()[:8], start[1:].ravel()])
    damping, now = 1e-3, off(guess)
    for _ in range(STEPS):
        step = 1e-6 * np.maximum(np.abs(guess), 1e-3)
        slope = np.stack(
            [(off(guess + np.eye(len(guess))[i] * step[i]) - now) / step[i] for i in range(len(guess))], 1
        )
        normal = slope.T @ slope
        change = np.linalg.lstsq(normal + damping * np.diag(np.diag(normal)), -slope.T @ now, rcond=None)[0]
        then = off(guess + change)
        if then @ then < now @ now:
            small = now @ now - then @ then < 1e-9 * (now @ now)
            guess, now, damping = guess + change, then, damping / 5
            if small:
                break
        else:
            damping *= 8
    return np.concatenate([start[:1], guess[8:].reshape(3, 3)])


SAME_MM: Final = 3.0
"""A top this near to where one was in the last reading is that of a die that lies as it lay."""


ENOUGH: Final = 2
"""This many markers, with eight corners, determine the camera's position."""


class TrayStatus(Enum):
    """The outcome of a check of the markers."""

    UNKNOWN = "the tray was never seen, and is not now"
    LEARNED = "it is seen for the first time"
    SAME = "it is where it was"
    CAMERA_MOVED = "the camera stands elsewhere now, and that place is known"
    ASTRAY = "the camera stands elsewhere, and too few markers are seen to tell where"
    COVERED = "no marker is seen"


class TrayWatch:
    """Holds the tray as the camera sees it now (`tray`), and as it saw it first (`first`).

    Attributes:
        hidden: the markers that were not seen when the tray was found where it was.
    """

    def __init__(self, first: Tray | None = None) -> None:
        self.first = self.tray = first
        self.hidden: frozenset[int] = frozenset()
        self.heeded: tuple[SeenTop, ...] | None = ()

    def look(self, frame: Image) -> TrayStatus:
        """Checks where the markers are in a still frame (uint8, H×W×3 BGR)."""
        if self.tray is None:
            self.first = self.tray = learn(find_markers(frame))
            return TrayStatus.UNKNOWN if self.tray is None else TrayStatus.LEARNED
        found: Markers = find_markers(frame, self.tray.markers)
        now = place(self.tray.layout, found, self.tray.lens)
        if now is None and not in_place(self.tray, found):
            found = find_markers(frame)
            now = place(self.tray.layout, found, self.tray.lens)
            if now is None and not in_place(self.tray, found):
                return TrayStatus.ASTRAY if found else TrayStatus.COVERED
        if now is None or self.tray.moved_mm(now) <= MOVED_MM or in_place(self.tray, found):
            self.hidden = frozenset(self.tray.markers) - frozenset(found)
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
        """Takes a focal length that dice told before; a calibrated lens is known better.

        The dice of the next reading tell nothing: they may be among those that told it.
        """
        if self.tray is not None and self.tray.lens is None:
            self.first = self.tray = self.tray.with_focal(focal)
            self.heeded = None

    def heed(self, tops: Sequence[SeenTop], shape: tuple[int, ...]) -> None:
        """Learns from the tops of dice in a frame of this shape what the lens is like.

        A die that lies as it lay at the last reading tells nothing new.
        """
        if self.tray is None:
            return
        near_px = SAME_MM * self.tray.px_per_mm()
        before, self.heeded = self.heeded, tuple(tops)
        if before is None:
            return
        fresh = [top for top in tops if all(math.dist(top.pixel, old.pixel) > near_px for old in before)]
        if not fresh:
            return
        told = self.tray.with_focal(told_by_dice(self.tray, shape, fresh))
        if self.tray is self.first:
            self.first = told
        self.tray = told

    def from_first(self) -> Floats:
        """3×3: from pixels of the first position to pixels of the current one."""
        if self.tray is None or self.first is None:
            return np.eye(3)
        return np.asarray(self.tray.to_px @ self.first.to_mm, np.float64)


def in_place(tray: Tray, found: Markers) -> bool:
    """Whether the markers show that the camera stands where it stood: then so does all else.

    Where two of them lie as they did, another that does not is covered in part by a die.
    """
    off = [np.abs(tray.mm(corners) - tray.layout[number]).max() for number, corners in found.items()]
    same = sum(bool(most <= MOVED_MM) for most in off)
    return same >= ENOUGH or 0 < same == len(off)
