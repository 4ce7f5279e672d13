"""The simulated picture: a pinhole camera over the tray, dice where the geometry puts them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.simulated.scene import Light, View, draw, placed
from hardware.simulated.throw import Look, Resting, throw

VIEW = View(640, 360, 900.0, 400.0, 0.1, -0.05)
LIGHT = Light(np.array([0.0, 0.0, 1.0]), 0.5, 3.0, 0.4, 2.0)
RED = Look((20.0, 20.0, 220.0), (240.0, 240.0, 240.0), 0.18, 0.0)
angles = st.floats(-0.25, 0.25)


def thrown(seed: int, count: int) -> list[Resting]:
    return throw(np.random.default_rng(seed), ["d6"] * count, [RED] * count, [1.0] * count, (200.0, 110.0))


def floor(level: int = 90) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((VIEW.height, VIEW.width, 3), level, np.uint8)


def test_straight_from_above_millimetres_are_pixels_in_proportion() -> None:
    view = View(640, 360, 800.0, 400.0, 0.0, 0.0)
    points = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [10.0, 0.0, 200.0]])
    assert np.allclose(view.project(points), [[320, 180], [340, 180], [320, 160], [360, 180]])
    assert np.allclose(view.eye_mm, (0, 0, 400))


@given(angles, angles, st.floats(-80, 80), st.floats(-40, 40))
def test_what_lies_on_one_line_to_the_eye_falls_on_one_pixel(
    tilt: float, aside: float, x: float, y: float
) -> None:
    view = View(640, 360, 900.0, 400.0, tilt, aside)
    point = np.array([x, y, 0.0])
    between = point + 0.3 * (view.eye_mm - point)
    assert np.ptp(view.project(np.stack([point, between])), axis=0).max() < 1e-6


@given(angles, angles)
def test_nearer_things_look_larger(tilt: float, aside: float) -> None:
    view = View(640, 360, 900.0, 400.0, tilt, aside)
    bar = np.array([[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    low, high = (np.linalg.norm(np.subtract(*view.project(bar + np.array([0, 0, z])))) for z in (0.0, 50.0))
    assert high > low


def test_a_frame_is_of_the_views_size_and_takes_nothing_from_the_floor() -> None:
    ground = floor()
    frame = draw(VIEW, LIGHT, ground, thrown(1, 3), np.random.default_rng(1))
    assert (frame.shape, frame.dtype.name) == ((360, 640, 3), "uint8")
    assert (ground == 90).all()


def test_dice_are_drawn_where_they_lie_and_nowhere_else() -> None:
    dice = thrown(2, 4)
    frame = draw(VIEW, LIGHT, floor(), dice, np.random.default_rng(1)).astype(int)
    red = frame[..., 2] - frame[..., 1] > 60
    assert red.any()
    near = np.zeros(red.shape, bool)
    for die in dice:
        corners = VIEW.project(placed(die))
        (x0, y0), (x1, y1) = (
            np.floor(corners.min(axis=0)).astype(int),
            np.ceil(corners.max(axis=0)).astype(int),
        )
        near[y0 : y1 + 1, x0 : x1 + 1] = True
        assert red[y0 : y1 + 1, x0 : x1 + 1].mean() > 0.3
    assert not (red & ~near).any()


@pytest.mark.parametrize("value", range(1, 7))
def test_the_top_carries_as_many_pips_as_it_is_worth(value: int) -> None:
    import cv2

    die = next(d for seed in range(99) for d in thrown(seed, 1) if d.value == value)
    view = View(400, 400, 4000.0, 400.0, 0.0, 0.0)
    die = Resting(die.kind, die.value, (0.0, 0.0), die.turn, 1.0, RED)
    calm = Light(LIGHT.toward, 0.5, 3.0, 0.4, 0.0)
    frame = draw(view, calm, np.zeros((400, 400, 3), np.uint8), [die], np.random.default_rng(1))
    pale = np.asarray(frame[..., 0] > 120, np.uint8)
    assert cv2.connectedComponents(pale)[0] - 1 == value


def test_shadows_and_noise_are_there() -> None:
    dice = thrown(3, 2)
    aside = Light(np.array([0.6, 0.0, 0.8]), 0.5, 3.0, 0.5, 3.0)
    frame = draw(VIEW, aside, floor(150), dice, np.random.default_rng(1)).astype(int)
    assert frame[:20, :20].std() == pytest.approx(3.0, rel=0.2)
    green_of_floor = frame[..., 1][np.abs(frame[..., 2] - frame[..., 1]) < 25]
    assert np.percentile(green_of_floor, 0.5) < 120
