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
    """Lamps and ambient light. A level floor has brightness 1 under all of it together.

    Attributes:
        toward: N×3, unit directions to the lamps, z up.
        strength: N, the light of each on a surface facing it.
        around: the ambient light on a level surface.
        softness: 0 … 1, width of the shadows' edges.
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
