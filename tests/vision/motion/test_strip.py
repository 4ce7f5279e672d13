"""The ring of small frames of what moved last."""

from __future__ import annotations

import numpy as np
import pytest

from vision.observer import Strip


@pytest.mark.parametrize("fps", [15.0, 30.0, 60.0])
def test_it_keeps_two_seconds_at_any_rate(fps: float) -> None:
    strip = Strip()
    for i in range(round(5 * fps)):
        strip.see(np.full((2, 2, 3), i % 256, np.uint8), i / fps)
    times = [time_s for time_s, _ in strip.frames]
    assert len(times) <= 22
    assert 1.5 <= times[-1] - times[0] <= 3.0
    assert times[-1] >= 5 - 0.18
    assert all(frame[0, 0, 0] == round(time_s * fps) % 256 for time_s, frame in strip.frames)


def test_an_earlier_throw_is_not_in_it() -> None:
    strip = Strip()
    for time_s in (1.0, 1.2, 600.0, 600.2):
        strip.see(np.zeros((2, 2, 3), np.uint8), time_s)
    assert [time_s for time_s, _ in strip.frames] == [600.0, 600.2]


def test_frames_of_another_clock_begin_anew() -> None:
    strip = Strip()
    strip.see(np.zeros((2, 2, 3), np.uint8), 100.0)
    strip.see(np.zeros((2, 2, 3), np.uint8), 1.0)
    assert [time_s for time_s, _ in strip.frames] == [1.0]
