"""Whether nothing lies on the middle of a face of two or four pips: a chip on a five makes it a four."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vision.recognition.crops import MARK, mark_view, warp

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import Mark

MIDDLE, ABOUT = 0.08, (0.15, 0.4)
"""Radius of the middle, and radii of the ring about it, in parts of the view."""
PLAIN = 6.0
"""Levels by which anything may differ."""


def bare_middle(stored: Pixels, mark: Mark, most_unlike: float) -> bool:
    """Whether the middle of the mark in a stored crop has the colour of the body about it."""
    view = warp(stored, mark_view(mark.x, mark.y, mark.span, 90.0), MARK).astype(np.float32)
    y, x = np.mgrid[0:MARK, 0:MARK] - (MARK - 1) / 2
    far = np.hypot(x, y) / MARK
    body = np.median(view[(far >= ABOUT[0]) & (far < ABOUT[1])], axis=0)
    off = np.abs(view - body).max(axis=2)
    middle = np.median(view[far <= MIDDLE], axis=0)
    pips = max(PLAIN, float(np.percentile(off[far < 0.5], 97)))
    return float(np.abs(middle - body).max()) < most_unlike * pips
