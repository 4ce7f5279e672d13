"""What is left of the segmented classes: hands, but no specks that look like one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.motion.scenes import DIE_PX, HEIGHT, WIDTH, classes
from vision.motion.segmentation import DIE, OTHER, TRAY, Segmenter, without_specks, without_tray

DIE_AREA = DIE_PX**2
BORDER = np.ones((HEIGHT, WIDTH), np.bool_)
BORDER[2:-2, 2:-2] = False


@pytest.mark.parametrize(
    ("left", "top", "side", "left_as"),
    [
        (84, 34, 14, DIE),  # two dice large, beside the die at 80, 40, and from nowhere
        (120, 34, 14, TRAY),  # the same alone
        (84, 34, 24, OTHER),  # a hand whose sleeve is not seen
        (84, 0, 14, OTHER),  # a finger from outside
        (84, 0, 6, TRAY),  # a speck at the rim
    ],
)
def test_what_is_no_hand_belongs_to_the_die_that_it_touches_or_to_the_tray(
    left: int, top: int, side: int, left_as: int
) -> None:
    seen = classes([(80, 40)])
    part = slice(top, top + side), slice(left, left + side)
    seen[part] = OTHER
    cleaned = without_specks(seen, DIE_AREA, BORDER)
    assert (cleaned[part] == left_as).all()
    assert (cleaned[40, 76:80] == DIE).all()


@pytest.mark.parametrize(("off", "near_as"), [(3, TRAY), (30, OTHER)])
def test_what_looks_as_the_empty_tray_does_for_a_dies_width_around_is_no_hand(off: int, near_as: int) -> None:
    seen = classes([(80, 40)])
    rim, other_hand = (slice(0, 96), slice(140, 160)), (slice(0, 10), slice(20, 40))
    seen[rim] = seen[other_hand] = OTHER
    empty = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    frame = empty + np.uint8(3)
    frame[60, 150, 1] = 90 + off
    frame[5, 30, 2] = 50
    cleaned = without_tray(seen, frame, empty)
    assert (cleaned[52:69, 144:157] == near_as).all()
    assert (cleaned[:48, 140:] == TRAY).all()
    assert (cleaned[72:, 140:] == TRAY).all()
    assert (cleaned[other_hand][:, 2:-2] == OTHER).all()
    assert (cleaned[40, 76:80] == DIE).all()


@pytest.mark.parametrize(("by", "sure"), [(1.5, False), (2.5, True)])
def test_the_tray_is_surely_seen_where_it_is_seven_times_as_likely_as_all_else(by: float, sure: bool) -> None:
    logits = np.zeros((1, 3, HEIGHT, WIDTH), np.float32)
    logits[0, TRAY] = by
    seen, bare = Segmenter(lambda _: logits).segment_alone(np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    assert (seen == TRAY).all()
    assert (bare == sure).all()
