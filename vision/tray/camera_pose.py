"""The pose of the camera over the tray and its focal length, from one view of the markers.

The focal length comes from the calibrated lens (lens.py). Without one, OpenCV fits it to the corners of the
markers. A single view from nearly straight above hardly determines it: a longer lens from higher up sees the
same. So the fit is weighted with the height at which rigs hold their camera, and the result includes its
error. The dice that are thrown tell it better (focal.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.tray.lens import Lens
    from vision.tray.markers import Floats

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
