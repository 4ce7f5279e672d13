"""The lamps over the simulated tray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

    from hardware.simulated.die import Floats


@dataclass(frozen=True, slots=True)
class Light:
    """Lamps, and what comes from all around. A level floor is lit 1 by all of it together.

    Attributes:
        toward: N×3, unit directions to the lamps, z up.
        strength: N, what each gives to a face turned to it.
        around: what a level face gets from all around.
        softness: 0 … 1, how wide the shadows' edges are.
    """

    toward: Floats
    strength: Floats
    around: float
    softness: float


def random_light(rng: Generator) -> Light:
    """One or two lamps above and beside the tray."""
    count = int(rng.integers(1, 3))
    toward = np.concatenate([rng.uniform(-0.75, 0.75, (count, 2)), np.ones((count, 1))], axis=1)
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    around = float(rng.uniform(0.35, 0.6))
    parts = rng.dirichlet(np.full(count, 4.0)) * (1 - around)
    return Light(toward, parts / toward[:, 2], around, float(rng.uniform(0.15, 1.0)))
