"""The baseline: which dice of a reading lie where they lay when dice were last accepted.

Compared are positions in millimetres, or boxes where there are none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

from dicetable.ledger.entries import LyingDie
from vision.detection.boxes import iou

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.reading import Box, DieReading

UNMOVED: Final = 0.7
"""IoU from which a die counts as lying unmoved under a camera that is not calibrated."""
UNMOVED_MM: Final = 3.0
"""A die counts as lying unmoved if its position has changed by no more than this.

More: a die that was nudged may pass for one that was not touched. Less: a shadow that counts as part of the
die in one reading and not in the next moves the middle of its box, by up to 2.3 mm.
"""


class Located(Protocol):
    """A die and where it lies, as it is read or as the ledger has it."""

    @property
    def box(self) -> Box:
        """In pixels of the frame."""

    @property
    def position_mm(self) -> tuple[float, float] | None:
        """On the tray; None if nobody knows it."""


def closeness(one: Located, other: Located) -> float:
    """How near two dice lie to each other; from 1 on it is the same position."""
    if one.position_mm is not None and other.position_mm is not None:
        return UNMOVED_MM / max(math.dist(one.position_mm, other.position_mm), 1e-6)
    return iou(one.box, other.box) / UNMOVED


def remembered(dice: Iterable[DieReading]) -> tuple[LyingDie, ...]:
    """The dice as a baseline has them; of one that is not sure only where it lies."""
    return tuple(
        LyingDie(
            die.kind if die.sure else None,
            die.value if die.sure else None,
            die.box,
            die.position_mm,
            die.die_id if die.sure else None,
        )
        for die in dice
    )


def unmoved(dice: Sequence[DieReading], baseline: Sequence[LyingDie]) -> list[int | None]:
    """For each die its number in the baseline if it lies there unmoved and shows the same, else None.

    No number is given twice. Where a die was or is not sure, its position alone decides.
    """
    free = set(range(len(baseline)))
    numbers: list[int | None] = []
    for die in dice:
        same = [
            number
            for number in free
            if closeness(die, baseline[number]) >= 1
            and (
                not die.sure
                or baseline[number].value is None
                or (die.kind, die.value) == (baseline[number].kind, baseline[number].value)
            )
        ]
        best = max(same, key=lambda number: closeness(die, baseline[number]), default=None)
        if best is not None:
            free.remove(best)
        numbers.append(best)
    return numbers
