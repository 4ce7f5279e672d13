"""Finds the four printed markers of the tray: ArUco, DICT_4X4_50, ids 0 to 3.

They lie flat on the tray's floor, one in each corner, clockwise from the far left as the player sees it.
This module only finds the markers; pose.py derives the tray from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vision.reading import Box, Image
    from vision.tray.pose import Tray

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
    """Finds the markers in a frame (uint8, H×W×3 BGR or H×W grey).

    Args:
        frame: any view of the tray.
        near: their last known corners; then each is searched for only around its old place, which is cheaper.

    Returns:
        The markers found. One that is seen twice is left out, because it is ambiguous.
    """
    small = frame.shape[1] < SMALL_PX
    if near is None:
        return found_in(frame, (0, 0), ANYWHERE, small=small)
    found: dict[int, Floats] = {}
    for number, corners in near.items():
        reach = AROUND * float(np.linalg.norm(corners[0] - corners[2])) / 2**0.5
        x0, y0 = np.maximum(np.floor(corners.min(axis=0) - reach), 0).astype(int).tolist()
        x1, y1 = np.maximum(np.ceil(corners.max(axis=0) + reach), 0).astype(int).tolist()
        patch = frame[y0:y1, x0:x1]
        if min(patch.shape[:2]) > CELLS and number in (seen := found_in(patch, (x0, y0), LARGE, small=small)):
            found[number] = seen[number]
    return found


def is_marker(frame: Image, box: Box) -> bool:
    """Whether one of the tray's markers is in the middle of the box."""
    x, y, w, h = box
    room = max(w, h) // 4
    x0, y0 = max(0, x - room), max(0, y - room)
    patch = frame[y0 : y + h + room, x0 : x + w + room]
    if min(patch.shape[:2]) <= CELLS:
        return False
    found = found_in(patch, (x0, y0), LARGE, small=max(w, h) < SMALL_PX // 20)
    off = [np.abs(square.mean(0) - (x + w / 2, y + h / 2)) for square in found.values()]
    return any(bool((apart < (w / 4, h / 4)).all()) for apart in off)


def found_in(patch: Image, at: tuple[int, int], least: float, *, small: bool) -> dict[int, Floats]:
    """The markers, at least that large, in a patch whose top left is at this pixel of the frame.

    `small` doubles the patch first.
    """
    grey = patch if patch.ndim == 2 else np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), np.uint8)
    if small:
        grey = np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
    corners, numbers, _ = detector(least).detectMarkers(grey)
    numbers = [] if numbers is None else np.asarray(numbers).ravel().tolist()
    by, to = (2.0, 0.25) if small else (1.0, 0.0)
    return {
        number: np.asarray(square, np.float64).reshape(4, 2) / by - to + at
        for number, square in zip(numbers, corners, strict=True)
        if number in IDS and numbers.count(number) == 1
    }


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
    """Mean side of a marker in pixels."""
    seen = tray.pixels(corners)
    return float(np.linalg.norm(np.roll(seen, -1, axis=0) - seen, axis=1).mean())


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
