"""Dice that lie flat tell the focal length, and a few that do not lie flat do not mislead them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.tray.poses import SHAPE, usual
from vision.reading import SeenTop
from vision.tray.camera import LENSES, FocalLength, Lens
from vision.tray.tracking import LEAST_DICE_ERROR, focal_from_dice

if TYPE_CHECKING:
    from vision.tray.pose import Tray

PLACES = [(x, y) for x in (150.0, 450.0, 900.0, 1150.0) for y in (150.0, 400.0, 600.0)]


def tops(
    truth: Tray, rng: np.random.Generator, count: int, noise: float = 0.015, cocked: int = 0
) -> list[SeenTop]:
    """The tops of so many dice under the true camera; those that are cocked lean 20° to the left."""
    camera = truth.camera(SHAPE)
    told = []
    for i, number in enumerate(rng.permutation(len(PLACES))[:count]):
        right, down = camera.plumb(PLACES[number], SHAPE) + rng.normal(0, noise, 2)
        told.append(SeenTop(PLACES[number], (float(right) - 0.34 * (i < cocked), float(down)), 0.02))
    return told


def believed(sides: float, error: float = 0.15) -> Tray:
    return usual().with_focal(FocalLength(sides, error))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 999), st.floats(0.9, 1.9), st.floats(-0.2, 0.2))
def test_a_few_throws_of_flat_dice_tell_the_focal_length(seed: int, sides: float, off: float) -> None:
    rng = np.random.default_rng(seed)
    truth, tray = believed(sides), believed(sides * float(np.exp(off)))
    for _ in range(5):
        tray = tray.with_focal(focal_from_dice(tray, SHAPE, tops(truth, rng, 6)))
    assert tray.camera(SHAPE).focal_px == pytest.approx(sides * 1280, rel=0.06)
    assert tray.camera(SHAPE).focal_error == pytest.approx(LEAST_DICE_ERROR, rel=0.2)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 999), st.sampled_from([0.84, 1.0, 2.0, 2.4]))
def test_a_camera_at_another_height_than_a_rigs_is_told_in_a_few_throws(seed: int, sides: float) -> None:
    rng = np.random.default_rng(seed)
    truth, tray = believed(sides), believed(1.45)
    for _ in range(12):
        tray = tray.with_focal(focal_from_dice(tray, SHAPE, tops(truth, rng, 6)))
    assert tray.camera(SHAPE).focal_px == pytest.approx(sides * 1280, rel=0.08)


@pytest.mark.parametrize("seed", range(5))
def test_a_cocked_die_among_them_misleads_little(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, tray = believed(1.45), believed(1.25)
    for _ in range(5):
        tray = tray.with_focal(focal_from_dice(tray, SHAPE, tops(truth, rng, 6, cocked=1)))
    assert tray.camera(SHAPE).focal_px == pytest.approx(1.45 * 1280, rel=0.06)


def test_dice_do_not_unlearn_what_the_markers_tell_better() -> None:
    tray = believed(1.2, 0.02)
    told = focal_from_dice(tray, SHAPE, tops(tray, np.random.default_rng(1), 6, noise=0.0))
    assert told is not None
    assert told.error <= 0.02


def test_no_lens_is_longer_than_there_are() -> None:
    told = focal_from_dice(
        believed(4.9, 0.5), SHAPE, tops(believed(9.0), np.random.default_rng(1), 12, noise=0.0)
    )
    assert told is not None
    assert told.sides == LENSES[1]


def test_a_measurement_that_claims_no_error_is_not_believed_blindly() -> None:
    tray = believed(1.45, 0.1)
    (top,) = tops(tray, np.random.default_rng(1), 1, noise=0.0)
    told = focal_from_dice(tray, SHAPE, [top._replace(error=0.0)])
    assert told is not None
    assert told.error > 0.05


def test_one_throw_tells_most_of_a_large_error() -> None:
    told = focal_from_dice(believed(1.45), SHAPE, tops(believed(0.84), np.random.default_rng(1), 6))
    assert told is not None
    assert told.sides == pytest.approx(0.84, rel=0.1)


def test_a_single_die_hardly_moves_what_is_known_well() -> None:
    told = focal_from_dice(believed(1.45, 0.03), SHAPE, tops(believed(0.8), np.random.default_rng(1), 1))
    assert told is not None
    assert told.sides == pytest.approx(1.45, rel=0.06)


def test_dice_at_the_end_of_the_tray_tell_more_than_those_below_the_camera() -> None:
    tray = believed(1.2)
    camera = tray.camera(SHAPE)
    errors = []
    for x, y in (camera.nadir_px.tolist(), (1200.0, 650.0)):
        right, down = camera.plumb((x, y), SHAPE).tolist()
        told = focal_from_dice(tray, SHAPE, [SeenTop((x, y), (right, down), 0.02)] * 3)
        assert told is not None
        assert told.sides == pytest.approx(1.2, rel=0.001)
        errors.append(told.error)
    assert errors[1] < 0.8 * errors[0]


def test_a_calibrated_lens_is_known_already() -> None:
    matrix = np.array([[1800.0, 0, 639.5], [0, 1800.0, 359.5], [0, 0, 1]])
    lens = Lens(matrix, np.zeros(5), (720, 1280), 0.2, 0.003)
    tray = replace(usual(), lens=lens, _cameras={})
    assert focal_from_dice(tray, SHAPE, tops(believed(0.8), np.random.default_rng(1), 6)) is None
