"""Where thrown dice come to rest without physics: anywhere on the tray, apart from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import Lying, any_turn, on_table, settled, turn_showing
from hardware.simulated.tray import MARKER_PAPER_MM, MARKERS_MM, TRAY_MM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from hardware.simulated.die import Die, Floats

GAP_MM = 1.0
"""Least distance between two dice, whatever their rotation."""
TRIES = 1000


def at_random(
    rng: Generator, dice: Sequence[Die], lying: Sequence[Lying], values: Sequence[int | None] | None = None
) -> list[Lying]:
    """The dice at random positions, clear of each other, of those `lying` and of the markers.

    They show the values, or lie on random faces where a value is None.

    Raises:
        ValueError: the dice do not fit, or a die does not have that value.
    """
    placed: list[Lying] = []
    for i, die in enumerate(dice):
        half = np.array(TRAY_MM) / 2 - die.reach_mm - GAP_MM
        for _ in range(TRIES):
            at = rng.uniform(-half, half)
            if free(at, die.reach_mm, [*lying, *placed]):
                break
        else:
            raise ValueError(f"no room for {len(dice)} more dice on the tray")
        value = values[i] if values else None
        turn = any_turn(rng, die) if value is None else turn_showing(rng, die, value)
        placed.append(settled(die, on_table(die, turn, float(at[0]), float(at[1]))))
    return placed


def free(at: Floats, reach_mm: float, lying: Sequence[Lying]) -> bool:
    """Whether a die fits there."""
    if any(np.hypot(*(at - other.at_mm)) < reach_mm + other.die.reach_mm + GAP_MM for other in lying):
        return False
    half = MARKER_PAPER_MM / 2 + reach_mm
    return all((np.abs(at - middle) > half).any() for middle in MARKERS_MM.values())
