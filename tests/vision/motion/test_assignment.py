"""The assignment: as many pairs as possible, at the least cost, as scipy finds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from vision.motion.tracks import NEVER, assign


@pytest.mark.parametrize("seed", range(40))
def test_it_costs_as_little_as_it_can(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 9, 2)
    costs = rng.uniform(0, 10, (rows, columns))
    costs[rng.random((rows, columns)) < rng.uniform(0, 0.7)] = np.inf
    chosen = assign(costs)
    alone = np.full((rows, rows), NEVER / 2)
    whole = np.hstack([np.where(np.isfinite(costs), costs, NEVER), alone])
    best = whole[linear_sum_assignment(whole)].sum()
    mine = sum(NEVER / 2 if j is None else costs[i, j] for i, j in enumerate(chosen))
    paired = [j for j in chosen if j is not None]
    assert mine == pytest.approx(best)
    assert len(paired) == len(set(paired))


def test_what_cannot_be_paired_stays_alone() -> None:
    assert assign(np.array([[np.inf, 2.0], [np.inf, 1.0]])) == [None, 1]
