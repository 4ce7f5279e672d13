"""The scenes that the watching net learns from show trays of every outline."""

from __future__ import annotations

import numpy as np

from training.moving_trays import tray_corners


def test_trays_are_rectangles_or_have_many_sides() -> None:
    sides = {len(tray_corners(np.random.default_rng(seed))) for seed in range(60)}
    assert sides == {4, 6, 8, 40}
