"""The numerals on simulated dice, as pen strokes, independent of the versions of libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Ink: TypeAlias = npt.NDArray[np.uint8]
Path: TypeAlias = list[tuple[float, float]]

SHIFT = 6
"""Fractional bits of drawn coordinates."""
WIDE = 0.56
"""Width of a digit as a fraction of its height."""
APART = 0.2
"""Distance between the centres of neighbouring digits, as a fraction of their height."""
UNDERLINE = 0.27
"""Distance of the line below a 6 or 9."""


def arc(x: float, y: float, across: float, up: float, start: float, end: float) -> Path:
    """An arc of an ellipse; degrees count from the right, counter-clockwise."""
    turns = np.radians(np.linspace(start, end, max(3, int(abs(end - start) / 9))))
    return [(x + across * float(np.cos(a)), y + up * float(np.sin(a))) for a in turns]


# Each digit stands on a box WIDE across and 1 high, from its lower left; a stroke is a line through points.
_H = WIDE / 2
DIGITS: dict[str, list[Path]] = {
    "0": [arc(_H, 0.5, _H, 0.5, 0, 360)],
    "1": [[(0.06, 0.76), (_H + 0.03, 1.0), (_H + 0.03, 0.0)]],
    "2": [[*arc(_H, 0.71, _H - 0.01, 0.29, 165, -35), (0.0, 0.0), (WIDE, 0.0)]],
    "3": [[*arc(_H - 0.02, 0.75, _H - 0.04, 0.25, 150, -90)], [*arc(_H - 0.02, 0.26, _H, 0.26, 80, -150)]],
    "4": [[(0.43, 0.0), (0.43, 1.0), (0.0, 0.28), (WIDE + 0.02, 0.28)]],
    "5": [[(WIDE - 0.03, 1.0), (0.07, 1.0), (0.04, 0.56), *arc(_H - 0.03, 0.32, _H + 0.01, 0.32, 125, -145)]],
    "6": [[(0.42, 1.0), *arc(_H + 0.06, 0.32, _H + 0.06, 0.55, 125, 180)], arc(_H, 0.31, _H, 0.31, 0, 360)],
    "7": [[(0.0, 1.0), (WIDE, 1.0), (0.17, 0.0)]],
    "8": [arc(_H, 0.75, _H - 0.045, 0.25, 0, 360), arc(_H, 0.26, _H, 0.26, 0, 360)],
    "9": [
        [(0.14, 0.0), *arc(_H - 0.06, 0.68, _H + 0.06, 0.55, -55, 0)],
        arc(_H, 0.69, _H, 0.31, 0, 360),
    ],
}  # fmt: skip


def text_of(kind: str, value: int) -> str:
    """The text printed for the value: a d10's ten is a 0."""
    return "0" if kind == "d10" and value == 10 else str(value)


def underlined(kind: str, value: int) -> bool:
    """Whether a line distinguishes it from its upside-down self."""
    return value in (6, 9) and kind in ("d10", "d12", "d20")


def strokes(text: str, *, line: bool, slant: float) -> list[Path]:
    """The numeral's strokes around its centre, in heights of a digit, y up."""
    step = WIDE + APART
    left = -(len(text) * step - APART) / 2
    paths = [
        [(left + i * step + x, y - 0.5) for x, y in path]
        for i, digit in enumerate(text)
        for path in DIGITS[digit]
    ]
    if line:
        paths.append([(-WIDE / 2 + 0.04, -0.5 - UNDERLINE), (WIDE / 2 - 0.04, -0.5 - UNDERLINE)])
        paths = [[(x, y + UNDERLINE / 2) for x, y in path] for path in paths]
    return [[(x + slant * y, y) for x, y in path] for path in paths]


def draw_strokes(
    ink: Ink, paths: Sequence[Path], to_pixels: npt.NDArray[np.float64], thick_px: float
) -> None:
    """Draws strokes onto ink (H×W), mapping each point (x, y, 1) to pixels by a 2×3 matrix."""
    for path in paths:
        points = np.array([(x, y, 1.0) for x, y in path]) @ to_pixels.T
        spots = np.rint(points * (1 << SHIFT)).astype(np.int32)
        cv2.polylines(ink, [spots], isClosed=False, color=255, thickness=max(1, round(thick_px)),
                      lineType=cv2.LINE_AA, shift=SHIFT)  # fmt: skip
