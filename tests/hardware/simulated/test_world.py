"""The simulated world: all of it follows from the seed, and it knows the truth about what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.tray import MARKER_DICTIONARY, MARKERS_MM
from hardware.simulated.view import HEIGHT, WIDTH
from hardware.simulated.world import World

if TYPE_CHECKING:
    from hardware.ports import Pixels


def world(seed: int) -> World:
    made = World(seed, VirtualClock())
    made.camera.start()
    return made


def settle(made: World) -> None:
    made.clock.sleep(max(0.0, made.still_at_s - made.clock.now_s()) + 0.05)


def pixels(made: World) -> Pixels:
    frame = made.camera.frame(1)
    assert frame is not None
    return frame.pixels


def test_the_same_seed_gives_the_same_throws_and_frames() -> None:
    one, other = world(7), world(7)
    for _ in range(2):
        assert [d.value for d in one.throw(KINDS)] == [d.value for d in other.throw(KINDS)]
        settle(one)
        settle(other)
        assert np.array_equal(pixels(one), pixels(other))


def test_thrown_dice_are_all_in_view_and_lie_flat() -> None:
    made = world(3)
    for die in made.throw(KINDS):
        seen = made.view.project(die.pose.placed(die.die))
        assert (seen >= 0).all()
        assert (seen <= (WIDTH, HEIGHT)).all()
        assert die.pose.placed(die.die)[:, 2].min() == pytest.approx(0)
        assert die.value is not None


def test_kept_dice_lie_as_they_lay_and_the_rest_are_taken_up() -> None:
    made = world(4)
    first = made.throw(["d6"] * 6)
    settle(made)
    again = made.throw(["d6"] * 4, first[:2])
    assert made.lying == [*first[:2], *again]
    assert not {d.die.number for d in first[:2]} & {d.die.number for d in again}
    settle(made)
    made.throw(["d20"])
    assert [d.kind for d in made.lying] == ["d20"]


def test_dice_move_until_they_are_still() -> None:
    made = world(5)
    made.throw(["d6", "d8"])
    before = pixels(made).astype(int)
    made.clock.sleep(0.4)
    moving = pixels(made).astype(int)
    settle(made)
    still = pixels(made).astype(int)
    made.clock.sleep(0.4)
    later = pixels(made).astype(int)
    assert np.abs(before - moving).max() > 100
    assert np.abs(moving - still).max() > 100
    assert np.abs(still - later).max() < 40  # the sensor's noise


def test_the_markers_are_found_where_they_are() -> None:
    for seed in range(3):
        made = world(seed)
        grey = cv2.cvtColor(pixels(made), cv2.COLOR_BGR2GRAY)
        detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(MARKER_DICTIONARY))
        corners, ids, _ = detector.detectMarkers(grey)
        assert ids is not None
        found = {int(i): c[0].mean(axis=0) for i, c in zip(ids.ravel(), corners, strict=True)}
        assert found.keys() == MARKERS_MM.keys()
        for number, at_mm in MARKERS_MM.items():
            true = made.view.project(np.array([[*at_mm, 0.0]]))[0]
            assert np.hypot(*(true - found[number])) < 1.5


def test_too_many_dice_are_refused() -> None:
    made = world(1)
    with pytest.raises(ValueError, match="there are only 30 d6 at this table"):
        made.throw(("d6",) * 31)
    made.throw(["d20"] * 15)
    with pytest.raises(ValueError, match="no room for"):
        made.throw(["d12"] * 30, made.lying)
