"""The verdicts and the estimates, some against scipy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dicetable.statistics import report
from dicetable.statistics.report import DieReport, reports
from dicetable.statistics.tapes import Tape
from dicetable.table import bias
from dicetable.table.bias import Verdict
from games.dice import KINDS
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped


def of(tape_faces: list[int], asked: range | tuple[int, ...] = ()) -> DieReport:
    (found,) = reports({"d6": taped("d6", tape_faces, asked)})
    return found


def test_a_loaded_die_is_accused() -> None:
    found = of(rolled("d6", 1500, one_face_at("d6", 0.25), seed=3))
    assert found.verdict is Verdict.BIASED
    assert found.p_value < 0.001
    assert found.intervals[5][0] > 1 / 6
    assert found.log_e_highest >= found.log_e


def test_a_fair_die_is_never_called_fair() -> None:
    assert of(rolled("d6", 100)).verdict is Verdict.TOO_FEW
    assert of(rolled("d6", 3000)).verdict is Verdict.NO_BIAS_FOUND
    assert bias.next_step("d6", 100) == (50, 200)
    assert bias.next_step("d6", 3000) == (10, 3700)
    assert bias.next_step("d6", 10_000) is None
    assert [bias.excluded("d6", throws) for throws in (100, 300, 1700, 7000)] == [None, 50, 20, 10]


def test_a_bias_that_only_the_dice_asked_for_show_is_the_readers() -> None:
    """600 fair throws, and 300 sixes that people confirmed."""
    fair = rolled("d6", 600)
    found = of(fair + [6] * 300, range(600, 900))
    assert found.verdict is Verdict.DISPUTED
    assert list(found.asked) == [0, 0, 0, 0, 0, 300]
    assert found.log_e > 20 > 1 > found.log_e_without_asked


def test_a_bias_that_only_leaving_them_out_makes_is_the_readers_too() -> None:
    """The reader asks for every six: without these the die seems to have none."""
    faces = rolled("d6", 600)
    found = of(faces, tuple(number for number, face in enumerate(faces) if face == 6))
    assert found.verdict is Verdict.DISPUTED


@pytest.mark.slow
def test_one_of_many_dice_needs_more_evidence() -> None:
    """E of 20 is enough for a die alone; beside thirty fair ones it happens by chance."""
    loaded = rolled("d6", 290, one_face_at("d6", 0.25), seed=14)
    alone = of(loaded)
    assert 3 < alone.log_e < 6
    assert alone.verdict is Verdict.BIASED
    many = {"loaded": taped("d6", loaded)} | {
        f"{n}": taped("d6", rolled("d6", 290, seed=n)) for n in range(100, 130)
    }
    assert reports(many)[0].verdict is not Verdict.BIASED


def test_a_die_with_two_faces_is_noticed_and_a_die_thrown_twice_is_not() -> None:
    assert of([3, 5] * 12).lacks_faces
    assert of([3, 3, 3] * 6).lacks_faces
    assert not of([3, 5]).lacks_faces


def test_the_medians_fall_with_the_excess_and_rise_with_the_faces() -> None:
    rows = [bias.MEDIAN_THROWS[kind] for kind in KINDS]
    assert all(row[0] < row[1] < row[2] for row in rows)
    assert rows == sorted(rows)


def test_the_json_holds_what_the_report_says() -> None:
    faces = rolled("d10", 500)
    (found,) = reports({"ten": taped("d10", faces, (0,))})
    shown = json.loads(json.dumps(found.to_json()))
    assert shown["throws"] == 500
    assert [face["count"] for face in shown["faces"]] == [faces.count(face) for face in range(1, 11)]
    assert sum(face["asked"] for face in shown["faces"]) == 1
    assert shown["verdict"] == "too_few"
    assert shown["opposite_faces"]["axes"][0]["faces"] == [1, 8]
    assert shown["pairs"] == 499


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (3, 10), (0, 500), (170, 1000), (7, 7)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert report.wilson(successes, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_trials_any_share_is_possible() -> None:
    assert report.wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    "split", [(0, 0), (5, 5), (0, 1), (0, 12), (3, 9), (480, 520), (40, 9), (49_000, 51_000)]
)
def test_an_even_split_is_scipys_binomial_test(split: tuple[int, int]) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.binomtest(split[0], max(1, sum(split)), 0.5).pvalue if sum(split) else 1.0
    assert report.even_split_p_value(*split) == pytest.approx(theirs, rel=1e-9)
    assert report.even_split_p_value(*split[::-1]) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("share", [1 / 6, 0.19, 0.21])
def test_many_throws_have_the_p_value_of_scipys_chi_square(share: float) -> None:
    counts = taped("d6", rolled("d6", 3000, one_face_at("d6", share), seed=7)).counts
    stats = pytest.importorskip("scipy.stats")
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
    stats = pytest.importorskip("scipy.stats")
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
