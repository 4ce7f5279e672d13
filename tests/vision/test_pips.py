"""Spots are found where they are, in both polarities; plain, sloped and noisy frames hold none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.drawing import BLACK, WHITE, ellipse_points, fill, soft, tray
from vision.pips import MOST, Pips, find_pips

if TYPE_CHECKING:
    from vision.reading import Image


def grey(frame: Image) -> Image:
    return np.ascontiguousarray(frame[..., 1])


def spot(semi: tuple[float, float], at: tuple[float, float], degrees: float, *, dark: bool) -> Pips:
    """What is found on a small plain frame with one ellipse."""
    frame = tray(200, 160, WHITE if dark else BLACK, noise=1.0)
    fill(frame, ellipse_points(np.array(at), semi, degrees), BLACK if dark else WHITE)
    return find_pips(grey(soft(frame)))


@given(
    st.floats(3.0, 12.0),
    st.floats(0.7, 1.0),
    st.floats(60, 140),
    st.floats(50, 110),
    st.floats(0, 180),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_an_ellipse_is_found_with_its_centre_and_size(
    long: float, squeeze: float, x: float, y: float, degrees: float, dark: bool
) -> None:
    pips = spot((long, long * squeeze), (x, y), degrees, dark=dark)
    whole = int(pips.size.argmax())  # the ends of a long one may come out as spots of their own
    assert np.linalg.norm(pips.xy - (x, y), axis=1).max() <= long + 1
    assert np.linalg.norm(pips.xy[whole] - (x, y)) < 0.6 + 0.08 * long
    diameter = 2 * long * np.sqrt(squeeze)
    assert pips.size[whole] == pytest.approx(diameter, rel=0.15, abs=2.5)
    assert (pips.contrast[whole] > 0) == dark


def test_the_moments_tell_which_way_an_ellipse_lies() -> None:
    shape = spot((10.0, 6.0), (100.0, 80.0), 90.0, dark=True).shape[0]
    assert shape[1, 1] > 2 * shape[0, 0]
    assert abs(shape[0, 1]) < 0.1 * shape[1, 1]


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_plain_frame_holds_none(level: int) -> None:
    assert len(find_pips(np.full((240, 320), level, np.uint8))) == 0


@pytest.mark.parametrize("axis", [0, 1])
def test_a_gradient_holds_none(axis: int) -> None:
    ramp = np.indices((240, 320))[axis] * 255 / 320
    assert len(find_pips(np.asarray(ramp, np.uint8))) == 0


@pytest.mark.parametrize("noise", [2.0, 5.0])
def test_the_noise_of_a_sensor_holds_none(noise: float) -> None:
    assert len(find_pips(grey(tray(noise=noise)))) == 0


def test_bars_and_large_discs_are_no_pips() -> None:
    frame = tray(400, 300, WHITE)
    fill(frame, np.array([[40.0, 40.0], [360.0, 40.0], [360.0, 48.0], [40.0, 48.0]]), BLACK)
    fill(frame, ellipse_points(np.array([200.0, 180.0]), (90.0, 90.0)), BLACK)
    sizes = find_pips(grey(soft(frame))).size
    assert [size for size in sizes if size < 100] == []


def test_a_busy_cloth_gives_a_bounded_number() -> None:
    frame = tray(900, 700, BLACK)
    for x in range(10, 890, 20):
        for y in range(10, 690, 20):
            fill(frame, ellipse_points(np.array([x, y], np.float64), (4.0, 4.0)), WHITE)
    found = find_pips(grey(soft(frame)))
    assert len(found) == MOST


def test_the_strongest_come_first() -> None:
    frame = tray(300, 100, WHITE)
    for x, level in ((50, 150), (150, 20), (250, 90)):
        fill(frame, ellipse_points(np.array([x, 50.0]), (6.0, 6.0)), (level, level, level))
    found = find_pips(grey(soft(frame)))
    assert [round(x / 100 - 0.5) for x, _ in found.xy if x % 100 > 40][:1] == [1]
    assert list(np.abs(found.contrast)) == sorted(np.abs(found.contrast), reverse=True)


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (32, 32), (40, 900), (2000, 8)])
def test_frames_of_any_shape_are_looked_at(shape: tuple[int, int]) -> None:
    assert len(find_pips(np.full(shape, 99, np.uint8))) == 0


def test_taking_keeps_the_arrays_together() -> None:
    frame = tray(300, 100, WHITE)
    for x in (60.0, 160.0, 240.0):
        fill(frame, ellipse_points(np.array([x, 50.0]), (x / 20, x / 20)), BLACK)
    found = find_pips(grey(soft(frame)))
    turned = found.take(np.array([2, 0]))
    assert len(turned) == 2
    for name in ("xy", "shape", "size", "surface", "contrast"):
        assert np.array_equal(getattr(turned, name), getattr(found, name)[[2, 0]]), name
