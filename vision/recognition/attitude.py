"""Measures which way the top of a die points, from a view of it that its symbol turns upright.

In such a view a kind of die that lies flat always looks alike, but for where it is seen from: its outline,
the edges of its top and its symbol shift against one another as it tips. A convolutional net tells from the
view, the kind and the symbol's place where the top points, and how far off that may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.crops import CROP_PX, CROP_SPAN, square_at, warp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.recognition.crops import Matrix, Pixels
    from vision.recognition.die_classifier import Symbol
    from vision.recognition.outputs import Net

Floats: TypeAlias = npt.NDArray[Any]

VIEW_PX: Final = 48
"""Pixels along the upright view …"""
VIEW_SPAN: Final = 1.4
"""… which spans this many times the longer side of the die's box."""
USUAL_SPAN: Final = 0.3
"""Side of a symbol's square, in parts of the usual crop."""
PLACE_GAIN: Final = 5.0
"""By which the numbers of the symbol's place are made as large as those of the kind."""
ASIDE: Final = ((0.0, 0.0), (0.03, 0.0), (-0.03, 0.0), (0.0, 0.03), (0.0, -0.03))
"""How far aside a die is looked at again (right, down), in parts of its box."""
TURNS: Final = {"d6": 4, "d20": 3}
"""Kinds whose top face looks the same after a part of a turn, and how many such views are averaged."""
PIXELS: Final = VIEW_PX * VIEW_PX * 3
PLACE: Final = 4
FEATURES: Final = PIXELS + PLACE + len(KINDS)
"""Numbers that the net is shown of a view."""


class Attitude(NamedTuple):
    """Where a die's top points: how far right and down (2,), square to its sight, of a length of one.

    `error` is the standard deviation of either number.
    """

    top: Floats
    error: float


class UprightDie(NamedTuple):
    """A die to be measured: its crop, the index of its kind, its symbol, and its box's width over height."""

    crop: Pixels
    kind: int
    symbol: Symbol
    aspect: float


class AttitudeNet:
    """The net and what it is shown."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def measure(self, dice: Sequence[UprightDie], aside: tuple[float, float] = (0.0, 0.0)) -> list[Attitude]:
        """The attitude of each die, in views this far aside; every symbol must have an orientation."""
        if not dice:
            return []
        counts = [TURNS.get(KINDS[die.kind], 1) for die in dice]
        shown = [die for die, count in zip(dice, counts, strict=True) for _ in range(count)]
        turns = [
            upright(die.symbol.orientations[0].up_deg + 360 / count * turn, aside)
            for die, count in zip(dice, counts, strict=True)
            for turn in range(count)
        ]
        told = self.net(features(shown, turns))
        tops = np.array([rotation(turn).T @ row[:2] for turn, row in zip(turns, told, strict=True)])
        ends = np.cumsum(counts)
        return [
            Attitude(tops[end - count : end].mean(0), float(told[end - count : end, 2].mean()))
            for end, count in zip(ends, counts, strict=True)
        ]

    def scatter(self, die: UprightDie) -> float:
        """How much the attitude of a die scatters over views a little aside: the standard deviation."""
        tops = np.array([self.measure([die], aside)[0].top for aside in ASIDE])
        return float(np.sqrt(tops.var(0).mean()))


def upright(up_deg: float, aside: tuple[float, float] = (0.0, 0.0)) -> Matrix:
    """From a crop to the view of its die in which this direction is up, so far aside in parts of its box."""
    box = CROP_PX / CROP_SPAN
    middle = (CROP_PX / 2 + aside[0] * box, CROP_PX / 2 + aside[1] * box)
    return square_at(middle, VIEW_SPAN * box, VIEW_PX, 90.0 - up_deg)


def rotation(matrix: Matrix) -> Floats:
    """What a matrix does to directions, 2×2."""
    part = matrix[:, :2]
    return np.asarray(part / np.sqrt(abs(np.linalg.det(part))))


def features(dice: Sequence[UprightDie], turns: Sequence[Matrix]) -> Floats:
    """What the net is shown of dice (n, FEATURES), float32, in these views.

    The pixels of the view, from 0 to 255, row by row; the symbol's place and the box's form; the kind.
    """
    rows = np.zeros((len(dice), FEATURES), np.float32)
    for row, die, turn in zip(rows, dice, turns, strict=True):
        x, y = turn @ (die.symbol.x, die.symbol.y, 1.0) / VIEW_PX - 0.5
        span = die.symbol.span / (CROP_PX / CROP_SPAN) - USUAL_SPAN
        row[:PIXELS] = warp(die.crop, turn, VIEW_PX).ravel()
        row[PIXELS : PIXELS + PLACE] = PLACE_GAIN * x, PLACE_GAIN * y, PLACE_GAIN * span, die.aspect - 1
        row[PIXELS + PLACE + die.kind] = 1
    return rows
