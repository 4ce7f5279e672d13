"""The lens of a camera: intrinsics and distortion, fitted by OpenCV to views of the printed lens sheet.

The sheet is a ChArUco board. Its markers come from another dictionary than the tray's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Image
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
"""k1, k2, p1, p2, k3, as OpenCV orders them."""


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
        seen = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self.distortion)[0]
        return np.asarray(seen, np.float64).reshape(-1, 2)


@cache
def board() -> Any:
    """OpenCV's description of the sheet."""
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, SHEET_MARKER_MM, words)


@cache
def sheet_detector() -> Any:
    """OpenCV's detector for the sheet."""
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
