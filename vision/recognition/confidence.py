"""How far a reading is to be trusted: a logistic regression over cues that do not all fail together.

Its weights are fitted by `python -m vision.training calibrate` on whole frames of sources that the nets never
saw, so that of the readings trusted to p about the part p is right.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.nets import FOLDER

Floats: TypeAlias = npt.NDArray[Any]

CUES = ("joint", "mark", "found", "size")
"""What is weighed; see `cues`."""
FLOOR = 1e-4


@dataclass(frozen=True)
class Trust:
    """Weights (cues,) and bias of the regression."""

    weights: Floats
    bias: float

    def of(self, told: Floats) -> float:
        """Probability 0 … 1 that the reading with these cues (cues,) is right."""
        return float(1 / (1 + np.exp(-np.clip(told @ self.weights + self.bias, -30, 30))))


@lru_cache(maxsize=1)
def fitted() -> Trust:
    """The weights that came with the nets.

    Raises:
        FileNotFoundError: the installation is damaged.
    """
    told = json.loads((FOLDER / "trust.json").read_text(encoding="utf-8"))
    return Trust(np.array([told["weights"][cue] for cue in CUES]), float(told["bias"]))


def cues(best: float, *, mark: float, found: float, longer_px: float) -> Floats:
    """The cues (cues,) of a reading.

    Args:
        best: probability of the kind and value that are likeliest.
        mark: score of the place where the value stands.
        found: the finder's score.
        longer_px: the longer side of its box in the frame.
    """
    return np.array([log_odds(best), log_odds(mark), log_odds(found), np.log(max(8.0, longer_px) / 40)])


def log_odds(p: float) -> float:
    """The logarithm of p : 1 − p."""
    p = min(max(p, FLOOR), 1 - FLOOR)
    return float(np.log(p / (1 - p)))
