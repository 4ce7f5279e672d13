"""How alike two pictures of a die are: neither light nor tremble counts, another face does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.motion.appearances import Sighting, likeness, looks_same

if TYPE_CHECKING:
    from vision.reading import Image

SIDE = 96


def pattern(seed: int, side: int = SIDE, grain_px: float = 3.0) -> Image:
    """Soft grain of the same contrast, unlike that of any other seed."""
    grain = cv2.GaussianBlur(np.random.default_rng(seed).standard_normal((side, side)), (0, 0), grain_px)
    grey = 128 + 25 * (grain - grain.mean()) / grain.std()
    return np.asarray(np.repeat(np.clip(grey, 0, 255)[..., None], 3, axis=2), np.uint8)


def mixed(part: float, seed: int = 1) -> Image:
    """The first pattern with so much of another; 0.25 leaves a correlation of 0.97, 0.4 one of 0.93."""
    grey = 128 + (pattern(seed) - 128.0 + part * (pattern(seed + 50) - 128.0)) / np.hypot(1, part)
    return np.asarray(np.clip(grey, 0, 255), np.uint8)


@pytest.mark.parametrize(("part", "same"), [(0.25, True), (0.4, False)])
def test_a_picture_of_which_a_seventh_is_another_does_not_show_the_same_die(part: float, same: bool) -> None:
    assert looks_same(pattern(1), mixed(part)) is same


@pytest.mark.parametrize(("part", "altered"), [(0.6, False), (1.0, True)])
def test_a_die_of_whose_picture_half_is_another_was_turned_or_moved(part: float, altered: bool) -> None:
    frame = np.full((240, 320, 3), 90, np.uint8)
    frame[60 : 60 + SIDE, 100 : 100 + SIDE] = mixed(part)
    before = Sighting(0.0, (100, 60, SIDE, SIDE), pattern(1))
    assert before.is_altered(frame, (111, 71, 74, 74)) is altered


def test_the_soft_edge_of_a_shadow_does_not_count() -> None:
    across = 0.6 + 0.4 / (1 + np.exp(-(np.arange(SIDE) - SIDE / 2) / 8))
    shaded = np.clip(pattern(1) * across[None, :, None], 0, 255).astype(np.uint8)
    assert looks_same(pattern(1), shaded)


@pytest.mark.parametrize(("shift", "same"), [(2, True), (5, False)])
def test_a_tremble_by_a_fiftieth_of_the_picture_does_not_count(shift: int, same: bool) -> None:
    wide = pattern(1, SIDE + 8, grain_px=1.5)
    assert looks_same(wide[4:-4, 4:-4], wide[4:-4, 4 + shift : shift - 4 or None]) is same


def test_a_picture_that_is_burnt_out_is_like_no_other() -> None:
    white = np.full((40, 40, 3), 255, np.uint8)
    assert likeness(white, white) == 0.0


def test_a_small_picture_that_trembles_by_half_a_pixel_shows_the_same() -> None:
    large = cv2.GaussianBlur(np.random.default_rng(2).integers(0, 255, (80, 80, 3), np.uint8), (0, 0), 3)
    before, after = (
        np.asarray(cv2.resize(large[1:79, x : x + 78], (39, 39), interpolation=cv2.INTER_AREA), np.uint8)
        for x in (0, 1)
    )
    assert likeness(before, after) > 0.98


def test_what_lies_beside_a_die_is_no_part_of_how_it_looks() -> None:
    """The tenth along each side of a picture is left out, and no more."""
    grain = np.random.default_rng(5).integers(0, 255, (100, 100, 3), np.uint8)
    before = np.asarray(cv2.GaussianBlur(grain, (0, 0), 2), np.uint8)
    beside, upon = before.copy(), before.copy()
    beside[:8] = beside[::-1][:8]
    upon[12:19] = upon[::-1][12:19]
    assert likeness(before, beside) > 0.99
    assert likeness(before, upon) < 0.95
