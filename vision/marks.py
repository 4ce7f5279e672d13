"""Reads one mark, a numeral or a face of pips, from an upright view of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.crops import MARK, Pixels, mark_view, warp
from vision.dice_nets import VALUES
from vision.nets import load
from vision.whole_die import softmax

Floats: TypeAlias = npt.NDArray[Any]

LEAST_RANGE = 12.0
"""Grey levels that are stretched to the full range at most: less is noise."""


@dataclass(frozen=True, slots=True)
class MarkReading:
    """What a mark says: probabilities (VALUES,), of nothing legible first; and its traits (64,)."""

    odds: Floats
    traits: Floats


def levelled(grey: Pixels) -> Floats:
    """A grey view (H×W) with its contrast stretched to [0, 1], float32."""
    levels = np.sort(grey, axis=None)
    low, high = (float(levels[round(part * (levels.size - 1))]) for part in (0.01, 0.99))
    return np.asarray(np.clip((grey - low) / max(LEAST_RANGE, high - low), 0, 1), np.float32)


def read(stored: Pixels, x: float, y: float, span: float, up_deg: float) -> MarkReading:
    """What stands in the square of `span` pixels about (x, y) of a stored crop, upright along `up_deg`."""
    view = cv2.cvtColor(warp(stored, mark_view(x, y, span, up_deg), MARK), cv2.COLOR_BGR2GRAY)
    net = load("marks")
    net.setInput(levelled(view)[None, None])
    said: Floats = net.forward()[0]
    return MarkReading(softmax(said[:VALUES]), said[VALUES:])
