"""What the nets see of one die: squares cut from a frame, turned and stretched.

The sizes here are those that the nets were trained with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vision.detection.detections import Detection

Pixels: TypeAlias = npt.NDArray[Any]
"""uint8, H×W×3, BGR."""
Matrix: TypeAlias = npt.NDArray[Any]
"""Float, 2×3, maps pixel places."""

CROP_PX = 112
"""Pixels along the crop that all views of a die are cut from."""
CROP_SPAN = 1.5
"""The crop spans this many times the longer side of the die's box, for views turned and shifted."""
DIE_PX = 80
"""Pixels along the view of the whole die."""
DIE_SPAN = 1.25
"""The view of the whole die spans this many times the longer side of its box."""
SYMBOL_PX = 40
"""Pixels along the view of one symbol: a numeral, or a face of pips."""
SYMBOL_SPAN = 1.15
"""The view of a symbol spans this many times its square."""


def crop_of(frame: Pixels, detection: Detection) -> Pixels:
    """The crop that all views of a detection are cut from."""
    return cut(frame, *detection.middle, CROP_SPAN * detection.longer, CROP_PX)


def cut(frame: Pixels, x: float, y: float, span: float, side: int, turn_deg: float = 0.0) -> Pixels:
    """The square of `span` pixels about (x, y), turned, as side × side; beyond the frame its edge goes on."""
    scale = side / span
    if scale < 0.5:  # averaged first, or small print would alias
        half = 0.75 * span
        x0, y0 = max(0, int(x - half)), max(0, int(y - half))
        frame = frame[y0 : max(y0 + 1, int(y + half) + 1), x0 : max(x0 + 1, int(x + half) + 1)]
        smaller = 2 * scale
        small = cv2.resize(frame, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA)
        x, y = (x - x0) * small.shape[1] / frame.shape[1], (y - y0) * small.shape[0] / frame.shape[0]
        frame, scale = small, 0.5
    return warp(frame, square_at((x, y), side / scale, side, turn_deg), side)


def square_at(at: tuple[float, float], span: float, side: int, turn_deg: float = 0.0) -> Matrix:
    """The matrix from a picture to the square of `span` pixels about `at`, turned counter-clockwise."""
    matrix = cv2.getRotationMatrix2D(at, turn_deg, side / span)
    matrix[:, 2] += np.array([side / 2 - at[0], side / 2 - at[1]])
    return matrix


def warp(picture: Pixels, matrix: Matrix, side: int) -> Pixels:
    """The picture through the matrix, side × side."""
    return cv2.warpAffine(
        picture, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def die_view(turn_deg: float = 0.0, zoom: float = 1.0, shift: tuple[float, float] = (0, 0)) -> Matrix:
    """From the crop to the view of the whole die; `shift` in the crop's pixels."""
    at = (CROP_PX / 2 + shift[0], CROP_PX / 2 + shift[1])
    return square_at(at, DIE_SPAN * zoom * CROP_PX / CROP_SPAN, DIE_PX, turn_deg)


def symbol_view(x: float, y: float, span: float, up_deg: float) -> Matrix:
    """From the crop to the upright view of the symbol there, whose square is `span` pixels large.

    `up_deg` counts counter-clockwise from the picture's right.
    """
    return square_at((x, y), SYMBOL_SPAN * span, SYMBOL_PX, 90.0 - up_deg)
