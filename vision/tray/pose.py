"""Maps pixels to millimetres on the tray's floor with the four markers, so that positions stay comparable.

The markers' known size determines their layout, without any measuring. Points are mapped,
pictures are not warped. The origin is the middle of the markers, x goes right, y away from the player.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.foreground import Area
from vision.reading import Box, Image
from vision.tray.camera import CameraPose, FocalLength, Lens, camera_over
from vision.tray.markers import IDS, MARKER_MM, PAPER_MM, Floats, Markers

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
    images = np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix), np.float64)
    return images.reshape(-1, 2)


def homography(points: Floats, onto: Floats) -> Floats | None:
    """The 3×3 matrix that best maps N×2 points onto others (least squares); None if there is none."""
    result: tuple[Floats | None, object] = cv2.findHomography(points, onto, 0)  # type: ignore[assignment]  # it can be None
    return None if result[0] is None else np.asarray(result[0], np.float64)


@dataclass(frozen=True)
class Tray:
    """The tray as seen by one camera from one position.

    Attributes:
        layout: the corners of each marker in millimetres on the floor, 4×2.
        to_mm: 3×3, from undistorted pixels to millimetres.
        to_px: 3×3, the inverse.
        lens: the camera's lens; None if it was never calibrated, and is assumed to have no distortion.
        focal: its focal length, if dice have shown it since; that of a calibrated lens is known.
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
        undistorted_px = mapped(self.to_px, places_mm)
        return undistorted_px if self.lens is None else self.lens.distorted(undistorted_px)

    @property
    def markers(self) -> dict[int, Floats]:
        return {number: self.pixels(corners) for number, corners in self.layout.items()}

    @property
    def marker_boxes(self) -> list[Box]:
        edges = [(*corners.min(axis=0), *corners.max(axis=0)) for corners in self.markers.values()]
        return [(int(x), int(y), int(right - x) + 1, int(low - y) + 1) for x, y, right, low in edges]

    @property
    def papers(self) -> list[Floats]:
        """The corners of the paper that each marker is printed on, 4×2 pixels, and a little more."""
        larger = 1.1 * PAPER_MM / MARKER_MM
        middles = (corners.mean(axis=0) for corners in self.layout.values())
        around = zip(middles, self.layout.values(), strict=True)
        return [self.pixels(middle + (corners - middle) * larger) for middle, corners in around]

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """The camera with frames of this shape; fitted once."""
        if shape not in self._cameras:
            places = np.concatenate(list(self.layout.values()))
            self._cameras[shape] = camera_over(places, self.pixels(places), shape, self.lens, self.focal)
        return self._cameras[shape]

    def with_focal(self, focal: FocalLength | None) -> Tray:
        """This tray under a lens of another focal length."""
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
        ends = self.pixels(np.array([[-5.0, 0.0], [5.0, 0.0]]))
        return float(np.linalg.norm(ends[1] - ends[0])) / 10

    def moved_mm(self, now: Tray) -> float:
        """The largest movement of the view over the tray at the markers since `before`."""
        return max(
            float(np.linalg.norm(now.mm(pixels) - self.mm(pixels), axis=1).max())
            for pixels in self.markers.values()
        )

    def between_markers(self, box: Box) -> bool:
        """Whether a box lies within the markers' outer edges, so away from the walls of the tray."""
        x, y, w, h = box
        corners = self.mm(np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float64))
        hull = np.concatenate(list(self.layout.values()))
        return bool((corners >= hull.min(axis=0)).all() and (corners <= hull.max(axis=0)).all())

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


def place(layout: Markers, markers: Markers, lens: Lens | None = None) -> Tray | None:
    """The tray according to these markers; None if too few of them agree.

    A marker that is not where the layout has it (it was moved, or glued again) is left out.
    """
    used = {number: undistorted(corners, lens) for number, corners in markers.items() if number in layout}
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


def learn(markers: Markers, lens: Lens | None = None) -> Tray | None:
    """The tray from one view of all four markers, using only their size; None if they are inconsistent.

    Fits the view (a homography) and the position and rotation of each marker by Levenberg–Marquardt.
    """
    if set(markers) != set(IDS):
        return None
    straight = {number: undistorted(markers[number], lens) for number in IDS}
    corners_seen = np.concatenate(list(straight.values()))
    sides = [
        np.linalg.norm(np.roll(square, -1, axis=0) - square, axis=1).mean() for square in straight.values()
    ]
    scale = MARKER_MM / float(np.mean(sides))
    poses = []
    for number in IDS:
        corners = straight[number] * [scale, -scale]
        along = corners[1] - corners[0] + corners[2] - corners[3]
        poses.append([*corners.mean(axis=0), np.arctan2(along[1], along[0])])
    start = np.array(poses)
    view = homography(squares(start), corners_seen)
    if view is None:
        return None
    fitted = fit(corners_seen, start, view)
    corners_mm = squares(upright(fitted))
    layout = {number: corners_mm[4 * i : 4 * i + 4] for i, number in enumerate(IDS)}
    return place(layout, markers, lens)


def squares(poses: Floats) -> Floats:
    """The corners of markers at these poses (M×3: x, y in mm, rotation in radians), 4M×2 mm."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turns = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    return np.asarray((np.einsum("mij,kj->mki", turns, SQUARE_MM) + poses[:, None, :2]).reshape(-1, 2))


def upright(poses: Floats) -> Floats:
    """The markers with their middle as the origin and x from the left pair to the right pair."""
    middle = poses[:, :2].mean(axis=0)
    across = poses[1, :2] + poses[2, :2] - poses[0, :2] - poses[3, :2]
    angle = np.arctan2(across[1], across[0])
    c, s = np.cos(angle), np.sin(angle)
    moved = (poses[:, :2] - middle) @ np.array([[c, -s], [s, c]])
    return np.column_stack([moved, poses[:, 2] - angle])


def fit(corners: Floats, start: Floats, view: Floats) -> Floats:
    """The markers' poses (4×3) that best explain the 16 corners with some view; the first is fixed."""

    def off(guess: Floats) -> Floats:
        poses = np.concatenate([start[:1], guess[8:].reshape(3, 3)])
        return np.asarray(
            (mapped(np.append(guess[:8], 1.0).reshape(3, 3), squares(poses)) - corners).ravel(), np.float64
        )

    guess = np.concatenate([(view / view[2, 2]).ravel()[:8], start[1:].ravel()])
    # Levenberg-Marquardt with numerical slopes: a step that makes it worse only raises the damping.
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


FINE = 20
"""Pixels per millimetre at which a marker's edges are examined."""
BURNT = 252
"""Grey level from which a pixel is overexposed."""
SKIN_CR, SKIN_CB = (133, 173), (77, 127)
"""Chrominance of human skin of all tones (Chai and Ngan, 1999)."""


@dataclass(frozen=True, slots=True)
class RigCheck:
    """The measurements.

    Attributes:
        px_per_mm: pixels per millimetre in the middle of the tray.
        slant: the largest divided by the smallest resolution at the markers: 1 if seen from straight above.
        edge_mm: width of the transition from black to white (10 % to 90 %), by marker: its blur on the tray.
        white: grey level of the paper, by marker.
        contrast: white minus black, by marker, in grey levels.
        burnt: fraction of the watched area that is overexposed.
        skin: fraction of the watched area that has a colour of human skin.
    """

    px_per_mm: float
    slant: float
    edge_mm: Mapping[int, float]
    white: Mapping[int, float]
    contrast: Mapping[int, float]
    burnt: float
    skin: float


def check_rig(frame: Image, tray: Tray) -> RigCheck:
    """Measures one frame (uint8, H×W×3 BGR) of the tray with nothing on its markers."""
    grey = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    flat = {number: flattened(grey, tray, corners) for number, corners in tray.layout.items()}
    sizes = [side(tray, corners) / MARKER_MM for corners in tray.layout.values()]
    middle = tray.pixels(np.array([[-5.0, 0.0], [5.0, 0.0]]))
    area = tray.area(frame.shape[1], frame.shape[0], 1.0)
    levels = {number: black_and_white(patch) for number, patch in flat.items()}
    return RigCheck(
        px_per_mm=float(np.linalg.norm(middle[1] - middle[0])) / 10,
        slant=max(sizes) / min(sizes),
        edge_mm={number: edge_mm(patch, *levels[number]) for number, patch in flat.items()},
        white={number: white for number, (_, white) in levels.items()},
        contrast={number: white - black for number, (black, white) in levels.items()},
        burnt=float((frame.min(axis=2) >= BURNT)[area].mean()) if area.any() else 0.0,
        skin=float(like_skin(frame)[area].mean()) if area.any() else 0.0,
    )


def like_skin(frame: Image) -> npt.NDArray[np.bool_]:
    """Where a frame (uint8, H×W×3 BGR) has a colour of human skin, bool H×W."""
    _, cr, cb = cv2.split(cv2.cvtColor(frame, cv2.COLOR_BGR2YCrCb))
    return (cr >= SKIN_CR[0]) & (cr <= SKIN_CR[1]) & (cb >= SKIN_CB[0]) & (cb <= SKIN_CB[1])


def side(tray: Tray, corners: Floats) -> float:
    outline = tray.pixels(corners)
    return float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).mean())


def flattened(grey: Image, tray: Tray, corners: Floats) -> Image:
    """A marker and its paper, rectified, with its own top up and FINE pixels per millimetre."""
    edge, size = (PAPER_MM - MARKER_MM) / 2, round(PAPER_MM * FINE)
    square = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]]) * MARKER_MM + edge
    matrix = cv2.getPerspectiveTransform(
        (square * FINE).astype(np.float32), tray.pixels(corners).astype(np.float32)
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(grey, matrix, (size, size), flags=flags), np.uint8)


def black_and_white(patch: Image) -> tuple[float, float]:
    """Levels of the black border and of the paper around it."""
    edge = (PAPER_MM - MARKER_MM) / 2
    border = band(patch, edge + 0.6, edge + 2.0)
    paper = band(patch, 0.4, edge - 0.7)
    return float(np.median(border)), float(np.median(paper))


def band(patch: Image, from_mm: float, to_mm: float) -> Image:
    """The pixels of a square ring at these distances from the paper's edge."""
    ys, xs = np.indices(patch.shape)
    inward = np.minimum(np.minimum(xs, ys), len(patch) - 1 - np.maximum(xs, ys)) / FINE
    return np.asarray(patch[(inward >= from_mm) & (inward <= to_mm)], np.uint8)


def edge_mm(patch: Image, black: float, white: float) -> float:
    """Width of the transition between paper and border, 10 % to 90 %: the median over all four sides."""
    if white - black < 20:
        return float("inf")
    edge = round((PAPER_MM - MARKER_MM) / 2 * FINE)
    widths = []
    for turn in range(4):
        rows = np.rot90(patch, turn)[2 * edge : -2 * edge, edge * 2 // 5 : 2 * edge].astype(np.float64)
        part = np.clip((rows.mean(axis=0) - black) / (white - black), 0, 1)
        # For a linear ramp, part × (1 - part) adds up to a sixth of its width.
        widths.append(0.8 * 6 * float((part * (1 - part)).sum()))
    return float(np.median(widths)) / FINE
