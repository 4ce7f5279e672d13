"""Drawn frames of dice and hands: what was thrown, placed, touched or pushed is told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.motion.flight import Arrival
from vision.motion.flight_watch import FlightWatch
from vision.motion.patches import Patch
from vision.motion.settings import FlightSettings
from vision.reading import DieReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.reading import Image

HEIGHT, WIDTH = 180, 320
FPS = 30.0
CLOTH = (90, 140, 60)
DIE = 16
"""Its side in pixels; a pixel is a millimetre."""
SKIN = (120, 150, 210)

Place = tuple[int, int]


class Tray:
    """Frames of a tray with square dice, given to the watch one after the other."""

    def __init__(self, fps: float = FPS) -> None:
        self.background = np.full((HEIGHT, WIDTH, 3), CLOTH, np.uint8)
        self.watch = FlightWatch(np.ones((HEIGHT, WIDTH), np.bool_), 1.0)
        self.step_s = 1 / fps
        self.now_s = 0.0
        self.dice: dict[str, Place] = {}
        self.shadow = False
        self.lies_there: Image | None = None
        self.frame()
        self.settle()

    def frame(
        self, hand: Place | None = None, skin: tuple[int, int, int] = SKIN, half_wide: int = 35
    ) -> None:
        """One frame; a hand reaches from the near side up to its fingertips."""
        picture = (self.background if self.lies_there is None else self.lies_there).copy()
        for i, (x, y) in enumerate(self.dice.values()):
            if self.shadow:
                square(picture, x + DIE, y, DIE, [round(0.6 * level) for level in CLOTH])
            square(picture, x, y, DIE, (40 + 20 * i, 40, 230 - 20 * i))
        if hand is not None:
            x, y = hand
            picture[max(0, y) :, max(0, x - half_wide) : x + half_wide] = skin
        self.now_s += self.step_s
        self.watch.see(picture, self.background, self.now_s)

    def throw(self, **ends: Place) -> None:
        """Dice come in over the near side and roll to where they end, for half a second."""
        steps = round(0.5 / self.step_s)
        starts = {name: (x, HEIGHT + 10) for name, (x, _) in ends.items()}
        for step in range(1, steps + 1):
            part = 1 - (1 - step / steps) ** 2
            for name, (x, y) in ends.items():
                self.dice[name] = (x, round(starts[name][1] + part * (y - starts[name][1])))
            self.frame()
        self.wait(0.3)

    def reach(
        self, at: Place, change: Iterable[tuple[str, Place | None]] = (), skin: tuple[int, int, int] = SKIN
    ) -> None:
        """A hand comes over a place, changes dice there, and leaves."""
        path = [(at[0], y) for y in range(HEIGHT + 10, at[1] - 20, -25)]
        for tip in path:
            self.frame(tip, skin)
        for name, place in change:
            if place is None:
                del self.dice[name]
            else:
                self.dice[name] = place
        for tip in reversed(path):
            self.frame(tip, skin)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / self.step_s)):
            self.frame()

    def settle(self) -> list[Arrival]:
        """How each die came to lie there, by name."""
        self.wait(0.2)
        seen = [
            DieReading("d6", 1, 1.0, (x - DIE // 2, y - DIE // 2, DIE, DIE)) for x, y in self.dice.values()
        ]
        self.flight = self.watch.settle(seen, 1, self.now_s)
        return list(self.flight.arrivals)


def square(picture: Image, x: int, y: int, side: int, colour: Sequence[int]) -> None:
    half = side // 2
    picture[max(0, y - half) : max(0, y + half), max(0, x - half) : max(0, x + half)] = colour


@pytest.mark.parametrize("fps", [15.0, 30.0])
def test_thrown_dice_are_thrown_and_then_lie_there(fps: float) -> None:
    tray = Tray(fps)
    tray.throw(a=(60, 60), b=(150, 90), c=(240, 40))
    tray.wait(0.2)
    boxes = [(x - DIE // 2, y - DIE // 2, DIE, DIE) for x, y in (*tray.dice.values(), (100, 140))]
    assert [tray.watch.was_thrown(box, 1) for box in boxes] == [True, True, True, False]
    assert tray.settle() == [Arrival.THROWN] * 3
    assert tray.flight.followed
    assert not tray.flight.knocked
    assert tray.settle() == [Arrival.LAY] * 3


@pytest.mark.parametrize("skin", [SKIN, (60, 95, 40), (250, 250, 250)])
def test_a_die_that_a_hand_sets_down_is_placed(skin: tuple[int, int, int]) -> None:
    tray = Tray()
    tray.reach((100, 60), [("a", (100, 70))], skin)
    assert tray.settle() == [Arrival.HANDLED]


@pytest.mark.parametrize("cup", [SKIN, tuple(round(0.7 * level) for level in CLOTH)])
def test_a_place_is_new_to_a_die_once_it_was_seen_empty(cup: tuple[int, int, int]) -> None:
    tray = Tray()
    tray.throw(a=(100, 70), b=(200, 90))
    tray.settle()
    assert tray.flight.anew == (True, True)
    tray.settle()
    assert tray.flight.anew == (False, False)
    for _ in range(15):  # as a cup stands over it
        tray.frame((100, 40), cup)
    tray.watch.settle([], 1, tray.now_s)
    tray.settle()
    assert tray.flight.anew == (False, False)
    tray.reach((100, 60), [("a", None)])
    tray.settle()
    tray.reach((100, 60), [("a", (100, 70))])
    tray.settle()
    assert dict(zip(tray.dice, tray.flight.anew, strict=True)) == {"a": True, "b": False}


def test_nobody_knows_a_place_to_be_new_that_was_out_of_sight() -> None:
    tray = Tray()
    tray.watch.lose_sight()
    tray.dice["a"] = (100, 70)
    tray.frame()
    tray.settle()
    assert tray.flight.anew == (False,)


def test_a_die_turned_or_pushed_by_a_hand_is_placed() -> None:
    tray = Tray()
    tray.throw(a=(100, 70), b=(200, 90))
    tray.settle()
    tray.reach((100, 60), [("a", (100, 70))])
    assert tray.settle() == [Arrival.HANDLED, Arrival.LAY]
    tray.reach((200, 80), [("b", (218, 90))])
    assert tray.settle() == [Arrival.LAY, Arrival.HANDLED]


def test_the_die_placed_beside_thrown_ones_is_found_even_if_it_touches_one() -> None:
    tray = Tray()
    tray.throw(a=(100, 70), b=(200, 90))
    tray.reach((116, 60), [("c", (116, 70))])
    arrivals = tray.settle()
    assert arrivals[1] is Arrival.THROWN
    assert Arrival.THROWN not in (arrivals[0], arrivals[2])


def test_a_hand_over_thrown_dice_is_told_even_when_they_are_gone() -> None:
    tray = Tray()
    tray.throw(a=(100, 70))
    tray.reach((100, 60))
    assert tray.settle() == [Arrival.HANDLED]
    assert tray.flight.interfered
    tray = Tray()
    tray.throw(a=(100, 70))
    tray.reach((100, 60), [("a", None)])
    assert tray.settle() == []
    assert tray.flight.interfered


def test_to_take_up_dice_that_were_read_is_nothing_to_be_told() -> None:
    tray = Tray()
    tray.throw(a=(100, 70), b=(200, 90))
    tray.settle()
    tray.reach((100, 60), [("a", None)])
    tray.reach((200, 80), [("b", None)])
    tray.throw(c=(150, 50))
    assert tray.settle() == [Arrival.THROWN]
    assert not tray.flight.interfered
    assert not tray.flight.knocked


def test_a_hand_that_comes_as_dice_come_to_rest_is_told() -> None:
    tray = Tray()
    for step in range(16):
        tray.dice["a"] = (10 + 12 * step, 50)
        tray.frame()
    tray.reach((190, 40))
    assert tray.settle() == [Arrival.HANDLED]
    assert tray.flight.interfered


def test_fingers_over_dice_at_the_near_wall_are_told_although_they_are_quick() -> None:
    tray = Tray(15.0)
    for y in range(15, 166, 15):
        tray.dice = {"a": (100, y), "b": (122, y)}
        tray.frame()
    tray.wait(0.2)
    for _ in range(4):
        tray.frame((111, 154), half_wide=20)
    tray.wait(0.2)
    assert Arrival.THROWN not in tray.settle()
    assert tray.flight.interfered


def test_two_dice_that_the_end_of_the_watched_area_cuts_are_no_hand() -> None:
    tray = Tray(15.0)
    tray.throw(a=(100, 60))
    tray.dice |= {"b": (150, HEIGHT - 4), "c": (150 + DIE, HEIGHT - 4)}
    tray.wait(0.3)
    assert tray.watch.hand is None
    tray.settle()
    assert not tray.flight.interfered


def test_a_hand_over_a_die_that_creeps_by_half_millimetres_is_told() -> None:
    tray = Tray()
    tray.watch = FlightWatch(np.ones((HEIGHT, WIDTH), np.bool_), 2.0)
    tray.frame()
    tray.settle()
    tray.throw(a=(150, 60))
    for step in range(90):
        tray.dice["a"] = (150 - step // 4, 60)
        tray.frame()
    tray.reach((128, 50))
    assert tray.settle() == [Arrival.HANDLED]
    assert tray.flight.interfered


def test_a_hand_over_dice_that_were_not_read_for_seconds_is_told() -> None:
    tray = Tray()
    tray.throw(a=(150, 60))
    tray.wait(4.0)
    tray.reach((150, 50))
    assert tray.settle() == [Arrival.HANDLED]
    assert tray.flight.interfered


def test_a_picture_of_a_die_in_the_trays_colour_did_not_roll_there() -> None:
    tray = Tray()
    tray.settle()
    for tip in (150, 110, 70, 70, 110, 150, 178):
        if tip == 70:
            tray.lies_there = tray.background.copy()
            square(tray.lies_there, 150, 80, 9, (40, 40, 230))  # only its number is seen
        tray.frame((150, tip))
    for step in range(12):  # and that flickers
        tray.lies_there = tray.background.copy()
        square(tray.lies_there, 150 + 2 * (step // 3), 80, 9, (40, 40, 230))
        tray.frame()
    tray.wait(0.3)
    die = DieReading("d6", 6, 1.0, (132, 62, 40, 40))
    assert tray.watch.settle([die], 1, tray.now_s).arrivals == (Arrival.HANDLED,)


@pytest.mark.parametrize(("mass", "length"), [(0.0, 0), (120.0, 1)])
def test_a_fingertip_at_the_rim_is_no_die_on_its_way(mass: float, length: int) -> None:
    watch = FlightWatch(np.ones((HEIGHT, WIDTH), np.bool_), 2.0)
    tip = Patch(1, (100.0, 176.0), (90, 172, 20, 8), 130, mass=mass)
    watch.note_way([tip], 5.0)
    assert len(watch.trail) == length


@pytest.mark.parametrize("read", [True, False])
def test_a_die_that_was_read_at_the_rim_is_no_finger(read: bool) -> None:
    tray = Tray(15.0)
    tray.dice["a"] = (100, HEIGHT - 4)
    tray.wait(0.5)
    if read:
        tray.settle()
    begun_s = tray.now_s
    tray.wait(0.5)
    assert (tray.watch.places.reached_s <= begun_s).all() == read


def test_dice_that_cross_the_rim_one_after_another_are_no_fingers() -> None:
    tray = Tray(15.0)
    tray.throw(a=(40, 60))
    tray.settle()
    for at in range(6):
        tray.dice["b"] = (80 + 40 * at, HEIGHT - 4)
        tray.frame()
    assert np.isneginf(tray.watch.places.reached_s).all()


def test_a_die_that_was_read_and_is_pulled_out_by_one_finger_was_not_covered() -> None:
    tray = Tray()
    tray.throw(a=(100, 130))
    tray.settle()
    for tip in ((100, 134), (100, 126), (104, 122), (112, 118), (120, 114), (128, 110)):
        tray.frame(tip, half_wide=5)
    tray.reach((110, 90), [("a", None)])
    tray.throw(b=(150, 50))
    assert tray.settle() == [Arrival.THROWN]
    assert not tray.flight.interfered


def test_dice_that_were_read_lay_there_even_if_a_hand_is_seen_late() -> None:
    tray = Tray(15.0)
    tray.throw(a=(84, 110), b=(100, 110), c=(116, 110))
    tray.settle()
    for _ in range(6):
        tray.now_s += tray.step_s
        tray.watch.idle(tray.now_s)
    tray.frame((100, 106), half_wide=11)
    tray.frame((100, 90))
    tray.dice.clear()
    for y in (90, 115, 140, 165, 190):
        tray.frame((100, y))
    tray.throw(d=(150, 50))
    assert tray.settle() == [Arrival.THROWN]
    assert not tray.flight.interfered


def test_an_idle_tray_does_not_make_a_slow_camera_fast() -> None:
    tray = Tray(8.0)
    for _ in range(18_000):
        tray.now_s += 1 / 30
        tray.watch.idle(tray.now_s)
    tray.throw(a=(60, 60))
    tray.settle()
    assert tray.flight.fps == pytest.approx(8.0)
    assert not tray.flight.followed


def test_a_dark_while_does_not_make_a_camera_slow() -> None:
    tray = Tray()
    for _ in range(300):
        tray.now_s += tray.step_s
        tray.watch.see_nothing()
    tray.throw(a=(60, 60))
    assert tray.settle() == [Arrival.UNSEEN]
    assert tray.flight.fps == pytest.approx(FPS)


def test_a_die_that_another_one_knocks_away_is_told() -> None:
    tray = Tray()
    tray.throw(a=(100, 70))
    tray.settle()
    tray.throw(b=(100, 90), a=(100, 40))
    tray.settle()
    assert tray.flight.knocked


def test_what_came_while_no_frames_did_was_not_seen() -> None:
    tray = Tray()
    tray.throw(a=(100, 70))
    tray.now_s += FlightSettings().gap_s
    assert tray.settle() == [Arrival.UNSEEN]
    assert tray.settle() == [Arrival.LAY]


def test_too_few_frames_cannot_follow_a_throw() -> None:
    tray = Tray(10.0)
    tray.throw(a=(100, 70))
    tray.settle()
    assert not tray.flight.followed


def test_dice_that_come_to_rest_at_the_wall_are_no_hand() -> None:
    tray = Tray()
    tray.throw(a=(100, 12), b=(116, 14))
    assert tray.settle() == [Arrival.THROWN] * 2
    assert tray.watch.hand is None


def test_a_die_at_the_wall_that_a_hand_uncovered_is_no_hand_near() -> None:
    tray = Tray()
    tray.throw(a=(150, HEIGHT - DIE))
    tray.settle()
    tray.reach((150, 150))
    tray.wait(0.5)
    tray.settle()
    tray.throw(b=(60, 60))
    assert not tray.watch.hand_near


@pytest.mark.parametrize("fps", [15.0, 30.0])
def test_a_die_that_rolls_in_slowly_is_no_hand(fps: float) -> None:
    tray = Tray(fps)
    for step in range(round(0.35 * fps)):
        tray.dice["a"] = (160, HEIGHT + 6 - round(18 * step / (0.35 * fps)))
        tray.frame()
        assert tray.watch.hand is None


def test_dice_that_look_like_the_cloth_in_a_shadow_are_followed_once_they_were_read() -> None:
    tray = Tray()

    def roll(x: int) -> Arrival:
        for y in (*range(HEIGHT, 60, -12), *[60] * 15):
            picture = tray.background.copy()
            square(picture, x, y, DIE, [round(0.6 * level) for level in CLOTH])
            tray.now_s += tray.step_s
            tray.watch.see(picture, tray.background, tray.now_s)
        seen = [DieReading("d6", 1, 1.0, (x - DIE // 2, 60 - DIE // 2, DIE, DIE))]
        return tray.watch.settle(seen, 1, tray.now_s).arrivals[0]

    assert roll(100) is Arrival.HANDLED
    tray.frame()
    assert roll(180) is Arrival.THROWN


def test_a_heap_of_dice_is_no_hand_where_shadows_are_followed() -> None:
    tray = Tray()
    tray.watch.shady = tray.shadow = True
    for top in range(HEIGHT, 60, -12):
        tray.dice = {f"die {n}": (60 + 2 * DIE * (n % 3), top + DIE * (n // 3)) for n in range(11)}
        tray.frame()
        assert tray.watch.hand is None


@pytest.mark.parametrize("fps", [15.0, 30.0])
def test_a_hand_like_the_cloth_in_a_shadow_is_one_where_shadows_are_followed(fps: float) -> None:
    tray = Tray(fps)
    tray.watch.shady = True
    tray.reach((160, 80), [("a", (160, 80))], skin=(60, 95, 40))
    assert tray.settle() == [Arrival.HANDLED]


def test_a_die_that_rolls_into_the_shadow_of_an_old_one_is_thrown_where_shadows_are_followed() -> None:
    tray = Tray()
    tray.watch.shady = tray.shadow = True
    tray.throw(a=(60, 60))
    tray.settle()
    tray.throw(b=(60 + DIE, 60))
    assert tray.settle() == [Arrival.LAY, Arrival.THROWN]


def hollow(picture: Image, x: int, y: int, gap: int) -> None:
    """A die whose top looks like the cloth, with a gap in what is seen of it."""
    square(picture, x, y, 22, (40, 40, 230))
    square(picture, x, y, 16, CLOTH)
    picture[y - 11 : y - 11 + gap, x - 11 : x + 11] = CLOTH
    picture[y - 11 : y - 11 + gap, x - 11 : x - 1] = (40, 40, 230)
    square(picture, x, y, 4, (250, 250, 250))


def roll_hollow(tray: Tray, gap: int) -> DieReading:
    """It rolls in and comes to rest."""
    for y in (*range(HEIGHT, 60, -12), *[60] * 15):
        picture = tray.background.copy()
        hollow(picture, 100, y, gap)
        tray.now_s += tray.step_s
        tray.watch.see(picture, tray.background, tray.now_s)
    return DieReading("d6", 1, 1.0, (89, 49, 22, 22))


def touch_then_pass(tray: Tray, lies_there: Image) -> None:
    """A hand touches the die at (100, 60), another die rolls past, and the first is seen whole at last."""
    tray.reach((100, 50))
    tray.wait(0.2)
    for x in range(10, 310, 24):
        tray.dice["passing"] = (x, 66)
        tray.frame()
    square(lies_there, 100, 60, 22, (40, 40, 230))  # the light has changed
    tray.wait(0.3)


@pytest.mark.parametrize("gap", [0, 3])
def test_a_die_with_a_top_like_the_cloth_is_followed_by_what_is_seen_around_it(gap: int) -> None:
    tray = Tray()
    die = roll_hollow(tray, gap)
    assert tray.watch.settle([die], 1, tray.now_s).arrivals == (Arrival.THROWN,)


def test_a_die_with_a_top_like_the_cloth_was_not_thrown_again_when_a_hand_and_another_die_passed() -> None:
    tray = Tray()
    die = roll_hollow(tray, 3)
    tray.watch.settle([die], 1, tray.now_s)
    tray.lies_there = tray.background.copy()
    hollow(tray.lies_there, 100, 60, 3)
    touch_then_pass(tray, tray.lies_there)
    assert tray.watch.settle([die], 1, tray.now_s).arrivals[0] is not Arrival.THROWN


@pytest.mark.parametrize(("ends", "slide_px"), [(HEIGHT, 0), (HEIGHT - 6, 0), (HEIGHT, 8)])
def test_a_die_that_fingers_take_which_are_not_seen_over_the_rim_was_not_knocked_away(
    ends: int, slide_px: int
) -> None:
    tray = Tray(15.0)
    tray.throw(a=(160, 150), b=(60, 60))
    tray.settle()
    for step, tip in enumerate((165, 140, 130, 130, 130, 150, 178)):
        if step == 3:
            del tray.dice["a"]
        picture = tray.background.copy()
        for i, (x, y) in enumerate(tray.dice.values()):
            square(picture, x, y, DIE, (40 + 20 * i, 40, 230))
        for x in (154, 176):
            x += slide_px * (step - 2)
            picture[tip:ends, x - 7 : x + 7] = SKIN
        tray.now_s += tray.step_s
        tray.watch.see(picture, tray.background, tray.now_s)
    tray.throw(c=(240, 60))
    assert tray.settle() == [Arrival.LAY, Arrival.THROWN]
    assert not tray.flight.knocked


@pytest.mark.parametrize("fps", [15.0, 30.0])
@pytest.mark.parametrize("far_px", [18, 32])
@pytest.mark.parametrize("hand", [None, "before", "after"])
def test_a_die_that_a_finger_pushes_while_another_is_thrown_was_not(
    fps: float, far_px: int, hand: str | None
) -> None:
    tray = Tray(fps)
    tray.throw(a=(160, 130))
    tray.settle()
    if hand == "before":
        tray.reach((160, 120))
    steps = round(0.9 * fps)
    for step in range(1, steps + 1):
        part = step / steps
        reaches, pushes = min(1.0, part / 0.3, (1 - part) / 0.3), min(1.0, max(0.0, part / 0.3 - 1))
        rolled = min(1.0, 1.8 * part)
        tray.dice["a"] = (round(160 + far_px * pushes), 130)
        tray.dice["b"] = (260, round(190 - 130 * rolled))
        picture = tray.background.copy()
        for i, (x, y) in enumerate(tray.dice.values()):
            square(picture, x, y, DIE, (40 + 20 * i, 40, 230))
        finger = round(148 + far_px * pushes)
        picture[round(178 - 44 * reaches) : 178, finger - 7 : finger + 7] = SKIN
        tray.now_s += tray.step_s
        tray.watch.see(picture, tray.background, tray.now_s)
    if hand == "after":
        tray.reach((120, 120))
    tray.wait(0.3)
    pushed, thrown = tray.settle()
    assert pushed is Arrival.HANDLED
    assert thrown is Arrival.THROWN


def test_a_die_with_a_top_like_the_cloth_that_a_hand_touches_beside_another_was_not_thrown() -> None:
    tray = Tray()
    tray.throw(beside=(118, 64))
    tray.lies_there = tray.background.copy()
    tray.lies_there[49:71, 108:111] = (40, 40, 230)  # what is seen of a die at (100, 60): one side
    tray.wait(0.3)
    dice = [DieReading("d6", 1, 1.0, box) for box in ((89, 49, 22, 22), (110, 56, DIE, DIE))]
    tray.watch.settle(dice, 1, tray.now_s)
    touch_then_pass(tray, tray.lies_there)
    assert tray.watch.settle(dice, 1, tray.now_s).arrivals[0] is Arrival.HANDLED


def test_a_die_that_lands_where_one_was_taken_from_beside_another_was_thrown() -> None:
    tray = Tray()
    tray.throw(a=(100, 60), beside=(108, 66))
    tray.settle()
    tray.reach((100, 50), [("a", None)])
    tray.wait(0.2)
    tray.throw(b=(98, 58))
    assert tray.settle()[1] is Arrival.THROWN


@pytest.mark.parametrize("shadow", [False, True])
def test_a_die_that_a_hand_uncovers_as_it_covers_another_did_not_roll_there(shadow: bool) -> None:
    tray = Tray()
    tray.watch.shady = tray.shadow = shadow
    tray.throw(a=(96, 60), b=(160, 60))
    tray.settle()
    for x, tip in ((90, 150), (90, 100), (90, 40), (90, 40), (175, 40), (175, 100), (175, 170)):
        tray.frame((x, tip))
    tray.wait(0.5)
    tray.reach((90, 50))
    tray.settle()
    assert not tray.flight.interfered


def test_dice_that_are_first_seen_all_around_an_old_one_are_thrown() -> None:
    tray = Tray(15.0)
    tray.throw(old=(160, 100))
    tray.settle()
    for away in (15, 40, 62, 70):
        tray.dice["a"], tray.dice["b"] = (160 - away, 100), (160 + away, 100)
        tray.dice["c"], tray.dice["d"] = (160, 100 - away), (160, 100 + away)
        tray.frame()
    assert tray.settle() == [Arrival.LAY, *[Arrival.THROWN] * 4]


def test_a_die_at_the_wall_that_fingers_take_was_not_knocked_away() -> None:
    tray = Tray()
    tray.throw(a=(160, 160))
    tray.settle()
    for step, tip in enumerate((165, 150, 140, 135, 135, 135, 140, 150, 165, 178)):
        picture = tray.background.copy()
        if step < 2:
            square(picture, 160, 160, DIE, (40, 40, 230))
        for x in (120, 143, 166, 189):
            picture[tip + abs(x - 150) // 8 :, x - 7 : x + 7] = SKIN
        tray.now_s += tray.step_s
        tray.watch.see(picture, tray.background, tray.now_s)
    tray.dice.clear()
    tray.throw(b=(100, 60))
    assert tray.settle() == [Arrival.THROWN]
    assert not tray.flight.knocked


def test_fast_dice_are_thrown_even_where_they_pass_over_others() -> None:
    tray = Tray(15.0)
    tray.throw(old=(160, 90))
    tray.settle()
    for a, b in (
        ((150, 150), (170, 150)),
        ((155, 95), (172, 85)),
        ((150, 30), (180, 20)),
        ((130, 40), (200, 34)),
    ):
        tray.dice |= {"a": a, "b": b}
        tray.frame()
    assert tray.settle() == [Arrival.LAY, Arrival.THROWN, Arrival.THROWN]


def test_a_die_that_appears_while_a_hand_is_there_did_not_come_alone() -> None:
    tray = Tray()
    tray.throw(a=(60, 60))
    tray.reach((200, 60), [("b", (200, 70))])
    assert tray.settle()[1] is Arrival.HANDLED


@pytest.mark.parametrize("fps", [15.0, 30.0])
def test_a_die_that_a_hand_takes_as_it_comes_in_was_not_knocked_away(fps: float) -> None:
    tray = Tray(fps)
    tray.throw(a=(40, 150))
    tray.settle()
    for i, x in enumerate((40, 40, 75, *[110] * 10)):
        if i == 1:
            del tray.dice["a"]
        tray.frame((x, 80), half_wide=12)
    tray.frame()
    tray.throw(c=(100, 60))
    assert tray.settle() == [Arrival.THROWN]
    assert not tray.flight.knocked


def test_dice_that_roll_against_old_ones_at_the_wall_that_a_hand_covered_are_thrown() -> None:
    tray = Tray()
    tray.throw(a=(100, 14), b=(116, 14), c=(132, 14), d=(100, 30), e=(116, 30), f=(132, 30))
    tray.settle()
    for tip in (*range(170, 0, -20), *[0] * 10, *range(0, 190, 20)):
        tray.frame((116, tip))
    tray.wait(0.5)
    tray.throw(g=(100, 46), h=(116, 46), i=(132, 46))
    assert tray.settle()[6:] == [Arrival.THROWN] * 3


@pytest.mark.parametrize(("still_s", "interfered"), [(0.0, False), (0.3, True)])
def test_a_hand_that_stays_is_told_over_dice_only_once_they_show_what_was_thrown(
    still_s: float, interfered: bool
) -> None:
    tray = Tray()
    for _ in range(12):
        tray.frame((260, 60))
    for x in range(0, 150, 12):
        tray.dice["a"] = (x, 50)
        tray.frame((260, 60))
    for _ in range(round(still_s / tray.step_s)):
        tray.frame((260, 60))
    for x in (235, 205, 175, 150):
        tray.frame((x, 30))
    tray.dice.clear()
    tray.frame((150, 30))
    tray.frame((150, 120))
    tray.frame()
    tray.settle()
    assert tray.flight.interfered is interfered


def test_a_watch_that_begins_late_knows_how_fast_frames_come() -> None:
    tray = Tray()
    tray.watch, tray.now_s = FlightWatch(np.ones((HEIGHT, WIDTH), np.bool_), 1.0), 1000.0
    tray.wait(0.2)
    tray.settle()
    assert tray.flight.fps == pytest.approx(FPS)
    tray.flight = tray.watch.settle([], 1, tray.now_s)
    assert tray.flight.fps == pytest.approx(FPS)


def test_a_die_like_the_cloth_stays_where_it_was_when_a_hand_and_others_pass() -> None:
    tray = Tray()
    tray.throw(pip=(100, 60))
    tray.settle()
    dark = DieReading("d6", 1, 1.0, (70, 30, 40, 40))  # only its pip differs from the cloth
    tray.watch.settle([dark], 1, tray.now_s)
    tray.reach((100, 50))
    tray.wait(0.2)
    for y in range(170, 25, -24):
        tray.dice["a"] = (104, y)
        tray.frame()
    tray.wait(0.3)
    assert tray.watch.settle([dark], 1, tray.now_s).arrivals == (Arrival.HANDLED,)


def test_a_hand_over_a_thrown_die_is_told_although_it_rolled_over_old_ones() -> None:
    tray = Tray()
    tray.throw(a=(153, 98), b=(170, 89))
    tray.settle()
    for step in range(7):
        tray.dice["c"] = (48 + 28 * step, 78 + 18 * step // 5)
        tray.frame()
    tray.wait(0.2)
    tray.reach((216, 92), [("c", None)])
    tray.settle()
    assert tray.flight.interfered


def test_a_hand_that_touches_an_old_die_as_it_comes_in_covers_none() -> None:
    tray = Tray()
    tray.throw(a=(120, 100))
    tray.settle()
    tray.wait(1.0)
    for tip in ((89, 150), (86, 124), (93, 96), (128, 96), *[(143, 96)] * 8, *[(133, 96)] * 3, (143, 170)):
        tray.frame(tip, half_wide=10)
    tray.throw(b=(220, 50))
    assert tray.settle()[1] is Arrival.THROWN
    assert not tray.flight.interfered
