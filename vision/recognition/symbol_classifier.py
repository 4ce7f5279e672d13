"""Classifies one symbol, a numeral or a face of pips, in an upright view of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.recognition.crops import SYMBOL_PX, Pixels, symbol_view, warp
from vision.recognition.die_classifier import softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.recognition.die_classifier import Symbol
    from vision.recognition.outputs import Net

Floats: TypeAlias = npt.NDArray[Any]

LEAST_RANGE = 12.0
"""Levels of a channel that are stretched to the full range at most: less is noise."""


class SymbolClassifier:
    """The symbol net."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def predict_all(self, crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        """The values of symbols of one crop, each upright along its `up_deg`, in one batch.

        Returns:
            Probabilities (n, VALUES), of nothing legible first.
        """
        return self.predict_views(
            [
                warp(crop, symbol_view(symbol.x, symbol.y, symbol.span, up_deg), SYMBOL_PX)
                for symbol, up_deg in symbols
            ]
        )

    def predict_views(self, views: Sequence[Pixels]) -> Floats:
        """The values of upright views (SYMBOL_PX × SYMBOL_PX × 3), as above."""
        return softmax(self.net(np.stack([levelled(view) for view in views])))


def levelled(view: Pixels) -> Floats:
    """A view (H×W×3) with the contrast of each channel stretched to [0, 1], float32, 3×H×W."""
    channels = np.ascontiguousarray(view.transpose(2, 0, 1))
    levels = channels.reshape(len(channels), -1)
    ends = [round(part * (levels.shape[1] - 1)) for part in (0.01, 0.99)]
    counts = (np.bincount(channel, minlength=256).cumsum() for channel in levels)
    low, high = np.array([count.searchsorted(ends, "right") for count in counts], np.float32).T[
        ..., None, None
    ]
    return np.asarray(np.clip((channels - low) / np.maximum(LEAST_RANGE, high - low), 0, 1), np.float32)
