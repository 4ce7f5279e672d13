"""Estimates and p-values for a number of throws that was fixed before: each is valid when looked at once."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from dicetable.statistics.tapes import Counts

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
DRAWS: Final = 100_000
SEED: Final = 20_111_356
CHUNK: Final = 10_000
"""How many draws are held in memory at once."""


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
