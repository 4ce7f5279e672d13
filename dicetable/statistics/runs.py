"""A test of dice while it goes on: which throws count, and the evidence after each of them.

The rules are those of `dicetable.statistics.fold`: dice that were entered by hand do not count, and a die
that a person answered for counts as asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dicetable.statistics import evalues, verdicts
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dicetable.ledger.entries import Corrected, Thrown
    from dicetable.statistics.verdicts import Verdict
    from games.dice import Die, Kind

ACCUSED: Final = -log(evalues.FALSE_ACCUSATIONS)
"""The natural logarithm of the E at which a die is accused."""
MOST_POINTS: Final = 200
"""The length of the curve of E that pages draw."""


@dataclass(frozen=True, slots=True)
class RunThrow:
    """One throw of a test.

    Attributes:
        revision: the match's revision after it, which a correction names.
        faces: the dice's faces, in order.
        asked: for each die whether a person answered for it: for its value, or that it was fairly thrown.
        by_hand: whether it was entered at the panel instead of seen.
    """

    revision: int
    faces: tuple[int, ...]
    asked: tuple[bool, ...]
    by_hand: bool


# An append-only list whose copies share their beginning: (what came before, the newest throw).
Throws = tuple["Throws", RunThrow] | None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The throws of a test of several dice of one kind."""

    kind: Kind
    dice: int
    throws: Throws = None

    def thrown(self, entry: Thrown, revision: int) -> Run:
        """The run with one throw more."""
        details = entry.details or ()
        asked = tuple(known.confirmed_by is not None or known.vouched_by is not None for known in details)
        asked = asked or (False,) * len(entry.dice)
        faces = tuple(face for _, face in entry.dice)
        return replace(self, throws=(self.throws, RunThrow(revision, faces, asked, entry.by_hand)))

    def corrected(self, entry: Corrected) -> Run:
        """The run with one throw as a person says that it was."""
        throws: Throws = None
        for throw in self.in_order():
            throws = (throws, corrected(throw, entry.dice) if throw.revision == entry.revision else throw)
        return replace(self, throws=throws)

    def in_order(self) -> list[RunThrow]:
        """Every throw, oldest first."""
        found = []
        left = self.throws
        while left is not None:
            left, throw = left
            found.append(throw)
        return found[::-1]


def corrected(throw: RunThrow, dice: Sequence[Die]) -> RunThrow:
    """The throw with these faces; what was read and is among them was read rightly."""
    left = [face for _, face in dice]
    places: dict[int, int] = {}
    for place, face in enumerate(throw.faces):
        if face in left:
            left.remove(face)
            places[place] = face
    asked = tuple(was or place not in places for place, was in enumerate(throw.asked))
    faces = tuple(places[place] if place in places else left.pop(0) for place in range(len(throw.faces)))
    return replace(throw, faces=faces, asked=asked)


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What a run says so far.

    Attributes:
        kind, dice: what is thrown together.
        throws: how often they were thrown, without throws entered by hand.
        counts, asked: of each face, from 1 on; `asked` are those of `counts` that a person answered for.
        log_e, log_e_without_asked: natural logarithms of E.
        accused_at: the throw after which E reached 20 first, with and without the dice asked for; None if it
            has not yet.
        curve: at most `MOST_POINTS` throws, and log10 of E after each of them.
        verdict: what may be said now.
    """

    kind: Kind
    dice: int
    throws: int
    counts: tuple[int, ...]
    asked: tuple[int, ...]
    log_e: float
    log_e_without_asked: float
    accused_at: int | None
    curve: tuple[tuple[int, float], ...]
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """As the snapshot has it."""
        further = verdicts.next_step(self.kind, sum(self.counts))
        return {
            "kind": self.kind,
            "dice": self.dice,
            "throws": self.throws,
            "counts": list(self.counts),
            "asked": list(self.asked),
            "log10_e": round(self.log_e / log(10), 4),
            "log10_e_without_asked": round(self.log_e_without_asked / log(10), 4),
            "accused_at": self.accused_at,
            "curve": [list(point) for point in self.curve],
            "verdict": self.verdict,
            "more": None
            if further is None
            else {"throws": -(-further[1] // self.dice), "excess_percent": further[0]},
        }


@lru_cache(maxsize=2)
def evidence(run: Run) -> RunEvidence:
    """What a run says so far."""
    k = FACES[run.kind]
    throws = [throw for throw in run.in_order() if not throw.by_hand]
    faces = np.array([face for throw in throws for face in throw.faces], np.uint8)
    asked = np.array([each for throw in throws for each in throw.asked], np.bool_)
    ends = np.cumsum([len(throw.faces) for throw in throws], dtype=np.int64)
    with_asked, without = e_after(faces, k), e_after(faces, k, ~asked)
    both = np.minimum(with_asked, without)[ends]
    reached = np.flatnonzero(both >= ACCUSED)
    now, sure = float(with_asked[-1]), float(without[-1])
    verdict = verdicts.verdict(
        run.kind,
        len(faces),
        accused=min(now, sure) >= ACCUSED,
        disputed=max(now, sure) >= ACCUSED,
    )
    points = np.unique(np.linspace(0, len(throws), min(len(throws) + 1, MOST_POINTS)).astype(int))
    at_ends = with_asked[np.concatenate([[0], ends])]
    return RunEvidence(
        run.kind,
        run.dice,
        len(throws),
        counted(faces, k),
        counted(faces[asked], k),
        now,
        sure,
        int(reached[0]) + 1 if len(reached) else None,
        tuple((int(at), round(float(at_ends[at]) / log(10), 3)) for at in points),
        verdict,
    )


def e_after(
    faces: NDArray[np.uint8], k: int, counting: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """The natural logarithm of E before the first die and after each; of those alone that are `counting`."""
    counting = np.ones(len(faces), np.bool_) if counting is None else counting
    curve = evalues.log_e_curve(faces[counting], np.zeros(k, np.int64))
    number = np.concatenate([[0], np.cumsum(counting)])
    return np.asarray(np.concatenate([[0.0], curve])[number])


def counted(faces: NDArray[np.uint8], k: int) -> tuple[int, ...]:
    """How often each face is among them."""
    return tuple(map(int, np.bincount(faces, minlength=k + 1)[1:]))
