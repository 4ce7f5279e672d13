"""What the nets say is put together so that any doubt stays a doubt."""

from __future__ import annotations

import numpy as np
import pytest

from vision.any_dice import inside, without_odd_sizes
from vision.finder import Candidate
from vision.opinion import Opinion, together
from vision.reading import DieReading


def opinion(best: float, kind: int = 1, value: int = 4) -> Opinion:
    joint = np.zeros((6, 21))
    joint[kind, value] = best
    return Opinion(joint, 0.9, 0.8, 0.01, 0.02, 0.03)


def test_views_that_agree_stay_as_sure() -> None:
    whole = together([opinion(0.9), opinion(0.9), opinion(0.9)])
    assert whole.best == (1, 4)
    assert whole.confidence == pytest.approx(0.9, abs=0.01)


def test_one_view_that_differs_leaves_nothing_sure() -> None:
    whole = together([opinion(0.95), opinion(0.95), opinion(0.95, value=5)])
    assert whole.best == (1, 4)
    assert whole.confidence < 0.1


def test_a_view_of_another_kind_is_a_doubt_too() -> None:
    assert together([opinion(0.9), opinion(0.9, kind=2)]).confidence < 0.02


@pytest.mark.parametrize(
    "candidate",
    [Candidate(-5, -5, 10, 10, 1), Candidate(98, 48, 10, 10, 1), Candidate(200, 200, 5, 5, 1)],
)
def test_boxes_lie_within_the_frame(candidate: Candidate) -> None:
    x, y, w, h = inside(candidate, (50, 100, 3))
    assert 0 <= x < 100
    assert 0 <= y < 50
    assert w >= 1
    assert h >= 1


def die(size: int, *, sure: bool) -> DieReading:
    return DieReading("d6", 3, 0.5, sure=sure, box=(0, 0, size, size))


def test_a_doubtful_find_of_another_size_than_the_sure_dice_is_no_die() -> None:
    kept = [die(40, sure=True), die(44, sure=True), die(30, sure=False), die(75, sure=False)]
    assert without_odd_sizes([*kept, die(19, sure=False), die(90, sure=False)]) == kept


def test_a_sure_die_stays_whatever_its_size_and_without_one_all_stay() -> None:
    odd = [die(40, sure=True), die(40, sure=True), die(90, sure=True)]
    assert without_odd_sizes(odd) == odd
    doubted = [die(10, sure=False), die(90, sure=False)]
    assert without_odd_sizes(doubted) == doubted
