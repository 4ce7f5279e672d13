"""The parts of the scene generator that need no more than numpy and OpenCV draw what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from training.augment import degrade
from training.materials import LOOKS, body_picture, contrasting, material, noise, printed, surface


@pytest.mark.parametrize("seed", range(12))
def test_surfaces_and_bodies_are_pictures(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for picture in (surface(rng, 60, 90), printed(rng, 60, 90)):
        assert picture.shape == (60, 90, 3)
        assert picture.dtype == np.float32
        assert picture.min() >= 0
        assert picture.max() <= 1.0001
    stuff = material(rng)
    assert stuff.look in LOOKS
    assert body_picture(stuff, rng, 40).shape == (40, 40, 3)


@pytest.mark.parametrize("seed", range(20))
def test_ink_can_be_told_from_the_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stuff = material(rng)
    assert np.abs(stuff.ink - stuff.base).max() > 0.1
    assert np.abs(contrasting(stuff.base, 0.3, rng) - stuff.base).max() > 0.1


def test_same_seed_same_picture() -> None:
    first, again = (surface(np.random.default_rng(5), 40, 40) for _ in range(2))
    assert (first == again).all()


@pytest.mark.parametrize("seed", range(12))
def test_a_degraded_picture_is_still_the_picture(seed: int) -> None:
    rng = np.random.default_rng(seed)
    picture = np.full((64, 64, 3), 0.15, np.float32)
    picture[16:48, 16:48] = 0.8
    stored = degrade(picture, rng)
    assert stored.shape == (64, 64, 3)
    assert stored.dtype == np.uint8
    assert stored[20:44, 20:44].mean() > stored[:12].mean()


def test_noise_fills_its_range() -> None:
    cloud = noise(np.random.default_rng(1), 80, 50)
    assert cloud.shape == (80, 50)
    assert 0 <= cloud.min() < 0.45 < 0.55 < cloud.max() <= 1
