"""The simulated world: all of it follows from the seed, and it knows the truth about what it shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.path import STEPS_PER_S
from hardware.simulated.picture import HEIGHT, WIDTH
from hardware.simulated.tray import MARKER_DICTIONARY, MARKERS_MM, TRAY_MM, like_skin
from hardware.simulated.world import World
from tests.extent import extent
from tests.hardware.simulated.tables import change, pixels, world
from tests.hardware.simulated.truth import truth

NOISE = 6
"""Grey levels that two frames of the same thing may differ in the mean."""


@pytest.mark.parametrize("real", [False, True])
def test_the_same_seed_gives_the_same_throws_and_frames(real: bool) -> None:
    if real:
        pytest.importorskip("mujoco")
    one, other = world(7, real=real), world(7, real=real)
    for _ in range(2):
        assert [d.value for d in one.throw(KINDS)] == [d.value for d in other.throw(KINDS)]
        one.settle()
        other.settle()
        assert np.array_equal(pixels(one), pixels(other))


def test_what_is_looked_at_changes_no_throw() -> None:
    seen, unseen = world(7), World(7, VirtualClock(), real=False)
    for _ in range(3):
        thrown = seen.throw(["d6"] * 3)
        pixels(seen)
        assert [d.value for d in thrown] == [d.value for d in unseen.throw(["d6"] * 3)]
        seen.settle()
        unseen.settle()


@pytest.mark.parametrize("seed", range(extent(2, 4)))
def test_thrown_dice_are_all_in_view_and_lie_flat(seed: int) -> None:
    made = world(seed)
    for die in made.throw(KINDS):
        seen = made.view.project(die.pose.placed(die.die))
        assert (seen >= 0).all()
        assert (seen <= (WIDTH, HEIGHT)).all()
        assert die.pose.placed(die.die)[:, 2].min() == pytest.approx(0)
        assert die.value is not None


def test_dice_can_be_told_what_to_show() -> None:
    made = world(2)
    assert [d.value for d in made.throw(KINDS, values=[4, 1, 8, 10, 12, 20])] == [4, 1, 8, 10, 12, 20]
    with pytest.raises(ValueError, match="a d6 has no 7"):
        made.throw(["d6"], values=[7])


def test_kept_dice_lie_as_they_lay_and_the_rest_are_taken_up() -> None:
    made = world(4)
    first = made.throw(["d6"] * 6)
    made.settle()
    again = made.throw(["d6"] * 4, first[:2])
    assert made.lying == [*first[:2], *again]
    assert not {d.die.number for d in first[:2]} & {d.die.number for d in again}
    made.settle()
    made.throw(["d20"])
    assert [d.kind for d in made.lying] == ["d20"]


def test_a_hand_takes_dice_up_before_others_are_thrown() -> None:
    made = world(4)
    made.throw(["d6"] * 2)
    made.settle()
    lying = pixels(made)
    made.throw([])
    made.clock.sleep(0.35)
    assert truth(made).hand
    assert change(pixels(made), lying) > NOISE
    made.settle()
    assert truth(made).dice == ()
    assert truth(made).settled


def test_dice_move_until_they_are_still() -> None:
    made = world(5)
    made.throw(["d6", "d8"])
    made.clock.sleep(0.6)
    assert truth(made).moving
    moving = pixels(made)
    made.settle()
    still = pixels(made)
    assert truth(made).settled
    made.clock.sleep(0.4)
    assert np.abs(moving.astype(int) - still).max() > 100
    assert np.abs(pixels(made).astype(int) - still).max() < 40  # the sensor's noise


def test_a_die_that_is_all_but_at_rest_is_drawn_as_it_will_lie() -> None:
    made = world(5, style="tower")
    made.throw(["d6"])
    roll = made.present[-1]
    end_s = roll.start_s + roll.clip.lasts_s
    step, _ = roll.clip.step_and_pose(end_s - 0.05 - roll.start_s)
    assert step < roll.clip.steps
    rolling, almost = made.picture_at(end_s - 0.5).copy(), made.picture_at(end_s - 0.05).copy()
    changes = made.picture.changes
    assert np.array_equal(made.picture_at(end_s), almost)
    assert made.picture.changes == changes
    assert not np.array_equal(rolling, almost)


def test_nothing_is_drawn_again_while_nothing_changes() -> None:
    made = world(5)
    made.throw(["d6", "d8"])
    made.settle()
    pixels(made)
    changes = made.picture.changes
    for _ in range(5):
        pixels(made)
    assert made.picture.changes == changes


@pytest.mark.parametrize("seed", range(extent(1, 3)))
def test_the_markers_are_found_where_they_are(seed: int) -> None:
    made = world(seed)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(MARKER_DICTIONARY))
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(pixels(made), cv2.COLOR_BGR2GRAY))
    assert ids is not None
    found = {int(i): c[0].mean(axis=0) for i, c in zip(ids.ravel(), corners, strict=True)}
    assert found.keys() == MARKERS_MM.keys()
    for number, at_mm in MARKERS_MM.items():
        true = made.view.project(np.array([[*at_mm, 0.0]]))[0]
        assert np.hypot(*(true - found[number])) < 1.5


def test_the_truth_has_each_die_where_the_frame_shows_it() -> None:
    made = world(6)
    empty = pixels(made)
    made.throw(["d20", "d6"])
    made.settle()
    changed = np.abs(pixels(made).astype(int) - empty).max(axis=2) > 60
    for die in truth(made).dice:
        x, y, wide, tall = die.box
        assert changed[y : y + tall, x : x + wide].mean() > 0.4
        changed[y : y + tall, x : x + wide] = False
    assert changed.mean() < 0.01  # their shadows


def test_too_many_dice_are_refused() -> None:
    made = world(1)
    with pytest.raises(ValueError, match="there are only 30 d6 at this table"):
        made.throw(("d6",) * 31)
    made.throw(["d20"] * 15)
    with pytest.raises(ValueError, match="no room for"):
        made.throw(["d12"] * 30, made.lying)


def test_under_a_cup_nobody_sees_the_dice_before_it_is_lifted() -> None:
    made = world(8)
    empty = pixels(made)
    under = made.cover(["d6"] * 5, [1, 2, 3, 6, 6])
    made.settle()
    assert [d.value for d in under] == [1, 2, 3, 6, 6]
    assert truth(made).dice == ()
    covered = pixels(made)
    assert change(covered, empty) > NOISE
    other = world(8)
    other.cover(["d6"] * 5, [5, 5, 5, 5, 5])
    other.settle()
    assert np.abs(pixels(other).astype(int) - covered).max() < 40  # it gives nothing away
    assert made.lift_cups() == under
    made.settle()
    assert [d.lying for d in truth(made).dice] == under
    assert made.lying == under


def test_three_cups_fit_and_no_more() -> None:
    made = world(8)
    dice = [die for _ in range(3) for die in made.cover(["d6"] * 5)]
    assert len({die.die.number for die in dice}) == 15
    with pytest.raises(ValueError, match="no room for another cup"):
        made.cover(["d6"])
    assert made.lift_cups() == dice
    with pytest.raises(ValueError, match="no room for 20 dice under a cup"):
        world().cover(["d6"] * 20)


def test_dice_cast_elsewhere_are_revealed_as_they_were() -> None:
    made = world(9)
    cast = made.throw(["d6"] * 5)
    made.settle()
    shown = made.reveal(cast)
    assert [(d.die, d.value) for d in shown] == [(d.die, d.value) for d in cast]
    made.settle()
    assert [d.lying for d in truth(made).dice] == shown
    made.lay(cast)
    made.settle()
    assert [d.lying for d in truth(made).dice] == cast


@pytest.mark.parametrize("seed", range(extent(2, 3)))
def test_thrown_with_physics_dice_stay_in_the_tray_and_above_its_floor(seed: int) -> None:
    pytest.importorskip("mujoco")
    made = world(seed, real=True)
    thrown = made.throw(KINDS)
    assert len(thrown) == len(KINDS)
    for roll in made.rolls:
        die = roll.clip.lying.die
        for pose in (*map(roll.clip.pose, range(roll.clip.free, roll.clip.steps)), roll.clip.lying.pose):
            assert pose.placed(die)[:, 2].min() > -1e-6
        assert (np.abs(roll.clip.lying.at_mm) < np.array(TRAY_MM) / 2).all()


def test_thrown_with_physics_dice_tumble_far_and_soon_rest_as_on_felt() -> None:
    pytest.importorskip("mujoco")
    made = world(3, real=True)
    far = []
    for _ in range(extent(4, 10)):
        made.throw(["d6"] * 6)
        rolls = made.present
        assert len(rolls) == 6
        assert 0.3 < max((roll.clip.steps - roll.clip.free) / STEPS_PER_S for roll in rolls) < 1.8
        for roll in rolls:
            steps = range(roll.clip.free, roll.clip.steps)
            path = np.array([roll.clip.pose(step).at_mm[:2] for step in steps])
            far.append(np.hypot(*np.diff(path, axis=0).T).sum() * 3**0.5 / 2 / roll.clip.lying.die.reach_mm)
    assert min(far) > 2  # edges of the die
    assert np.median(far) > 6


@pytest.mark.slow
def test_physics_favours_no_face() -> None:
    pytest.importorskip("mujoco")
    made = world(1, real=True)
    values = [die.value for _ in range(30) for die in made.throw(["d6"] * 10) if die.value]
    counts = np.bincount(values, minlength=7)[1:]
    expected = len(values) / 6
    assert float(((counts - expected) ** 2 / expected).sum()) < 20.5  # chi squared, one in a thousand


@pytest.mark.parametrize("seed", range(extent(2, 4)))
def test_thrown_without_physics_dice_roll_far_over_the_tray(seed: int) -> None:
    made = world(seed)
    far = []
    for _ in range(4):
        made.throw(KINDS)
        for roll in made.present:
            path = np.array([roll.clip.pose(step).at_mm[:2] for step in range(roll.clip.steps)])
            inside = path[(np.abs(path) < np.array(TRAY_MM) / 2).all(axis=1)]
            far.append(np.hypot(*np.diff(inside, axis=0).T).sum())
    assert min(far) > 30
    assert np.median(far) > 120


@pytest.mark.parametrize("seed", [307, 11000, 17005])
def test_no_felt_has_the_colour_of_a_hand(seed: int) -> None:
    """The first that is drawn with these seeds would have."""
    floor = world(seed).stage.tray.floor
    middle = floor[floor.shape[0] // 2, floor.shape[1] // 3 : floor.shape[1] // 2]
    assert not like_skin(middle.mean(axis=0))


def test_no_frame_is_of_a_time_that_is_still_to_come() -> None:
    made = world()
    made.camera.start()
    for _ in range(60):
        made.clock.sleep(1 / 30)
        newest_s = made.camera.newest_s(made.clock.now_s())
        assert newest_s is not None
        assert newest_s <= made.clock.now_s()


def test_a_frame_shows_where_the_camera_stood_although_it_is_knocked_in_that_moment() -> None:
    table = world(5)
    table.camera.start()
    frame = table.camera.frame(1.0)
    assert frame is not None
    table.inject(parse("bump:2"))
    assert table.lens.turn(frame.time_s) is not None
    assert table.lens.view_at(table.camera.shown_s(frame.time_s)) == table.view
