"""What is made of places that lie over one another."""

from __future__ import annotations

import pytest

from vision.detection import (
    averaged,
    boxed,
    holds_others,
    iou,
    is_part,
    non_maximum_suppression,
    plain,
    without_parts,
)
from vision.reading import Detection

DIE = Detection(100, 100, 60, 60, 0.6)
PIP = Detection(122, 122, 16, 16, 0.8)
BESIDE = Detection(170, 100, 60, 60, 0.5)


@pytest.mark.parametrize(
    ("x", "share"), [(100, 1.0), (130, 30 / 90), (160, 0.0), (300, 0.0)], ids=["same", "half", "touch", "far"]
)
def test_overlap_is_what_both_hold_of_what_either_holds(x: float, share: float) -> None:
    assert iou(DIE, Detection(x, 100, 60, 60, 1)) == pytest.approx(share)


def test_the_better_detection_of_a_die_stays_with_what_lies_in_it() -> None:
    again = Detection(104, 97, 62, 58, 0.7)
    assert non_maximum_suppression([DIE, BESIDE, again, PIP]) == [PIP, again, BESIDE]


def test_a_part_near_the_middle_is_dropped_or_its_whole_whichever_is_less_believed() -> None:
    assert without_parts([DIE, PIP, BESIDE]) == [PIP, BESIDE]
    assert without_parts([DIE, PIP, BESIDE], lambda one: one.width) == [DIE, BESIDE]


def test_what_lies_off_the_middle_of_a_larger_find_is_no_part_of_it() -> None:
    assert is_part(PIP, DIE)
    assert is_part(DIE, PIP)
    assert not is_part(DIE, BESIDE)
    assert not is_part(Detection(100, 100, 16, 16, 0.8), DIE)


def test_a_find_that_holds_dice_is_a_tray() -> None:
    tray = Detection(0, 0, 200, 200, 0.9)
    dice = [Detection(20, 20, 40, 40, 0.8), Detection(120, 100, 40, 40, 0.8)]
    assert holds_others(tray, [tray, *dice])
    assert not holds_others(tray, [tray, dice[0]])
    assert not holds_others(dice[0], [tray, *dice])
    assert not holds_others(tray, [tray, *(Detection(d.x, d.y, 40, 40, 0.4) for d in dice)])


def test_the_box_is_the_mean_of_what_two_reductions_show_weighed_by_score() -> None:
    again = Detection(106, 100, 66, 60, 0.3)
    (mean,) = averaged([DIE], [DIE, again, PIP, BESIDE])
    assert (mean.x, mean.y, mean.width, mean.height, mean.score) == pytest.approx((102, 100, 62, 60, 0.6))


def test_a_heap_that_looks_like_a_die_does_not_hide_the_dice_in_it() -> None:
    heap = Detection(80, 80, 170, 100, 0.9)
    faint = Detection(400, 100, 60, 60, 0.4)
    assert plain([heap, DIE, BESIDE, faint]) == [DIE, BESIDE]


def test_a_detection_takes_over_the_box_that_it_overlaps_and_no_other() -> None:
    near, far = (102.0, 98.0, 60.0, 62.0), (170.0, 100.0, 60.0, 60.0)
    assert boxed([DIE], [far, near]) == [Detection(*near, DIE.score, known=True)]
    assert boxed([DIE], [far]) == [DIE]
    assert boxed([DIE], []) == [DIE]


def test_what_holds_a_die_that_is_known_is_none_beside_it() -> None:
    known, other = (100.0, 100.0, 60.0, 60.0), Detection(150, 150, 60, 60, 0.8)
    union = Detection(98, 104, 112, 106, 0.9)
    assert boxed([union, other], [known]) == [Detection(*known, 0.9, known=True), other]
    assert boxed([DIE, union], [known]) == [Detection(*known, 0.9, known=True), union]
    part = Detection(104, 104, 36, 36, 0.9)
    assert boxed([DIE, part], [known]) == [Detection(*known, 0.9, known=True)]
