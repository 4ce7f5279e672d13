"""A mark off the middle of its die tells that the die leans; parallax and a camera aslant do not."""

from __future__ import annotations

import numpy as np
import pytest

from vision.crops import ROOM, STORED
from vision.finder import Candidate
from vision.leaning import ASIDE, ENOUGH, PARALLAX, SUSPECT, Floats, aside, leans, shared
from vision.whole_die import Mark

SHAPE = (720, 1280, 3)


def mark(right: float, down: float) -> Mark:
    """A mark so far from the middle of the die, in parts of its box."""
    return Mark(STORED * (0.5 + right / ROOM), STORED * (0.5 + down / ROOM), 20.0, 0.9, ())


def die_at(x: float, y: float) -> Candidate:
    return Candidate(x - 40, y - 40, 80, 80, 0.9)


def alone(right: float, down: float, x: float = 640) -> bool:
    """Whether a die with its mark there, in a frame without others, is said to lean."""
    return far_from(aside(mark(right, down), die_at(x, 360), SHAPE), shared([]))


def far_from(off: Floats, common: Floats, suspicion: float = 0.0) -> bool:
    return leans(float(np.linalg.norm(off - common)), suspicion)


def test_a_die_that_the_net_suspects_must_lie_straighter() -> None:
    assert not leans(0.6 * ASIDE, 0.3 * SUSPECT)
    assert leans(0.6 * ASIDE, 0.5 * SUSPECT)
    assert leans(0.0, 1.1 * SUSPECT)


def test_of_a_d4_the_suspicion_alone_is_known() -> None:
    assert not leans(None, 0.9 * SUSPECT)
    assert leans(None, 1.1 * SUSPECT)


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-1, 0), (0, 1), (0.7, -0.72)])
def test_in_the_middle_of_the_frame_every_side_is_alike(right: float, down: float) -> None:
    near, far = 0.95 * ASIDE, 1.05 * ASIDE
    assert not alone(near * right, near * down)
    assert alone(far * right, far * down)


def test_at_the_rim_a_top_is_seen_farther_out_but_not_farther_in() -> None:
    out = PARALLAX * 600 / 1280
    assert not alone(out + 0.95 * ASIDE, 0, x=1240)
    assert alone(out - 1.05 * ASIDE, 0, x=1240)


def test_where_the_camera_looks_aslant_the_one_that_differs_leans() -> None:
    aslant = [np.array([0.01 * k, -1.3 * ASIDE]) for k in range(ENOUGH)]
    upright = np.array([0.0, 0.0])
    common = shared([*aslant, upright])
    assert not any(far_from(off, common) for off in aslant)
    assert far_from(upright, common)


def test_few_dice_tell_nothing_of_the_camera() -> None:
    aslant = [np.array([0.0, -1.3 * ASIDE])] * (ENOUGH - 1)
    assert far_from(aslant[0], shared(aslant))


def test_dice_that_each_lean_another_way_tell_nothing_of_the_camera() -> None:
    turns = 0.65 * np.arange(6)
    ways = [1.2 * ASIDE * np.array([np.cos(turn), np.sin(turn)]) for turn in turns]
    assert all(far_from(way, shared(ways)) for way in ways)
