"""Frames that are kept of dice that lie open, and whether a die lies in a later frame as in one of those."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.motion.looks import Looks, OpenDice, likeness
from vision.motion.places import Places
from vision.motion.settings import LookSettings

if TYPE_CHECKING:
    from vision.motion.stillness import Area
    from vision.reading import Image

LIMITS = LookSettings()
STEP = LIMITS.changed + 1
SMALL = (90, 160)
SIDE = 72
BOX = (64, 64, SIDE, SIDE)
PIPS = {
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def die(value: int, degrees: float = 0.0, shift_px: float = 0.0, light: float = 1.0, seed: int = 1) -> Image:
    """A die on felt, seen with 4.5 pixels to a millimetre; the light falls off to the right."""
    picture = np.full((200, 200, 3), (60, 90, 60), np.float32)
    picture[64 : 64 + SIDE, 64 : 64 + SIDE] = (200, 205, 210)
    for x, y in PIPS[value]:
        cv2.circle(picture, (100 + 19 * x, 100 + 19 * y), 7, (30, 30, 30), -1, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((99.5, 99.5), degrees, 1.0)
    turn += np.array([[0, 0, shift_px], [0, 0, shift_px]])
    picture = np.asarray(
        cv2.warpAffine(picture, turn, (200, 200), borderMode=cv2.BORDER_REPLICATE), np.float32
    )
    picture *= np.linspace(light, 1.0, 200, dtype=np.float32)[None, :, None]
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("light", [1.0, 0.5])
def test_a_die_that_nobody_touched_looks_the_same(light: float) -> None:
    assert likeness(die(2), die(2, light=light, seed=2), BOX, LIMITS) >= LIMITS.same


@pytest.mark.parametrize(
    "after",
    [die(2, degrees=12), die(2, shift_px=9), die(6), die(2, degrees=90)],
    ids=["turned", "moved", "6", "turned by 90"],
)
def test_a_die_that_lies_otherwise_was_moved(after: Image) -> None:
    assert likeness(die(2), after, BOX, LIMITS) < LIMITS.moved


def test_one_pip_more_is_seen() -> None:
    assert likeness(die(2), die(3, seed=2), BOX, LIMITS) < LIMITS.same


def test_what_is_too_small_or_shows_nothing_is_not_alike() -> None:
    blank = np.full((200, 200, 3), 90, np.uint8)
    assert likeness(blank, blank, BOX, LIMITS) == 0
    assert likeness(die(2), die(2), (64, 64, 5, 5), LIMITS) == 0


def part(column: int) -> Area:
    """Where a die lies in the small frame."""
    area = np.zeros(SMALL, np.bool_)
    area[40:56, column : column + 16] = True
    return area


def small(level: int = 90) -> Image:
    return np.full((*SMALL, 3), level, np.uint8)


def never() -> Places:
    """No hand was anywhere, and nothing was seen to be free."""
    return Places(SMALL)


MOST = 4


def looks() -> Looks:
    return Looks(1.0, replace(LIMITS, most=MOST))


def test_a_frame_is_kept_once_as_long_as_it_shows_the_same() -> None:
    kept = looks()
    for time_s in (1.0, 2.0, 3.0):
        kept.see(small(), small(), OpenDice(still=part(20)), never(), time_s)
    kept.see(small(), small(), OpenDice(still=part(20) | part(60)), never(), 4.0)
    assert [look.time_s for look in kept.kept] == [1.0, 4.0]


def test_another_frame_is_kept_where_another_thing_is_to_be_seen() -> None:
    kept = looks()
    kept.see(small(), small(), OpenDice(still=part(20)), never(), 1.0)  # a cup and the hand on it
    kept.see(small(), small(200), OpenDice(still=part(20)), never(), 2.0)
    assert [look.time_s for look in kept.kept] == [1.0, 2.0]


@pytest.mark.parametrize(("hidden", "kept_s"), [(part(20), [1.0]), (part(60), []), (None, [])])
def test_dice_seen_in_one_frame_between_two_hands_count(hidden: Area | None, kept_s: list[float]) -> None:
    kept = looks()
    kept.see(small(), small(), OpenDice(uncovered=part(20)), never(), 1.0)
    kept.see(small(), small(), OpenDice(hidden=hidden), never(), 1.1)
    kept.see(small(), small(), OpenDice(hidden=part(20)), never(), 1.2)
    assert [look.time_s for look in kept.kept] == kept_s


@pytest.mark.parametrize(
    ("free_s", "hidden_s", "kept_s"),
    [(0.9, 1.2, []), (0.9, 1.5, [1.0]), (0.5, 1.2, [1.0]), (-np.inf, 1.2, [1.0])],
    ids=["fingers", "covered later", "lay there", "under a cup"],
)
def test_fingers_of_a_hand_that_comes_in_are_no_dice(
    free_s: float, hidden_s: float, kept_s: list[float]
) -> None:
    kept, places = looks(), never()
    places.background_s[:] = free_s
    kept.see(small(), small(), OpenDice(still=part(20)), places, 1.0)
    kept.see(small(), small(), OpenDice(hidden=part(20)), places, hidden_s)
    assert [look.time_s for look in kept.kept] == kept_s


def test_frames_of_dice_that_no_hand_came_over_make_room() -> None:
    kept, places = looks(), never()
    for number in range(MOST):
        kept.see(small(), small(STEP * number), OpenDice(still=part(20)), places, 1.0 + number)
    places.touched_s[part(20)] = 3.5
    kept.see(small(), small(250), OpenDice(still=part(20)), places, 20.0)
    assert [look.time_s for look in kept.kept] == [1.0, 2.0, 3.0, 20.0]
    assert not kept.lost(places.handled_s)


def test_where_there_is_no_room_for_a_frame_it_is_told_if_a_hand_came_over_its_dice() -> None:
    kept, places = looks(), never()
    for number in range(MOST + 1):
        kept.see(small(), small(STEP * number), OpenDice(still=part(20)), places, 1.0 + number)
        places.touched_s[part(20)] = 1.5 + number
    kept.see(small(), small(250), OpenDice(still=part(60)), places, 30.0)
    assert kept.lost(places.handled_s)
    kept.forget(but=[])
    assert not kept.lost(places.handled_s)
