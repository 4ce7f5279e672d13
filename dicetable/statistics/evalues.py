"""Evidence against a fair die that may be looked at as often as one likes.

The e-process of Lindon and Malek, "Anytime-Valid Inference for Multinomial Count Data" (arXiv 2011.03567):
the likelihood of all throws under Dirichlet alternatives over that under the uniform distribution. The prior
is the equal mixture of symmetric Dirichlets with a in `CONCENTRATIONS` for each face: small a expects dice
that are far from fair, large a such that are nearly fair. For a fair die the chance that E ever reaches 20
is at most 1/20 (Ville's inequality), however often and whenever one looks.

Several dice are judged together by e-BH (Wang and Ramdas, "False discovery rate control with e-values", JRSS
B 84, 2022), which asks nothing of how the dice depend on each other. It accuses a die only where the mean of
all E is 20 or more. That mean is an e-process too: if all dice are fair, the chance that any of them is ever
accused is at most 1/20.
"""

from __future__ import annotations

from math import lgamma, log
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dicetable.statistics.tapes import Counts, Faces

CONCENTRATIONS: Final = (1, 10, 30, 100, 300, 1000)
FALSE_ACCUSATIONS: Final = 0.05
"""At most this share of all accusations is false; for a single die, of all fair dice that are accused."""
CHUNK: Final = 100_000
"""How many throws are worked on at once, which bounds the memory."""


def log_e(counts: Counts) -> float:
    """The natural logarithm of E after these counts of each face; shape (k,). 0 without any throw."""
    return float(np.logaddexp.reduce(log_parts(counts))) - log(len(CONCENTRATIONS))


def log_parts(counts: Counts) -> list[float]:
    """For each of `CONCENTRATIONS` the natural logarithm of its likelihood over that of a fair die."""
    k, throws = len(counts), int(counts.sum())
    parts = []
    for a in CONCENTRATIONS:
        faces = sum(lgamma(a + int(count)) for count in counts) - k * lgamma(a)
        parts.append(faces + lgamma(k * a) - lgamma(k * a + throws) + throws * log(k))
    return parts


def log_e_curve(faces: Faces, before: Counts) -> NDArray[np.float64]:
    """The natural logarithm of E after each throw; float64, shape (throws,).

    Args:
        faces: 1 … k, in the order of the throws.
        before: how often each face had come before the first of them; shape (k,).
    """
    k = len(before)
    curve = np.empty(len(faces))
    counts = np.concatenate([[0], before]).astype(np.float64)
    thrown = int(before.sum())
    reached = log_parts(before)
    for start in range(0, len(faces), CHUNK):
        chunk = faces[start : start + CHUNK]
        had = counts[chunk] + earlier(chunk, k)
        number = np.arange(thrown + start, thrown + start + len(chunk), dtype=np.float64)
        total = np.full(len(chunk), -np.inf)
        for place, a in enumerate(CONCENTRATIONS):
            each = np.cumsum(np.log((a + had) / (k * a + number)) + log(k)) + reached[place]
            total = np.logaddexp(total, each)
            reached[place] = float(each[-1])
        curve[start : start + CHUNK] = total - log(len(CONCENTRATIONS))
        counts += np.bincount(chunk, minlength=k + 1)
    return curve


def earlier(faces: Faces, k: int) -> NDArray[np.int32]:
    """For each throw how often its face had come before; int32, shape (throws,)."""
    before = np.empty(len(faces), np.int32)
    for face in range(1, k + 1):
        places = np.flatnonzero(faces == face)
        before[places] = np.arange(len(places))
    return before


def accused(log_es: Sequence[float], rate: float = FALSE_ACCUSATIONS) -> list[bool]:
    """Which of several dice are accused by e-BH; a single one if its E is at least 1 / rate."""
    order = sorted(range(len(log_es)), key=lambda die: -log_es[die])
    most = 0
    for rank, die in enumerate(order, 1):
        if log_es[die] >= log(len(log_es) / (rate * rank)):
            most = rank
    chosen = set(order[:most])
    return [die in chosen for die in range(len(log_es))]
