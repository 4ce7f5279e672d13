"""What differs from the empty tray: things do, spots of light on the cloth do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.motion.foreground import foreground
from vision.motion.settings import DifferenceSettings

if TYPE_CHECKING:
    from vision.reading import Image

LIMITS = DifferenceSettings()
CLOTH = (95, 70, 110)
TALL, WIDE = 180, 320


def lit(strength: float, spread_px: float) -> Image:
    """The cloth with a spot of white light in its middle."""
    y, x = np.mgrid[:TALL, :WIDE]
    spot = np.exp(-0.5 * ((x - WIDE / 2) ** 2 + 1.5 * (y - TALL / 2) ** 2) / spread_px**2) * strength
    noise = np.random.default_rng(1).normal(0, 0.6, (TALL, WIDE, 3))
    return np.asarray(np.clip(np.array(CLOTH) + spot[..., None] + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("strength", [40.0, 80.0, 120.0])
def test_a_spot_of_light_is_nothing(strength: float) -> None:
    off, with_shadows = foreground(lit(strength, 16.0), lit(0.0, 16.0), LIMITS)
    assert np.count_nonzero(off) == np.count_nonzero(with_shadows) == 0


@pytest.mark.parametrize("more", [25, 60, 120])
def test_a_thing_that_is_brighter_than_the_cloth_by_the_same_in_each_channel_is_there(more: int) -> None:
    background = lit(0.0, 16.0)
    there = background.copy()
    there[80:100, 150:170] = np.array(CLOTH) + more
    off, _ = foreground(there, background, LIMITS)
    assert np.count_nonzero(off) == pytest.approx(400, abs=80)


@pytest.mark.parametrize("more", [22, 25, 40])
@pytest.mark.parametrize("blur_px", [0.5, 1.0])
def test_a_black_die_on_black_cloth_is_no_spot_of_light(more: int, blur_px: float) -> None:
    background = np.full((TALL, WIDE, 3), (45, 35, 46), np.uint8)
    there = background.astype(np.float32)
    there[70:96, 140:166] += (more - 9, more, more - 11)
    off, _ = foreground(cv2.GaussianBlur(there, (0, 0), blur_px).astype(np.uint8), background, LIMITS)
    assert np.count_nonzero(off) == pytest.approx(676, abs=30)


def test_a_thing_in_a_spot_of_light_is_there() -> None:
    there = lit(110.0, 16.0)
    there[80:100, 150:170] = (40, 40, 160)
    off, _ = foreground(there, lit(0.0, 16.0), LIMITS)
    assert np.count_nonzero(off[78:102, 148:172]) == pytest.approx(400, abs=80)
    assert np.count_nonzero(off) == pytest.approx(400, abs=80)


def test_a_spot_of_light_among_dice_is_nothing() -> None:
    there = lit(80.0, 16.0)
    dice, around = np.zeros((TALL, WIDE), np.bool_), np.zeros((TALL, WIDE), np.bool_)
    for row, column in ((80, 133), (90, 187), (64, 160), (90, 160)):
        dice[row - 9 : row + 9, column - 9 : column + 9] = True
        around[row - 11 : row + 11, column - 11 : column + 11] = True
    there[dice] = (40, 40, 160)
    off, _ = foreground(there, lit(0.0, 16.0), LIMITS)
    assert np.count_nonzero((off > 0) & ~around) == 0
    assert np.count_nonzero((off > 0) & dice) > 0.9 * np.count_nonzero(dice)
