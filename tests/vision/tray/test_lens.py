"""The lens sheet tells focal length and distortion, and a known lens puts places on the tray right."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.vision.tray.sheets import DISTORTION, MATRIX, SHAPE, over_a_tray, photographs
from vision.tray.camera import Lens, LensError, SheetView, find_sheet, fit_lens
from vision.tray.markers import IDS
from vision.tray.pose import learn, squares

KNOWN = Lens(MATRIX, DISTORTION, SHAPE, 0.1, 0.001)
PLACES = np.array([[x, y] for x in (-120.0, -60, 0, 60, 120) for y in (-55.0, 0, 55)])
POSES = np.array([[-120.0, 60, 0.02], [120, 60, -0.03], [120, -60, 0.01], [-120, -60, 0]])


@cache
def views() -> tuple[SheetView, ...]:
    return tuple(view for view in map(find_sheet, photographs()) if view is not None)


def test_the_sheet_tells_what_the_lens_is_like() -> None:
    lens = fit_lens(views())
    assert lens.shape == SHAPE
    assert lens.error_px < 0.3
    assert lens.matrix[0, 0] == pytest.approx(825, rel=0.005)
    assert lens.matrix[:2, 2] == pytest.approx([488, 262], abs=3)
    assert abs(lens.matrix[0, 0] / 825 - 1) < 4 * max(lens.focal_error, 0.001)
    grid = np.array([[x, y] for x in (20.0, 480, 940) for y in (20.0, 270, 520)])
    assert lens.undistorted(grid) == pytest.approx(KNOWN.undistorted(grid), abs=2.0)


def test_distorted_is_the_inverse_of_undistorted() -> None:
    grid = np.array([[x, y] for x in (5.0, 480, 955) for y in (5.0, 270, 535)])
    assert KNOWN.distorted(KNOWN.undistorted(grid)) == pytest.approx(grid, abs=0.05)
    assert np.abs(KNOWN.undistorted(grid) - grid).max() > 20


def test_with_a_known_lens_places_at_the_edge_are_right_and_without_it_they_are_not() -> None:
    seen = over_a_tray(squares(POSES))
    found = {number: seen[4 * i : 4 * i + 4] for i, number in enumerate(IDS)}
    tray = learn(found, KNOWN)
    assert tray is not None
    assert tray.mm(over_a_tray(PLACES)) == pytest.approx(PLACES, abs=0.8)
    assert tray.pixels(tray.mm(over_a_tray(PLACES))) == pytest.approx(over_a_tray(PLACES), abs=0.1)
    without = learn(found)
    if without is not None:
        assert np.abs(without.mm(over_a_tray(PLACES)) - PLACES).max() > 2


def test_the_camera_over_the_tray_has_the_lens_s_focal_length_and_is_where_it_is() -> None:
    seen = over_a_tray(squares(POSES))
    tray = learn({number: seen[4 * i : 4 * i + 4] for i, number in enumerate(IDS)}, KNOWN)
    assert tray is not None
    camera = tray.camera((*SHAPE, 3))
    assert camera.focal_px == 825
    assert camera.focal_error < 0.01
    assert camera.height_mm == pytest.approx(320 * np.cos(0.15) * np.cos(0.05), rel=0.01)


def test_a_frame_without_the_sheet_has_no_view() -> None:
    assert find_sheet(np.full((240, 320, 3), 90, np.uint8)) is None


@pytest.mark.parametrize(
    ("some", "says"),
    [
        (lambda: views()[:7], "7 pictures, 8 are needed"),
        (lambda: [*views()[:9], views()[9]._replace(shape=(480, 640))], "differ in size"),
        (lambda: [view._replace(pixels=view.pixels * 0.4) for view in views()], "near all edges"),
        (lambda: [views()[0]] * 9, "near all edges|tilt it"),
        (lambda: [one._replace(pixels=bent(one)) for one in views()], "disagree|do not fit"),
    ],
)
def test_what_cannot_be_told_is_said(some: object, says: str) -> None:
    assert callable(some)
    with pytest.raises(LensError, match=says):
        fit_lens(some())


def bent(view: SheetView) -> object:
    rng = np.random.default_rng(len(view.pixels))
    return (view.pixels + rng.normal(0, 6, view.pixels.shape)).astype(np.float32)
