"""Whether nothing lies on the middle of a face of two or four pips: a chip on a five makes it a four."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vision.recognition.crops import SYMBOL_PX, symbol_view, warp

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import Symbol

MIDDLE, AROUND = 0.08, (0.15, 0.4)
"""Radius of the middle, and radii of the ring about it, in parts of the view."""
NOISE = 6.0
"""Levels by which anything may differ."""


def bare_middle(crop: Pixels, symbol: Symbol, most_unlike: float) -> bool:
    """Whether the middle of a symbol has the colour of the face about it.

    It may differ by `most_unlike` of the pips' difference from the face.
    """
    matrix = symbol_view(symbol.x, symbol.y, symbol.span, 90.0)
    view = warp(crop, matrix, SYMBOL_PX).astype(np.float32)
    y, x = np.mgrid[0:SYMBOL_PX, 0:SYMBOL_PX] - (SYMBOL_PX - 1) / 2
    far = np.hypot(x, y) / SYMBOL_PX
    body = np.median(view[(far >= AROUND[0]) & (far < AROUND[1])], axis=0)
    off = np.abs(view - body).max(axis=2)
    middle = np.median(view[far <= MIDDLE], axis=0)
    pips = max(NOISE, float(np.percentile(off[far < 0.5], 97)))
    return float(np.abs(middle - body).max()) < most_unlike * pips
