"""Whether dice are biased: the test of dice that goes on at the table, and the evidence after each throw.

The evidence may be looked at as often as one likes. It is the e-process of Lindon and Malek, "Anytime-Valid
Inference for Multinomial Count Data" (arXiv 2011.03567): the likelihood of all throws under Dirichlet
alternatives over that under the uniform distribution. The prior is the equal mixture of symmetric Dirichlets
with a in `CONCENTRATIONS` for each face: small a expects dice that are far from fair, large a such that are
nearly fair. For a fair die the chance that E ever reaches 20 is at most 1/20 (Ville's inequality).

Several dice are judged together by e-BH (Wang and Ramdas, "False discovery rate control with e-values", JRSS
B 84, 2022), which holds however the dice depend on each other. It accuses a die only where the mean of all E
is 20 or more. That mean is an e-process too: if all dice are fair, the chance that any of them is ever
accused is at most 1/20.

Which throws count follows the rules of `dicetable.statistics.fold`: dice that were entered by hand don't, and
a die that a person answered for counts as asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from math import lgamma, log
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from common.snapshot import Fairness
from dicetable.ledger.entries import Corrected, Thrown
from games.dice import FACES, Die, Kind, place_of

Faces: TypeAlias = NDArray[np.uint8]
Counts: TypeAlias = NDArray[np.int64]

CONCENTRATIONS: Final = (1, 10, 30, 100, 300, 1000)
FALSE_ACCUSATIONS: Final = 0.05
"""At most this share of all accusations is false; for a single die, of all fair dice that are accused."""
ACCUSED: Final = -log(FALSE_ACCUSATIONS)
"""The natural logarithm of the E at which a die is accused."""
CHUNK: Final = 100_000
"""How many throws are worked on at once, which bounds the memory."""
MOST_POINTS: Final = 200
"""The length of the curve of E that pages draw."""
EXCESSES: Final = (50, 20, 10)
"""How many percent too often one face of a biased die comes up, for `MEDIAN_THROWS`."""
MEDIAN_THROWS: Final[dict[Kind, tuple[int, int, int]]] = {
    "d4": (160, 890, 3300),
    "d6": (300, 1700, 6700),
    "d8": (470, 2600, 10_000),
    "d10": (630, 3800, 15_000),
    "d12": (830, 4900, 21_000),
    "d20": (1800, 10_000, 45_000),
    "d100": (630, 3800, 15_000),
}
"""After how many throws half of the dice with such a face are accused, for each of `EXCESSES`.

Simulated: 1,000 dice each, looked at after every throw; the other faces come up equally often. The slow tests
draw them again.
"""


class Verdict(StrEnum):
    """What the throws of a die say."""

    BIASED = "biased"
    DISPUTED = "disputed"
    """Biased with or without the dice that were asked for, but not both: it may be the reader's bias."""
    TOO_FEW = "too_few"
    NO_BIAS_FOUND = "no_bias_found"


def verdict(kind: Kind, throws: int, *, accused: bool, disputed: bool) -> Verdict:
    """The verdict on a die after this many throws.

    It is `accused` by its throws with the dice that were asked for and without them, or `disputed` by the one
    and not by the other.
    """
    if accused:
        return Verdict.BIASED
    if disputed:
        return Verdict.DISPUTED
    return Verdict.TOO_FEW if throws < MEDIAN_THROWS[kind][0] else Verdict.NO_BIAS_FOUND


def excluded(kind: Kind, throws: int) -> int | None:
    """The smallest excess in percent that would have shown by now, as likely as not; None if none would."""
    shown = [excess for excess, median in zip(EXCESSES, MEDIAN_THROWS[kind], strict=True) if throws >= median]
    return min(shown, default=None)


def next_step(kind: Kind, throws: int) -> tuple[int, int] | None:
    """The next smaller excess in percent and how many more throws would show it; None after the last.

    The throws are rounded up to two digits: more would pretend to know better.
    """
    for excess, median in zip(EXCESSES, MEDIAN_THROWS[kind], strict=True):
        if throws < median:
            more = median - throws
            step = int(10 ** max(0, len(str(more)) - 2))
            return excess, -(-more // step) * step
    return None


@dataclass(frozen=True, slots=True)
class RunThrow:
    """One throw of a test; `revision` is the match's after it, which a correction names.

    `confirmed` says of each die whether a person vouched for its value or its throw.
    """

    revision: int
    faces: tuple[int, ...]
    confirmed: tuple[bool, ...]
    by_hand: bool


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The throws of a test of several dice of one kind."""

    kind: Kind
    dice: int
    throws: tuple[RunThrow, ...] = ()

    def thrown(self, entry: Thrown, revision: int) -> Run:
        details = entry.details or ()
        confirmed = tuple(die.confirmed_by is not None or die.vouched_by is not None for die in details)
        confirmed = confirmed or (False,) * len(entry.dice)
        faces = tuple(face for _, face in entry.dice)
        return replace(self, throws=(*self.throws, RunThrow(revision, faces, confirmed, entry.by_hand)))

    def corrected(self, entry: Corrected) -> Run:
        """Replaces what the throw of that revision showed; faces that stay were read rightly."""
        throws = (
            corrected(throw, entry.dice) if throw.revision == entry.revision else throw
            for throw in self.throws
        )
        return replace(self, throws=tuple(throws))


def corrected(throw: RunThrow, dice: Sequence[Die]) -> RunThrow:
    left = [face for _, face in dice]
    places: dict[int, int] = {}
    for place, face in enumerate(throw.faces):
        if face in left:
            left.remove(face)
            places[place] = face
    confirmed = tuple(was or place not in places for place, was in enumerate(throw.confirmed))
    faces = tuple(places[place] if place in places else left.pop(0) for place in range(len(throw.faces)))
    return replace(throw, faces=faces, confirmed=confirmed)


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What a run says so far.

    Attributes:
        kind, dice: what is thrown together.
        throws: how often they were thrown, without throws entered by hand.
        counts: how often each face came up, from the lowest on.
        confirmed: those of `counts` that a person answered for.
        log_e, log_e_without_asked: natural logarithms of E.
        accused_at: the throw after which E reached 20 first, with and without the dice asked for; None if it
            has not yet.
        curve: at most `MOST_POINTS` throws, and log10 of E after each of them.
        verdict: the verdict at this moment.
    """

    kind: Kind
    dice: int
    throws: int
    counts: tuple[int, ...]
    confirmed: tuple[int, ...]
    log_e: float
    log_e_without_asked: float
    accused_at: int | None
    curve: tuple[tuple[int, float], ...]
    verdict: Verdict

    def to_json(self) -> Fairness:
        """The object that the snapshot has."""
        further = next_step(self.kind, sum(self.counts))
        return {
            "kind": self.kind,
            "dice": self.dice,
            "throws": self.throws,
            "counts": list(self.counts),
            "asked": list(self.confirmed),
            "log10_e": round(self.log_e / log(10), 4),
            "log10_e_without_asked": round(self.log_e_without_asked / log(10), 4),
            "accused_at": self.accused_at,
            "curve": list(self.curve),
            "verdict": self.verdict,
            "more": None
            if further is None
            else {"throws": -(-further[1] // self.dice), "excess_percent": further[0]},
        }


@lru_cache(maxsize=2)
def evidence(run: Run) -> RunEvidence:
    k = FACES[run.kind]
    throws = [throw for throw in run.throws if not throw.by_hand]
    places = [place_of((run.kind, face)) for throw in throws for face in throw.faces]
    faces = np.array(places, np.uint8)
    confirmed = np.array([is_confirmed for throw in throws for is_confirmed in throw.confirmed], np.bool_)
    ends = np.cumsum([len(throw.faces) for throw in throws], dtype=np.int64)
    with_asked, without = e_after(faces, k, np.ones(len(faces), np.bool_)), e_after(faces, k, ~confirmed)
    reached = np.flatnonzero(np.minimum(with_asked, without)[ends] >= ACCUSED)
    now, sure = float(with_asked[-1]), float(without[-1])
    points = np.unique(np.linspace(0, len(throws), min(len(throws) + 1, MOST_POINTS)).astype(int))
    at_ends = with_asked[np.concatenate([[0], ends])]
    return RunEvidence(
        run.kind,
        run.dice,
        len(throws),
        counted(faces, k),
        counted(faces[confirmed], k),
        now,
        sure,
        int(reached[0]) + 1 if len(reached) else None,
        tuple((int(number), round(float(at_ends[number]) / log(10), 3)) for number in points),
        verdict(run.kind, len(faces), accused=min(now, sure) >= ACCUSED, disputed=max(now, sure) >= ACCUSED),
    )


def e_after(faces: Faces, k: int, counting: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The natural logarithm of E before the first die and after each; only those `counting` change it."""
    curve = log_e_curve(faces[counting], np.zeros(k, np.int64))
    number = np.concatenate([[0], np.cumsum(counting)])
    return np.asarray(np.concatenate([[0.0], curve])[number])


def counted(faces: Faces, k: int) -> tuple[int, ...]:
    return tuple(map(int, np.bincount(faces, minlength=k + 1)[1:]))


def log_e(counts: Counts) -> float:
    """The natural logarithm of E after these counts of each face; shape (k,). 0 without any throw."""
    return float(np.logaddexp.reduce(log_parts(counts))) - log(len(CONCENTRATIONS))


def log_parts(counts: Counts) -> list[float]:
    """The natural logarithm of the likelihood of each of `CONCENTRATIONS` over that of a fair die."""
    k, throws = len(counts), int(counts.sum())
    parts = []
    for a in CONCENTRATIONS:
        faces = sum(lgamma(a + int(count)) for count in counts) - k * lgamma(a)
        parts.append(faces + lgamma(k * a) - lgamma(k * a + throws) + throws * log(k))
    return parts


def log_e_curve(faces: Faces, before: Counts) -> NDArray[np.float64]:
    """The natural logarithm of E after each throw; float64, shape (throws,).

    `faces` are 1 … k, in order; `before` is how often each face had come up earlier, shape (k,).
    """
    k = len(before)
    curve = np.empty(len(faces))
    counts = np.concatenate([[0], before]).astype(np.float64)
    thrown = int(before.sum())
    reached = log_parts(before)
    for start in range(0, len(faces), CHUNK):
        chunk = faces[start : start + CHUNK]
        earlier = np.empty(len(chunk), np.int32)  # for each throw how often its face came up in the chunk
        for face in range(1, k + 1):
            places = np.flatnonzero(chunk == face)
            earlier[places] = np.arange(len(places))
        had = counts[chunk] + earlier
        number = np.arange(thrown + start, thrown + start + len(chunk), dtype=np.float64)
        total = np.full(len(chunk), -np.inf)
        for place, a in enumerate(CONCENTRATIONS):
            log_e = np.cumsum(np.log((a + had) / (k * a + number)) + log(k)) + reached[place]
            total = np.logaddexp(total, log_e)
            reached[place] = float(log_e[-1])
        curve[start : start + CHUNK] = total - log(len(CONCENTRATIONS))
        counts += np.bincount(chunk, minlength=k + 1)
    return curve


def accused(log_es: Sequence[float]) -> list[bool]:
    """Which of several dice e-BH accuses; a single one if its E is at least 1 / FALSE_ACCUSATIONS."""
    order = sorted(range(len(log_es)), key=lambda die: -log_es[die])
    most = 0
    for rank, die in enumerate(order, 1):
        if log_es[die] >= log(len(log_es) / (FALSE_ACCUSATIONS * rank)):
            most = rank
    chosen = set(order[:most])
    return [die in chosen for die in range(len(log_es))]
