"""The pose of the camera over the tray and its focal length, from one view of the markers.

The focal length comes from the calibrated lens (lens.py). Without one, OpenCV fits it to the corners of the
markers. A single view from nearly straight above hardly determines it: a longer lens from higher up sees the
same. So the fit is weighted with the height at which rigs hold their camera, and the result includes its
error. The dice that are thrown tell it better (focal.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cv2
import numpy as np

pass
pass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Box, SeenTop
    from vision.tray.lens import Lens
    from vision.tray.markers import Floats
    from vision.tray.pose import Tray

USUAL_FOCAL: Final = 0.785
"""Focal length of a usual lens as a fraction of the frame's longer side: a view 65° wide."""


USUAL_ERROR: Final = 0.35
"""Its relative standard deviation: webcams, phones and the Pi's cameras are 40° to 80° wide. Both count only
where nothing is known of the rig."""


USUAL_HEIGHT_MM: Final = 430.0
"""Height of a rig's camera above the tray's floor: 38 to 48 cm (docs/build-a-rig.md) …"""


HEIGHT_ERROR: Final = 0.15
"""… and its relative standard deviation; not every builder keeps to that."""


LENSES: Final = (0.3, 5.0)
"""Range of real focal lengths, as fractions of the longer side."""


LEAST_ERROR: Final = 0.02


LEAST_LENS_ERROR: Final = 0.003
"""The error of a calibrated lens is at least this: focus changes with temperature."""


CORNER_PX: Final = 0.8
"""Standard deviation of a marker's corner in a frame, including the error of the layout learned from it."""


FIXED: Final = (
    cv2.CALIB_USE_INTRINSIC_GUESS
    | cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K1
    | cv2.CALIB_FIX_K2
    | cv2.CALIB_FIX_K3
)


class FocalLength(NamedTuple):
    """A focal length in parts of the frame's longer side, and its relative standard deviation."""

    sides: float
    error: float


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A camera over a tray.

    Attributes:
        focal_px: focal length in pixels.
        focal_error: its relative standard deviation.
        nadir_px: where straight down is in the frame (x, y); things on the tray appear to lean away from it.
        foot_mm: the point on the tray's plane below the camera (x, y).
        height_mm: the camera's height above that point.
    """

    focal_px: float
    focal_error: float
    nadir_px: Floats
    foot_mm: Floats
    height_mm: float

    def below(self, floor_mm: Floats, up_mm: float) -> Floats:
        """The position (x, y) of a point `up_mm` above the tray that hides the point `floor_mm` on it."""
        part = min(up_mm / self.height_mm, 1.0)
        return np.asarray(floor_mm + (self.foot_mm - floor_mm) * part)

    def plumb(self, pixel: tuple[float, float], shape: tuple[int, ...]) -> Floats:
        """The components of straight up along right and down (2,), perpendicular to a pixel's viewing ray.

        Its length is one; the lens's axis is assumed to meet the middle of the frame.
        """
        middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
        sight, down = (
            np.append((np.asarray(at) - middle) / self.focal_px, 1.0) for at in (pixel, self.nadir_px)
        )
        sight /= np.linalg.norm(sight)
        axes = np.eye(3)[:2] - sight[:2, None] * sight
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        return np.asarray(-axes @ down / np.linalg.norm(down))


def usual_camera(shape: tuple[int, ...]) -> CameraPose:
    """An uncalibrated camera, known only by its frames' shape: looks straight down, without millimetres."""
    height, width = shape[:2]
    middle = np.array([width, height]) / 2
    return CameraPose(USUAL_FOCAL * max(width, height), USUAL_ERROR, middle, np.zeros(2), np.inf)


def camera_over(
    places_mm: Floats,
    pixels: Floats,
    shape: tuple[int, ...],
    lens: Lens | None = None,
    focal: FocalLength | None = None,
) -> CameraPose:
    """The camera that sees positions on the tray (N×2 mm) at these pixels (N×2) of a frame of this shape.

    `focal` counts if there is no calibrated lens.
    """
    points = np.column_stack([places_mm, np.zeros(len(places_mm))]).astype(np.float32)
    if lens is None and focal is not None:
        return posed(points, pixels, intrinsics(focal.sides * max(shape[:2]), shape), focal.error)
    if lens is None:
        return posed(points, pixels, *usual_or_fitted(points, pixels, shape))
    pose = posed(points, lens.undistorted(pixels), lens.matrix, max(LEAST_LENS_ERROR, lens.focal_error))
    return replace(pose, nadir_px=lens.distorted(pose.nadir_px[None])[0])


def usual_or_fitted(points: Any, pixels: Floats, shape: tuple[int, ...]) -> tuple[Floats, float]:
    """The 3×3 intrinsics of an unknown lens that sees these points, and the error of its focal length."""
    height, width = shape[:2]
    usual = usual_focal(points, pixels, shape)
    fitted = cv2.calibrateCamera(
        [points],
        [pixels.astype(np.float32)],
        (width, height),
        intrinsics(usual, shape),
        np.zeros(5),
        flags=FIXED,
    )
    focal, error = float(fitted[1][0, 0]), HEIGHT_ERROR
    if LENSES[0] <= focal / max(width, height) <= LENSES[1]:
        pose = np.asarray(fitted[3][0]), np.asarray(fitted[4][0])
        error = max(LEAST_ERROR, focal_error(points, *pose, fitted[1]))
    share = 1 - min(1.0, (error / HEIGHT_ERROR) ** 2)  # from the fit, combined with the usual value
    best = float(usual * max(focal / usual, 1e-3) ** share)
    return intrinsics(best, shape), error


def usual_focal(points: Any, pixels: Floats, shape: tuple[int, ...]) -> float:
    """The focal length in pixels with which a camera sees these points from USUAL_HEIGHT_MM."""
    side = max(shape[:2])
    seen_from_mm = posed(points, pixels, intrinsics(side, shape), HEIGHT_ERROR).height_mm
    return float(np.clip(USUAL_HEIGHT_MM / seen_from_mm, *LENSES)) * side


def posed(points: Any, pixels: Floats, matrix: Floats, error: float) -> CameraPose:
    """The camera with these intrinsics that sees the points (N×3 mm) at these pixels (N×2)."""
    seen = pixels.astype(np.float32)
    _, turn, shift = cv2.solvePnP(points, seen, matrix, np.zeros(5), flags=cv2.SOLVEPNP_ITERATIVE)
    rotation = cv2.Rodrigues(turn)[0]
    eye = -rotation.T @ shift.ravel()
    down = matrix @ rotation @ np.array([0.0, 0.0, -1.0])
    return CameraPose(
        focal_px=float(matrix[0, 0]),
        focal_error=error,
        nadir_px=np.asarray(down[:2] / down[2], np.float64),
        foot_mm=np.asarray(eye[:2], np.float64),
        height_mm=float(abs(eye[2])),
    )


def focal_error(points: Any, turn: Any, shift: Any, matrix: Any) -> float:
    """Relative standard deviation of a focal length, if corners are off by CORNER_PX.

    It includes the prior knowledge of usual heights.
    """
    slopes = np.asarray(cv2.projectPoints(points, turn, shift, matrix, np.zeros(5))[1])
    focal = float(matrix[0, 0])
    free = np.column_stack([slopes[:, :6], focal * (slopes[:, 6] + slopes[:, 7])]) / CORNER_PX
    known = free.T @ free
    known[6, 6] += HEIGHT_ERROR**-2
    return float(np.sqrt(np.linalg.inv(known)[6, 6]))


def intrinsics(focal_px: float, shape: tuple[int, ...]) -> Floats:
    """The 3×3 intrinsics of a lens whose axis meets the middle of the frame."""
    height, width = shape[:2]
    return np.array([[focal_px, 0, (width - 1) / 2], [0, focal_px, (height - 1) / 2], [0, 0, 1.0]])


TOP_ERROR: Final = 0.02
"""Standard deviation of where a top points beside what its measurement tells: no net is right on average."""


LEAST_DICE_ERROR: Final = 0.03
"""Dice tell a focal length no better than to this relative error. Larger: later dice count more."""


STEP: Final = 0.02
"""Step of the logarithm of the focal length over which the slopes are taken."""


ROUNDS: Final = 3
"""Times that the least squares are weighted anew."""


def told_by_dice(tray: Tray, shape: tuple[int, ...], tops: Sequence[SeenTop]) -> FocalLength | None:
    """The focal length after these tops were seen in a frame of this shape; None under a calibrated lens.

    Robust least squares over the logarithm of the focal length, about what was known of it.
    """
    if tray.lens is not None:
        return None
    now = tray.camera(shape)
    sides, known = now.focal_px / max(shape[:2]), now.focal_error**-2
    longer = tray.with_focal(FocalLength(sides * np.exp(STEP), now.focal_error)).camera(shape)
    plumbs = np.array([now.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2)
    slopes = (np.array([longer.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2) - plumbs) / STEP
    off = np.array([top.top for top in tops]).reshape(-1, 2) - plumbs
    errors = np.hypot([top.error for top in tops], TOP_ERROR)
    change, precision = 0.0, known
    for _ in range(ROUNDS):
        left = np.linalg.norm(off - change * slopes, axis=1) / errors
        weights = 1 / errors**2 / (1 + (left / 2) ** 2)
        precision = known + float(weights @ (slopes**2).sum(1))
        change = float(weights @ (slopes * off).sum(1)) / precision
    told = float(np.clip(sides * np.exp(change), *LENSES))
    return FocalLength(told, max(min(LEAST_DICE_ERROR, now.focal_error), precision**-0.5))


@dataclass(frozen=True, slots=True)
class SceneWidth:
    """A scene that is `mm` wide across the frame, seen from straight above.

    It determines sizes, but not positions on a tray.
    """

    mm: float

    def longer_mm(self, box: Box, shape: tuple[int, ...]) -> float:
        """The longer side of a box in a frame of this shape."""
        return max(box[2:]) * self.mm / shape[1]

    def position_mm(self, _box: Box, _shape: tuple[int, ...]) -> None:
        """Positions on a tray are unknown."""

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """A usual camera, straight above."""
        return usual_camera(shape)
