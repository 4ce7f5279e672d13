"""Where thrown dice come to rest when no physics decides it: anywhere on the tray, apart from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import Lying, face_down, on_table, settled
from hardware.simulated.tray import MARKER_PAPER_MM, MARKERS_MM, TRAY_MM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from hardware.simulated.die import Die, Floats

GAP_MM = 1.0
"""Least room between two dice, whichever way they are turned."""
TRIES = 4000


def at_random(rng: Generator, dice: Sequence[Die], lying: Sequence[Lying]) -> list[Lying]:
    """The dice on random faces at random places, clear of each other, of those `lying` and of the markers.

    Raises:
        ValueError: there is no room for so many.
    """
    placed: list[Lying] = []
    for die in dice:
        half = np.array(TRAY_MM) / 2 - die.reach_mm - GAP_MM
        for _ in range(TRIES):
            at = rng.uniform(-half, half)
            if free(at, die.reach_mm, [*lying, *placed]):
                break
        else:
            raise ValueError(f"no room for {len(dice)} more dice on the tray")
        turn = face_down(die, int(rng.integers(len(die.solid.faces))), float(rng.uniform(0, 2 * np.pi)))
        placed.append(settled(die, on_table(die, turn, float(at[0]), float(at[1]))))
    return placed


def free(at: Floats, reach_mm: float, lying: Sequence[Lying]) -> bool:
    """Whether a die fits there."""
    if any(np.hypot(*(at - other.at_mm)) < reach_mm + other.die.reach_mm + GAP_MM for other in lying):
        return False
    half = MARKER_PAPER_MM / 2 + reach_mm
    return all((np.abs(at - middle) > half).any() for middle in MARKERS_MM.values())
