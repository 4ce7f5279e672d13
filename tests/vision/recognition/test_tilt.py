"""A mark that is not where the frame's other dice let it be tells that the die leans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS
from vision.reading import Detection
from vision.recognition.attitude import (
    OFF_AXIS,
    PLACE_SPREAD,
    RISE,
    SLANT,
    SLANT_RISE,
    Attitude,
    Top,
    attitude_shifts,
    top_of,
    top_shifts,
)
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Orientation, Symbol
from vision.recognition.cocked import MAY_LEAN, off_level
from vision.tray.camera import USUAL_SLANT, CameraPose, usual_camera

if TYPE_CHECKING:
    from collections.abc import Sequence

CAMERA = usual_camera((720, 1280, 3))
D6 = KINDS.index("d6")
KNOWN = replace(CAMERA, focal_error=0.02, slant_error=0.012)
ODD = 3.0
"""Distance from which a die's mark is odd."""


def seen(right: float, down: float, x: float = 640, y: float = 360, kind: int = D6) -> Top:
    """The place of a die about (x, y) with its mark so far from its middle, in parts of its box."""
    mark = Symbol(CROP_PX * (0.5 + right / CROP_SPAN), CROP_PX * (0.5 + down / CROP_SPAN), 20.0, 0.9, ())
    found = top_of(mark, Detection(x - 40, y - 40, 80, 80, 0.9), CAMERA, kind)
    assert found is not None
    return found


def alone(found: Top) -> float:
    return odd([found])[0]


def odd(places: list[Top], trusted: list[bool] | None = None) -> list[float]:
    told = top_shifts(places, trusted or [True] * len(places), CAMERA)
    return [shift.distance(at) for shift, at in zip(told, places, strict=True)]


@pytest.mark.parametrize("up_deg", [0.0, 90.0, 250.0])
@pytest.mark.parametrize("way", [1, -1])
def test_a_d10_has_its_value_off_the_middle_along_its_way_up(up_deg: float, way: int) -> None:
    off = way * OFF_AXIS["d10"] / CROP_SPAN * CROP_PX
    x, y = off * np.cos(np.radians(up_deg)), -off * np.sin(np.radians(up_deg))
    mark = Symbol(CROP_PX / 2 + x, CROP_PX / 2 + y, 20.0, 0.9, (Orientation(up_deg, 0.9),))
    middle = Detection(600, 320, 80, 80, 0.9)
    for kind, flat in (("d10", True), ("d12", False)):
        found = top_of(mark, middle, CAMERA, KINDS.index(kind))
        assert found is not None
        assert (alone(found) < 0.1) is flat


@pytest.mark.parametrize("up_deg", [0.0, 90.0, 250.0])
@pytest.mark.parametrize("off_axis", [0.067, 0.164])
def test_a_d10_of_another_maker_is_flat_though_its_value_stands_elsewhere_along_its_way_up(
    up_deg: float, off_axis: float
) -> None:
    def with_value_at(along: float, across: float) -> float:
        way = np.radians(up_deg)
        turn = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]])
        x, y = turn @ (along, across) / CROP_SPAN * CROP_PX + CROP_PX / 2
        mark = Symbol(float(x), float(y), 20.0, 0.9, (Orientation(up_deg, 0.9),))
        found = top_of(mark, Detection(600, 320, 80, 80, 0.9), CAMERA, KINDS.index("d10"))
        assert found is not None
        return alone(found)

    assert with_value_at(off_axis, 0.0) < ODD
    assert with_value_at(off_axis, 0.0) < with_value_at(OFF_AXIS["d10"], abs(off_axis - OFF_AXIS["d10"]))


@pytest.mark.parametrize("way", [1, -1])
def test_a_d10_at_the_rim_has_it_on_either_side_of_where_its_top_is_seen(way: int) -> None:
    x, up_deg = 1200.0, 180.0
    off = way * OFF_AXIS["d10"] + RISE["d10"] * (x - 640) / 1280
    mark = Symbol(
        CROP_PX / 2 + off / CROP_SPAN * CROP_PX, CROP_PX / 2, 20.0, 0.9, (Orientation(up_deg, 0.9),)
    )
    found = top_of(mark, Detection(x - 40, 320, 80, 80, 0.9), CAMERA, KINDS.index("d10"))
    assert found is not None
    assert alone(found) < 0.1


def test_nothing_is_told_of_a_d4() -> None:
    mark = Symbol(CROP_PX / 2, CROP_PX / 2, 20.0, 0.9, ())
    assert top_of(mark, Detection(0, 0, 80, 80, 0.9), CAMERA, KINDS.index("d4")) is None


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-1, 0), (0, 1), (0.7, -0.72)])
def test_alone_in_the_middle_of_the_frame_every_side_is_alike(right: float, down: float) -> None:
    far = ODD * float(np.hypot(np.hypot(SLANT, SLANT_RISE * USUAL_SLANT), PLACE_SPREAD))
    assert alone(seen(0.95 * far * right, 0.95 * far * down)) < ODD
    assert alone(seen(1.05 * far * right, 1.05 * far * down)) >= ODD


def test_at_the_rim_a_top_is_seen_farther_out() -> None:
    out = RISE["d6"] * 600 / 1280
    outward, level, inward = (alone(seen(off, 0, x=1240)) for off in (out, 0.0, -out))
    assert outward == pytest.approx(0, abs=1e-6)
    assert outward < level < inward


def test_dice_that_lie_flat_make_one_that_leans_odder_than_it_is_alone() -> None:
    flat = [seen(0.01 * k, 0, x=500 + 60 * k) for k in range(5)]
    leaning = seen(0, 0.18)
    assert alone(leaning) < ODD
    *others, last = odd([*flat, leaning])
    assert last >= ODD
    assert max(others) < ODD


def test_where_the_camera_looks_aslant_the_one_that_differs_leans() -> None:
    aslant = [seen(0.01 * k, -0.25, x=500 + 60 * k) for k in range(6)]
    *others, upright = odd([*aslant, seen(0, 0.02)])
    assert upright >= ODD
    assert max(others) < ODD


def test_a_wide_lens_moves_tops_outward_and_the_dice_tell_how_far() -> None:
    def rim_among(width: float) -> float:
        xs = (100, 300, 500, 800, 1000)
        others = [seen(width * RISE["d6"] * (x - 640) / 1280, 0, x=x) for x in xs]
        return odd([*others, seen(2 * RISE["d6"] * 560 / 1280, 0, x=1200)])[-1]

    assert rim_among(2) < 0.9 * rim_among(1)


def test_a_doubtful_reading_tells_nothing_of_the_camera() -> None:
    flat = [seen(0, 0, x=610 + 30 * k) for k in range(3)]
    strays = [seen(0.4, 0, x=610 + 30 * k, y=500) for k in range(3)]
    told = odd([*flat, *strays], [True] * 3 + [False] * 3)
    assert max(told[:3]) < 0.5
    assert min(told[3:]) > ODD


def test_without_dice_there_is_nothing_odd() -> None:
    assert top_shifts([], [], CAMERA) == []


def test_under_a_known_camera_straight_down_is_where_it_is_seen() -> None:
    """The same die is flat under a camera that looks straight down beside it, and tilted under another."""
    there = replace(KNOWN, nadir_px=np.array([1200.0, 360.0]))
    mark = Symbol(CROP_PX / 2, CROP_PX / 2, 20.0, 0.9, ())
    die = Detection(1160, 320, 80, 80, 0.9)
    flat, tilted = (top_of(mark, die, camera, D6) for camera in (there, CAMERA))
    assert flat is not None
    assert tilted is not None
    (known,) = top_shifts([flat], [False], there)
    (wrong,) = top_shifts([tilted], [False], KNOWN)
    assert known.distance(flat) < 0.1
    assert wrong.distance(tilted) > 2


def test_a_longer_lens_moves_tops_outward_less() -> None:
    long = replace(CAMERA, focal_px=2 * CAMERA.focal_px)
    mark, die = Symbol(CROP_PX / 2, CROP_PX / 2, 20.0, 0.9, ()), Detection(1160, 320, 80, 80, 0.9)
    near, far = (top_of(mark, die, camera, D6) for camera in (long, CAMERA))
    assert near is not None
    assert far is not None
    assert near.outward * 2 == pytest.approx(far.outward)


def attitude(right_deg: float, down_deg: float = 0.0, error: float = 0.03) -> Attitude:
    return Attitude(np.sin(np.radians([right_deg, down_deg])), error)


def angles(
    attitudes: list[Attitude],
    places: list[tuple[float, float]],
    camera: CameraPose,
    weights: Sequence[float] = (),
) -> list[float]:
    """How far each is from straight up, in degrees, as the others tell it."""
    plumbs = [camera.plumb(place, (720, 1280, 3)) for place in places]
    told = attitude_shifts(attitudes, plumbs, weights or [1.0] * len(places), camera)
    return [off_level(*one).angle_deg for one in zip(attitudes, told, plumbs, strict=True)]


def test_straight_up_runs_outward_from_where_straight_down_is_seen() -> None:
    shape = (720, 1280, 3)
    assert CAMERA.plumb((639.5, 359.5), shape) == pytest.approx([0, 0], abs=1e-3)
    right, down = CAMERA.plumb((1139.5, 359.5), shape)
    assert (right, down) == pytest.approx((np.sin(np.arctan(500 / CAMERA.focal_px)), 0), abs=2e-3)


def test_one_die_that_points_elsewhere_than_the_others_is_off_the_level() -> None:
    places = [(300.0 + 170 * k, 200.0 + 60 * (k % 3)) for k in range(5)]
    flat = [Attitude(CAMERA.plumb(place, (720, 1280, 3)), 0.03) for place in places]
    odd = flat[2]._replace(top=flat[2].top + np.sin(np.radians([12.0, 0.0])))
    seen = angles([*flat[:2], odd, *flat[3:]], places, KNOWN)
    assert seen[2] > 10
    assert max(seen[:2] + seen[3:]) < 3


def test_dice_that_all_point_aside_alike_tell_that_an_unknown_camera_hangs_aslant() -> None:
    places = [(300.0 + 170 * k, 200.0 + 60 * (k % 3)) for k in range(5)]
    aside = np.sin(np.radians([10.0, 0.0]))
    flat = [Attitude(CAMERA.plumb(place, (720, 1280, 3)) + aside, 0.03) for place in places]
    assert max(angles(flat, places, CAMERA)) < 2.5
    odd = flat[2]._replace(top=flat[2].top + np.sin(np.radians([0.0, 15.0])))
    seen = angles([*flat[:2], odd, *flat[3:]], places, CAMERA)
    assert seen[2] > 12
    assert min(angles(flat, places, KNOWN)) > 5  # which from a known camera they cannot


def test_under_a_known_camera_a_die_alone_is_off_the_level_by_what_it_points_aside() -> None:
    (seen,) = angles([attitude(9.0)], [(639.5, 359.5)], KNOWN)
    assert seen == pytest.approx(9, abs=0.5)


def test_dice_that_lean_alike_do_not_show_where_straight_up_is() -> None:
    """Four flat dice and three that lean the same way: the mean of all lies between them."""
    places = [(250.0 + 120 * k, 200.0 + 60 * (k % 3)) for k in range(7)]
    flat = [Attitude(CAMERA.plumb(place, (720, 1280, 3)), 0.03) for place in places]
    aside = np.sin(np.radians([14.0, 0.0]))
    dice = [die._replace(top=die.top + aside * (k % 2)) for k, die in enumerate(flat)]
    seen = angles(dice, places, CAMERA)
    assert max(seen[::2]) < 3
    assert min(seen[1::2]) > 10


def test_dice_that_touch_nothing_show_where_straight_up_is() -> None:
    """Two dice that touch nothing, and three that touch one another and lean the same way."""
    places = [(350.0 + 120 * k, 200.0 + 60 * (k % 3)) for k in range(5)]
    flat = [Attitude(CAMERA.plumb(place, (720, 1280, 3)), 0.03) for place in places]
    aside = np.sin(np.radians([14.0, 0.0]))
    dice = [*flat[:2], *(die._replace(top=die.top + aside) for die in flat[2:])]
    seen = angles(dice, places, CAMERA, [1.0, 1.0, MAY_LEAN, MAY_LEAN, MAY_LEAN])
    assert max(seen[:2]) < 4
    assert min(seen[2:]) > 9
