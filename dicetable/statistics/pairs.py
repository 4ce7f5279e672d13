"""Pairs of successive throws of one die: whether a throw says anything about the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from dicetable.statistics.estimates import SEED
from dicetable.statistics.tapes import ALONE
from games.dice import FACES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dicetable.statistics.tapes import Counts, Tape

PAIR_DRAWS: Final = 10_000
CHUNK: Final = 500


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

    Pearson's statistic. Each draw keeps how often each face came before, and draws what followed by the
    shares of all that followed (a parametric bootstrap): a game may throw a die again by what it showed.
    """
    found = unevenness(table[np.newaxis])[0]
    total = int(table.sum())
    if not total:
        return None
    shares = table.sum(axis=0) / total
    rng = np.random.default_rng(SEED)
    uneven = 0
    for start in range(0, draws, CHUNK):
        size = min(CHUNK, draws - start)
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
