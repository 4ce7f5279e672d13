"""Simulated throws: out of a hand unless told otherwise, with its shadow, and with exact masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS
from hardware.simulated.path import STEPS_PER_S
from hardware.simulated.picture import Light
from hardware.simulated.throw import HIGH_MM, INSIDE_MM, SPEED_MM_S, STYLES, random_throw
from hardware.simulated.tray import TRAY_MM
from tests.hardware.simulated.tables import pixels, world
from tests.hardware.simulated.truth import truth

if TYPE_CHECKING:
    from hardware.simulated.world import World

REAL_SHADOW = (0.56, 0.59, 0.77)
"""What a hand's shadow left of the blue, green and red of a felt on a recording."""


def free_s(made: World) -> float:
    """When the first die leaves the hand."""
    return min(roll.start_s + roll.clip.free / STEPS_PER_S for roll in made.present)


def test_people_throw_out_of_a_hand_as_people_do() -> None:
    rng = np.random.default_rng(1)
    throws = [random_throw(rng, "hand", 3) for _ in range(400)]
    for throw in throws:
        inside_mm = np.abs(throw.rim) @ np.array(TRAY_MM) / 2 - np.array(throw.rim) @ throw.tip_mm
        assert INSIDE_MM[0] - 0.01 <= inside_mm <= INSIDE_MM[1] + 0.01
        assert HIGH_MM[0] <= throw.high_mm <= HIGH_MM[1]
        assert SPEED_MM_S[0] <= throw.speed_mm_s <= SPEED_MM_S[1]
        assert throw.lingers_s == 0 or 0.2 <= throw.lingers_s <= 1.5
    near = np.mean([throw.rim == (0.0, -1.0) for throw in throws])
    assert 0.6 < near < 0.8
    assert len({throw.rim for throw in throws}) == 4
    assert 0.3 < np.mean([throw.palm_up for throw in throws]) < 0.6


@pytest.mark.parametrize("seed", range(6))
def test_dice_are_in_the_hand_until_they_are_free(seed: int) -> None:
    made = world(seed)
    made.throw(KINDS)
    (visit,) = made.visits
    begins_s = visit.start_s
    tip = visit.path(free_s(made) - begins_s)
    for roll in made.present:
        before = roll.clip.step_and_pose(free_s(made) - roll.start_s)[1].at_mm
        assert np.linalg.norm(before - tip) < 130
        jumps = [
            np.linalg.norm(roll.clip.pose(i + 1).at_mm - roll.clip.pose(i).at_mm)
            for i in range(roll.clip.steps - 1)
        ]
        assert max(jumps) < 60


@pytest.mark.parametrize("style", STYLES)
def test_each_style_throws_all_dice_into_the_tray(style: str) -> None:
    made = world(2, style=style)  # type: ignore[arg-type]
    thrown = made.throw(KINDS)
    assert len(thrown) == len(KINDS)
    assert bool(made.visits) == (style != "tower") or style == "mixed"
    made.settle()
    assert truth(made).settled


def test_the_masks_tell_each_die_the_hand_and_the_tray() -> None:
    made = world(3)
    empty = made.masks(made.clock.now_s())
    assert not empty.labels.any()
    assert not empty.shadow.any()
    thrown = made.throw(["d6"] * 3)
    seen = made.masks(free_s(made) + 0.1)
    assert (seen.labels == 1).any()
    assert seen.shadow.any()
    assert not (seen.shadow & (seen.labels == 1)).any()
    made.settle()
    at_rest = made.masks(made.clock.now_s())
    assert set(np.unique(at_rest.labels).tolist()) == {0, *(2 + die.die.number for die in thrown)}
    for die in truth(made).dice:
        rows, columns = np.nonzero(at_rest.labels == 2 + die.lying.die.number)
        x, y, _, tall = die.box
        assert abs(columns.min() - x) < 6
        assert abs(rows.max() - y - tall) < 6


def test_a_hand_takes_light_of_the_lamps_colour_off_the_felt_and_the_dice() -> None:
    made = world(1, style="tower")
    made.throw(["d6"] * 6)
    made.settle()
    made.stage.light = Light(
        np.array([[0.3, 0.2, 0.93]]), np.array([0.45]), 0.58, 0.5, np.array([[1.05, 0.98, 0.55]])
    )
    bare = made.picture_at(made.clock.now_s()).astype(float)
    made.hover(made.clock.now_s(), 2.0)
    time_s = made.clock.now_s() + 1.0
    shaded, masks = made.picture_at(time_s).astype(float), made.masks(time_s)
    felt = masks.shadow & (masks.labels == 0)
    left = (shaded[felt] / np.maximum(bare[felt], 1)).min(axis=0)
    darkest = np.argsort(shaded[felt].sum(axis=1) / np.maximum(bare[felt].sum(axis=1), 1))[:500]
    blue, green, red = np.median(shaded[felt][darkest] / np.maximum(bare[felt][darkest], 1), axis=0)
    assert blue < red - 0.08
    assert green < red - 0.08
    assert 0.3 < blue < 0.75
    assert left.min() > 0.1
    dice = masks.shadow & (masks.labels > 1)
    assert dice.any()
    assert shaded[dice].mean() < bare[dice].mean()


def test_the_same_seed_draws_the_same_hand() -> None:
    frames = []
    for _ in range(2):
        made = world(4)
        made.throw(["d6"])
        made.clock.sleep(free_s(made) - made.clock.now_s() + 0.05)
        frames.append(pixels(made))
    assert np.array_equal(frames[0], frames[1])
