"""A face with an even number of pips has nothing in its middle; what lies there may hide a pip."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from games.dice import PIPS
from vision.recognition.classifiers import CROP_PX, Pixels, Symbol
from vision.recognition.evidence import bare_middle

MIDDLE = CROP_PX // 2
SYMBOL = Symbol(MIDDLE, MIDDLE, 60.0, 0.9, ())


def face(value: int, body: int, pip: int) -> Pixels:
    """A die's face of 70 pixels in the middle of a stored crop."""
    crop = np.full((CROP_PX, CROP_PX, 3), 120, np.uint8)
    cv2.rectangle(crop, (MIDDLE - 35, MIDDLE - 35), (MIDDLE + 35, MIDDLE + 35), (body,) * 3, -1)
    for right, up in PIPS[value]:
        cv2.circle(crop, (round(MIDDLE + 17 * right), round(MIDDLE - 17 * up)), 6, (pip,) * 3, -1)
    return np.asarray(cv2.GaussianBlur(crop, (0, 0), 1.0), np.uint8)


@pytest.mark.parametrize(("body", "pip"), [(230, 20), (30, 240)])
@pytest.mark.parametrize("value", [2, 4, 6])
def test_the_middle_of_an_even_face_is_bare(value: int, body: int, pip: int) -> None:
    assert bare_middle(face(value, body, pip), SYMBOL)


@pytest.mark.parametrize("value", [1, 3, 5])
def test_that_of_an_odd_one_is_not(value: int) -> None:
    assert not bare_middle(face(value, 230, 20), SYMBOL)


def test_a_chip_on_the_middle_is_seen_by_its_colour() -> None:
    crop = face(4, 230, 20)
    cv2.circle(crop, (MIDDLE, MIDDLE), 9, (110, 140, 205), -1)
    assert not bare_middle(crop, SYMBOL)


def test_a_plain_square_is_bare_however_faint_its_grain() -> None:
    grain = np.random.default_rng(1).integers(118, 123, (CROP_PX, CROP_PX, 3)).astype(np.uint8)
    assert bare_middle(grain, SYMBOL)
