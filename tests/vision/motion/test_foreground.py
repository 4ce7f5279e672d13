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


@pytest.mark.parametrize("turn_deg", [0, 20, 45])
@pytest.mark.parametrize(("more", "blur_px"), [(22, 0.5), (25, 1.0), (25, 1.5), (30, 1.5)])
def test_a_black_die_on_black_cloth_is_no_spot_of_light(more: int, blur_px: float, turn_deg: int) -> None:
    background = np.full((TALL, WIDE, 3), (45, 35, 46), np.uint8)
    die = np.zeros((TALL, WIDE), np.float32)
    corners = cv2.boxPoints(((WIDE / 2, TALL / 2), (26, 26), turn_deg))
    cv2.fillPoly(die, [corners.astype(np.int32)], 1.0)
    there = background + cv2.GaussianBlur(die, (0, 0), blur_px)[..., None] * (more - 9, more, more - 11)
    off, _ = foreground(there.astype(np.uint8), background, LIMITS)
    assert np.count_nonzero(off) == pytest.approx(690, abs=70)


@pytest.mark.parametrize(("strength", "edge_px"), [(40.0, 8.0), (40.0, 16.0), (80.0, 24.0)])
def test_the_light_of_a_torch_is_nothing(strength: float, edge_px: float) -> None:
    y, x = np.mgrid[:TALL, :WIDE]
    part = np.clip((30 + edge_px / 2 - np.hypot(x - WIDE / 2, y - TALL / 2)) / edge_px, 0, 1)
    spot = part**2 * (3 - 2 * part) * strength
    there = np.asarray(np.clip(np.array(CLOTH) + spot[..., None], 0, 255), np.uint8)
    off, _ = foreground(there, np.full((TALL, WIDE, 3), CLOTH, np.uint8), LIMITS)
    assert np.count_nonzero(off) < 100


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
