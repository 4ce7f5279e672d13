"""The ring of frames of what moved last."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frames import Strip, packed

PICTURES = [np.random.default_rng(i).integers(0, 256, (64, 64, 3), np.uint8) for i in range(300)]


@pytest.mark.parametrize("fps", [15.0, 30.0, 60.0])
def test_it_keeps_more_than_a_second_at_any_rate(fps: float) -> None:
    strip = Strip()
    for i in range(round(5 * fps)):
        strip.see(PICTURES[i], i / fps)
    times = [time_s for time_s, _ in strip.frames]
    assert len(times) <= 22
    assert 1.3 <= times[-1] - times[0] <= 2.0
    assert times[-1] >= 5 - 0.18
    assert all(np.array_equal(kept, packed(PICTURES[round(time_s * fps)])) for time_s, kept in strip.frames)


def test_an_earlier_throw_is_not_in_it() -> None:
    strip = Strip()
    for i, time_s in enumerate((1.0, 1.2, 600.0, 600.2)):
        strip.see(PICTURES[i], time_s)
    assert [time_s for time_s, _ in strip.frames] == [600.0, 600.2]


def test_frames_of_another_clock_begin_anew() -> None:
    strip = Strip()
    strip.see(PICTURES[0], 100.0)
    strip.see(PICTURES[1], 1.0)
    assert [time_s for time_s, _ in strip.frames] == [1.0]
