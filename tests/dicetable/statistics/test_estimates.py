"""Intervals and p-values, beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dicetable.statistics import report
from dicetable.statistics.tapes import Tape
from games.dice import KINDS
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (3, 10), (0, 500), (170, 1000), (7, 7)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    theirs = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert report.wilson(successes, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_trials_any_share_is_possible() -> None:
    assert report.wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    "split", [(0, 0), (5, 5), (0, 1), (0, 12), (3, 9), (480, 520), (40, 9), (49_000, 51_000)]
)
def test_an_even_split_is_scipys_binomial_test(split: tuple[int, int]) -> None:
    theirs = stats.binomtest(split[0], max(1, sum(split)), 0.5).pvalue if sum(split) else 1.0
    assert report.even_split_p_value(*split) == pytest.approx(theirs, rel=1e-9)
    assert report.even_split_p_value(*split[::-1]) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("share", [1 / 6, 0.19, 0.21])
def test_many_throws_have_the_p_value_of_scipys_chi_square(share: float) -> None:
    counts = taped("d6", rolled("d6", 3000, one_face_at("d6", share), seed=7)).counts
    theirs = stats.chisquare(counts).pvalue
    error = 4 * np.sqrt(theirs * (1 - theirs) / report.DRAWS)
    assert report.uniform_p_value(counts) == pytest.approx(theirs, abs=error + 0.004)


def test_few_throws_have_the_exact_p_value() -> None:
    """Three throws of a d4: all alike 1/16, two alike 9/16, none alike 6/16."""
    error = 4 * np.sqrt(0.25 / report.DRAWS)
    assert report.uniform_p_value(np.array([3, 0, 0, 0])) == pytest.approx(1 / 16, abs=error)
    assert report.uniform_p_value(np.array([2, 1, 0, 0])) == pytest.approx(10 / 16, abs=error)
    assert report.uniform_p_value(np.array([1, 1, 1, 0])) == 1.0


def test_pairs_are_counted_where_the_die_can_be_told_apart() -> None:
    tape = taped("d4", [1, 2, 2, 4, 1])
    table = report.transitions(tape)
    assert [tuple(map(int, at)) for at in np.argwhere(table)] == [(0, 1), (1, 1), (1, 3), (3, 0)]
    crowded = Tape("d4")
    for face, alone in ((1, 2), (2, 0), (3, 0), (4, 2), (1, 2)):
        crowded.rolled.append(face)
        crowded.marks.append(alone)
    assert int(report.transitions(crowded).sum()) == 1
    assert int(report.transitions(taped("d4", [3])).sum()) == 0


def test_pairs_have_the_p_value_of_scipys_contingency_table() -> None:
    faces = rolled("d6", 4000, seed=3)
    table = report.transitions(taped("d6", faces))
    theirs = stats.chi2_contingency(table, correction=False).pvalue
    assert report.independence_p_value(table) == pytest.approx(theirs, abs=0.025)


def test_a_die_that_is_put_down_again_as_it_lay_is_found() -> None:
    rng = np.random.default_rng(2)
    faces = [1]
    for new, stays in zip(rng.integers(1, 7, 600), rng.random(600) < 0.2, strict=True):
        faces.append(faces[-1] if stays else int(new))
    found = report.independence_p_value(report.transitions(taped("d6", faces)))
    assert found is not None
    assert found < 0.001


def test_without_pairs_there_is_no_p_value() -> None:
    assert report.independence_p_value(np.zeros((6, 6), np.int64)) is None


@pytest.mark.parametrize("kind", KINDS)
def test_opposite_faces_add_up(kind: str) -> None:
    found = {known: report.axes(known) for known in KINDS if known == kind}
    for known, faces in found.items():
        sums = {low % 10 + high % 10 if known == "d10" else low + high for low, high in faces}
        assert sums == {"d4": set(), "d6": {7}, "d8": {9}, "d10": {9}, "d12": {13}, "d20": {21}}[known]


def test_a_flat_die_and_a_loaded_die_are_told_apart() -> None:
    flat = report.opposites("d6", np.array([260, 120, 120, 120, 120, 260]))
    loaded = report.opposites("d6", np.array([110, 167, 167, 167, 167, 222]))
    assert flat is not None
    assert loaded is not None
    assert flat.faces == ((1, 6), (2, 5), (3, 4))
    assert flat.counts[0] == (260, 260)
    assert flat.flat_p_value < 0.001 < 0.5 < flat.loaded_p_value
    assert loaded.loaded_p_value < 0.001 < 0.5 < loaded.flat_p_value
    assert report.opposites("d4", np.array([1, 2, 3, 4])) is None
