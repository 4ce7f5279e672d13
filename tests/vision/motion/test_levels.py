"""What is computed for each frame in fewer steps than NumPy takes, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from vision.frames import middle_level
from vision.motion.stillness import covariance, most_in


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 40, 41])
def test_the_middle_level_is_the_median(kind: type[np.number], count: int) -> None:
    levels = np.random.default_rng(count).uniform(0, 255, (count, 3)).astype(kind)
    assert levels.dtype.type(middle_level(levels)) == levels.dtype.type(np.median(levels))


@pytest.mark.parametrize("frames", [2, 3, 10])
def test_shakes_covary_as_numpy_says(frames: int) -> None:
    shakes = np.random.default_rng(frames).normal(0, 0.3, (frames, 4)).astype(np.float32)
    assert np.array_equal(covariance(shakes), np.cov(shakes.T))


def test_the_most_is_that_of_the_part() -> None:
    spots = np.array([[9, 1, 2], [3, 4, -5]], np.float32)
    part = np.array([[False, True, True], [False, True, True]])
    assert most_in(spots, part) == 4.0
    assert most_in(spots, np.zeros_like(part)) == 0.0
    assert most_in(spots, np.array([[False] * 3, [False, False, True]])) == 0.0
