"""What is written on a die, as one view of it has it: its marks and their ways up, weighed by what each says.

A mark seen in a wrong way up mostly says nothing, so what is legible tells both the mark and its way up. How
much each of these weighs was fitted to rendered crops that no net saw (docs/research/trials.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS
from vision.recognition.outputs import VALUES
from vision.recognition.symbol_classifier import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import Mark, Turn

Floats: TypeAlias = npt.NDArray[Any]

PLACE, TURN, LEGIBLE, BLANK = 2.0, 0.25, 1.75, -0.27
"""Powers of the odds of a mark's place, of its way up, of its being legible and of its saying nothing."""
SLIGHT = 0.01
"""Odds, against the best place of the die, under which another one is not read."""
LEAST = 1e-5
"""Added to each probability before its logarithm is taken."""
ALIKE, PIPS = 3, 0.45
"""From so many ways up, the likeliest less probable than that, a mark is a face of pips: they are alike."""
SIX, NINE = 6, 9
LEAST_DOUBT = 0.1
"""Probability of a 6 or 9 from which a mark is looked at upside down."""
TWO_WAYS = tuple(KINDS.index(kind) for kind in ("d10", "d12", "d20"))
"""Kinds on which both a 6 and a 9 are found."""
ALLOWED = np.array([np.arange(1, VALUES) <= FACES[kind] for kind in KINDS])
"""Whether a kind has a face of that value, (kinds, VALUES - 1)."""


class Written(NamedTuple):
    """What is written on a die.

    Probabilities of the values 1 … (kinds, VALUES - 1) for each kind that it may be; how likely (0 … 1) it is
    a 6 or a 9 upside down; and the mark that says most of it.
    """

    values: Floats
    turned: float
    mark: Mark


class Reading(NamedTuple):
    """One mark in one way up.

    How much it weighs (a logarithm), what it says (VALUES,), and what it says upside down if it may be a 6 or
    a 9.
    """

    mark: Mark
    weight: float
    says: Floats
    turned: Floats | None


def nothing_known(_mark: Mark) -> float:
    """What a mark's place adds to its weight where nothing is known of the camera."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Writing:
    """The marks of one view, best first, of which `stored` is the crop; each is read when first asked for."""

    stored: Pixels
    marks: tuple[Mark, ...]
    _read: dict[Mark, list[Reading]] = field(default_factory=dict)

    def says(self, known: Callable[[Mark], float] = nothing_known) -> Written | None:
        """What is written; None without any marks. `known` is added to the weight of each mark."""
        upright = self.readings(known)
        if not upright:
            return None
        shares = shared(upright)
        both_ways = upright + [
            seen._replace(weight=seen.weight - clarity(seen.says) + clarity(seen.turned), says=seen.turned)
            for seen in upright
            if seen.turned is not None
        ]
        values = [
            weighed(upright if kind in TWO_WAYS else both_ways) * allowed
            for kind, allowed in enumerate(ALLOWED)
        ]
        turned = [0.0 if seen.turned is None else seen.turned[SIX] + seen.turned[NINE] for seen in upright]
        most = {
            mark: sum(share for share, seen in zip(shares, upright, strict=True) if seen.mark == mark)
            for mark in self.marks
        }
        return Written(np.array(values), float(shares @ turned), max(self.marks, key=lambda mark: most[mark]))

    def readings(self, known: Callable[[Mark], float]) -> list[Reading]:
        """The marks in their likely ways up, but for those in places that hardly count."""
        weights = {mark: PLACE * float(np.log(odds(mark.score))) + known(mark) for mark in self.marks}
        least = max(weights.values(), default=0.0) + float(np.log(SLIGHT))
        return [
            seen._replace(weight=seen.weight + weights[mark])
            for mark in self.marks
            if weights[mark] >= least
            for seen in self._each_way(mark)
        ]

    def _each_way(self, mark: Mark) -> list[Reading]:
        if mark not in self._read:
            self._read[mark] = [self._upright(mark, turn) for turn in ways_up(mark)]
        return self._read[mark]

    def _upright(self, mark: Mark, turn: Turn) -> Reading:
        says = read(self.stored, mark.x, mark.y, mark.span, turn.up_deg)
        turned = None
        if says[SIX] + says[NINE] >= LEAST_DOUBT:
            turned = read(self.stored, mark.x, mark.y, mark.span, turn.up_deg + 180)
        return Reading(mark, TURN * float(np.log(turn.probability)) + clarity(says), says, turned)


def ways_up(mark: Mark) -> tuple[Turn, ...]:
    """The ways up in which a mark is read: of a face of pips one is enough."""
    pips = len(mark.turns) >= ALIKE and mark.turns[0].probability < PIPS
    return mark.turns[:1] if pips else mark.turns


def odds(p: float) -> float:
    """The odds p : 1 - p, of a p that is kept off 0 and 1."""
    p = min(max(p, 1e-3), 1 - 1e-3)
    return p / (1 - p)


def clarity(says: Floats) -> float:
    """What it adds to a reading's weight that it says something."""
    nothing = float(np.clip(says[0], 1e-4, 1 - 1e-4))
    return LEGIBLE * float(np.log(1 - nothing)) + BLANK * float(np.log(nothing))


def shared(of: list[Reading]) -> Floats:
    """The shares of the readings (n,), of 1 in all."""
    weights = np.array([reading.weight for reading in of])
    shares = np.exp(weights - weights.max())
    return np.asarray(shares / shares.sum())


def weighed(of: list[Reading]) -> Floats:
    """Probabilities (VALUES - 1,) of the values from 1 that these readings say."""
    said = np.array([reading.says[1:] for reading in of]) + LEAST
    said /= said.sum(1, keepdims=True)
    return np.asarray(shared(of) @ said)
