"""Measures how well a camera sees the tray: size, sharpness, light. The markers are the test target.

They are black on white, of known size, and in every corner, so the results hold for dice too. This module
only measures; callers decide what is good enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.tray.markers import MARKER_MM, PAPER_MM

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from vision.reading import Image
    from vision.tray.markers import Floats
    from vision.tray.pose import Tray

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
