"""Finds the four printed markers of the tray: ArUco, DICT_4X4_50, ids 0 to 3.

They lie flat on the tray's floor, one in each corner, clockwise from the far left as the player sees it.
This module only finds the markers; pose.py derives the tray from them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading import Box, Image

Floats: TypeAlias = npt.NDArray[np.float64]
Markers: TypeAlias = Mapping[int, Floats]
"""The corners of each marker's black square by its id, 4×2 pixels: its own top left first, then clockwise."""
IDS = (0, 1, 2, 3)
MARKER_MM = 16.0
"""Side of the black square."""
PAPER_MM = 20.0
"""Side of the white paper, at least: without a white border a marker is not found."""
CELLS = 6
"""Black or white cells along a side, the black border included."""
SMALL_PX = 1000
"""Narrower frames are enlarged to double size, because a marker's cells have only a few pixels in them."""
AROUND = 0.6
"""How far around a marker's old position it is searched for, in marker sides."""
ANYWHERE, LARGE = 0.03, 0.5
"""Least way round a marker, in longer sides of the picture: in a frame, and in a patch that is cut around it.

A marker that fills what was found is 2.7 there, one where it was 1.8; less is dirt and what is on dice, and
each outline of it costs time.
"""


@cache
def detector(least: float) -> Any:
    """OpenCV's, with corners refined to parts of a pixel."""
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    options.minMarkerPerimeterRate = least
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), options)


def cells(number: int) -> npt.NDArray[np.bool_]:
    """The marker as 6×6 cells from its top left, true where white."""
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return np.asarray(cv2.aruco.generateImageMarker(words, number, CELLS, borderBits=1)) > 127


def find_markers(frame: Image, near: Markers | None = None) -> dict[int, Floats]:
    """Finds the markers in a frame (uint8, H×W×3 BGR or H×W grey), but none that is seen twice.

    Given their last known corners `near`, each is searched for only around its old place, which is cheaper.
    """
    small = frame.shape[1] < SMALL_PX
    if near is None:
        return found_in(frame, (0, 0), ANYWHERE, small=small)
    markers: dict[int, Floats] = {}
    for number, corners in near.items():
        reach = AROUND * float(np.linalg.norm(corners[0] - corners[2])) / 2**0.5
        x0, y0 = np.maximum(np.floor(corners.min(axis=0) - reach), 0).astype(int).tolist()
        x1, y1 = np.maximum(np.ceil(corners.max(axis=0) + reach), 0).astype(int).tolist()
        patch = frame[y0:y1, x0:x1]
        if min(patch.shape[:2]) > CELLS and number in (
            in_patch := found_in(patch, (x0, y0), LARGE, small=small)
        ):
            markers[number] = in_patch[number]
    return markers


def is_marker(frame: Image, box: Box) -> bool:
    """Whether one of the tray's markers is in the middle of the box."""
    x, y, w, h = box
    room = max(w, h) // 4
    x0, y0 = max(0, x - room), max(0, y - room)
    patch = frame[y0 : y + h + room, x0 : x + w + room]
    if min(patch.shape[:2]) <= CELLS:
        return False
    markers = found_in(patch, (x0, y0), LARGE, small=max(w, h) < SMALL_PX // 20)
    off = [np.abs(square.mean(0) - (x + w / 2, y + h / 2)) for square in markers.values()]
    return any(bool((apart < (w / 4, h / 4)).all()) for apart in off)


def found_in(patch: Image, corner: tuple[int, int], least: float, *, small: bool) -> dict[int, Floats]:
    """The markers, at least that large, in a patch whose top left `corner` is this pixel of the frame.

    `small` doubles the patch first.
    """
    grey = patch if patch.ndim == 2 else np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), np.uint8)
    if small:
        grey = np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
    corners, numbers, _ = detector(least).detectMarkers(grey)
    numbers = [] if numbers is None else np.asarray(numbers).ravel().tolist()
    by, to = (2.0, 0.25) if small else (1.0, 0.0)
    return {
        number: np.asarray(square, np.float64).reshape(4, 2) / by - to + corner
        for number, square in zip(numbers, corners, strict=True)
        if number in IDS and numbers.count(number) == 1
    }
