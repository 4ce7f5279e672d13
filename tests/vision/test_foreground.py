"""Things on a tray: found whatever they are; busy floors, stripes and what the frame cuts are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.drawing import BLACK, FELT, WHITE, ellipse_points, fill, soft, tray
from vision.foreground import (
    STEP,
    changed_part,
    difference,
    downsampled,
    find_foreground,
    off_shades,
    without_prints,
)

if TYPE_CHECKING:
    from vision.reading import Box, Image

PLACES = [(120.0, 120.0), (420.0, 150.0), (300.0, 360.0)]


def things(frame: Image, background: Image | None = None) -> list[Box]:
    return find_foreground(difference(frame, background))


def with_things(frame: Image, radius: float = 30.0) -> Image:
    for place in PLACES:
        fill(frame, ellipse_points(np.array(place), (radius, radius)), WHITE)
    return soft(frame)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("factor", [1, 2])
def test_each_thing_has_its_box(known: bool, factor: int) -> None:
    frame = with_things(tray())
    frame = np.repeat(np.repeat(frame, factor, axis=0), factor, axis=1)
    found = sorted(things(frame, tray(seed=8) if known else None))
    assert len(found) == 3
    for (x, y, w, h), place in zip(found, sorted(PLACES), strict=True):
        assert abs(x + w / 2 - factor * place[0]) < 6 * factor
        assert abs(y + h / 2 - factor * place[1]) < 6 * factor
        assert 50 * factor < w < 70 * factor
        assert 50 * factor < h < 70 * factor


def test_an_empty_tray_holds_none() -> None:
    assert things(tray(), tray(seed=1)) == []
    assert things(tray()) == []


def test_what_was_there_before_is_none() -> None:
    frame = with_things(tray())
    assert things(frame, frame) == []


def test_a_busy_floor_holds_none() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    assert things(noise) == []
    assert things(tray(), np.full((480, 640, 3), 240, np.uint8)) == []


def test_stripes_and_what_the_frame_cuts_are_left_out() -> None:
    frame = tray()
    fill(frame, np.array([[50.0, 50.0], [500.0, 50.0], [500.0, 80.0], [50.0, 80.0]]), WHITE)
    fill(frame, ellipse_points(np.array([0.0, 300.0]), (40.0, 40.0)), WHITE)
    assert things(soft(frame)) == []


def test_a_shadow_is_no_thing() -> None:
    frame = tray()
    fill(frame, ellipse_points(np.array([320.0, 240.0]), (40.0, 30.0)), tuple(0.8 * level for level in FELT))  # type: ignore[arg-type]
    assert things(soft(frame)) == []


def test_a_thing_whose_shadow_the_frame_cuts_is_found_without_it() -> None:
    frame, empty = tray(), tray(seed=8)
    frame[:240, 280:360] = (0.5 * frame[:240, 280:360]).astype(np.uint8)
    fill(frame, ellipse_points(np.array([320.0, 240.0]), (60.0, 60.0)), WHITE)
    ((x, y, w, h),) = things(soft(frame), empty)
    assert max(abs(x - 260), abs(y - 180), abs(w - 120), abs(h - 120)) < 8


@pytest.mark.parametrize("shape", [(1, 1), (32, 32), (15, 600), (2000, 20)])
def test_frames_of_any_shape_are_looked_at(shape: tuple[int, int]) -> None:
    frame = np.full((*shape, 3), BLACK, np.uint8)
    assert things(frame) == []
    assert things(frame, tray()) == []


@pytest.mark.parametrize("by", [2, 3, 4])
def test_a_smaller_picture_of_the_same_has_not_changed_wherever_it_is_looked_at(by: int) -> None:
    frame = np.zeros((120, 180, 3), np.uint8)
    frame[:, 61:] = 255
    background = downsampled(frame, (180 // by, 120 // by))
    assert {changed_part(frame, background, (left, 30, 41, 41), STEP) for left in range(139)} == {0.0}


@pytest.mark.parametrize("size", [(25, 25), (160, 110), (250, 170), (700, 500), (1, 1)])
def test_the_other_picture_may_be_of_any_size(size: tuple[int, int]) -> None:
    frame = np.zeros((120, 180, 3), np.uint8)
    for left, top, side in ((0, 0, 1), (1, 1, 1), (179, 119, 1), (60, 50, 41)):
        assert changed_part(frame, np.zeros((*size, 3), np.uint8), (left, top, side, side), STEP) == 0
        assert changed_part(frame, np.full((*size, 3), 255, np.uint8), (left, top, side, side), STEP) == 1


def test_a_shadow_is_a_shade_of_the_floor_and_a_red_die_in_it_is_none() -> None:
    floor = np.full((20, 20, 3), (110, 150, 30), np.uint8)
    frame = np.array(floor * 0.5, np.uint8)
    frame[5:10, 5:10] = (25, 20, 80)
    frame[15:] = np.array(floor[15:] * 1.2, np.uint8)
    off = off_shades(frame, floor)
    assert off[5:10, 5:10].min() > STEP
    assert np.delete(off, np.s_[5:10], axis=0).max() < 2
    assert off_shades(frame, floor, brightest=1.0)[15:].min() > STEP


def test_a_print_is_floor_wherever_no_thing_lies_over_it() -> None:
    empty = np.full((360, 640, 3), (60, 120, 40), np.uint8)
    empty[100:180, 100:180] = WHITE
    empty[110:170, 110:170] = BLACK
    corners = np.array([[100.0, 100.0], [180.0, 100.0], [180.0, 180.0], [100.0, 180.0]])
    frame = empty.copy()
    frame[120:220, 80:150] = (235, 235, 235)  # a die as white as the edge of the print
    bare = without_prints(frame, difference(frame, empty), [corners])
    assert (bare[120:220, 80:150] == 235).all()
    assert (bare[100:116] == empty[0, 0]).all()
    assert (bare[100:180, 154:180] == empty[0, 0]).all()
    assert (bare[184:] == frame[184:]).all()
