"""Estimates and p-values for a number of throws that was fixed before: each is valid when looked at once.

They concern the faces of a die, its pairs of opposite faces, and pairs of successive throws.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from dicetable.statistics.tapes import ALONE
from games.dice import FACES, SOLIDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dicetable.statistics.tapes import Counts, Tape
    from games.dice import Kind

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
DRAWS: Final = 100_000
SEED: Final = 20_111_356
CHUNK: Final = 10_000
"""How many draws are held in memory at once."""
PAIR_DRAWS: Final = 10_000
PAIR_CHUNK: Final = 500


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion; (0, 1) without trials.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). Brown,
    Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001),
    recommend it.
    """
    if not trials:
        return 0.0, 1.0
    share, zz = successes / trials, Z_95**2
    centre = (share + zz / (2 * trials)) / (1 + zz / trials)
    half = Z_95 / (1 + zz / trials) * sqrt(share * (1 - share) / trials + zz / (4 * trials**2))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def uniform_p_value(counts: Counts, draws: int = DRAWS) -> float:
    """The chance that a fair die's counts are at least as uneven as these, by Pearson's statistic.

    Monte Carlo: (1 + draws as uneven) / (1 + draws), which is a valid p-value (Phipson and Smyth,
    "Permutation p-values should never be zero", 2010).
    """
    k, throws = len(counts), int(counts.sum())
    found = int((counts.astype(np.int64) ** 2).sum())
    rng = np.random.default_rng(SEED)
    uneven = 0
    for start in range(0, draws, CHUNK):
        drawn = rng.multinomial(throws, np.full(k, 1 / k), size=min(CHUNK, draws - start))
        uneven += int(((drawn**2).sum(axis=1) >= found).sum())
    return (1 + uneven) / (1 + draws)


def even_split_p_value(one: int, other: int) -> float:
    """The two-sided exact binomial p-value for two outcomes that ought to be equally likely."""
    low, trials = min(one, other), one + other
    if one == other:
        return 1.0
    tail = term = 1.0  # relative to the chance of exactly `low`
    for successes in range(low, 0, -1):
        term *= successes / (trials - successes + 1)
        tail += term
        if term < 1e-17 * tail:
            break
    at_low = lgamma(trials + 1) - lgamma(low + 1) - lgamma(trials - low + 1) - trials * log(2)
    return min(1.0, 2 * tail * exp(at_low))


@dataclass(frozen=True, slots=True)
class Opposites:
    """The axes of a die: one that is too flat shows both faces of an axis too often, a loaded one only one.

    Attributes:
        layout: which numbering is meant where makers differ, see `games.dice`.
        faces: the two faces of each axis, the lower first.
        counts: how often each of the two came.
        flat_p_value: of the sums of the axes against equal ones (Monte Carlo).
        loaded_p_value: of the most uneven axis (exact binomial, Bonferroni over the axes).
    """

    layout: str
    faces: tuple[tuple[int, int], ...]
    counts: tuple[tuple[int, int], ...]
    flat_p_value: float
    loaded_p_value: float


def axes(kind: Kind) -> tuple[tuple[int, int], ...]:
    """The pairs of opposite faces in a kind's most common layout; none for a d4."""
    solid = SOLIDS[kind][0]
    found = set()
    for number, face in enumerate(solid.faces):
        across = solid.opposite(number)
        if across is not None:
            pair = sorted((face.value, solid.faces[across].value))
            found.add((pair[0], pair[1]))
    return tuple(sorted(found))


def opposites(kind: Kind, counts: Counts) -> Opposites | None:
    """What the counts say of opposite faces; None for a d4, which has none."""
    faces = axes(kind)
    if not faces:
        return None
    pairs = tuple((int(counts[low - 1]), int(counts[high - 1])) for low, high in faces)
    sums = np.array([low + high for low, high in pairs], np.int64)
    loaded = min(1.0, len(pairs) * min(even_split_p_value(low, high) for low, high in pairs))
    return Opposites(SOLIDS[kind][0].layout, faces, pairs, uniform_p_value(sums), loaded)


def transitions(tape: Tape) -> Counts:
    """How often each face followed each; int64, shape (k, k), row: the face before.

    Only where both throws are of a die that can be told from the others in its throw. Dice of one kind that
    take turns are one sequence: whoever wants a single die's pairs enrols it.
    """
    k = FACES[tape.kind]
    if len(tape) < 2:
        return np.zeros((k, k), np.int64)
    alone = tape.marked(ALONE)
    both = alone[:-1] & alone[1:]
    before = tape.faces[:-1][both].astype(np.int64) - 1
    after = tape.faces[1:][both].astype(np.int64) - 1
    return np.bincount(k * before + after, minlength=k * k).reshape(k, k)


def independence_p_value(table: Counts, draws: int = PAIR_DRAWS) -> float | None:
    """The chance of a table as uneven as this one if a throw says nothing about the next; None without pairs.

    Pearson's statistic. Each draw keeps how often each face came up before, and draws what followed by the
    shares of all that followed (a parametric bootstrap): a game may throw a die again by what it showed.
    """
    found = unevenness(table[np.newaxis])[0]
    total = int(table.sum())
    if not total:
        return None
    shares = table.sum(axis=0) / total
    rng = np.random.default_rng(SEED)
    uneven = 0
    for start in range(0, draws, PAIR_CHUNK):
        size = min(PAIR_CHUNK, draws - start)
        drawn = np.stack([rng.multinomial(int(row.sum()), shares, size=size) for row in table], axis=1)
        uneven += int((unevenness(drawn) >= found - 1e-9).sum())
    return (1 + uneven) / (1 + draws)


def unevenness(tables: Counts) -> NDArray[np.float64]:
    """Pearson's statistic of each table against independence; shape (tables, k, k) to (tables,)."""
    before = tables.sum(axis=2, keepdims=True).astype(np.float64)
    after = tables.sum(axis=1, keepdims=True)
    totals = np.maximum(tables.sum(axis=(1, 2), keepdims=True), 1)
    expected = before * after / totals
    parts = np.divide((tables - expected) ** 2, expected, out=np.zeros(tables.shape), where=expected > 0)
    return np.asarray(parts.sum(axis=(1, 2)))
