"""When places were last free, bare or touched."""

from __future__ import annotations

import numpy as np

from vision.motion.places import Places

SHAPE = (40, 40)
BOX = (8, 8, 16, 16)
NOTHING = np.zeros(SHAPE, np.bool_)
THERE = ~NOTHING
PLAIN = 0.75


def test_a_shadow_is_nothing_only_where_more_than_a_shadow_lies_now() -> None:
    places = Places(SHAPE)
    places.see(NOTHING, NOTHING, NOTHING, None, 1.0)
    places.see(THERE, NOTHING, THERE, None, 2.0)
    assert (places.last_background(BOX), places.last_bare(BOX, PLAIN)) == (1.0, 1.0)
    places.see(THERE, THERE, THERE, None, 3.0)
    assert (places.last_background(BOX), places.last_bare(BOX, PLAIN)) == (1.0, 2.0)


def test_what_a_hand_is_near_is_not_seen_to_be_free() -> None:
    places = Places(SHAPE)
    places.see(NOTHING, NOTHING, NOTHING, None, 1.0)
    places.see(THERE, NOTHING, THERE, THERE, 2.0)
    places.see(NOTHING, NOTHING, NOTHING, THERE, 3.0)
    places.see(THERE, THERE, THERE, None, 4.0)
    assert (places.last_background(BOX), places.last_bare(BOX, PLAIN)) == (1.0, 1.0)


def test_what_was_free_is_forgotten_when_nobody_can_tell() -> None:
    places = Places(SHAPE)
    places.see(NOTHING, NOTHING, NOTHING, None, 1.0)
    places.lose_sight()
    places.see(THERE, THERE, THERE, None, 2.0)
    assert (places.last_background(BOX), places.last_bare(BOX, PLAIN)) == (-np.inf, -np.inf)


def test_the_last_touch_is_that_of_the_middle_and_what_may_be_a_hand_handles_too() -> None:
    places = Places(SHAPE)
    places.touched_s[:10] = 1.0
    assert places.last_touch(BOX) == -np.inf
    places.touched_s[12] = 2.0
    places.reached_s[12, 12] = 3.0
    assert (places.last_touch(BOX), places.last_handled(BOX)) == (2.0, 3.0)
    assert places.handled_s[12, 12] == 3.0


def test_a_box_beside_the_frame_has_never_been_seen() -> None:
    places = Places(SHAPE)
    places.see(NOTHING, NOTHING, NOTHING, None, 1.0)
    beside = (50, 50, 10, 10)
    assert places.last_touch(beside) == places.last_bare(beside, PLAIN) == -np.inf


def test_a_place_is_new_to_a_die_if_it_was_seen_empty_since_one_lay_there() -> None:
    places = Places(SHAPE)
    places.see(THERE, THERE, THERE, None, 1.0)
    assert places.settle([BOX], 1.0) == (True,)
    places.see(NOTHING, NOTHING, THERE, None, 2.0)
    assert places.settle([], 2.0) == ()  # something is over it, or its shadow
    places.see(THERE, THERE, THERE, None, 3.0)
    assert places.settle([BOX], 3.0) == (False,)
    places.see(NOTHING, NOTHING, NOTHING, None, 4.0)
    places.see(THERE, THERE, THERE, None, 5.0)
    assert places.settle([BOX], 5.0) == (True,)


def test_the_place_of_a_die_that_looks_like_the_tray_is_never_known_to_be_empty() -> None:
    places = Places(SHAPE)
    places.see(NOTHING, NOTHING, NOTHING, None, 1.0)
    places.settle([BOX], 1.0)
    places.see(NOTHING, NOTHING, NOTHING, None, 2.0)
    places.see(THERE, THERE, THERE, None, 3.0)
    assert places.settle([], 3.0) == ()
    assert places.settle([BOX], 3.0) == (False,)
