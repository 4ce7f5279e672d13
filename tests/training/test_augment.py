"""What is varied each time a crop is shown to a net."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from training.augment import SHADED, roughened, shaded
from vision.recognition.classifiers import CROP_PX

if TYPE_CHECKING:
    from training import Array

TIMES = 400


@pytest.fixture
def plain() -> Array:
    return np.full((CROP_PX, CROP_PX, 3), 120, np.uint8)


def test_shades_are_wide_and_soft_and_have_no_colour(plain: Array) -> None:
    rng = np.random.default_rng(1)
    crops = np.array([shaded(plain, rng) for _ in range(50)], np.int16)
    assert np.median(np.ptp(crops[..., 0], axis=(1, 2))) > 20
    assert np.abs(np.diff(crops, axis=1)).max() < 15
    assert (crops == crops[..., :1]).all()


def test_lights_do_not_turn_dark_where_they_saturate(plain: Array) -> None:
    rng = np.random.default_rng(1)
    assert min(int(shaded(plain + 130, rng).min()) for _ in range(50)) > 100


def test_a_part_of_the_crops_is_shaded(plain: Array) -> None:
    rng = np.random.default_rng(1)
    crops = [roughened(plain, rng, pips=False) for _ in range(TIMES)]
    quarters = [crop.reshape(2, CROP_PX // 2, 2, CROP_PX // 2, 3).mean((1, 3, 4)) for crop in crops]
    uneven = sum(bool(np.ptp(quarter) > 1) for quarter in quarters)
    assert uneven / TIMES == pytest.approx(SHADED, abs=0.08)
