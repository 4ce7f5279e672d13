"""The committed weights hold a die for cocked the rather, the more speaks for it."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS
from vision.nets import FOLDER, Fitted
from vision.recognition.attitude import Attitude, TopShift
from vision.recognition.cocked import (
    COCKED_FEATURES,
    LEAST_COCKED,
    USUAL_SCATTER_DEG,
    OffLevel,
    cocked_features,
    off_level,
    points_aside,
    scattered,
)

WEIGHTS = Fitted.of((FOLDER / "fitted.json").read_bytes()).cocked
D20 = KINDS.index("d20")


def probability(angle_deg: float, suspicion: float = 0.02, error_deg: float = 2.0) -> float:
    off = OffLevel(angle_deg, angle_deg / error_deg, error_deg)
    return WEIGHTS.probability(cocked_features(suspicion, 1.0, off, D20))


def test_the_farther_off_the_level_the_likelier_it_is_cocked() -> None:
    told = [probability(angle) for angle in (0.0, 4.0, 8.0, 16.0, 25.0)]
    assert told == sorted(told)
    assert told[0] < 0.2
    assert told[-1] > 0.9


def test_what_the_net_suspects_is_likelier_cocked() -> None:
    assert probability(5.0, 0.5) > probability(5.0, 0.02)


def test_the_limit_tells_a_flat_die_from_one_that_leans_far() -> None:
    assert probability(1.0) < LEAST_COCKED < probability(16.0)


def test_a_top_whose_views_scatter_is_less_plainly_off() -> None:
    off = OffLevel(12.0, 4.0, 3.0)
    assert scattered(off, np.radians(USUAL_SCATTER_DEG)) == off
    some, more = (scattered(off, np.radians(degrees)) for degrees in (1.5, 2.5))
    assert off.angle_deg == some.angle_deg == more.angle_deg
    assert off.error_deg < some.error_deg < more.error_deg
    assert some.distance == pytest.approx(12.0 / some.error_deg)
    assert more.distance == pytest.approx(12.0 / more.error_deg)


def test_every_feature_has_a_weight() -> None:
    seen = cocked_features(0.1, 1.0, OffLevel(5.0, 2.0, 2.0), 0)
    assert len(seen) == len(COCKED_FEATURES) == len(WEIGHTS.weights)


def test_how_far_a_top_is_off_is_measured_from_where_the_camera_shows_straight_up() -> None:
    aslant = TopShift(np.array([0.1, 0.0, 1.0]), 1e-6 * np.eye(3), 0.03)
    plumb = np.array([0.05, 0.0])
    level = off_level(Attitude(np.array([0.15, 0.0]), 0.03), aslant, plumb)
    assert (level.angle_deg, level.distance) == pytest.approx((0, 0), abs=1e-6)
    off = off_level(Attitude(np.array([0.15, np.sin(np.radians(9))]), 0.03), aslant, plumb)
    assert off.angle_deg == pytest.approx(9)
    assert off.distance == pytest.approx(np.sin(np.radians(9)) / 0.03, rel=0.01)
    assert off.error_deg == pytest.approx(np.degrees(0.03), rel=0.01)


@pytest.mark.parametrize(
    ("angle_deg", "error_deg", "aside"),
    [(19.0, 1.0, False), (21.0, 1.0, True), (24.0, 6.5, False), (29.0, 9.0, False), (31.0, 9.0, True)],
)
def test_a_face_that_points_far_aside_is_not_the_top_of_a_flat_die(
    angle_deg: float, error_deg: float, *, aside: bool
) -> None:
    assert points_aside(OffLevel(angle_deg, angle_deg / error_deg, error_deg)) is aside


def test_beyond_five_errors_and_25_degrees_a_die_is_no_odder() -> None:
    far, farther = (cocked_features(0.1, by, OffLevel(deg, by, 2.0), D20) for by, deg in ((5, 25), (50, 80)))
    assert far.tolist() == farther.tolist()
    assert far[1:4].tolist() == [12.5, 12.5, 2.5]
    assert cocked_features(0.1, 4.0, OffLevel(20.0, 4.0, 2.0), D20)[1:4].tolist() == [8.0, 8.0, 2.0]
