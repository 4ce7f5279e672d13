"""The e-process: against scipy's Dirichlet-multinomial, and by simulation."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from dicetable.statistics.tapes import Tape
from dicetable.table import bias
from games.dice import FACES, KINDS
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from games.dice import Kind

E_TO_ACCUSE = log(20)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("throws", [0, 1, 17, 400])
def test_e_is_the_ratio_of_scipys_likelihoods(kind: Kind, throws: int) -> None:
    k = FACES[kind]
    counts = taped(kind, rolled(kind, throws, one_face_at(kind, 1.5 / k))).counts
    fair = stats.multinomial.logpmf(counts, throws, [1 / k] * k)
    ratios = [stats.dirichlet_multinomial.logpmf(counts, [a] * k, throws) - fair for a in bias.CONCENTRATIONS]
    assert bias.log_e(counts) == pytest.approx(np.logaddexp.reduce(ratios) - log(len(ratios)), abs=1e-8)


def test_the_curve_ends_at_e_and_has_a_point_for_each_throw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bias, "CHUNK", 70)
    tape = taped("d20", rolled("d20", 300))
    curve = bias.log_e_curve(tape.faces, tape.day_ends[0])
    assert curve.shape == (300,)
    for throws in (1, 2, 150, 300):
        counts = np.bincount(tape.faces[:throws], minlength=21)[1:]
        assert curve[throws - 1] == pytest.approx(bias.log_e(counts), abs=1e-9)
    assert len(bias.log_e_curve(Tape("d6").faces, Tape("d6").counts)) == 0


def test_e_means_one_over_all_that_a_fair_die_can_show() -> None:
    """What makes it an E value, by hand: every way that three throws of a d4 can fall."""
    ways = [(a, b, c) for a in range(1, 5) for b in range(1, 5) for c in range(1, 5)]
    mean = sum(exp(bias.log_e(taped("d4", way).counts)) for way in ways) / len(ways)
    assert mean == pytest.approx(1)


def test_e_bh_is_as_defined() -> None:
    assert bias.accused([]) == []
    assert bias.accused([log(20.001)]) == [True]
    assert bias.accused([log(19.999)]) == [False]
    assert bias.accused([log(30), log(1)]) == [False, False]
    assert bias.accused([log(41), log(1)]) == [True, False]
    assert bias.accused([log(21), log(1), log(31), log(32)]) == [False, False, False, False]
    assert bias.accused([log(27), log(1), log(31), log(32)]) == [True, False, True, True]


def test_e_bh_accuses_only_where_the_mean_is_twenty() -> None:
    """So that looking at several fair dice after every throw accuses any of them in one case of twenty."""
    rng = np.random.default_rng(6)
    for log_es in rng.normal(2.5, 1.5, (2000, 6)):
        if any(bias.accused(list(log_es))):
            assert np.exp(log_es).mean() >= 20 - 1e-9


def crossings(shares: list[float], throws: int, dice: int, seed: int) -> NDArray[np.int64]:
    """After which throw each of many dice first has E of 20 or more; `throws` + 1 if never."""
    rng = np.random.default_rng(seed)
    k = len(shares)
    edges = np.cumsum(shares)[:-1]
    a = np.array(bias.CONCENTRATIONS, np.float64)
    every = np.arange(dice)
    counts = np.zeros((dice, k))
    logs = np.zeros((dice, len(a)))
    first = np.full(dice, throws + 1)
    for throw in range(throws):
        face = np.searchsorted(edges, rng.random(dice), side="right")
        logs += np.log((a + counts[every, face][:, np.newaxis]) / (k * a + throw)) + log(k)
        counts[every, face] += 1
        e = np.logaddexp.reduce(logs, axis=1) - log(len(a))
        first[(first > throws) & (e >= E_TO_ACCUSE)] = throw + 1
    assert e[0] == pytest.approx(bias.log_e(counts[0].astype(np.int64)), abs=1e-6)
    return first


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_at_most_one_fair_die_in_twenty_is_ever_accused(kind: Kind) -> None:
    """1,000 dice, 10,000 throws each, looked at after every throw."""
    k = FACES[kind]
    first = crossings([1 / k] * k, 10_000, 1_000, seed=k)
    assert (first <= 10_000).mean() <= bias.FALSE_ACCUSATIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "median", "horizon"), [(0.25, 317, 2000), (0.2, 1765, 6000), (0.185, 5402, 12_000)]
)
def test_a_six_that_comes_too_often_is_found_as_soon_as_told(share: float, median: int, horizon: int) -> None:
    """Medians of 400 simulated dice; such a median is known to some 10 %."""
    first = crossings(one_face_at("d6", share), horizon, 1_000, seed=4)
    assert np.median(first) == pytest.approx(median, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_throws_that_tell_is_drawn_again(kind: Kind) -> None:
    for excess, median in zip(bias.EXCESSES[:2], bias.MEDIAN_THROWS[kind][:2], strict=True):
        shares = one_face_at(kind, (1 + excess / 100) / FACES[kind])
        assert np.median(crossings(shares, 2 * median, 1_000, seed=5)) == pytest.approx(median, rel=0.1)
