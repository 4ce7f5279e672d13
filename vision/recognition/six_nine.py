"""Tells a 6 from a 9 by the line or dot that stands by it, whichever way its maker set it in its face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.recognition.crops import SYMBOL_PX, Pixels, square_at, warp
from vision.recognition.symbol_classifier import levelled

if TYPE_CHECKING:
    from vision.recognition.die_classifier import Symbol
    from vision.recognition.outputs import Net

SIDE_SPAN: Final = 1.4
"""The view's side in sides of the symbol's square: the line or dot may lie beyond it."""


class SixNineClassifier:
    """The net for the line or dot."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def upright(self, crop: Pixels, symbol: Symbol, up_deg: float) -> float:
        """The logit that the 6 or 9 stands upright along `up_deg`, by its line or dot alone."""
        matrix = square_at((symbol.x, symbol.y), SIDE_SPAN * symbol.span, SYMBOL_PX, 90.0 - up_deg)
        view = levelled(warp(crop, matrix, SYMBOL_PX))
        ahead, reverse = self.net(np.stack([view, view[:, ::-1, ::-1]]))[:, 0]
        return float(ahead - reverse)
