"""The camera over the tray: its lens, its focal length, and its pose from one view of the markers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from vision.reading import Box, Image
from vision.tray.markers import Floats

SQUARES: Final = (7, 10)
"""Squares of the sheet across and down."""
SQUARE_MM: Final = 23.0
SHEET_MARKER_MM: Final = 17.25
LEAST_CORNERS: Final = 12
"""A view with fewer inner corners (of 54) is not used."""
LEAST_VIEWS: Final = 8
MOST_ERROR_PX: Final = 1.0
"""Root mean square reprojection error above which the views disagree: the sheet was bent or moved."""
LEAST_COVERED: Final = 0.5
"""Fraction of the frame that the corners of all views must span: distortion shows at its edges."""
LEAST_SLANT: Final = 0.12
"""Least spread of the sheet's normals over the views: only tilted views determine the focal length."""
COEFFICIENTS: Final = 5
"""The number of coefficients: k1, k2, p1, p2, k3, as OpenCV orders them."""


class LensError(Exception):
    """The views do not determine the lens; the text says why and what to do."""


class SheetView(NamedTuple):
    """The corners of the lens sheet in one frame.

    Attributes:
        sheet_mm: their positions on the sheet, N×3 float32 (the third is 0).
        pixels: their positions in the frame, N×2 float32.
        shape: the frame's (height, width).
    """

    sheet_mm: Any
    pixels: Any
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Lens:
    """A lens and its sensor.

    Attributes:
        matrix: 3×3 intrinsics, in pixels.
        distortion: k1, k2, p1, p2, k3.
        shape: height and width of the frames to which it applies.
        error_px: root mean square reprojection error of the views used for the fit.
        focal_error: relative standard deviation of the focal length.
    """

    matrix: Floats
    distortion: Floats
    shape: tuple[int, int]
    error_px: float
    focal_error: float

    def undistorted(self, pixels: Floats) -> Floats:
        """Where a lens with these intrinsics and no distortion would show what is seen at N×2 pixels."""
        points = np.asarray(pixels, np.float64).reshape(-1, 1, 2)
        return np.asarray(
            cv2.undistortPoints(points, self.matrix, self.distortion, P=self.matrix), np.float64
        ).reshape(-1, 2)

    def distorted(self, pixels: Floats) -> Floats:
        """The inverse of `undistorted`."""
        middle, focal = self.matrix[:2, 2], self.matrix[[0, 1], [0, 1]]
        rays = np.column_stack([(np.asarray(pixels) - middle) / focal, np.ones(len(pixels))])
        pixels_seen = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self.distortion)[0]
        return np.asarray(pixels_seen, np.float64).reshape(-1, 2)


@cache
def board() -> Any:
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, SHEET_MARKER_MM, words)


@cache
def sheet_detector() -> Any:
    return cv2.aruco.CharucoDetector(board())


def find_sheet(frame: Image) -> SheetView | None:
    """Finds the sheet in a frame (uint8, H×W×3 BGR or H×W grey); None if too little of it is visible."""
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) if frame.ndim == 3 else frame
    corners, ids, _, _ = sheet_detector().detectBoard(grey)
    if ids is None or len(ids) < LEAST_CORNERS:
        return None
    height, width = grey.shape
    places = np.asarray(board().getChessboardCorners(), np.float32)[np.ravel(ids)]
    return SheetView(places, np.asarray(corners, np.float32).reshape(-1, 2), (height, width))


def fit_lens(views: Sequence[SheetView]) -> Lens:
    """The lens that best explains the views (OpenCV's `calibrateCameraExtended`).

    Raises LensError for too few views, for views that are too similar, and for views that disagree.
    """
    if len(views) < LEAST_VIEWS:
        raise LensError(f"the lens sheet is seen in {len(views)} pictures, {LEAST_VIEWS} are needed")
    shapes = {view.shape for view in views}
    if len(shapes) > 1:
        raise LensError("the pictures differ in size: take all with the same camera and settings")
    height, width = views[0].shape
    covered = cv2.contourArea(cv2.convexHull(np.concatenate([view.pixels for view in views])))
    if covered < LEAST_COVERED * width * height:
        part = covered / (width * height)
        raise LensError(f"the sheet was shown in {part:.0%} of the picture: show it near all edges too")
    try:
        error, matrix, distortion, turns, _, deviations, _, _ = cv2.calibrateCameraExtended(
            [view.sheet_mm for view in views],
            [view.pixels for view in views],
            (width, height),
            np.eye(3),
            np.zeros(COEFFICIENTS),
        )
    except cv2.error:
        raise LensError("the pictures do not fit one lens: keep the sheet flat and take them anew") from None
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    if float(normals.std(axis=0).max()) < LEAST_SLANT:
        raise LensError("the sheet was held alike in all pictures: tilt it to each side")
    if error > MOST_ERROR_PX:
        raise LensError(f"the pictures disagree by {error:.1f} pixels: keep the sheet flat and still")
    spread = float(np.ravel(deviations)[0]) / float(matrix[0, 0])
    return Lens(
        matrix=np.asarray(matrix, np.float64),
        distortion=np.asarray(distortion, np.float64).ravel()[:COEFFICIENTS],
        shape=(height, width),
        error_px=float(error),
        focal_error=spread,
    )


USUAL_FOCAL: Final = 0.785
"""Focal length of a usual lens as a fraction of the frame's longer side: a view 65° wide."""
USUAL_ERROR: Final = 0.35
"""Relative standard deviation of the usual focal length: webcams, phones and the Pi's cameras are 40° to 80°
wide. It counts only where nothing is known of the rig."""
USUAL_SLANT: Final = 0.13
"""Standard deviation of straight up under a camera that hangs aslant, as a sine, where nothing shows it."""
KNOWN_SLANT: Final = 0.012
"""Standard deviation of straight up, as a sine, where the markers show it and the focal length is right."""
USUAL_HEIGHT_MM: Final = 430.0
"""Height of a rig's camera above the tray's floor: 38 to 48 cm (docs/build-a-rig.md)."""
HEIGHT_ERROR: Final = 0.15
"""Relative standard deviation of that height; not every builder keeps to it."""
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
        height_mm: the camera's height above that point; infinite if nothing shows it.
        slant_error: the standard deviation of straight up, as a sine.
    """

    focal_px: float
    focal_error: float
    nadir_px: Floats
    foot_mm: Floats
    height_mm: float
    slant_error: float = USUAL_SLANT

    @property
    def calibrated(self) -> bool:
        """Whether markers show where it hangs."""
        return bool(np.isfinite(self.height_mm))

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
            np.append((np.asarray(point) - middle) / self.focal_px, 1.0) for point in (pixel, self.nadir_px)
        )
        sight /= np.linalg.norm(sight)
        axes = np.eye(3)[:2] - sight[:2, None] * sight
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        return np.asarray(-axes @ down / np.linalg.norm(down))


def aslant(camera: CameraPose, shape: tuple[int, ...], straight_up: Floats, error: float) -> CameraPose:
    """The camera hanging so that straight up (right, down; as a sine) is seen in the middle of the frame."""
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    deep = float(np.sqrt(max(0.05, 1 - float(straight_up @ straight_up))))
    return replace(camera, nadir_px=middle - camera.focal_px * straight_up / deep, slant_error=error)


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
    side = max(shape[:2])
    seen_from_mm = posed(points, pixels, intrinsics(side, shape), HEIGHT_ERROR).height_mm
    usual = float(np.clip(USUAL_HEIGHT_MM / seen_from_mm, *LENSES)) * side
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


def posed(points: Any, pixels: Floats, matrix: Floats, error: float) -> CameraPose:
    """The camera with these intrinsics that sees the points (N×3 mm) at these pixels (N×2)."""
    corners = pixels.astype(np.float32)
    _, turn, shift = cv2.solvePnP(points, corners, matrix, np.zeros(5), flags=cv2.SOLVEPNP_ITERATIVE)
    rotation = cv2.Rodrigues(turn)[0]
    eye = -rotation.T @ shift.ravel()
    down = matrix @ rotation @ np.array([0.0, 0.0, -1.0])
    return CameraPose(
        focal_px=float(matrix[0, 0]),
        focal_error=error,
        nadir_px=np.asarray(down[:2] / down[2], np.float64),
        foot_mm=np.asarray(eye[:2], np.float64),
        height_mm=float(abs(eye[2])),
        slant_error=float(np.hypot(KNOWN_SLANT, USUAL_SLANT * error)),
    )


def focal_error(points: Any, turn: Any, shift: Any, matrix: Any) -> float:
    """Relative standard deviation of a focal length, if corners are off by CORNER_PX.

    It includes the prior knowledge of usual heights.
    """
    slopes = np.asarray(cv2.projectPoints(points, turn, shift, matrix, np.zeros(5))[1])
    focal = float(matrix[0, 0])
    free = np.column_stack([slopes[:, :6], focal * (slopes[:, 6] + slopes[:, 7])]) / CORNER_PX
    information = free.T @ free
    information[6, 6] += HEIGHT_ERROR**-2
    return float(np.sqrt(np.linalg.inv(information)[6, 6]))


def intrinsics(focal_px: float, shape: tuple[int, ...]) -> Floats:
    """The 3×3 intrinsics of a lens whose axis meets the middle of the frame."""
    height, width = shape[:2]
    return np.array([[focal_px, 0, (width - 1) / 2], [0, focal_px, (height - 1) / 2], [0, 0, 1.0]])


@dataclass(frozen=True, slots=True)
class SceneWidth:
    """A scene that is `mm` wide across the frame, seen from straight above.

    It determines sizes, but not positions on a tray.
    """

    mm: float

    def longer_mm(self, box: Box, shape: tuple[int, ...]) -> float:
        return max(box[2:]) * self.mm / shape[1]

    def position_mm(self, _box: Box, _shape: tuple[int, ...]) -> None:
        """Positions on a tray are unknown."""

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        return usual_camera(shape)
