"""What is known of a recognized die when it is decided whether it is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.recognition.classifiers import SYMBOL_PX, symbol_view, warp

if TYPE_CHECKING:
    from vision.recognition.classifiers import Pixels, Symbol

Floats: TypeAlias = npt.NDArray[Any]
CONFIDENCE_FEATURES: Final = ("joint", "symbol", "detection", "size", "token", "token_no_die")
"""What is weighed; see `features`."""
FLOOR: Final = 1e-4
USUAL_PX: Final = 40.0
"""Longer side of a die's box whose logarithm counts as 0."""
USUAL_NO_DIE: Final = -7.0
"""Logit of no die that are usual for a die."""


def confidence_features(
    best: float,
    *,
    symbol: float,
    detection: float,
    longer_px: float,
    no_die: float,
    token: bool,
) -> Floats:
    """The features (features,) of a prediction.

    Args:
        best: probability of the likeliest kind and value.
        symbol: score of the symbol that shows the value.
        detection: the detector's score.
        longer_px: longer side of the box in the frame.
        no_die: probability that it is no die. Blurred and worn dice have a higher one than sharp dice that
            are read as well, so it counts for tokens alone.
        token: it shows what coins and tokens show too.
    """
    size = np.log(max(8.0, longer_px) / USUAL_PX)
    suspicion = token * (logit(no_die) - USUAL_NO_DIE)
    return np.array([logit(best), logit(symbol), logit(detection), size, token, suspicion])


def logit(p: float) -> float:
    """The logarithm of p : 1 − p."""
    p = min(max(p, FLOOR), 1 - FLOOR)
    return float(np.log(p / (1 - p)))


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
