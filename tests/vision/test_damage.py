"""Damaged frames are left out; all others are passed on once and in order, however much moves in them."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frames import DamageWatch
from vision.reading import Image


def picture(*bars: int) -> Image:
    """A grey tray with a bright bar over an eighth of its width at each of these places."""
    frame = np.full((240, 320, 3), 90, np.uint8)
    for bar in bars:
        frame[:, 40 * bar : 40 * (bar + 1)] = 200
    return frame


def passed(frames: list[Image], fps: float = 30.0) -> tuple[list[int], int]:
    """Which frames were passed on, by number, and how many were found damaged."""
    watch = DamageWatch()
    seen = [whole for number, frame in enumerate(frames) for whole in watch.whole(frame, number / fps)]
    assert all(any(whole.frame is frame for frame in frames) for whole in seen)
    return [round(whole.time_s * fps) for whole in seen], watch.found


@pytest.mark.parametrize("damaged", [(3,), (3, 5), (3, 6, 8)])
def test_a_frame_that_is_off_between_two_that_are_alike_is_damaged(damaged: tuple[int, ...]) -> None:
    frames = [picture(4, 5) if number in damaged else picture() for number in range(10)]
    numbers, found = passed(frames)
    assert numbers == [number for number in range(10) if number not in damaged]
    assert found == len(damaged)


def test_what_crosses_the_tray_is_passed_on_whole() -> None:
    frames = [picture(), *(picture(bar) for bar in range(8)), picture(), picture()]
    assert passed(frames) == (list(range(11)), 0)


def test_noise_is_passed_on_at_once() -> None:
    watch, rng = DamageWatch(), np.random.default_rng(1)
    frames = [picture() + rng.integers(0, 20, picture().shape, np.uint8) for _ in range(6)]
    assert [len(watch.whole(frame, number / 30)) for number, frame in enumerate(frames)] == [1] * 6


def test_what_stays_is_passed_on_one_frame_late() -> None:
    watch = DamageWatch()
    frames = [picture(), picture(2, 3), picture(2, 3), picture(2, 3)]
    counts = [len(watch.whole(frame, number / 30)) for number, frame in enumerate(frames)]
    assert (counts, watch.found) == ([1, 0, 2, 1], 0)


def test_between_slow_frames_a_hand_may_have_come_and_gone() -> None:
    frames = [picture(), picture(2, 3), picture(), picture()]
    assert passed(frames, fps=12) == ([0, 1, 2, 3], 0)


def test_frames_of_another_size_are_passed_on() -> None:
    small = np.full((120, 160, 3), 90, np.uint8)
    assert passed([picture(), picture(1), small, small]) == ([0, 1, 2, 3], 0)
