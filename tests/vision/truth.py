"""The truth of a small simulated table against what was read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicetable.simulated.judge import Verdict
from hardware.simulated.scene import placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.simulated.table import SimulatedTable
    from hardware.simulated.throw import Resting
    from vision.reading import DieReading, Reading


def judge(table: SimulatedTable, thrown: Sequence[Resting], reading: Reading) -> Verdict:
    """Compares what was read of the thrown dice with the truth; a sure die that is not there is wrong."""
    unmatched = list(reading.dice)
    right = asked = wrong = 0
    for die in thrown:
        seen = at(table, die, unmatched)
        if seen is not None:
            unmatched.remove(seen)
        if seen is None or not seen.sure:
            asked += 1
        elif (seen.kind, seen.value) == (die.kind, die.value):
            right += 1
        else:
            wrong += 1
    return Verdict(right, asked, wrong + sum(die.sure for die in unmatched))


def at(table: SimulatedTable, die: Resting, seen: Sequence[DieReading]) -> DieReading | None:
    """Of what was seen, the die whose box holds the middle of this die's top; the nearest of several."""
    corners = placed(die)
    x, y = table.view.project(np.array([[*corners.mean(axis=0)[:2], corners[:, 2].max()]]))[0]
    over = [d for d in seen if d.box[0] <= x <= d.box[0] + d.box[2] and d.box[1] <= y <= d.box[1] + d.box[3]]
    return min(
        over, key=lambda d: abs(d.box[0] + d.box[2] / 2 - x) + abs(d.box[1] + d.box[3] / 2 - y), default=None
    )
