"""What the nets say of one find: several views of it are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.crops import ROOM, STORED, Pixels, cut
from vision.recognition.die_classifier import Mark, WholeDie, look
from vision.recognition.outputs import COCKED, NO_DIE, UNREADABLE, VALUES
from vision.recognition.symbols import Writing, nothing_known

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.detection.detections import Candidate

Floats: TypeAlias = npt.NDArray[Any]

VIEWS: tuple[tuple[float, float], ...] = ((0.0, 1.0), (-14.0, 1.07))
"""Turn in degrees and zoom of each view of the whole die. Small: seen aslant, what is up tells the top."""
CLEAR = 0.98
"""Confidence of the first view from which the others are not needed."""
HOPELESS = 0.2
"""Confidence of the first view under which the others would not help."""
KIND = 1.25
"""Power of the probabilities of the kinds (see vision.recognition.symbols)."""
LEAST = 1e-4
"""Added to each probability before its logarithm is taken."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the views of a find say.

    Joint probabilities (kinds, VALUES), of 1 in all or nothing; the mark that says most of it; the score of
    the best one and the probability of its likeliest way up; how likely what was read is a 6 or a 9 upside
    down; and the probabilities of the reasons not to read.
    """

    joint: Floats
    mark: Mark | None
    score: float
    upright: float
    turned: float
    unreadable: float
    cocked: float
    no_die: float

    @property
    def best(self) -> tuple[int, int]:
        """Index of the likeliest kind, and value."""
        kind, value = np.unravel_index(int(self.joint.argmax()), self.joint.shape)
        return int(kind), int(value)

    @property
    def confidence(self) -> float:
        """Probability of the likeliest kind and value."""
        return float(self.joint.max())


def stored_crop(frame: Pixels, candidate: Candidate) -> Pixels:
    """The crop that all views of a find are cut from."""
    return cut(frame, *candidate.middle, ROOM * candidate.longer, STORED)


class Views:
    """The views of one find; each is looked at when it is first needed, but for a first one that is given."""

    def __init__(self, stored: Pixels, first: WholeDie | None = None) -> None:
        self._stored = stored
        self._seen: list[View] = []
        if first is not None:
            self._seen.append(View(first, Writing(stored, first.marks)))

    def opinion(self, known: Callable[[Mark], float] = nothing_known) -> Opinion:
        """What is said in the end; `known` is what each mark's place adds to its weight."""
        first = said(self._view(0), known)
        if first.confidence >= CLEAR or first.confidence < HOPELESS:
            return first
        return together([first, *(said(self._view(i), known) for i in range(1, len(VIEWS)))])

    def _view(self, number: int) -> View:
        while len(self._seen) <= number:
            die = look(self._stored, *VIEWS[len(self._seen)])
            self._seen.append(View(die, Writing(self._stored, die.marks)))
        return self._seen[number]


class View(NamedTuple):
    """One view of a die, and what is written on it there."""

    die: WholeDie
    writing: Writing


def said(view: View, known: Callable[[Mark], float] = nothing_known) -> Opinion:
    """What one view says."""
    bodies = view.die.bodies
    joint = np.zeros((len(KINDS), VALUES))
    reasons = [float(bodies[reason]) for reason in (UNREADABLE, COCKED, NO_DIE)]
    read = view.writing.says(known)
    if read is None:
        return Opinion(joint, None, 0.0, 0.0, 0.0, *reasons)
    kinds = (bodies[:UNREADABLE] + LEAST) ** KIND
    joint[:, 1:] = kinds[:, None] / kinds.sum() * read.values
    best = view.die.marks[0]
    upright = best.turns[0].probability if best.turns else 0.0
    return Opinion(joint / joint.sum(), read.mark, best.score, upright, read.turned, *reasons)


def together(opinions: list[Opinion]) -> Opinion:
    """The geometric mean of several opinions."""
    joint = np.exp(np.log(np.array([o.joint for o in opinions]) + LEAST).mean(0)) - LEAST
    joint = joint / joint.sum() if joint.sum() > LEAST else np.zeros_like(joint)
    others = [[o.score, o.upright, o.turned, o.unreadable, o.cocked, o.no_die] for o in opinions]
    mean = np.exp(np.log(np.array(others) + LEAST).mean(0)) - LEAST
    return Opinion(joint, opinions[0].mark, *(float(v) for v in mean))
