"""A mark off the middle of its die tells that the die leans; parallax alone does not."""

from __future__ import annotations

import pytest

from vision.crops import ROOM, STORED
from vision.finder import Candidate
from vision.leaning import ASIDE, PARALLAX, leans
from vision.whole_die import Mark

SHAPE = (720, 1280, 3)


def mark(right: float, down: float) -> Mark:
    """A mark so far from the middle of the die, in parts of its box."""
    return Mark(STORED * (0.5 + right / ROOM), STORED * (0.5 + down / ROOM), 20.0, 0.9, ())


def die_at(x: float, y: float) -> Candidate:
    return Candidate(x - 40, y - 40, 80, 80, 0.9)


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-1, 0), (0, 1), (0.7, -0.72)])
def test_in_the_middle_of_the_frame_every_side_is_alike(right: float, down: float) -> None:
    near, far = 0.95 * ASIDE, 1.05 * ASIDE
    assert not leans(mark(near * right, near * down), die_at(640, 360), SHAPE)
    assert leans(mark(far * right, far * down), die_at(640, 360), SHAPE)


def test_at_the_rim_a_top_is_seen_farther_out_but_not_farther_in() -> None:
    rim = die_at(1240, 360)
    out = PARALLAX * 600 / 1280
    assert not leans(mark(out + 0.95 * ASIDE, 0), rim, SHAPE)
    assert leans(mark(out - 1.05 * ASIDE, 0), rim, SHAPE)
