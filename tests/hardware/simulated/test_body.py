"""How a simulated camera sees a die as a solid."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.simulated.die import Appearance, Die, on_table, turn_showing
from hardware.simulated.die_rendering import render
from hardware.simulated.picture import HEIGHT, WIDTH, Light, Projection

LOOK = Appearance((0.1, 0.1, 0.1), (0.9, 0.9, 0.9), 0.0, 0.0, 0.05, 0.15, 0.0, 0.18)
LIGHT = Light(np.array([[0.0, 0.0, 1.0]]), np.array([0.5]), 0.5, 0.5, np.ones((1, 3)))
EYE_MM = 400.0
ABOVE = Projection(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, EYE_MM]), EYE_MM * 4.4)


@pytest.mark.parametrize("high_mm", [0.0, 200.0, 320.0, 340.0, 380.0, 399.0, 400.0, 420.0, 900.0])
@pytest.mark.parametrize("smear_px", [None, (3.0, 4.0), (20000.0, 0.0)])
def test_a_die_that_flies_up_to_the_lens_fills_the_frame_at_most(
    high_mm: float, smear_px: tuple[float, float] | None
) -> None:
    die = Die(0, "d6", 0, 1.0, LOOK)
    pose = on_table(die, turn_showing(np.random.default_rng(1), die, 6), 0, 0)
    pose.at_mm[2] += high_mm
    layer = render(die, pose, ABOVE, LIGHT, smear_px)
    seen = high_mm <= 320 and smear_px != (20000.0, 0.0)
    assert (layer is not None) == seen
    if layer is not None:
        assert layer.pixels.shape[0] <= HEIGHT
        assert layer.pixels.shape[1] <= WIDTH
