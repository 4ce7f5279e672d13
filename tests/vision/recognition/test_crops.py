"""Crops are cut where they are asked for, at every scale and turn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.classifiers import (
    CROP_PX,
    DIE_PX,
    SYMBOL_PX,
    SYMBOL_SPAN,
    cut,
    die_view,
    symbol_view,
    warp,
)


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


def test_the_whole_view_keeps_the_middle_whatever_its_turn() -> None:
    for turn in (0.0, 33.0, -120.0):
        matrix = die_view(turn, 1.1)
        assert matrix @ np.array([CROP_PX / 2, CROP_PX / 2, 1]) == pytest.approx([DIE_PX / 2, DIE_PX / 2])


@pytest.mark.parametrize("up_deg", [0.0, 90.0, 137.0, 270.0])
def test_a_mark_stands_upright_in_its_view(up_deg: float) -> None:
    picture = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
    way = np.array([np.cos(np.radians(up_deg)), -np.sin(np.radians(up_deg))])
    tip = np.array([60, 50]) + 10 * way
    cv2.circle(picture, (round(tip[0]), round(tip[1])), 2, (255, 255, 255), -1)
    view = warp(picture, symbol_view(60, 50, 30, up_deg), SYMBOL_PX)
    ys, xs = np.nonzero(view[..., 0] > 100)
    assert xs.mean() == pytest.approx(SYMBOL_PX / 2, abs=1.5)
    assert ys.mean() == pytest.approx(SYMBOL_PX / 2 - 10 * SYMBOL_PX / (30 * SYMBOL_SPAN), abs=1.5)
