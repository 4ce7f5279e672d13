"""From pixels to dice: drawn dice are read, what is no die or no clear die is never sure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.dice import PIPS
from tests.extent import extent
from tests.vision.a_reader import read_dice
from tests.vision.drawing import (
    BLACK,
    FELT,
    MIDDLE,
    WHITE,
    ellipse_points,
    fill,
    holds,
    one_die,
    put_d6,
    soft,
    sure_values,
    tray,
)
from vision.foreground import difference
from vision.nets import load_nets
from vision.reader import DiceReader, on_the_tray, without_composites
from vision.reading import DieReading, Doubt, touch
from vision.tray.pose import Tray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.reading import Image

VALUES = sorted(PIPS)
SPOTS = [(130.0, 120.0), (320.0, 110.0), (500.0, 130.0), (140.0, 350.0), (330.0, 360.0), (510.0, 340.0)]


def six_dice(turn: float = 20.0) -> Image:
    frame = tray()
    for value, centre in zip(VALUES, SPOTS, strict=True):
        put_d6(frame, value, centre, 60.0, turn * value)
    return soft(frame)


@pytest.mark.parametrize("value", VALUES)
@given(side=st.floats(36, 160), degrees=st.floats(0, 360), dark=st.booleans(), lean=st.floats(-0.06, 0.06))
@settings(max_examples=extent(4, 100), deadline=None)
def test_a_drawn_die_is_never_sure_with_another_value(
    value: int, side: float, degrees: float, dark: bool, lean: float
) -> None:
    reading = read_dice(one_die(value, side, degrees, dark=dark, lean=lean))
    assert sure_values(reading.dice) in ([], [value])


def test_clear_drawn_dice_are_read_more_often_than_asked_about() -> None:
    read = 0
    for value, (side, dark) in product(VALUES, ((45.0, False), (100.0, True))):
        for die in read_dice(one_die(value, side, 25.0, dark=dark)).dice:
            if die.sure:
                assert (die.kind, die.value, die.cocked) == ("d6", value, False)
                x, y, w, h = die.box
                assert 0.8 * side < min(w, h)
                assert max(w, h) < 1.8 * side
                assert abs(x + w / 2 - MIDDLE[0]) < 0.2 * side
                assert abs(y + h / 2 - MIDDLE[1]) < 0.2 * side
                read += 1
    assert read > len(VALUES)


def test_six_dice_are_read_and_sorted() -> None:
    reading = read_dice(six_dice())
    for value, centre in zip(VALUES, SPOTS, strict=True):
        assert [die.value for die in reading.dice if holds(die, centre)] == [value]
    assert sum(die.sure for die in reading.dice) >= 4
    corners = [(die.box[1], die.box[0]) for die in reading.dice]
    assert corners == sorted(corners)
    assert all(type(side) is int for die in reading.dice for side in die.box)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_frame_gives_no_other_values(quarters: int) -> None:
    frame = np.ascontiguousarray(np.rot90(six_dice(), quarters))
    values = sure_values(read_dice(frame).dice)
    assert len(values) == len(set(values)) >= 4


def test_reading_leaves_the_frame_as_it_is() -> None:
    frame = six_dice()
    before = frame.copy()
    read_dice(frame)
    assert np.array_equal(frame, before)


@pytest.mark.parametrize(("one", "other"), [(4, 4), (2, 2), (3, 3), (6, 6), (2, 4), (1, 5)])
@pytest.mark.parametrize("degrees", [pytest.param(0.0, marks=pytest.mark.slow), 30.0])
def test_touching_dice_are_never_read_as_something_else(one: int, other: int, degrees: float) -> None:
    frame = tray()
    along = np.deg2rad(degrees)
    put_d6(frame, one, (300.0, 240.0), 60.0, degrees)
    put_d6(frame, other, (300 + 61 * float(np.cos(along)), 240 + 61 * float(np.sin(along))), 60.0, degrees)
    values = sure_values(read_dice(soft(frame)).dice)
    assert Counter(values) <= Counter([one, other])


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_frame_of_one_colour_holds_nothing(level: int) -> None:
    assert read_dice(np.full((480, 640, 3), level, np.uint8)).dice == ()


@pytest.mark.parametrize("shape", [(480, 640, 3), (480, 640, 1)])
def test_noise_holds_nothing_sure(shape: tuple[int, ...]) -> None:
    noise = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    frame = np.ascontiguousarray(np.broadcast_to(noise, (480, 640, 3)))
    assert sure_values(read_dice(frame).dice) == []
    assert sure_values(read_dice(soft(frame, 3.0)).dice) == []


@pytest.mark.parametrize("noise", [0.0, 4.0])
def test_an_empty_tray_holds_nothing(noise: float) -> None:
    assert read_dice(tray(noise=noise)).dice == ()


def test_an_uneven_light_holds_nothing() -> None:
    x = np.linspace(10, 240, 640)
    frame = np.repeat(np.repeat(x[None, :, None], 480, axis=0), 3, axis=2).astype(np.uint8)
    assert sure_values(read_dice(frame).dice) == []


@pytest.mark.parametrize(
    "width", [32, 100, *(pytest.param(width, marks=pytest.mark.slow) for width in (33, 64, 160, 319))]
)
def test_small_frames_are_read_or_doubted(width: int) -> None:
    frame = np.asarray(
        cv2.resize(six_dice(), (width, width * 3 // 4), interpolation=cv2.INTER_AREA), np.uint8
    )
    values = sure_values(read_dice(frame).dice)
    assert values == sorted(set(values))  # each value lies there once
    for die in read_dice(frame).dice:
        x, y, w, h = die.box
        assert 0 <= x < x + w <= frame.shape[1]
        assert 0 <= y < y + h <= frame.shape[0]


@pytest.mark.parametrize("shape", [(32, 32), (32, 2400), (2400, 32), (4, 1500), (1, 1)])
def test_frames_of_any_shape_never_raise(shape: tuple[int, int]) -> None:
    frame = np.random.default_rng(1).integers(0, 256, (*shape, 3), dtype=np.uint8)
    assert sure_values(read_dice(frame).dice) == []


@pytest.mark.parametrize(
    ("value", "at"),
    [
        pytest.param(value, at, marks=() if value == 6 else pytest.mark.slow)
        for value in (2, 3, 6)
        for at in ((18.0, -18.0), (-18.0, 18.0), (0.0, 0.0), (20.0, 0.0))
    ],
)
def test_a_die_with_something_on_it_is_never_sure_with_another_value(
    value: int, at: tuple[float, float]
) -> None:
    frame = tray()
    put_d6(frame, value, MIDDLE, 60.0)
    fill(frame, ellipse_points(np.array(MIDDLE) + at, (17.0, 13.0), 30), (110, 140, 205))
    assert sure_values(read_dice(soft(frame)).dice) in ([], [value])


@pytest.mark.parametrize(
    ("value", "cut"),
    [
        pytest.param(value, cut, marks=() if cut == 40 else pytest.mark.slow)
        for value in VALUES
        for cut in (10, 40)
    ],
)
def test_a_die_cut_by_the_frame_is_never_sure_with_another_value(value: int, cut: int) -> None:
    frame = np.ascontiguousarray(one_die(value, 80.0)[:, 320 - 40 + cut :])
    assert sure_values(read_dice(frame).dice) in ([], [value])


@pytest.mark.parametrize(
    "square", [16, 40, *(pytest.param(square, marks=pytest.mark.slow) for square in (8, 24, 80))]
)
def test_a_checkerboard_holds_nothing_sure(square: int) -> None:
    y, x = np.mgrid[: 12 * square, : 16 * square]
    board = ((x // square + y // square) % 2 * 200 + 30).astype(np.uint8)
    assert sure_values(read_dice(soft(np.repeat(board[..., None], 3, axis=2))).dice) == []


@pytest.mark.parametrize("hole", [14, 20])
def test_a_ring_holds_nothing_sure(hole: int) -> None:
    frame = tray()
    fill(frame, ellipse_points(np.array(MIDDLE), (25.0, 25.0)), WHITE)
    fill(frame, ellipse_points(np.array(MIDDLE), (hole, hole)), FELT)
    assert sure_values(read_dice(soft(frame)).dice) == []


@pytest.mark.parametrize(
    ("disc", "dot"),
    [
        (25, 5),
        (40, 12),
        pytest.param(25, 8, marks=pytest.mark.slow),
        pytest.param(40, 8, marks=pytest.mark.slow),
    ],
)
def test_a_coin_with_a_dot_is_not_sure(disc: int, dot: int) -> None:
    frame = tray()
    fill(frame, ellipse_points(np.array(MIDDLE), (disc, disc)), WHITE)
    fill(frame, ellipse_points(np.array(MIDDLE), (dot, dot)), BLACK)
    assert sure_values(read_dice(soft(frame)).dice) == []


def cloth(pitch: int, radius: int) -> Image:
    """Printed dots in rows."""
    frame = tray(320, 240)
    for x in range(pitch, 320 - pitch, pitch):
        for y in range(pitch, 240 - pitch, pitch):
            fill(frame, ellipse_points(np.array([x, y], np.float64), (radius, radius)), WHITE)
    return soft(frame)


@pytest.mark.parametrize(("pitch", "radius"), [(30, 3), (45, 3), (45, 5)])
def test_a_dotted_cloth_holds_nothing_sure(pitch: int, radius: int) -> None:
    assert sure_values(read_dice(cloth(pitch, radius)).dice) == []


@pytest.mark.parametrize(("pitch", "radius"), [(20, 3), (20, 5), (30, 5), (30, 8)])
def test_a_cloth_with_dots_like_pips_holds_nothing_sure(pitch: int, radius: int) -> None:
    assert sure_values(read_dice(cloth(pitch, radius)).dice) == []


def test_a_blank_disc_holds_nothing_sure() -> None:
    frame = tray()
    fill(frame, ellipse_points(np.array(MIDDLE), (30.0, 30.0)), WHITE)
    assert sure_values(read_dice(soft(frame)).dice) == []


def test_sizes_that_no_die_has_are_doubted() -> None:
    frame = six_dice()
    assert read_dice(frame, tray_mm=170.0) == read_dice(frame)
    small = read_dice(frame, tray_mm=30.0).dice
    assert {die.doubt for die, before in zip(small, read_dice(frame).dice, strict=True) if before.sure} == {
        Doubt.ODD_SIZE
    }
    assert sure_values(read_dice(frame, tray_mm=1000.0).dice) == []


def test_a_picture_of_the_empty_tray_keeps_what_lies_and_doubts_what_was_there() -> None:
    background = tray()
    put_d6(background, 5, SPOTS[0], 60.0, 20.0)  # printed on the tray
    frame = background.copy()
    put_d6(frame, 3, SPOTS[1], 60.0, 30.0)
    assert sure_values(read_dice(soft(frame), background=None).dice) == [3, 5]
    assert sure_values(read_dice(soft(frame), background=soft(background)).dice) == [3]
    assert sure_values(read_dice(six_dice(), background=tray(seed=4)).dice) == sure_values(
        read_dice(six_dice()).dice
    )


@pytest.mark.parametrize(
    ("sure", "changes", "kept"), [(True, 0, 1), (False, 0, 0), (False, 9, 1), (True, 9, 1)]
)
def test_what_did_not_change_is_doubted_if_it_was_sure_and_else_left_out(
    sure: bool, changes: int, kept: int
) -> None:
    """A few changed rows of forty are a dark die's signs on dark cloth: it stays doubtful."""
    background = tray(noise=0)
    frame = background.copy()
    frame[200 : 200 + changes // 2, 300:340] = WHITE
    die = DieReading("d6", 3, 0.5, (300, 190, 40, 40), None if sure else Doubt.LOW_CONFIDENCE)
    left = on_the_tray(frame, background, [die])
    assert [d.doubt for d in left] == [Doubt.PART_OF_THE_TRAY if sure else Doubt.LOW_CONFIDENCE] * kept


def test_what_was_thrown_is_no_part_of_the_tray() -> None:
    frame = tray(noise=0)
    die = DieReading("d6", 3, 0.95, (300, 190, 40, 40))
    assert on_the_tray(frame, frame, [die], lambda box: box == die.box) == [die]


@pytest.mark.parametrize(
    ("levels", "width", "things"),
    [((0.5, 0.5, 0.5), 40, 0), ((2.0, 0.5, 0.5), 40, 1), ((0.5, 0.5, 0.5), 60, 1)],
    ids=["shadow", "coloured", "as wide as a die"],
)
def test_the_shadow_beside_a_die_is_no_other_die(levels: tuple[float, ...], width: int, things: int) -> None:
    background = tray(seed=4)
    frame = background.copy()
    put_d6(frame, 3, SPOTS[1], 60.0, 0.0)
    x, y = (round(v) for v in SPOTS[1])
    beside = frame[y - 28 : y + 28, x + 42 : x + 42 + width]
    beside[:] = np.clip(beside * np.array(levels), 0, 255).astype(np.uint8)
    seen = read_dice(frame, background=background).dice
    assert [die.doubt for die in seen] == [None, *[Doubt.NOT_READ] * things]


def blank(frame: Image, place: tuple[float, float], radius: float = 30.0) -> None:
    """Something white and round, which no detector takes for a die."""
    fill(frame, ellipse_points(np.array(place), (radius, radius)), WHITE)


def test_what_is_not_read_is_listed_where_the_empty_tray_is_known() -> None:
    frame = tray()
    for value, place in zip((2, 3, 4), SPOTS, strict=False):
        put_d6(frame, value, place, 60.0, 20.0)
    for place in SPOTS[3:5]:
        blank(frame, place)
    for background, listed in ((None, 0), (tray(seed=4), 2)):
        seen = read_dice(soft(frame), background)
        assert sum(die.sure for die in seen.dice) == 3
        assert sum(die.doubt is Doubt.NOT_READ for die in seen.dice) == listed


def test_what_is_not_read_is_listed_though_it_touches_a_die() -> None:
    frame = tray()
    put_d6(frame, 3, SPOTS[1], 60.0, 0.0)
    blank(frame, (SPOTS[1][0] + 58, SPOTS[1][1]))
    seen = read_dice(soft(frame), tray(seed=4)).dice
    assert [die.doubt for die in seen if die.value is None] == [Doubt.NOT_READ]


def test_against_itself_a_picture_has_nothing_but_what_is_surely_read() -> None:
    frame = six_dice()
    frame[:, :320] = cv2.GaussianBlur(frame[:, :320], (0, 0), 6)
    seen = read_dice(frame).dice
    sure = [die.box for die in seen if die.sure]
    assert 0 < len(sure) < len(seen)
    again = read_dice(frame, background=frame).dice
    assert [die.box for die in again] == sure
    assert not any(die.sure for die in again)


def test_the_empty_tray_may_be_of_another_size() -> None:
    small = tray(320, 240, seed=4)
    against_small = read_dice(six_dice(), background=small)
    assert sure_values(against_small.dice) == sure_values(read_dice(six_dice()).dice)


def test_hints_make_nothing_sure_that_was_not() -> None:
    frame = tray()
    fill(frame, ellipse_points(np.array(MIDDLE), (30.0, 30.0)), WHITE)
    for background in (None, tray(seed=4)):
        for tray_mm in (None, 200.0):
            assert sure_values(read_dice(soft(frame), background, tray_mm).dice) == []


boxes = st.tuples(*[st.integers(0, 20)] * 2, *[st.integers(1, 20)] * 2)


@given(boxes, boxes)
def test_boxes_touch_if_they_share_a_pixel(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    def pixels(box: tuple[int, ...]) -> set[tuple[int, int]]:
        x, y, w, h = box
        return {(i, j) for i in range(x, x + w) for j in range(y, y + h)}

    assert touch(one, other) == touch(other, one) == bool(pixels(one) & pixels(other))  # type: ignore[arg-type]


def test_after_a_reading_the_same_dice_need_no_second_look_for_their_boxes() -> None:
    runs: list[int] = []
    usual = load_nets()

    def counted(views: NDArray[Any]) -> NDArray[Any]:
        runs.append(len(views))
        return usual.die(views)

    reader = DiceReader(replace(usual, die=counted))
    frame, again = six_dice(), soft(six_dice(), 0.5)
    first = reader.read(frame)
    runs.clear()
    alone = reader.read(again)
    looks_alone = sum(runs)
    runs.clear()
    second = reader.read(again, lying=[die.box for die in first.dice])
    assert sum(runs) < 0.8 * looks_alone
    assert sure_values(second.dice) == sure_values(alone.dice)


def test_a_pair_of_sure_dice_is_no_third_one_and_neither_is_the_shadow_at_the_side_of_one() -> None:
    empty = np.full((360, 640, 3), (80, 140, 80), np.uint8)
    frame = empty.copy()
    frame[100:200, 100:200] = frame[100:200, 202:302] = frame[240:280, 430:470] = (40, 40, 200)
    frame[110:200, 302:350] = empty[110:200, 302:350] * 0.5
    one, two = (DieReading("d6", 3, 1.0, (x, 100, 100, 100)) for x in (100, 202))
    pair = DieReading("d6", 3, 0.5, (110, 90, 180, 120), Doubt.FRAMES_DISAGREE)
    side = DieReading(None, None, 0.0, (260, 110, 80, 90), Doubt.COVERED)
    beside = DieReading("d6", 3, 0.5, (430, 240, 40, 40), Doubt.COCKED)
    off = difference(frame, empty)
    assert without_composites(off, [one, pair, two, side, beside]) == [one, two, beside]
    frame[110:200, 302:350] = (200, 40, 40)
    assert side in without_composites(difference(frame, empty), [one, two, side])


def test_a_marker_that_a_sure_die_hides_in_part_is_no_die_but_one_on_a_marker_may_be() -> None:
    layout = {0: np.array([[0.0, 80.0], [80.0, 80.0], [80.0, 0.0], [0.0, 0.0]])}
    to_px = np.array([[1.0, 0.0, 100.0], [0.0, 1.0, 200.0], [0.0, 0.0, 1.0]])
    place = Tray(layout, np.linalg.inv(to_px), to_px)
    empty = np.full((360, 640, 3), (80, 140, 80), np.uint8)
    empty[200:280, 100:180] = 30
    frame = empty.copy()
    frame[150:220, 160:260] = (40, 40, 200)
    die = DieReading("d6", 3, 1.0, (160, 150, 100, 70))
    marker = DieReading("d6", 2, 0.3, (95, 195, 90, 90), Doubt.PRINT_OR_TOKEN)
    assert without_composites(difference(frame, empty), [die, marker], place) == [die]
    frame[210:260, 110:150] = (40, 40, 200)
    assert without_composites(difference(frame, empty), [die, marker], place) == [die, marker]
