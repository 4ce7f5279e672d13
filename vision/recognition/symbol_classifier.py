"""Reads one mark, a numeral or a face of pips, from an upright view of it."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision import nets
from vision.recognition.crops import MARK, Pixels, mark_view, warp
from vision.recognition.die_classifier import softmax

Floats: TypeAlias = npt.NDArray[Any]

LEAST_RANGE = 12.0
"""Levels of a channel that are stretched to the full range at most: less is noise."""


def levelled(view: Pixels) -> Floats:
    """A view (H×W×3) with the contrast of each channel stretched to [0, 1], float32, 3×H×W."""
    levels = np.sort(view.reshape(-1, view.shape[2]), axis=0)
    low, high = (levels[round(part * (len(levels) - 1))].astype(np.float32) for part in (0.01, 0.99))
    stretched = np.clip((view - low) / np.maximum(LEAST_RANGE, high - low), 0, 1)
    return np.ascontiguousarray(stretched.transpose(2, 0, 1), np.float32)


def read(stored: Pixels, x: float, y: float, span: float, up_deg: float) -> Floats:
    """What stands in the square of `span` pixels about (x, y) of a stored crop, upright along `up_deg`.

    Probabilities (VALUES,), of nothing legible first.
    """
    said: Floats = nets.run("marks", levelled(warp(stored, mark_view(x, y, span, up_deg), MARK))[None])[0]
    return softmax(said)
