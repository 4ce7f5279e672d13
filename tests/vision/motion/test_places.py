"""The places: when each was last seen bare, near a hand, and near a hand that had stopped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.vision.motion.scenes import DIE_PX, FPS, HEIGHT, WIDTH, classes, times
from vision.motion.segmentation import DIE, Places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.segmentation import Classes

BOX = (75, 35, 10, 10)
START_S = 1e6


def seen(frames: Sequence[Classes]) -> Places:
    places = Places((HEIGHT, WIDTH), DIE_PX, START_S)
    for frame, time_s in zip(frames, times(frames, START_S), strict=True):
        places.see(frame, time_s)
    return places


def test_a_place_is_bare_until_a_die_or_a_hand_is_there() -> None:
    places = seen([classes()] * 4 + [classes([(80, 40)])] * 5)
    assert places.bare(BOX) == pytest.approx(START_S + 3 / FPS, abs=1e-3)
    assert places.by_hand(BOX) == -math.inf
    places = seen([classes()] * 4 + [classes([], [(80, 30, 60)])] * 3 + [classes()])
    assert places.by_hand(BOX) == pytest.approx(START_S + 6 / FPS, abs=1e-3)
    assert places.bare(BOX) == pytest.approx(START_S + 7 / FPS, abs=1e-3)


def test_a_place_that_shows_no_shade_of_the_tray_is_not_bare() -> None:
    places = seen([classes()] * 4)
    unlike = classes([(80, 40)]) == DIE
    places.see(classes(), START_S + 1.0, unlike)
    assert places.bare(BOX) == pytest.approx(START_S + 3 / FPS, abs=1e-3)
    assert places.bare((20, 35, 10, 10)) == START_S + 1.0


def test_a_hand_near_a_place_counts_and_one_farther_off_does_not() -> None:
    assert seen([classes([], [(80, 30, 32)])]).by_hand(BOX) == START_S
    assert seen([classes([], [(80, 30, 28)])]).by_hand(BOX) == -math.inf


def test_a_hand_that_stays_has_stopped_and_one_that_passes_has_not() -> None:
    stays = [classes([], [(80, 30, 38)])] * 10
    assert seen(stays).stopped(BOX) == pytest.approx(START_S + 9 / FPS, abs=1e-3)
    passes = [classes([], [(80, 30, tip)]) for tip in (0, 12, 24, 36, 48, 36, 24, 12, 0)]
    assert seen(passes).stopped(BOX) == -math.inf


@pytest.mark.parametrize(("widths_per_s", "stopped"), [(3, True), (12, False)])
def test_a_hand_that_creeps_has_stopped_and_one_that_goes_on_has_not(
    widths_per_s: int, stopped: bool
) -> None:
    step = widths_per_s * DIE_PX / FPS
    places = seen([classes([], [(80, 30, 32 + number * step)]) for number in range(5)])
    assert (places.stopped(BOX) > START_S) is stopped


def test_a_hand_at_the_turn_of_a_throw_has_not_stopped_even_for_a_slow_camera() -> None:
    places = Places((HEIGHT, WIDTH), DIE_PX, START_S)
    for number, tip in enumerate((0, 38, 38, 0)):
        places.see(classes([], [(80, 30, tip)]), START_S + number * 0.125)
    assert places.stopped(BOX) == -math.inf


def test_after_a_pause_between_frames_a_hand_may_have_been_anywhere() -> None:
    places = seen([classes()] * 3)
    places.lose_sight(START_S + 1.0)
    assert places.by_hand(BOX) == START_S + 1.0
