"""How much a place may vary before something moved there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from vision.motion.stillness import Stillness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

SHAPE = (96, 160)
SPOT = (slice(40, 46), slice(60, 66))


def stills(watch: Stillness, levels: Iterable[NDArray[Any]]) -> list[bool]:
    """Whether all lies still after each frame of these levels, at 30 frames a second."""
    frames = (np.clip(level.round(), 0, 255).astype(np.uint8) for level in levels)
    return [watch.see(frame, number / 30) for number, frame in enumerate(frames)]


def noisy(*spreads: float | None, level: float = 120.0) -> Iterator[NDArray[Any]]:
    """A frame for each spread of the spot's noise, in grey levels; None: 2 there, as everywhere else."""
    random = np.random.default_rng(4)
    for spread in spreads:
        frame = level + 2 * random.standard_normal(SHAPE)
        if spread is not None:
            frame[SPOT] = level + spread * random.standard_normal((6, 6))
        yield frame


@pytest.mark.parametrize(("spread", "still"), [(3.5, True), (4.5, False)])
def test_a_spot_that_varies_five_times_as_much_as_the_noise_moved(spread: float, still: bool) -> None:
    """The square of the spread counts."""
    assert stills(Stillness(window_s=2.0), noisy(*[spread] * 64))[-1] is still


@pytest.mark.parametrize(("spread", "still"), [(4.0, True), (5.5, False)])
def test_what_lies_still_may_vary_a_little_more_before_it_moved(spread: float, still: bool) -> None:
    seen = stills(Stillness(window_s=2.0), noisy(*[None] * 64, *[spread] * 64))
    assert (seen[63], seen[-1]) == (True, still)


@pytest.mark.parametrize(("gain", "still"), [(0.85, True), (0.7, False), (1.2, True), (1.4, False)])
def test_a_change_of_the_light_by_a_quarter_begins_the_window_anew(gain: float, still: bool) -> None:
    before, after = list(noisy(*[None] * 20, level=100.0)), list(noisy(*[None] * 4, level=100.0 * gain))
    seen = stills(Stillness(), [*before, *after])
    assert (seen[19], seen[-1]) == (True, still)


def flickering(rows: slice, columns: slice, levels: int) -> Iterator[NDArray[Any]]:
    """Thirty frames without noise, of which a part goes up and down by so many levels."""
    for number in range(30):
        frame = np.full(SHAPE, 120.0)
        frame[rows, columns] += levels * (number % 2)
        yield frame


def test_edges_that_flicker_before_a_compressing_camera_lie_still() -> None:
    """One row in 24 flickers by twice what moves a spot."""
    assert stills(Stillness(), flickering(slice(None, None, 24), slice(None), 4))[-1]


@pytest.mark.parametrize(("levels", "still"), [(2, True), (3, False)])
def test_before_a_camera_without_noise_a_spot_that_varies_by_its_last_bits_lies_still(
    levels: int, still: bool
) -> None:
    assert stills(Stillness(), flickering(*SPOT, levels))[-1] is still


def test_the_snow_of_a_lost_signal_never_lies_still() -> None:
    random = np.random.default_rng(3)
    assert stills(Stillness(), (random.integers(0, 255, SHAPE) for _ in range(30))) == [False] * 30
