"""How much a place may vary before something moved there."""

from __future__ import annotations

import numpy as np
import pytest

from vision.motion.stillness import Stillness

SPOT = (slice(40, 46), slice(60, 66))


@pytest.mark.parametrize(("spread", "still"), [(3.5, True), (4.5, False)])
def test_a_spot_that_varies_five_times_as_much_as_the_noise_moved(spread: float, still: bool) -> None:
    """The spread of a spot's noise is that many grey levels, everywhere else 2; its square counts."""
    random, watch = np.random.default_rng(4), Stillness(window_s=2.0)
    told = []
    for number in range(64):
        level = 120 + 2 * random.standard_normal((96, 160))
        level[SPOT] = 120 + spread * random.standard_normal((6, 6))
        told.append(watch.see(np.clip(level.round(), 0, 255).astype(np.uint8), number / 30))
    assert told[-1] is still


@pytest.mark.parametrize(("spread", "still"), [(4.0, True), (5.5, False)])
def test_what_lies_still_may_vary_a_little_more_before_it_moved(spread: float, still: bool) -> None:
    """The spot is as quiet as the rest at first."""
    random, watch = np.random.default_rng(4), Stillness(window_s=2.0)
    told = []
    for number in range(128):
        level = 120 + 2 * random.standard_normal((96, 160))
        if number >= 64:
            level[SPOT] = 120 + spread * random.standard_normal((6, 6))
        told.append(watch.see(np.clip(level.round(), 0, 255).astype(np.uint8), number / 30))
    assert told[63]
    assert told[-1] is still


@pytest.mark.parametrize(("gain", "still"), [(0.85, True), (0.7, False), (1.2, True), (1.4, False)])
def test_a_change_of_the_light_by_a_quarter_begins_the_window_anew(gain: float, still: bool) -> None:
    random, watch = np.random.default_rng(4), Stillness()
    told = []
    for number in range(24):
        level = (100 if number < 20 else 100 * gain) + 2 * random.standard_normal((96, 160))
        told.append(watch.see(np.clip(level.round(), 0, 255).astype(np.uint8), number / 30))
    assert told[19]
    assert told[-1] is still


def test_edges_that_flicker_before_a_compressing_camera_lie_still() -> None:
    """One row in 24 goes up and down by two levels; all else stays as it is."""
    watch = Stillness()
    told = []
    for number in range(30):
        level = np.full((96, 160), 120, np.uint8)
        level[::24] += np.uint8(4 * (number % 2))
        told.append(watch.see(level, number / 30))
    assert told[-1]


def test_the_snow_of_a_lost_signal_never_lies_still() -> None:
    random, watch = np.random.default_rng(3), Stillness()
    told = [watch.see(random.integers(0, 255, (96, 160), np.uint8), number / 30) for number in range(30)]
    assert told == [False] * 30


@pytest.mark.parametrize(("levels", "still"), [(2, True), (3, False)])
def test_before_a_camera_without_noise_a_spot_that_varies_by_its_last_bits_lies_still(
    levels: int, still: bool
) -> None:
    """The spot's level goes up and down; everywhere else it stays as it is."""
    watch = Stillness()
    told = []
    for number in range(30):
        level = np.full((96, 160), 120, np.uint8)
        level[SPOT] += np.uint8(levels * (number % 2))
        told.append(watch.see(level, number / 30))
    assert told[-1] is still
