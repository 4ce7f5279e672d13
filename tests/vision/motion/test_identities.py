"""How dice came to lie where they are read, from class maps and pictures that are drawn by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from tests.vision.motion.scenes import DIE_PX, FPS, HEIGHT, WIDTH, At, classes, way
from vision.motion.arrivals import (
    History,
    arrival,
    free_runs,
    is_flight,
    is_larger_and_over,
    was_moved_by_hand,
    without_parts,
)
from vision.motion.identities import Identities
from vision.motion.segmentation import TRAY, Segmenter, without_tray
from vision.motion.tracks import Blob, Point
from vision.motion.watch import MotionWatch
from vision.reading import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.motion.segmentation import Classes, Mask
    from vision.reading import Box, Flight, Image

FINE = 2
"""The frame is so many times as wide as the segmented one."""
Hand = tuple[float, float, float]
HIGH: Hand = (80.0, 20.0, 10.0)
"""A hand at the upper rim."""


@dataclass
class Drawn(Segmenter):
    """Takes each frame for what the scene says."""

    now: Classes = field(default_factory=classes)

    def segment(self, _frame: Image, _background: Image) -> Classes:
        return self.now

    def segment_alone(self, _frame: Image) -> tuple[Classes, Mask]:
        return self.now, self.now == TRAY


class Compared(Drawn):
    """Takes what looks as the empty tray does for the tray."""

    def segment(self, frame: Image, background: Image) -> Classes:
        return without_tray(self.now, frame, background)


class Scene:
    """A tray that is watched from empty on, and dice whose faces are patterns; or not `are_dice`.

    What is `read` of their faces is nothing, or the same of all. With a `hand` that is in view already.
    """

    def __init__(
        self,
        *,
        are_dice: bool = True,
        read: int | None = None,
        hand: tuple[Hand, ...] = (),
        skin: tuple[int, int, int] = (110, 140, 190),
    ) -> None:
        self.segmenter = Compared() if hand else Drawn()
        self.watch = MotionWatch(self.segmenter, die_px=DIE_PX)
        self.identities = Identities(self.watch, lambda _picture: are_dice, lambda _crop: read)
        self.frame = np.full((HEIGHT * FINE, WIDTH * FINE, 3), 90, np.uint8)
        self.frames = 0
        self.skin: tuple[int, int, int] | None = skin if hand else None
        if not hand:
            self.show(5)
        for at in hand:
            self.show(35, hand=at)

    def show(
        self, frames: int, *dice: tuple[At, int], hand: Hand | None = None, spin_deg: float = 0.0
    ) -> None:
        """So many frames with dice, each at a place and with the face of that number, spun by an angle."""
        for _ in range(frames):
            self.frame[:] = 90
            for at, face in dice:
                x, y, w, h = box(at)
                pattern = np.random.default_rng(face).integers(0, 255, (5, 5), np.uint8)
                grey = cv2.resize(pattern, (w, h), interpolation=cv2.INTER_CUBIC)
                turn = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), spin_deg, 1.0)
                grey = cv2.warpAffine(grey, turn, (w, h), borderValue=90)
                self.frame[y : y + h, x : x + w] = grey[..., None]
            if self.skin is not None and hand is not None:
                self.frame[: round(hand[2] * FINE), slice(*edges(hand))] = self.skin
            self.segmenter.now = classes([at for at, _ in dice], [] if hand is None else [hand])
            if self.skin is None:
                self.watch.segment(self.frame, self.frames / FPS)
            else:
                self.watch.watch(self.frame, self.frames / FPS)
            self.identities.see(self.frame)
            self.frames += 1

    def roll(self, start: At, end: At, frames: int, face: int = 1) -> None:
        for at in way(start, end, frames):
            self.show(1, (at, face))

    def settle(self, *places: At, unchanged: Iterable[At] = ()) -> Flight:
        return self.identities.settle(self.frame, [box(at) for at in places], [box(at) for at in unchanged])


def box(at: At) -> Box:
    side = round(DIE_PX * FINE)
    return round(at[0] * FINE - side / 2), round(at[1] * FINE - side / 2), side, side


def edges(hand: Hand) -> tuple[int, int]:
    """The columns of the frame that it covers."""
    x, wide, _ = hand
    return max(0, round(x - wide / 2)) * FINE, round(x + wide / 2) * FINE


HERE: At = (80.0, 50.0)
AWAY: At = (30.0, 70.0)
OVER: Hand = (80.0, 30.0, 58.0)
"""A hand that covers what lies HERE."""


def test_a_die_that_rolls_to_rest_was_thrown() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    flight = scene.settle(HERE)
    assert flight.arrivals == (Arrival.THROWN,)
    assert (flight.interfered, scene.identities.touched) == (False, False)


def test_a_die_is_read_as_one_that_was_thrown_if_its_throw_will_count() -> None:
    scene = Scene()
    scene.show(10, (AWAY, 1))  # it came between two frames, with no hand near
    scene.show(12, (AWAY, 1), (HERE, 1), hand=(80.0, 20.0, 46.0))
    scene.show(10, (AWAY, 1), (HERE, 1))
    assert [scene.identities.was_thrown(scene.frame, box(at)) for at in (AWAY, HERE)] == [True, False]
    assert scene.settle(AWAY, HERE).arrivals == (Arrival.THROWN, Arrival.UNSEEN)


def test_a_die_at_which_a_hand_stops_may_have_been_set_down_or_let_go() -> None:
    scene = Scene()
    scene.show(12, (HERE, 1), hand=(80.0, 20.0, 46.0))
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


@pytest.mark.parametrize("widths_s", [10.0, 20.0])
def test_a_die_that_a_finger_pushes_to_its_place_and_leaves_at_once_was_not_seen_to_roll(
    widths_s: float,
) -> None:
    scene, top = Scene(), 10.0
    for y in np.arange(top, HERE[1], widths_s * DIE_PX / FPS):
        scene.show(1, ((HERE[0], float(y)), 1), hand=(HERE[0], 20.0, float(y) - DIE_PX / 2))
    leaves(scene, (HERE[0], 20.0, HERE[1] - DIE_PX / 2), (HERE, 1), frames=4)
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


@pytest.mark.parametrize(("frames", "how"), [(4, Arrival.THROWN), (8, Arrival.UNSEEN)])
def test_a_hand_that_touches_a_die_that_rolled_for_less_than_a_fifth_of_a_second_has_not_set_it(
    frames: int, how: Arrival
) -> None:
    scene = Scene()
    scene.roll((20.0, 50.0), (74.0, 50.0), 8)
    for i in range(frames):
        scene.show(1, (HERE, 1), hand=(80.0, 20.0 + 10 * (i % 2), 46.0))
    scene.show(12, (HERE, 1))
    assert scene.settle(HERE).arrivals == (how,)


@pytest.mark.parametrize("frames", [3, 5])
def test_a_die_that_a_finger_pushes_between_two_sights_of_it_alone_was_not_seen_to_roll(frames: int) -> None:
    scene = Scene()
    scene.show(1, ((80.0, 20.0), 1))
    for x, y in way((80.0, 20.0), HERE, frames):
        scene.show(1, ((x, y), 1), hand=(80.0, 20.0, y - DIE_PX / 2))
    scene.show(12, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


LETS_GO: Hand = (80.0, 20.0, 46.0)
"""A hand whose fingertips are next to what lies HERE."""


def let_go(
    scene: Scene, *faces: int, glides: Sequence[tuple[float, float]] = (), hand: Hand | None = None
) -> None:
    """A hand stops at a die and is gone in the next frame; then the die shows these faces, and rests on 1.

    It `glides` to its place in the frames that follow: pixels to the left of it, and degrees by which it is
    spun. A `hand` may stay meanwhile.
    """
    scene.show(12, (HERE, 5), hand=LETS_GO)
    for face in faces:
        scene.show(1, (HERE, face), hand=hand)
    for left, angle in glides:
        scene.show(1, ((HERE[0] - left, HERE[1]), 1), spin_deg=angle)
    scene.show(12, (HERE, 1))


def test_a_die_that_turns_over_after_the_hand_has_left_was_thrown() -> None:
    scene = Scene()
    let_go(scene, 3, 4, 2)
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


@pytest.mark.parametrize(
    ("faces", "hand"),
    [
        ((), None),
        ((3,), None),
        ((1, 1, 1, 1, 3), None),
        ((3, 4, 2), LETS_GO),
        ((3, 4, 2), (80.0, 20.0, 43.0)),
    ],
    ids=["at once", "after a frame", "but for a late frame", "beside the hand", "near the hand"],
)
def test_a_die_that_shows_its_face_as_soon_as_the_hand_leaves_may_have_been_set_down(
    faces: tuple[int, ...], hand: Hand | None
) -> None:
    scene = Scene()
    let_go(scene, *faces, hand=hand)
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


def test_a_die_that_goes_on_moving_after_the_hand_has_left_was_thrown() -> None:
    scene = Scene()
    let_go(scene, glides=[(1.0, 0.0), (-1.0, 0.0)] * 3)
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


def test_a_die_that_glides_on_as_the_hand_leaves_may_have_been_pushed() -> None:
    scene = Scene()
    let_go(scene, glides=[(4.0, 18.0), (3.0, 17.0), (2.0, 16.0), (1.0, 0.0)])
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


def test_dice_under_a_hand_that_lets_go_low_and_hovers_are_asked_about() -> None:
    scene = Scene()
    scene.show(10, hand=OVER)
    scene.show(20, (HERE, 1), hand=(80.0, 30.0, 46.0))
    scene.show(10, (HERE, 1))
    flight = scene.settle(HERE)
    assert (flight.arrivals, flight.interfered) == ((Arrival.UNSEEN,), False)


def test_a_still_picture_brings_no_die_although_the_net_sees_one_come() -> None:
    scene = Scene()
    scene.show(10, (HERE, 1))
    scene.settle()
    for at in way((80.0, 20.0), HERE, 8) + [HERE] * 10:
        scene.segmenter.now = classes([at])
        scene.watch.segment(scene.frame, scene.frames / FPS)
        scene.identities.see(scene.frame)
        scene.frames += 1
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


def leaves(scene: Scene, hand: Hand, *dice: tuple[At, int], frames: int) -> None:
    """The hand draws back to the rim and goes; the dice lie under it, beside it, or not yet."""
    x, wide, tip = hand
    for far in np.linspace(tip, 0.0, frames):
        scene.show(1, *dice, hand=(x, wide, float(far)))
    scene.show(15, *dice)


@pytest.mark.parametrize(
    ("place", "frames", "skin"),
    [
        pytest.param(HERE, 90, (110, 140, 190), marks=pytest.mark.slow),
        (HERE, 4, (160, 160, 160)),
        ((62.0, 50.0), 15, (110, 140, 190)),
        ((80.0, 64.0), 15, (110, 140, 190)),
    ],
    ids=["under, slow", "under, fast, a shade of the tray", "beside", "before"],
)
def test_a_die_that_lies_where_a_hand_passed_for_the_tray_was_not_seen_to_come(
    place: At, frames: int, skin: tuple[int, int, int]
) -> None:
    scene = Scene(hand=(OVER,), skin=skin)
    assert scene.watch.presumed.any()
    assert not scene.watch.hand_in_tray()
    leaves(scene, OVER, (place, 1), frames=frames)
    assert not scene.watch.presumed.any()
    assert scene.settle(place).arrivals[0] in (Arrival.UNSEEN, Arrival.HANDLED)


def test_a_hand_that_passed_for_the_tray_and_goes_back_there_was_a_hand_all_along() -> None:
    scene = Scene(hand=(OVER,))
    for far in (40.0, 40.0, 40.0):
        scene.show(1, (HERE, 1), hand=(80.0, 30.0, far))
    scene.show(10, (HERE, 1), hand=OVER)
    scene.show(45, (HERE, 1), hand=OVER)  # long enough to pass for the tray once more
    leaves(scene, OVER, (HERE, 1), frames=8)
    assert scene.settle(HERE).arrivals[0] in (Arrival.UNSEEN, Arrival.HANDLED)


def test_a_die_thrown_over_a_rim_that_passes_for_the_tray_was_thrown() -> None:
    scene = Scene(hand=(HIGH,))
    for at in way((80.0, 16.0), HERE, 9):
        scene.show(1, (at, 1), hand=HIGH)
    scene.show(12, (HERE, 1), hand=HIGH)
    assert scene.watch.presumed.any()
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


def test_a_die_that_rolls_to_a_hand_that_stands_there_was_thrown() -> None:
    scene = Scene()
    stands: Hand = (80.0, 20.0, 46.0)
    for at in way((20.0, 50.0), HERE, 5):
        scene.show(1, (at, 1), hand=stands)
    scene.show(8, (HERE, 1), hand=stands)
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


def test_a_die_that_may_have_been_set_down_among_thrown_ones_is_asked_about() -> None:
    scene = Scene()
    for at in way((30.0, 20.0), AWAY, 8):
        scene.show(1, (at, 2))
    scene.show(40, (AWAY, 2))
    scene.show(12, (AWAY, 2), (HERE, 1), hand=(80.0, 20.0, 46.0))
    scene.show(10, (AWAY, 2), (HERE, 1))
    flight = scene.settle(AWAY, HERE)
    assert flight.arrivals == (Arrival.THROWN, Arrival.UNSEEN)


@pytest.mark.parametrize("others", [0, 6])
def test_a_die_that_parts_from_more_than_the_dice_that_lie_there_may_have_parted_from_a_hand(
    others: int,
) -> None:
    scene = Scene()
    step = DIE_PX - 1
    for at in way((80.0, 10.0), HERE, 8):
        scene.show(1, (at, 1), *(((at[0] + step * (i + 1), at[1]), 2) for i in range(others)))
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN if others else Arrival.THROWN,)


def test_a_die_that_left_a_clump_which_never_reached_its_place_was_thrown() -> None:
    scene = Scene()
    step = DIE_PX - 1
    for number, at in enumerate(way((70.0, 8.0), (70.0, 20.0), 8)):
        clump = [((at[0] - step * (i + 1), at[1]), 2) for i in range(6)]
        scene.show(1, (at, 1), *(clump if number > 3 else []))
    for at in way((70.0, 20.0), HERE, 6):
        scene.show(1, (at, 1))
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


@pytest.mark.parametrize("thrown", [True, False])
def test_a_die_under_a_passing_hand_was_thrown_if_another_was_in_that_moment(thrown: bool) -> None:
    scene = Scene()
    others = [(AWAY, 2)] if thrown else []
    for number, at in enumerate(way((40.0, 20.0), AWAY, 8)):
        dice = [(at, 2)] if thrown else []
        under = [(HERE, 1)] if number > 4 else []
        scene.show(1, *dice, *under, hand=(40.0 + 9 * number, 30.0, 60.0))  # passes and does not stop
    for x in (112.0, 124.0, 136.0):
        scene.show(1, *others, (HERE, 1), hand=(x, 30.0, 60.0))
    scene.show(10, *others, (HERE, 1))
    places = [AWAY, HERE] if thrown else [HERE]
    assert scene.settle(*places).arrivals[-1] is (Arrival.THROWN if thrown else Arrival.UNSEEN)


@pytest.mark.parametrize(("before_s", "how"), [(0.8, Arrival.THROWN), (1.5, Arrival.UNSEEN)])
def test_a_die_that_came_under_a_hand_within_a_second_of_a_throw_was_a_part_of_it(
    before_s: float, how: Arrival
) -> None:
    under_hand = History(
        lay=None, carried=False, far=0.0, fast=0.0, changed=True, moved_by_hand=False, clumped=False,
        altered_s=math.inf, bare_s=10.0, open_s=10.5, hand_s=10.2, stopped_s=9.0,
    )  # fmt: skip
    assert arrival(under_hand, [10.0 - before_s]) is how


def test_dice_rest_as_long_as_they_look_the_same() -> None:
    scene = Scene()
    assert not scene.identities.rest_s(scene.identities.tracks_in_view())
    scene.show(7, (HERE, 1), (AWAY, 2))
    assert scene.identities.rest_s(scene.identities.tracks_in_view()) == pytest.approx(6 / FPS)
    assert scene.identities.has_new()
    scene.show(4, (HERE, 1), (AWAY, 3))
    assert scene.identities.rest_s(scene.identities.tracks_in_view()) == pytest.approx(3 / FPS)
    scene.show(1, (HERE, 1), ((AWAY[0] + 4, AWAY[1]), 3))
    assert not scene.identities.rest_s(scene.identities.tracks_in_view())
    scene.show(5, (HERE, 1), (AWAY, 3))
    scene.settle(HERE, AWAY)
    assert not scene.identities.has_new()


def test_a_picture_of_a_die_shows_a_little_of_what_lies_around_it() -> None:
    frame = np.zeros((HEIGHT * 8, WIDTH * 8, 3), np.uint8)
    assert Scene().identities.widened((60, 40, 10, 10), frame) == (468, 308, 104, 104)


@pytest.mark.parametrize(("part", "larger"), [(1.3, False), (1.5, True)])
def test_fingers_over_a_die_are_half_as_large_again(part: float, larger: bool) -> None:
    die: Box = (60, 40, 10, 10)
    fingers = Blob((65.0, 45.0), (55, 0, 20, 55), round(100 * part), clear=True, free=True, reaches_out=True)
    assert is_larger_and_over(fingers, die, [die]) is larger
    assert not is_larger_and_over(replace(fingers, reaches_out=False), die, [die])


@pytest.mark.parametrize("frames", [1, 6])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("apart", [0, 1])
def test_a_die_that_fingers_leave_behind_that_passed_for_dice_was_not_seen_to_come(
    frames: int, first: int, apart: int
) -> None:
    there: At = (80.0, 2.5 * DIE_PX - 2)
    fingers: list[At] = [(80.0, 1.5 * DIE_PX - 1), (80.0, 0.5 * DIE_PX)]
    scene = Scene()
    scene.show(first, (there, 1))
    scene.show(frames, (there, 1), *((at, 2) for at in fingers))
    rests: At = (there[0], there[1] + 3 * apart)
    scene.show(3 * apart, (rests, 1), *((at, 2) for at in fingers))
    scene.show(10, (rests, 1))
    stood = frames > 1
    assert scene.settle(rests).arrivals == (Arrival.UNSEEN if stood else Arrival.THROWN,)


def test_a_die_that_just_came_when_fingers_stood_over_it_that_passed_for_dice_may_have_been_turned() -> None:
    there: At = (80.0, 2.5 * DIE_PX - 2)
    fingers: list[At] = [(80.0, 1.5 * DIE_PX - 1), (80.0, 0.5 * DIE_PX)]
    scene = Scene()
    scene.roll((80.0, 90.0), there, 8)
    scene.show(6, (there, 1), *((at, 2) for at in fingers))
    scene.show(10, (there, 1))
    assert scene.settle(there).arrivals == (Arrival.UNSEEN,)


def path_of(*places: tuple[At, int]) -> list[Point]:
    """The path of a die in blobs at these places, of these areas, with nothing beside them."""
    return [
        Point(i / FPS, at, math.dist(at, places[max(0, i - 1)][0]), alone(at, area))
        for i, (at, area) in enumerate(places)
    ]


def alone(at: At, area: int) -> Blob:
    corner = round(at[0] - DIE_PX / 2), round(at[1] - DIE_PX / 2)
    return Blob(at, (*corner, 10, 10), area, clear=True, free=True, reaches_out=False)


@pytest.mark.parametrize(("area", "flies"), [(80, True), (20, False)])
def test_a_part_of_a_hand_that_flits_and_becomes_a_die_is_no_flight(area: int, flies: bool) -> None:
    came = path_of(*((at, area) for at in way((80.0, 10.0), HERE, 4)), *[(HERE, 80)] * 4)
    runs = free_runs(without_parts(came, (75, 45, 10, 10)), DIE_PX)
    assert [is_flight(run, DIE_PX) for run in runs] == [flies]


def test_a_flight_to_another_place_where_it_lay_still_is_not_this_one() -> None:
    there: At = (50.0, 50.0)
    flew = [(at, 80) for at in (*way((20.0, 50.0), there, 4), *[there] * 5)]
    for path, flies in ((flew, True), ([*flew, *[(HERE, 80)] * 5], False)):
        assert [is_flight(run, DIE_PX) for run in free_runs(path_of(*path), DIE_PX)] == [flies]


def test_a_die_that_flew_to_fingers_that_passed_for_dice_was_thrown() -> None:
    fingers: list[At] = [(80.0, 1.5 * DIE_PX - 1), (80.0, 0.5 * DIE_PX)]
    there: At = (80.0, 2.5 * DIE_PX - 2)
    scene = Scene()
    for at in way((150.0, 23.0), there, 8):
        scene.show(1, (at, 1), *((finger, 2) for finger in fingers))
    scene.show(6, (there, 1), *((finger, 2) for finger in fingers))
    scene.show(10, (there, 1))
    assert scene.settle(there).arrivals == (Arrival.THROWN,)


def test_dice_that_touch_each_other_at_rest_were_no_fingers() -> None:
    scene = Scene()
    beside: At = (HERE[0] + DIE_PX - 1, HERE[1])
    scene.show(10, (HERE, 1), (beside, 2))
    assert scene.settle(HERE, beside).arrivals == (Arrival.THROWN, Arrival.THROWN)


def test_a_die_that_lies_where_the_tray_was_never_seen_bare_was_not_seen_to_come() -> None:
    scene = Scene()
    scene.watch.places.bare_s[:] = -math.inf
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


def test_one_jump_is_no_flight() -> None:
    def run(*steps_px: float) -> list[Point]:
        return [Point(i / FPS, HERE, step, alone(HERE, 80)) for i, step in enumerate(steps_px)]

    assert not is_flight(run(0, 14, 0, 0), DIE_PX)
    assert not is_flight(run(0, 14, 0, 7, 0), DIE_PX)
    assert is_flight(run(0, 7, 7, 0), DIE_PX)


@pytest.mark.parametrize("face", [1, 2])
def test_a_die_that_is_turned_under_a_hand_is_known_by_its_face(face: int) -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(8, (HERE, 1))
    scene.show(10, hand=OVER)  # the die is not seen, and its track is lost
    scene.show(10, (HERE, face))
    flight = scene.settle(HERE)
    turned = face != 1
    assert (flight.arrivals[0] is Arrival.HANDLED) == turned
    assert (flight.interfered, scene.identities.touched) == (turned, turned)


def test_a_hand_that_comes_after_a_die_lay_open_did_not_put_it_there() -> None:
    scene = Scene()
    scene.show(8, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.THROWN,)


def test_a_hand_that_stays_at_dice_since_the_throw_may_have_thrown_them() -> None:
    scene = Scene()
    stays: Hand = (80.0, 20.0, 46.0)
    for at in way((30.0, 20.0), AWAY, 8):
        scene.show(1, (at, 2), (HERE, 1), hand=stays)
    scene.show(60, (AWAY, 2), (HERE, 1), hand=stays)
    scene.show(10, (AWAY, 2), (HERE, 1))
    assert scene.settle(AWAY, HERE).arrivals == (Arrival.THROWN, Arrival.UNSEEN)


def test_a_die_that_looks_otherwise_but_shows_the_same_face_was_not_turned() -> None:
    scene = Scene(read=4)
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(8, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10, (HERE, 2))
    flight = scene.settle(HERE)
    assert (flight.arrivals, flight.interfered) == ((Arrival.THROWN,), False)


def test_a_die_turned_to_a_face_that_looks_much_the_same_is_known_by_its_value() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10, (HERE, 1))
    faces = iter([3, 8])
    scene.identities.face = lambda _crop: next(faces)
    assert scene.settle(HERE).arrivals == (Arrival.HANDLED,)


def test_a_hand_that_passes_and_does_not_stop_is_not_said_to_have_turned_a_die() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(8, (HERE, 1))
    for tip in (20.0, 44.0, 68.0, 44.0, 20.0):
        scene.show(1, (HERE, 1), hand=(80.0, 20.0, tip))
    scene.show(10, (HERE, 2))
    assert scene.settle(HERE).arrivals == (Arrival.UNSEEN,)


def test_an_old_die_that_is_taken_up_and_thrown_again_was_neither_placed_nor_knocked() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(8, (HERE, 1))
    scene.settle(HERE)
    scene.show(10, hand=OVER)
    for at in way((80.0, 20.0), AWAY, 8):
        scene.show(1, (at, 2), hand=HIGH)
    scene.show(10, (AWAY, 2))
    flight = scene.settle(AWAY)
    assert flight.arrivals[0] in (Arrival.UNSEEN, Arrival.THROWN)
    assert not flight.knocked


@pytest.mark.parametrize("tip", [HERE[1] - 5, HERE[1] + 17])
def test_a_die_that_lies_elsewhere_since_a_hand_took_one_is_asked_about(tip: float) -> None:
    scene = Scene()
    there: At = (HERE[0], HERE[1] + 2.2 * DIE_PX)
    scene.show(10, (HERE, 1))
    scene.settle(HERE)
    scene.show(6, (HERE, 1))
    scene.show(8, (HERE, 1), hand=(80.0, 20.0, HERE[1] - 5))
    scene.show(6, (there, 1), hand=(80.0, 20.0, tip))
    scene.show(10, (there, 1))
    assert scene.settle(there).arrivals == (Arrival.UNSEEN,)


def test_of_dice_that_touch_one_turned_is_found() -> None:
    scene = Scene()
    beside: At = (HERE[0] + DIE_PX - 1, HERE[1])
    scene.show(8, (HERE, 1), (beside, 3), hand=HIGH)
    scene.show(10, (HERE, 1), hand=OVER)
    scene.show(10, (HERE, 1), (beside, 4))
    scene.settle(HERE, beside)
    assert scene.identities.touched


@pytest.mark.parametrize(("lies", "is_die", "taken"), [(1, True, False), (4, True, True), (12, False, False)])
def test_a_die_that_lay_open_and_is_gone_since_a_hand_came_was_taken(
    lies: int, is_die: bool, taken: bool
) -> None:
    scene = Scene(are_dice=is_die)
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(lies, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10)
    assert scene.settle().interfered == taken


@pytest.mark.parametrize(("read", "taken"), [(0, True), (2, True), (5, False)])
def test_of_dice_that_touch_and_are_gone_since_a_hand_came_only_new_ones_were_taken(
    read: int, taken: bool
) -> None:
    corner: list[At] = [(62.0, 32.0), (71.0, 32.0), (80.0, 32.0), (80.0, 41.0), (80.0, 50.0)]
    dice = [(at, 1) for at in corner]
    scene = Scene()
    if read:
        scene.show(5, *dice[:read])
        scene.settle(*corner[:read])
    scene.show(6, *dice)
    scene.show(10, hand=(70.0, 40.0, 58.0))
    scene.show(10)
    assert scene.settle().interfered == taken


def test_dice_that_touch_and_stay_under_a_hand_were_not_taken_though_their_tracks_were_lost() -> None:
    dice: list[At] = [(62.0, 32.0), (71.0, 32.0)]
    scene = Scene()
    scene.show(6, *((at, 1) for at in dice))
    scene.show(10, hand=(70.0, 40.0, 58.0))
    scene.identities.appearances = [replace(one, number=99) for one in scene.identities.appearances]
    scene.show(10, *((at, 1) for at in dice))
    assert not scene.settle(*dice).interfered


def test_a_fingertip_over_the_rim_that_leaves_is_no_die_that_was_taken() -> None:
    scene = Scene()
    tip: At = (80.0, DIE_PX / 2)
    scene.show(8, (tip, 1))
    scene.show(10, hand=(80.0, 20.0, 10.0))
    scene.show(10)
    assert not scene.settle().interfered


def test_a_die_beside_a_hand_did_not_lie_open_and_is_not_missed() -> None:
    scene = Scene()
    scene.show(8, (HERE, 1), hand=(80.0, 20.0, HERE[1] - DIE_PX / 2 - 2))
    scene.show(10, hand=OVER)
    scene.show(10)
    assert not scene.settle().interfered


def test_a_die_that_was_taken_is_missed_although_its_track_passed_for_an_old_dies() -> None:
    scene = Scene()
    scene.show(5, (AWAY, 2))
    scene.settle(AWAY)
    for at in way((80.0, 20.0), HERE, 8):
        scene.show(1, (AWAY, 2), (at, 1))
    old, new = scene.watch.tracker.tracks
    old.path, new.path = new.path, old.path
    scene.show(4, (AWAY, 2), (HERE, 1))
    scene.show(10, (AWAY, 2), hand=OVER)
    scene.show(10, (AWAY, 2))
    assert scene.settle(AWAY).interfered


def test_dice_that_touch_are_not_moved_by_a_hand_that_covers_part_of_them() -> None:
    scene = Scene()
    dice = (HERE, 1), ((HERE[0], HERE[1] + DIE_PX - 1), 2), ((HERE[0], HERE[1] + 2 * DIE_PX - 2), 3)
    scene.show(8, *dice)
    for tip in (50.0, 60.0, 66.0, 66.0, 66.0, 70.0):
        scene.show(1, *dice, hand=(80.0, 20.0, tip))
    scene.show(10, *dice)
    assert Arrival.HANDLED not in scene.settle(*(at for at, _ in dice)).arrivals
    assert not scene.identities.touched


def test_a_die_that_another_knocks_away_is_not_taken_by_the_hand_that_comes_later() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(6, (HERE, 1))
    scene.roll(HERE, (95.0, 70.0), 6)
    scene.show(6, ((95.0, 70.0), 1))
    scene.show(10, ((95.0, 70.0), 1), hand=OVER)
    scene.show(10, ((95.0, 70.0), 1))
    flight = scene.settle((95.0, 70.0))
    assert (flight.interfered, flight.arrivals) == (False, (Arrival.THROWN,))


def test_a_read_die_that_is_lost_from_sight_still_lies_there() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    scene.settle(HERE)
    scene.show(12, hand=OVER)
    scene.watch.tracker.tracks.clear()
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE).arrivals == (Arrival.LAY,)


def test_dice_that_a_cup_uncovers_were_not_touched() -> None:
    scene = Scene()
    beside: At = (HERE[0] + 3 * DIE_PX, HERE[1])
    cup = [
        ((HERE[0] + x * 0.9 * DIE_PX, HERE[1] + y * 0.9 * DIE_PX), 3) for x in range(4) for y in (-1, 0, 1)
    ]
    scene.show(5, *cup)
    x, y, w, h = box(HERE)
    scene.identities.settle(scene.frame, [(x, y - h, 4 * w, 3 * h)])  # the cup passes for a die
    scene.show(8, *cup, hand=OVER)
    scene.show(10, (HERE, 1), (beside, 2))
    scene.settle(HERE, beside)
    assert not scene.identities.touched


def test_before_a_shaking_camera_dice_do_not_lie_still_while_a_hand_takes_up_others() -> None:
    scene = Scene()
    scene.show(15, (HERE, 1))
    assert scene.identities.lie_still()
    for at in way((110.0, 85.0), (30.0, 85.0), 15):
        scene.show(1, (HERE, 1), hand=(*at, 10.0))
    assert not scene.identities.lie_still()
    scene.show(15, (HERE, 1), hand=(30.0, 85.0, 10.0))
    assert scene.identities.lie_still()


def test_an_old_die_in_a_shadow_that_looks_as_before_is_not_a_new_one() -> None:
    scene = Scene()
    scene.show(5, (HERE, 1))
    scene.settle(HERE)
    scene.show(5)  # it is taken for the tray, and then a fingertip that moves for the die
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    assert scene.settle(HERE, unchanged=[HERE]).arrivals == (Arrival.LAY,)


def test_dice_that_touch_something_for_a_moment_were_not_moved_by_a_hand() -> None:
    def path(met: int, fps: float, lay: int = 7) -> list[Point]:
        xs = [80.0] * lay + [83.0] * met + [86.0] * 4
        blobs = [
            Blob((x, 50.0), (round(x) - 8, 45, 16, 10), 160, x != 83, x != 83, reaches_out=False) for x in xs
        ]
        return [Point(i / fps, blob.at, 0.0, blob) for i, blob in enumerate(blobs)]

    assert not was_moved_by_hand(path(1, FPS), DIE_PX)
    assert was_moved_by_hand(path(2, FPS), DIE_PX)
    assert not was_moved_by_hand(path(2, FPS, lay=4), DIE_PX)  # it may have rocked for an instant
    assert was_moved_by_hand(path(1, FPS / 2), DIE_PX)


def test_an_old_die_that_is_pushed_was_handled() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    scene.settle(HERE)
    for at in way(HERE, (80.0, 62.0), 8):
        scene.show(1, (at, 1), hand=(80.0, 20.0, at[1] - 4))
    scene.show(10, ((80.0, 62.0), 1))
    assert scene.settle((80.0, 62.0)).arrivals == (Arrival.HANDLED,)


def test_an_old_die_that_another_hits_is_knocked() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    scene.settle(HERE)
    for at in way(HERE, (80.0, 62.0), 4):
        scene.show(1, (at, 1))
    scene.show(10, ((80.0, 62.0), 1))
    assert scene.settle((80.0, 62.0)).knocked


def paths(flights: Iterable[Flight]) -> list[tuple[Arrival, ...]]:
    return [flight.arrivals for flight in flights]


def test_what_happened_before_a_reading_is_forgotten() -> None:
    scene = Scene()
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(10, (HERE, 1))
    first = scene.settle(HERE)
    scene.show(5, (HERE, 1))
    again = scene.settle(HERE)
    for at in way((140.0, 20.0), AWAY, 12):
        scene.show(1, (HERE, 1), (at, 2))
    scene.show(10, (HERE, 1), (AWAY, 2))
    third = scene.settle(HERE, AWAY)
    assert paths([first, again, third]) == [
        (Arrival.THROWN,),
        (Arrival.LAY,),
        (Arrival.LAY, Arrival.THROWN),
    ]


@pytest.mark.parametrize("face", [1, 2])
def test_a_die_that_a_hand_turns_when_it_is_only_just_uncovered_was_touched(face: int) -> None:
    scene = Scene()
    scene.identities.face = lambda crop: round(float(crop.mean()))
    scene.show(12, (HERE, 1), hand=OVER)
    scene.show(1, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10, (HERE, face))
    scene.settle(HERE)
    assert scene.identities.touched == (face == 2)


@pytest.mark.parametrize(("face", "arrival"), [(1, Arrival.UNSEEN), (2, Arrival.HANDLED)])
def test_of_a_die_at_which_a_hand_stops_as_soon_as_it_came_to_rest_people_are_asked(
    face: int, arrival: Arrival
) -> None:
    scene = Scene()
    scene.identities.face = lambda crop: round(float(crop.mean()))
    scene.roll((80.0, 20.0), HERE, 8)
    scene.show(1, (HERE, 1))
    scene.show(10, hand=OVER)
    scene.show(10, (HERE, face))
    assert scene.settle(HERE).arrivals == (arrival,)


def test_a_hand_that_comes_and_goes_leaves_no_more_pictures_than_one_that_came_once() -> None:
    scene = Scene()
    for _ in range(5):
        scene.show(4, (HERE, 1), hand=LETS_GO)
        scene.show(9, (HERE, 1))
    assert 3 <= len(scene.identities.uncovered) <= 7
