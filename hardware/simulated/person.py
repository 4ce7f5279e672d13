"""What people's hands look like at the simulated table: skin or a glove, a ring, a watch, a sleeve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

    from hardware.simulated.die import Bgr, Floats

SKIN = (105.0, 140.0, 205.0)
"""The colour (BGR) of a light hand."""
SKINS: tuple[Bgr, ...] = (
    (172, 195, 236),
    (140, 172, 224),
    (112, 148, 206),
    (84, 118, 178),
    (60, 88, 140),
    (42, 60, 98),
    (28, 38, 62),
)
"""From very light to very dark."""
PEOPLE = 3
"""Different pairs of hands at one table."""


@dataclass(frozen=True, slots=True)
class Person:
    """How a person's hand looks; colours are BGR, 0 … 255.

    Attributes:
        skin, palm: the colours of the hand's back and of its palm; alike for a glove.
        glove: it wears one.
        sleeve: the colour of the sleeve.
        sleeve_mm: where the sleeve begins, from the fingertips.
        stripe: the second colour of the sleeve, or the same.
        ring, watch: their colours, if it wears any.
        cup: the colour of its dice cup.
        size: of the hand, 1 for an average man's.
        left: the thumb is on the right of the palm-down hand.
        grain: the seed of its smaller marks.
    """

    skin: Bgr
    palm: Bgr
    glove: bool
    sleeve: Bgr
    sleeve_mm: float
    stripe: Bgr
    ring: Bgr | None
    watch: Bgr | None
    cup: Bgr
    size: float
    left: bool
    grain: int


def random_person(rng: Generator, felt: Floats) -> Person:
    """Anybody; one sleeve in seven is of the felt's colour."""
    tone = float(rng.uniform(0, len(SKINS) - 1))
    at = min(int(tone), len(SKINS) - 2)
    skin = np.array(SKINS[at]) * (at + 1 - tone) + np.array(SKINS[at + 1]) * (tone - at)
    skin = np.clip(skin * rng.normal(1, 0.05, 3), 15, 245)
    palm = np.maximum(skin * 1.06, skin * 0.45 + np.array(SKINS[2]) * 0.5)
    glove = bool(rng.random() < 0.12)
    if glove:
        skin = palm = rng.uniform(15, 235, 3)
    sleeve = felt * rng.uniform(0.9, 1.1) if rng.random() < 0.15 else rng.uniform(12, 235, 3)
    stripe = rng.uniform(12, 235, 3) if rng.random() < 0.3 else sleeve
    gold = (90.0, 175.0, 215.0) if rng.random() < 0.5 else (200.0, 200.0, 200.0)
    return Person(
        bgr(skin),
        bgr(palm),
        glove,
        bgr(sleeve),
        float(rng.choice([rng.uniform(165, 220), rng.uniform(220, 320), 999.0], p=[0.45, 0.3, 0.25])),
        bgr(stripe),
        gold if rng.random() < 0.35 and not glove else None,
        bgr(rng.uniform(10, 210, 3)) if rng.random() < 0.35 else None,
        bgr(np.array([38.0, 60.0, 105.0]) * rng.uniform(0.4, 1.5) * rng.normal(1, 0.1, 3)),
        float(rng.uniform(0.84, 1.06)),
        bool(rng.random() < 0.35),
        int(rng.integers(2**31)),
    )


def bgr(colour: Floats) -> Bgr:
    """A colour as plain numbers."""
    blue, green, red = np.clip(colour, 0, 255).tolist()
    return blue, green, red
