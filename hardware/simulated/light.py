"""The lamps over the simulated tray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

    from hardware.simulated.die import Floats


WARMTH = np.array([0.3, 0.12, -0.4])
"""The tint, BGR, of a lamp that is as blue beside the ambient light as daylight is beside a bulb."""


@dataclass(frozen=True, slots=True)
class Light:
    """Lamps and ambient light. A level floor has brightness 1 under all of it together.

    Attributes:
        toward: N×3, unit directions to the lamps, z up.
        strength: N, the light of each on a surface facing it.
        around: the ambient light on a level surface.
        softness: 0 … 1, width of the shadows' edges.
        tint: N×3, the lamps' colours, BGR; ambient light makes up for what they lack.
    """

    toward: Floats
    strength: Floats
    around: float
    softness: float
    tint: Floats

    @property
    def shares(self) -> Floats:
        """The part of the light on a level floor that each lamp gives, N×3 (BGR)."""
        return np.minimum((self.strength * self.toward[:, 2])[:, None] * self.tint, 0.85)


def random_light(rng: Generator) -> Light:
    """One or two lamps above and beside the tray."""
    count = int(rng.integers(1, 3))
    toward = np.concatenate([rng.uniform(-0.75, 0.75, (count, 2)), np.ones((count, 1))], axis=1)
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    around = float(rng.uniform(0.35, 0.6))
    parts = rng.dirichlet(np.full(count, 4.0)) * (1 - around)
    softness = float(rng.uniform(0.15, 1.0))
    own = rng.spawn(1)[0]
    tint = 1 + own.uniform(-1, 1, (count, 1)) * WARMTH + own.normal(0, 0.03, (count, 3))
    return Light(toward, parts / toward[:, 2], around, softness, tint)
