"""Which dice a hand that comes in finds thrown, and not yet read."""

from __future__ import annotations

import numpy as np
import pytest

from vision.motion.patches import Patch
from vision.motion.settings import FlightSettings, HandSettings
from vision.motion.visits import HandVisits, Seen

SHAPE = (100, 100)
EVERYWHERE = np.ones(SHAPE, np.bool_)
PACE_S = 1 / 30


def told(die: Patch, *, left_s: float = -np.inf, settled_s: float = 1.0) -> bool:
    """Whether a hand that comes in at 5.4 s covers a thrown die, which was seen at 5.0 s."""
    visits = HandVisits(FlightSettings(), HandSettings().finger_s, left_s=left_s)
    visits.no_hand(Seen(5.0, [die], np.zeros(SHAPE, np.int32), set()), PACE_S)
    visits.hand(EVERYWHERE, [die], 5.4, settled_s, PACE_S)
    return visits.interfered


@pytest.mark.parametrize(
    ("free_s", "old", "thrown"), [(4.0, False, True), (3.05, False, False), (4.0, True, False)]
)
def test_what_came_when_no_hand_was_there_was_thrown_however_short_its_way(
    free_s: float, old: bool, thrown: bool
) -> None:
    die = Patch(1, (50.0, 50.0), (39, 39, 22, 22), 484, mass=484, path_mm=16.0, free_s=free_s, moved_s=4.2)
    die.old = old
    assert told(die, left_s=3.0) is thrown


@pytest.mark.parametrize(("still_s", "thrown"), [(0.0, False), (0.4, True)])
def test_what_seems_to_be_an_old_die_counts_if_it_lay_still_before_the_hand(
    still_s: float, thrown: bool
) -> None:
    like_old = Patch(1, (50.0, 50.0), (39, 39, 22, 22), 484, free_s=3.0, moved_s=5.0 - still_s, mass=484)
    like_old.path_mm, like_old.old = 60.0, True
    assert told(like_old) is thrown


def test_dice_that_were_read_may_be_covered() -> None:
    die = Patch(1, (50.0, 50.0), (39, 39, 22, 22), 484, mass=484, path_mm=90.0, free_s=3.0, moved_s=4.2)
    visits = HandVisits(FlightSettings(), HandSettings().finger_s)
    visits.no_hand(Seen(5.0, [die], np.zeros(SHAPE, np.int32), set()), PACE_S)
    visits.settle(None)
    visits.hand(EVERYWHERE, [die], 5.4, 5.1, PACE_S)
    assert not visits.interfered


def test_a_hand_came_in_where_something_crossed_the_edge_that_was_no_die() -> None:
    labels = np.zeros(SHAPE, np.int32)
    labels[90:, 20:40], labels[90:, 60:80] = 1, 2
    finger = Patch(1, (30.0, 95.0), (20, 90, 20, 10), 200, mass=0)
    die = Patch(2, (70.0, 95.0), (60, 90, 20, 10), 200, mass=200)
    visits = HandVisits(FlightSettings(), HandSettings().finger_s)
    visits.no_hand(Seen(5.0, [finger, die], labels, {1, 2}), PACE_S)
    assert (visits.way_in(SHAPE) == (labels == 1)).all()
