"""Crops are cut where they are asked for, at every scale, and the classes name each die once."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from games.dice import FACES, KINDS
from vision.training.crops import CLASSES, COCKED, DICE, NO_DIE, UNREADABLE, class_of, cut


def test_classes_name_each_kind_and_value_once() -> None:
    for k, kind in enumerate(KINDS):
        for value in range(1, FACES[kind] + 1):
            assert DICE[class_of(k, value)] == (kind, value)
    assert sorted({UNREADABLE, COCKED, NO_DIE}) == [60, 61, 62]
    assert CLASSES == 63


@pytest.mark.parametrize("span", [20, 64, 120, 400])
def test_cut_is_centred_at_every_scale(span: int) -> None:
    frame = np.zeros((600, 800, 3), np.uint8)
    cv2.circle(frame, (300, 250), round(span * 0.25), (255, 255, 255), -1)
    crop = cut(frame, 300, 250, span, 64)
    assert crop.shape == (64, 64, 3)
    ys, xs = np.nonzero(crop[..., 0] > 127)
    assert xs.mean() == pytest.approx(31.5, abs=1.5)
    assert ys.mean() == pytest.approx(31.5, abs=1.5)
    assert np.ptp(xs) == pytest.approx(32, abs=4)


def test_cut_turns_counter_clockwise() -> None:
    frame = np.zeros((100, 100, 3), np.uint8)
    frame[50, 60:70] = 255
    crop = cut(frame, 50, 50, 64, 64, turn_deg=90)
    ys, xs = np.nonzero(crop[..., 0] > 100)
    assert abs(xs.mean() - 32) < 2
    assert ys.mean() < 25


def test_cut_beyond_the_edge_goes_on_with_it() -> None:
    frame = np.full((50, 50, 3), 90, np.uint8)
    for span in (30, 300):
        assert (cut(frame, 0, 49, span, 64) == 90).all()
