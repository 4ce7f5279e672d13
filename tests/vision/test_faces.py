"""Layouts of pips: each of the six is told under turning, scale and slant; what is no face is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.dice import PIPS
from vision.faces import MOST_PAIRS, Face, find_faces, pairs
from vision.pips import Floats, Pips

VALUES = sorted(PIPS)


def layout(value: int) -> Floats:
    return np.array(PIPS[value], np.float64)


def warp(degrees: float, step: float, squeeze: float, along: float) -> Floats:
    """A turn of the die, its size, and a view from aside that shortens one direction."""

    def turn(angle: float) -> Floats:
        c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        return np.array([[c, -s], [s, c]])

    return np.asarray(turn(along) @ np.diag([1, squeeze]) @ turn(-along) @ turn(degrees) * step)


def spots(xy: Floats, matrix: Floats, diameter: float = 0.75, contrast: float = 150.0) -> Pips:
    """Pips at these places, drawn by the matrix; `diameter` in grid steps."""
    count = len(xy)
    shape = matrix @ matrix.T * (diameter / 4) ** 2
    size = 4 * np.linalg.det(shape) ** 0.25
    return Pips(
        xy @ matrix.T + 300.0,
        np.repeat(shape[None], count, axis=0),
        np.full(count, size),
        np.full(count, 220.0),
        np.full(count, contrast),
    )


def joined(*parts: Pips) -> Pips:
    names = ("xy", "shape", "size", "surface", "contrast")
    return Pips(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def whole(pips: Pips) -> list[Face]:
    """The faces that use every pip."""
    return [face for face in find_faces(pips) if len(face.pips) == len(pips)]


@pytest.mark.parametrize("value", VALUES)
@given(
    degrees=st.floats(0, 360),
    step=st.floats(6, 60),
    squeeze=st.floats(0.8, 1.0),
    along=st.floats(0, 180),
    contrast=st.sampled_from([-120.0, 60.0, 200.0]),
)
@settings(max_examples=15, deadline=None)
def test_each_layout_is_its_value(
    value: int, degrees: float, step: float, squeeze: float, along: float, contrast: float
) -> None:
    matrix = warp(degrees, step, squeeze, along)
    pips = spots(layout(value), matrix, contrast=contrast)
    found = whole(pips)
    assert {face.value for face in found} == {value}
    best = found[0]
    assert np.allclose(best.centre, pips.xy.mean(axis=0), atol=0.15 * step)
    assert sorted(best.pips) == list(range(len(pips)))
    assert sum(best.layout) == value
    assert find_faces(pips)[0].value == value


@pytest.mark.parametrize("value", VALUES)
@given(degrees=st.floats(0, 360), lean=st.floats(-0.1, 0.1))
@settings(max_examples=10, deadline=None)
def test_mild_perspective_changes_nothing(value: int, degrees: float, lean: float) -> None:
    matrix = warp(degrees, 20.0, 1.0, 0.0)
    pips = spots(layout(value), matrix)
    middle = pips.xy.mean(axis=0)
    far = 1 + lean * (pips.xy[:, 1:] - middle[1]) / 20.0
    seen = Pips(middle + (pips.xy - middle) / far, pips.shape, pips.size, pips.surface, pips.contrast)
    assert {face.value for face in whole(seen)} == {value}


@pytest.mark.parametrize("lost", range(4))
def test_a_4_with_a_lost_pip_is_no_4(lost: int) -> None:
    pips = spots(np.delete(layout(4), lost, axis=0), warp(20, 20, 1, 0))
    assert whole(pips) == []
    assert all(face.value in (1, 2) for face in find_faces(pips))


@pytest.mark.parametrize("lost", range(6))
def test_a_6_with_a_lost_pip_has_no_face_of_all_that_is_left(lost: int) -> None:
    assert whole(spots(np.delete(layout(6), lost, axis=0), warp(20, 20, 1, 0))) == []


def test_a_stray_pip_on_the_face_spoils_it() -> None:
    spoiled = np.vstack([layout(4), [[0.0, 1.0]]])
    assert all(face.value < 4 for face in find_faces(spots(spoiled, warp(0, 20, 1, 0))))


@given(st.sampled_from(VALUES[1:]), st.sampled_from(VALUES[1:]), st.floats(0, 360), st.floats(0, 90))
@settings(max_examples=30, deadline=None)
def test_two_touching_dice_are_two_faces(one: int, other: int, degrees: float, second: float) -> None:
    along = np.deg2rad(degrees)
    beside = np.array([np.cos(along), np.sin(along)]) * 4.3 * 20
    left = spots(layout(one), warp(degrees, 20, 1, 0))
    right = spots(layout(other), warp(degrees + second, 20, 1, 0))
    right.xy[:] += beside
    found = find_faces(joined(left, right))
    assert (one, set(range(one))) in [(face.value, set(face.pips)) for face in found]
    assert (other, set(range(one, one + other))) in [(face.value, set(face.pips)) for face in found]


def test_dark_and_bright_pips_make_no_face_together() -> None:
    two = spots(layout(4)[:2], warp(0, 20, 1, 0))
    others = spots(layout(4)[2:], warp(0, 20, 1, 0), contrast=-150.0)
    assert all(face.value < 4 for face in find_faces(joined(two, others)))


def test_no_pips_no_faces() -> None:
    assert find_faces(spots(np.empty((0, 2)), warp(0, 20, 1, 0))) == []


def test_faces_of_many_pips_come_first() -> None:
    values = [face.value for face in find_faces(spots(layout(6), warp(33, 20, 1, 0)))]
    assert values[0] == 6
    assert values == sorted(values, reverse=True)


def test_texture_gives_a_bounded_number_of_pairs() -> None:
    lattice = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    first, second = pairs(spots(lattice, warp(0, 20, 1, 0), diameter=0.5))
    assert len(first) == len(second) == MOST_PAIRS
    assert (first != second).all()
