"""What a camera's view of the markers says of its focus, light and place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from tests.vision.tray.poses import VIEW, seen, tray_of, usual
from vision.tray.pose import check_rig

if TYPE_CHECKING:
    from vision.reading import Image


def blurred(picture: Image, sigma: float) -> Image:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)


def test_a_sharp_picture_from_above_in_good_light() -> None:
    rig = check_rig(seen(VIEW), usual())
    assert 3.9 < rig.px_per_mm < 4.4
    assert 1.0 <= rig.slant < 1.15
    assert max(rig.edge_mm.values()) < 0.6
    assert all(215 < white < 250 for white in rig.white.values())
    assert all(180 < contrast < 230 for contrast in rig.contrast.values())
    assert rig.burnt < 0.005


def test_blur_is_measured_in_millimetres_on_the_tray() -> None:
    for sigma in (1.0, 1.6):
        rig = check_rig(blurred(seen(VIEW), sigma), usual())
        # 10 % to 90 % of a Gaussian edge is 2.56 sigma wide
        expected = 2.56 * np.hypot(sigma, 0.6) / rig.px_per_mm
        assert all(0.75 * expected < width < 1.3 * expected for width in rig.edge_mm.values())


def test_light_is_measured_in_each_corner() -> None:
    fall = np.linspace(1.0, 0.4, 1280)[None, :, None]
    dim = np.asarray(seen(VIEW) * fall, np.uint8)
    rig = check_rig(dim, usual())
    assert rig.white[0] > 1.8 * rig.white[1]
    assert rig.white[3] > 1.8 * rig.white[2]


def test_glare_is_the_part_that_is_burnt_out() -> None:
    picture = seen(VIEW)
    picture[200:400, 500:800] = 255
    rig = check_rig(picture, usual())
    assert 0.06 < rig.burnt < 0.08


def test_a_slant_is_seen_by_the_size_of_the_markers() -> None:
    aside = replace(VIEW, tilt=0.45)
    assert check_rig(seen(aside), tray_of(seen(aside))).slant > 1.12


def test_no_marker_at_all_is_no_edge() -> None:
    rig = check_rig(np.full((720, 1280, 3), 120, np.uint8), usual())
    assert all(np.isinf(width) for width in rig.edge_mm.values())


def test_leather_has_the_colour_of_skin_and_felt_has_not() -> None:
    for colour, least, most in (
        ((82, 110, 150), 0.7, 1.0),
        ((120, 160, 220), 0.7, 1.0),
        ((60, 100, 40), 0.0, 0.2),
        ((110, 60, 30), 0.0, 0.2),
        ((40, 30, 150), 0.0, 0.2),
        ((60, 60, 60), 0.0, 0.2),
    ):
        picture = seen(VIEW)
        picture[picture.min(axis=2) < 150] = colour
        assert least <= check_rig(picture, usual()).skin <= most
