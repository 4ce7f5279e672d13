"""What is written on a die, as one view of it has it: its marks, read over their ways up.

Each mark is read once, however many kinds of die ask what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS
from vision.dice_nets import VALUES
from vision.marks import read

if TYPE_CHECKING:
    from vision.crops import Pixels
    from vision.whole_die import Mark

Floats: TypeAlias = npt.NDArray[Any]

ZOOMS = (1.0, 1.13)
"""Spans, relative to a mark's square, at which it is read: both if one way up is likely, else one each."""
MOST_MARKS = 2
"""Marks that are read on a die; a d4 has its value at three corners."""
SIX, NINE = 6, 9
LEAST_DOUBT = 0.1
"""Probability of a 6 or 9 from which a mark is looked at upside down."""
TWO_WAYS = ("d10", "d12", "d20")
"""Kinds on which both a 6 and a 9 are found."""


class Writing:
    """The marks of one view (best first), of which `stored` is the crop that they lie in."""

    def __init__(self, stored: Pixels, marks: tuple[Mark, ...]) -> None:
        self.stored = stored
        self.marks = marks
        self._read: dict[tuple[Mark, float], Floats] = {}

    def values(self, kind: int) -> Floats:
        """Probabilities (VALUES,) of what a die of this kind shows; what is in doubt lacks."""
        faces = FACES[KINDS[kind]]
        marks = self.marks if KINDS[kind] == "d4" else self.marks[:MOST_MARKS]
        shares = np.array([mark.score for mark in marks])
        total = np.zeros(VALUES)
        for mark, share in zip(marks, shares / shares.sum(), strict=True):
            said = self.says(mark)
            if faces >= SIX and said[SIX] + said[NINE] >= LEAST_DOUBT:
                said = self.other_way(mark, said, both=KINDS[kind] in TWO_WAYS)
            total[1 : faces + 1] += share * said[1 : faces + 1]
        return total

    def says(self, mark: Mark) -> Floats:
        """Probabilities (VALUES,) of what a mark says, over its likely ways up."""
        turns = mark.turns[: len(ZOOMS)]
        total = np.zeros(VALUES)
        for i, turn in enumerate(turns):
            total += turn.probability * self.read(
                mark, turn.up_deg, ZOOMS if len(turns) == 1 else ZOOMS[i : i + 1]
            )
        return total / max(1e-6, sum(turn.probability for turn in turns))

    def read(self, mark: Mark, up_deg: float, zooms: tuple[float, ...] = ZOOMS) -> Floats:
        """Probabilities (VALUES,) of what a mark says this way up: the geometric mean over the zooms."""
        known = self._read.get((mark, up_deg))
        if known is None:
            odds = [read(self.stored, mark.x, mark.y, zoom * mark.span, up_deg).odds for zoom in zooms]
            mean = np.exp(np.mean(np.log(np.array(odds) + 1e-6), axis=0))
            known = self._read[mark, up_deg] = np.asarray(mean / mean.sum())
        return known

    def other_way(self, mark: Mark, said: Floats, *, both: bool) -> Floats:
        """What a mark says that may be a 6 or a 9, seen upside down too.

        On a die that has `both`, a mark that is legible upside down says neither: its line or dot is missing.
        On one that has no 9, a 9 that is a 6 upside down is a 6.
        """
        if not mark.turns:
            return said
        flipped = self.read(mark, mark.turns[0].up_deg + 180)
        out = said.copy()
        if both:
            out[[SIX, NINE]] *= 1 - min(1.0, 2 * float(flipped[SIX] + flipped[NINE]))
        else:
            out[SIX] += out[NINE] * flipped[SIX]
        return out
