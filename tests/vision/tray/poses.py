"""Poses of a camera over the tray, and where it sees the markers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tests.vision.clips import Clip, View, cloth
from vision.tray.markers import find_markers
from vision.tray.pose import Tray, learn

if TYPE_CHECKING:
    from vision.reading import Image


SHAPE = (720, 1280, 3)


VIEW = View(1280, 720, 430.0, 0.08, -0.05)


SEEN: dict[tuple[str, int, float], Image] = {}


def seen(view: View, seed: int = 0, noise: float = 3.0) -> Image:
    """The empty tray in good light."""
    if (key := (repr(view), seed, noise)) not in SEEN:
        SEEN[key] = drawn(view, seed, noise)
    return SEEN[key].copy()


def drawn(view: View, seed: int, noise: float) -> Image:
    rng = np.random.default_rng(seed)
    clip = Clip("tray", cloth(rng, view), view, [], 1.0, [], rng, noise=noise)
    return next(clip.frames())[0]


@cache
def usual() -> Tray:
    return tray_of(seen(VIEW))


def tray_of(picture: Image) -> Tray:
    tray = learn(find_markers(picture))
    assert tray is not None
    return tray
