"""How probable it is that a prediction is right: a logistic regression over what is known of the prediction.

Its weights are fitted by `python -m training calibrate` on whole frames of sources that the nets never
saw, so that of the predictions with confidence p about the part p is right.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[Any]

FEATURES: Final = ("joint", "symbol", "detection", "size", "token", "token_no_die")
"""What is weighed; see `features`."""
FLOOR: Final = 1e-4
USUAL_PX: Final = 40.0
"""Longer side of a die's box whose logarithm counts as 0."""
USUAL_NO_DIE: Final = -7.0
"""Logit of no die that are usual for a die."""


def features(
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
