"""Rays from the middle of a face find the sides of the die; a disc has no corners, a cloth no sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.drawing import BLACK, FELT, MIDDLE, WHITE, ellipse_points, fill, put_d6, soft, tray
from vision.bodies import RAYS, Body, look_around
from vision.faces import ONE, Face

if TYPE_CHECKING:
    from vision.pips import Floats
    from vision.reading import Image

SIZES = np.zeros((480, 640), np.float32)


def face(value: int, axes: Floats) -> Face:
    return Face(value, (0,), np.array(MIDDLE), axes, 0.0, ONE)


def square(side: float, degrees: float) -> Image:
    frame = tray(noise=0)
    put_d6(frame, 1, MIDDLE, side, degrees, mark=WHITE)  # no pip: it is the surface that counts
    return soft(frame)


def around(frame: Image, value: int = 4, step: float = 15.0, degrees: float = 0.0) -> Body:
    turn = np.deg2rad(degrees)
    axes = step * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    (body,) = look_around(frame, SIZES, 10.0, face(value, axes), [150.0])
    return body


@pytest.mark.parametrize("side", [50.0, 60.0, 80.0])
@pytest.mark.parametrize("degrees", [0.0, 20.0, 70.0])
def test_the_sides_of_a_square_are_found(side: float, degrees: float) -> None:
    body = around(square(side, degrees), degrees=degrees)
    assert body.sides == pytest.approx(np.full(4, side / 2 / 15), rel=0.12)
    assert body.straight > 0.9
    assert body.corner > 1.05
    assert body.outline.shape == (RAYS, 2)


@pytest.mark.parametrize("degrees", [0.0, 17.0, 45.0, 80.0])
def test_a_1_takes_its_turn_from_the_sides(degrees: float) -> None:
    body = around(square(60.0, degrees), value=1)
    off = (np.rad2deg(body.turn) - degrees) % 90
    assert min(off, 90 - off) < 12  # rays stand 5.6° apart
    assert body.sides == pytest.approx(np.full(4, 2.0), rel=0.1)


def test_a_disc_has_no_corners() -> None:
    frame = tray(noise=0)
    fill(frame, ellipse_points(np.array(MIDDLE), (30.0, 30.0)), WHITE)
    assert around(soft(frame), value=1).corner < around(square(60.0, 20.0), value=1).corner - 0.1


def test_an_open_surface_has_no_sides() -> None:
    body = around(tray(noise=0), step=10.0)
    assert np.isinf(body.sides).all()
    assert body.corner == 0.0


def test_the_rim_of_the_frame_is_no_side() -> None:
    frame = square(60.0, 0.0)[:, 310:]
    at_the_rim = Face(4, (0,), np.array([10.0, 240.0]), np.eye(2) * 15, 0.0, ONE)
    (body,) = look_around(frame, SIZES[:, 310:], 10.0, at_the_rim, [150.0])
    assert np.isinf(body.sides).sum() == 1
    assert np.isfinite(body.sides[0])


def test_pips_do_not_end_the_surface() -> None:
    frame = tray(noise=0)
    put_d6(frame, 4, MIDDLE, 60.0)
    frame = soft(frame)
    sizes = SIZES.copy()
    plain = around(frame)
    for x in (305, 335):
        for y in (225, 255):
            sizes[y - 9 : y + 10, x - 9 : x + 10] = 8.0
    (told,) = look_around(frame, sizes, 10.0, face(4, np.eye(2) * 15.0), [150.0])
    assert told.straight >= plain.straight
    assert told.sides == pytest.approx(np.full(4, 2.0), rel=0.1)


def test_a_neighbour_at_one_side_is_seen_past_by_none() -> None:
    frame = tray(noise=0, colour=FELT)
    put_d6(frame, 1, MIDDLE, 60.0, mark=WHITE)
    put_d6(frame, 1, (MIDDLE[0] + 62, MIDDLE[1]), 60.0, body=BLACK, mark=BLACK)
    assert around(soft(frame)).sides == pytest.approx(np.full(4, 2.0), rel=0.12)


def test_each_edge_has_its_own_body() -> None:
    frame = tray(noise=0)
    fill(frame, ellipse_points(np.array(MIDDLE), (60.0, 60.0)), BLACK)
    put_d6(frame, 1, MIDDLE, 60.0, mark=WHITE)
    seen = list(look_around(soft(frame), SIZES, 10.0, face(4, np.eye(2) * 15.0), [150.0, 300.0]))
    assert seen[0].sides == pytest.approx(np.full(4, 2.0), rel=0.1)
    assert np.isinf(seen[1].sides).all()
