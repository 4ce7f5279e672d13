"""Markers and millimetres: places on the floor come out right, with a marker covered or the camera bumped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.simulated import tray as simulated
from tests.vision.clips import MARKERS_AT, View
from tests.vision.tray.poses import SHAPE, VIEW, seen, tray_of, usual
from vision.tray.markers import IDS, MARKER_MM, PAPER_MM, cells, find_markers
from vision.tray.pose import Tray, learn, place
from vision.tray.tracking import in_place

if TYPE_CHECKING:
    from vision.reading import Image
    from vision.tray.markers import Floats

ACROSS = np.array([[x, y] for x in (-100.0, 0, 100) for y in (-50.0, 0, 50)])


def floor(view: View, places: Floats = ACROSS) -> Floats:
    return view.project(np.column_stack([places, np.zeros(len(places))]))


def off_mm(tray: Tray, view: View) -> float:
    """How far places on the floor are told off where they are."""
    return float(np.linalg.norm(tray.mm(floor(view)) - ACROSS, axis=1).max())


def test_the_simulated_tray_has_the_markers_that_are_looked_for() -> None:
    assert (simulated.MARKER_MM, simulated.MARKER_PAPER_MM) == (MARKER_MM, PAPER_MM)
    assert set(simulated.MARKERS_MM) == set(IDS)


def test_every_marker_is_another_in_every_turn() -> None:
    looks = {np.rot90(cells(number), turn).tobytes() for number in IDS for turn in range(4)}
    assert len(looks) == 16


@pytest.mark.parametrize(("wide", "most_mm"), [(1280, 1.0), (640, 2.0)])
def test_a_look_at_four_markers_tells_where_everything_is(wide: int, most_mm: float) -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        view = View(wide, wide * 9 // 16, 430.0, *rng.uniform(-0.15, 0.15, 2).tolist())
        tray = tray_of(seen(view, seed))
        assert off_mm(tray, view) < most_mm
        assert np.abs(tray.pixels(tray.mm(floor(view))) - floor(view)).max() < 1e-6


@settings(max_examples=30, deadline=None)
@given(
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
    st.floats(-0.5, 0.5),
    st.lists(st.tuples(st.floats(-8, 8), st.floats(-8, 8), st.floats(-3, 3)), min_size=4, max_size=4),
)
def test_markers_may_lie_askew_and_turned(
    tilt: float, aside: float, roll: float, glued: list[tuple[float, float, float]]
) -> None:
    view = View(1280, 720, 430.0, tilt, aside, roll=roll)
    found = {}
    for number, (dx, dy, turn) in zip(IDS, glued, strict=True):
        c, s = np.cos(turn), np.sin(turn)
        square = np.array([[-1.0, 1], [1, 1], [1, -1], [-1, -1]]) * MARKER_MM / 2
        corners = square @ np.array([[c, s], [-s, c]]) + MARKERS_AT[number] + [dx, dy]
        found[number] = floor(view, corners)
    tray = learn(found)
    assert tray is not None
    truth = ACROSS[:, None] - ACROSS[None]
    told = tray.mm(floor(view))
    gaps = np.linalg.norm(told[:, None] - told[None], axis=2) - np.linalg.norm(truth, axis=2)
    assert np.abs(gaps).max() < 0.01


@pytest.mark.parametrize("covered", IDS)
def test_one_marker_may_be_covered(covered: int) -> None:
    picture = seen(VIEW)
    tray = tray_of(picture)
    x, y = floor(VIEW, np.array([MARKERS_AT[covered]]))[0].astype(int)
    picture[y - 20 : y + 20, x - 20 : x + 20] = 90
    found = find_markers(picture, tray.markers)
    assert covered not in found
    again = place(tray.layout, found)
    assert again is not None
    assert off_mm(again, VIEW) < 1.0
    assert tray.moved_mm(again) < 0.6


def test_fewer_than_three_tell_nothing() -> None:
    found = find_markers(seen(VIEW))
    layout = usual().layout
    assert place(layout, {number: found[number] for number in (0, 2)}) is None
    assert place(layout, {}) is None
    assert learn({number: found[number] for number in (0, 1, 2)}) is None


def test_a_marker_that_was_moved_is_left_out() -> None:
    found = find_markers(seen(VIEW))
    layout = usual().layout
    found[2] = found[2] + [14.0, -9.0]
    tray = place(layout, found)
    assert tray is not None
    assert off_mm(tray, VIEW) < 1.0


@pytest.mark.parametrize(
    "bumped",
    [replace(VIEW, shift_mm=(3.0, -2.0)), replace(VIEW, tilt=VIEW.tilt + 0.02), replace(VIEW, roll=0.03)],
)
def test_a_bumped_camera_is_noticed_and_places_stay_places(bumped: View) -> None:
    before = usual()
    after = place(before.layout, find_markers(seen(bumped)))
    assert after is not None
    assert before.moved_mm(after) > 0.6
    for here, there in zip(floor(VIEW), floor(bumped), strict=True):
        assert np.hypot(*(after.mm(there[None])[0] - before.mm(here[None])[0])) < 0.6
        boxes = [(round(x) - 30, round(y) - 30, 60, 60) for x, y in (here, there)]
        one, other = before.position_mm(boxes[0], SHAPE), after.position_mm(boxes[1], SHAPE)
        assert np.hypot(*np.subtract(one, other)) < 2.0


def test_the_same_view_is_not_bumped() -> None:
    before = usual()
    for seed in (1, 2):
        again = place(before.layout, find_markers(seen(VIEW, seed, noise=4.0), before.markers))
        assert again is not None
        assert before.moved_mm(again) < 0.3


def test_a_marker_seen_twice_is_no_marker() -> None:
    picture = seen(VIEW)
    x, y = floor(VIEW, np.array([MARKERS_AT[0]]))[0].astype(int)
    picture[300:360, 600:660] = picture[y - 30 : y + 30, x - 30 : x + 30]
    assert sorted(find_markers(picture)) == [1, 2, 3]


def test_the_watched_area_holds_the_tray_and_its_rim() -> None:
    area = usual().area(320, 180, 0.25)
    assert area.shape == (180, 320)
    for place_mm, inside in (((0.0, 0.0), True), ((138.0, 0.0), True), ((0.0, 84.0), True)):
        x, y = (floor(VIEW, np.array([place_mm]))[0] / 4).astype(int)
        assert area[y, x] == inside
    far = View(1280, 720, 430.0, 0.0, 0.0)
    wide = tray_of(seen(far)).area(320, 180, 0.25)
    assert not wide[:, :2].any()
    assert not wide[:, -2:].any()


@pytest.mark.parametrize("picture", [np.zeros((720, 1280, 3), np.uint8), np.full((9, 9, 3), 200, np.uint8)])
def test_where_there_are_none_none_are_found(picture: Image) -> None:
    assert find_markers(picture) == {}
    assert find_markers(picture, usual().markers) == {}


def test_a_marker_that_a_die_covers_in_part_is_no_moved_camera() -> None:
    found = {number: corners.copy() for number, corners in find_markers(seen(VIEW)).items()}
    first, second, third, fourth = sorted(found)
    found[first][2] -= 9
    del found[second]
    assert in_place(usual(), found)
    found[third] += 9
    assert not in_place(usual(), found)
    assert in_place(usual(), {fourth: found[fourth]})
    assert not in_place(usual(), {})
