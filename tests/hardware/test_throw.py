"""Simulated throws: dice lie flat, apart, within the tray, and show what the solid's geometry says."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.dice import FACES, KINDS, Kind
from hardware.simulated.scene import placed
from hardware.simulated.throw import GAP_MM, Resting, random_look, throw, turned_down

AREA = (230.0, 130.0)
kinds = st.sampled_from(KINDS)


def thrown(seed: int, kinds: list[Kind], lying: list[Resting] | None = None) -> list[Resting]:
    rng = np.random.default_rng(seed)
    looks = [random_look(rng) for _ in kinds]
    return throw(rng, kinds, looks, [1.0] * len(kinds), AREA, lying or [])


@given(st.integers(0, 2**32), st.lists(kinds, min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_dice_lie_flat_apart_and_within_the_tray(seed: int, kinds: list[Kind]) -> None:
    dice = thrown(seed, kinds)
    assert [die.kind for die in dice] == kinds
    for die in dice:
        points = placed(die)
        assert np.allclose(die.turn @ die.turn.T, np.eye(3), atol=1e-9)
        assert np.linalg.det(die.turn) == pytest.approx(1)
        assert points[:, 2].min() == pytest.approx(0, abs=1e-9)
        assert (np.abs(points[:, 2]) < 1e-6).sum() >= 3  # a whole face lies on the table
        assert (np.abs(points[:, :2]) <= np.array(AREA) / 2).all()
    for one, other in combinations(dice, 2):
        gap = np.hypot(*(np.array(one.at_mm) - other.at_mm))
        assert gap > one.reach_mm + other.reach_mm + GAP_MM


@given(st.integers(0, 2**32), kinds)
@settings(max_examples=60, deadline=None)
def test_the_value_is_that_of_the_geometry(seed: int, kind: Kind) -> None:
    (die,) = thrown(seed, [kind])
    height = [float((die.turn @ np.array(face.normal))[2]) for face in die.solid.faces]
    down = int(np.argmin(height))
    assert height[down] == pytest.approx(-1)
    if kind == "d4":
        assert die.value == die.solid.faces[down].value
    else:
        top = int(np.argmax(height))
        assert height[top] == pytest.approx(1)
        assert die.value == die.solid.faces[top].value


@pytest.mark.parametrize("kind", KINDS)
def test_every_face_comes_up(kind: Kind) -> None:
    rng = np.random.default_rng(5)
    look = random_look(rng)
    counts = Counter(throw(rng, [kind], [look], [1.0], AREA)[0].value for _ in range(60 * FACES[kind]))
    assert set(counts) == set(range(1, FACES[kind] + 1))
    assert max(counts.values()) < 2 * 60


def test_dice_that_lie_there_already_are_kept_clear_of() -> None:
    lying = thrown(1, ["d6"] * 5)
    for seed in range(10):
        for die in thrown(seed, ["d6"] * 3, lying):
            for other in lying:
                gap = np.hypot(*(np.array(die.at_mm) - other.at_mm))
                assert gap > die.reach_mm + other.reach_mm + GAP_MM


def test_a_full_tray_is_named() -> None:
    with pytest.raises(ValueError, match="no room for 200 dice on 230 × 130 mm"):
        thrown(1, ["d6"] * 200)


@given(st.integers(0, 2**32))
@settings(max_examples=40)
def test_marks_stand_out_from_the_body(seed: int) -> None:
    look = random_look(np.random.default_rng(seed))
    assert all(0 <= level <= 255 for level in (*look.body, *look.mark))
    weights = (0.114, 0.587, 0.299)
    assert abs(float(np.dot(look.body, weights)) - float(np.dot(look.mark, weights))) > 60


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1))
def test_any_direction_can_be_turned_down(direction: tuple[float, float, float]) -> None:
    normal = np.array(direction) / np.linalg.norm(direction)
    turn = turned_down(normal)
    assert np.allclose(turn @ normal, (0, 0, -1), atol=5e-5)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=5e-5)
    assert np.linalg.det(turn) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
def test_straight_up_and_straight_down_are_turned_down(direction: tuple[float, float, float]) -> None:
    assert np.allclose(turned_down(np.array(direction)) @ direction, (0, 0, -1))
