"""Which detections pass for dice, in which box each is classified, and how the others bear on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from games.dice import KINDS
from tests.vision.recognition.tables import WEIGHTS, Shown, Table
from vision.reading import Detection, inside
from vision.recognition.attitude import PLACE_SPREAD, Attitude, AttitudeNet, TopShift
from vision.recognition.classifiers import (
    BODIES,
    COCKED,
    CROP_PX,
    CROP_SPAN,
    NO_DIE,
    DieClassifier,
    DiePrediction,
    Orientation,
    Symbol,
)
from vision.recognition.cocked import (
    FARTHEST_PLACE,
    REFERENCE_CONFIDENCE,
    CockedDice,
    Contacts,
    LogisticWeights,
)
from vision.recognition.fusion import Classifiers, SymbolReader
from vision.recognition.recognizer import BATCH, MOST_DETECTIONS, Known, Recognizer
from vision.tray.camera import usual_camera
from vision.tray.markers import cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Box, Image
    from vision.recognition.attitude import UprightDie
    from vision.recognition.classifiers import Pixels
    from vision.recognition.evidence import Evidence

ASLANT = TopShift(np.array([0.2, 0.0, 1.0]), 1e-4 * np.eye(3), PLACE_SPREAD)
"""Shows all tops a fifth of a die to the right."""
D20 = KINDS.index("d20")


def known(kind: str) -> Known:
    detection = Detection(280, 180, 80, 80, 0.9)
    return Known(ASLANT, detection, usual_camera((440, 640, 3)), KINDS.index(kind), FARTHEST_PLACE)


def symbol(right: float) -> Symbol:
    return Symbol(CROP_PX * (0.5 + right / CROP_SPAN), CROP_PX * 0.5, 20.0, 0.9, (Orientation(90.0, 1.0),))


def test_a_symbol_where_the_camera_shows_tops_weighs_more_than_one_in_the_middle() -> None:
    on_top, middle = (known("d20").weight(symbol(right)) for right in (0.2, 0.0))
    assert on_top == pytest.approx(0, abs=1e-6)
    assert middle < -3


def test_far_off_is_no_worse_than_far_enough() -> None:
    assert known("d20").weight(symbol(-0.3)) == pytest.approx(-8.0)


def test_the_place_of_a_d4s_symbol_tells_nothing() -> None:
    assert known("d4").distance(symbol(-0.3)) == 0


@pytest.mark.parametrize(
    "detection",
    [Detection(-5, -5, 10, 10, 1), Detection(98, 48, 10, 10, 1), Detection(200, 200, 5, 5, 1)],
)
def test_boxes_lie_within_the_frame(detection: Detection) -> None:
    x, y, w, h = inside(detection, (50, 100, 3))
    assert 0 <= x < 100
    assert 0 <= y < 50
    assert w >= 1
    assert h >= 1


class Painted(DieClassifier):
    """Predicts by the grey level in the middle of a crop; keeps the levels that it was shown, by batch."""

    def __init__(self, by_level: dict[int, DiePrediction]) -> None:
        self.by_level = by_level
        self.shown: list[list[int]] = []

    def predict_all(
        self, crops: Sequence[Pixels], _turn_deg: float = 0.0, _zoom: float = 1.0
    ) -> list[DiePrediction]:
        levels = [int(crop[CROP_PX // 2, CROP_PX // 2, 0]) for crop in crops]
        self.shown += [levels] if levels else []
        return [self.by_level[level] for level in levels]


def prediction(
    no_die: float = 0.01,
    off: tuple[float, ...] = (0, 0, 0),
    cocked: float = 0.0,
    right: float = 0.0,
    kind: int = D20,
) -> DiePrediction:
    """Of a d20 or another kind, with a symbol so far right of its middle."""
    bodies = np.zeros(BODIES)
    bodies[[kind, NO_DIE, COCKED]] = 1 - no_die - cocked, no_die, cocked
    return DiePrediction(bodies, np.array(off), lambda: (symbol(right),))


def frame_with(*painted: tuple[Detection, int]) -> Image:
    """A frame in which each box is filled with its level, the larger ones first."""
    frame = np.zeros((440, 640, 3), np.uint8)
    for box, level in sorted(painted, key=lambda one: -one[0].longer):
        x, y, w, h = (int(v) for v in box.sides)
        cv2.rectangle(frame, (x, y), (x + w, y + h), (level,) * 3, cv2.FILLED)
    return frame


def recognizer(dice: DieClassifier, legible: float = 0.9999) -> Recognizer:
    table = Table()
    table.says = {(symbol(right).x, 90): (7, legible) for right in (0.0, 0.2, 0.3)}
    symbols = SymbolReader(table, WEIGHTS)
    return recognizing(Classifiers(dice, symbols, Shown()))


def recognizing(classifiers: Classifiers, attitudes: AttitudeNet | None = None) -> Recognizer:
    """Holds a die for cocked by the angle of these attitudes alone; without them, by its symbol's place."""
    angle = 0.0 if attitudes is None else 20.0
    weights = LogisticWeights((0.0, 0.0, 0.0, angle, 0.0, 0.0, 0.0), -8.0)
    return Recognizer(classifiers, attitudes or Pointing({}), weights)


class Pointing(AttitudeNet):
    """Says by the grey level in the middle of a crop by how many degrees the top points right; usually 0.

    Other views scatter by so many degrees.
    """

    def __init__(self, by_level: dict[int, float], scatter_deg: float = 0.0) -> None:
        self.by_level = by_level
        self.scatter_deg = scatter_deg

    def scatter(self, _die: UprightDie) -> float:
        return float(np.radians(self.scatter_deg))

    def measure(self, dice: Sequence[UprightDie], _aside: tuple[float, float] = (0.0, 0.0)) -> list[Attitude]:
        levels = [int(die.crop[CROP_PX // 2, CROP_PX // 2, 0]) for die in dice]
        return [Attitude(np.sin(np.radians([self.by_level.get(level, 0.0), 0.0])), 0.02) for level in levels]


def test_of_hundreds_of_detections_the_best_are_classified() -> None:
    cloth = [Detection(9 * (k % 60), 9 * (k // 60), 8, 8, 0.9 - k / 1000) for k in range(400)]
    dice = Painted({0: prediction(no_die=0.99)})
    assert recognizer(dice).recognize(np.zeros((440, 640, 3), np.uint8), cloth) == []
    assert sum(map(len, dice.shown)) == MOST_DETECTIONS
    assert max(map(len, dice.shown)) == BATCH
    assert MOST_DETECTIONS >= 2 * 48  # of a full table some places are found twice


@pytest.mark.parametrize(
    ("no_die", "score", "confidence", "stays"),
    [
        (0.4, 0.3, 0.2, True),
        (0.76, 0.73, 0.99, True),
        (0.76, 0.73, 0.9, False),
        (0.76, 0.4, 0.99, False),
        (0.9, 0.73, 0.99, False),
    ],
)
def test_a_plain_and_legible_die_does_not_vanish_on_a_suspicion(
    no_die: float, score: float, confidence: float, stays: bool
) -> None:
    assert recognizer(Painted({})).passes(Detection(0, 0, 40, 40, score), no_die, confidence) is stays


@pytest.mark.parametrize(("score", "stays"), [(0.95, False), (1.05, True)])
def test_a_marker_of_the_tray_is_no_die_unless_it_looks_plainly_like_one(score: float, stays: bool) -> None:
    frame = np.full((440, 640, 3), 255, np.uint8)
    frame[100:160, 200:260] = np.kron(cells(0), np.ones((10, 10)))[..., None] * 255
    here = [Detection(200, 100, 60, 60, score * 0.75)]
    dice = Painted({0: prediction(), 255: prediction()})
    assert bool(recognizer(dice).recognize(frame, here)) is stays


class Leaning(Contacts):
    """Holds every die for one that touches something, or none; on a marker, or seen to be thrown."""

    def __init__(self, *, touch: bool = True, on_marker: bool = False, flat: bool = False) -> None:
        super().__init__(np.zeros((440, 640, 3), np.uint8))
        self.touch, self.marked, self.flat = touch, on_marker, flat

    def touches(self, _box: Box, _others: Sequence[Box]) -> bool:
        return self.touch

    def on_marker(self, _die: Evidence) -> bool:
        return self.marked

    def surely_flat(self, _box: Box) -> bool:
        return self.flat


CALIBRATED = replace(usual_camera((440, 640, 3)), focal_error=0.05, height_mm=430.0, slant_error=0.014)


def test_each_is_weighed_again_by_how_the_others_show_their_tops() -> None:
    """Seven dice show their tops well to the right, which moves where the eighth is looked for its own."""
    boxes = [Detection(x, y, 80, 80, 0.9) for y in (60, 300) for x in (40, 180, 380, 520)]
    dice = Painted({10: prediction(right=0.2), 20: prediction(right=0.0)})
    painted = zip(boxes, [10] * 7 + [20], strict=True)
    reading = recognizer(dice)
    reading.cocked = CockedDice(Pointing({}), LogisticWeights((0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), -4.0))
    found = reading.recognize(frame_with(*painted), boxes, contacts=Leaning())
    assert [die.may_be_tilted for die in found] == [False] * 7 + [True]


def test_what_is_cocked_or_hardly_read_tells_nothing_of_the_camera() -> None:
    boxes = [Detection(x, 200, 40, 40, 0.9) for x in (160, 220, 280, 320)]
    frame = frame_with(*zip(boxes, (10, 10, 20, 20), strict=True))
    pointing = Pointing({10: 20.0})
    tilts = []
    for suspected in (0.45, 0.0):
        dice = Painted({10: prediction(cocked=suspected), 20: prediction()})
        reading = recognizing(recognizer(dice).classifiers, pointing)
        all_dice, others = (reading.recognize(frame, some, contacts=Leaning()) for some in (boxes, boxes[2:]))
        tilts.append([[die.tilt_deg for die in found[-2:]] for found in (all_dice, others)])
    assert tilts[0][0] == pytest.approx(tilts[0][1])
    assert tilts[1][0] != pytest.approx(tilts[1][1])


def test_of_a_die_that_touches_nothing_the_nets_suspicion_counts_for_nothing_once_it_was_thrown() -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(prediction(cocked=0.63)), Pointing({}))
    frame = frame_with((box, 10))
    (thrown,) = reading.recognize(frame, [box], contacts=Leaning(touch=False, flat=True))
    (unseen,) = reading.recognize(frame, [box], contacts=Leaning(touch=False))
    (leaning,) = reading.recognize(frame, [box], contacts=Leaning(flat=True))
    assert [die.prediction.cocked for die in (thrown, unseen, leaning)] == [0.0, 0.63, 0.63]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("points_deg", "beside"), [(0.0, False), (15.0, False), (45.0, True)])
def test_a_die_that_touches_nothing_is_never_cocked_but_may_be_read_beside_its_top(
    points_deg: float, *, beside: bool, known: bool
) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(prediction()), Pointing({10: points_deg}))
    contacts = Leaning(touch=False)
    camera = CALIBRATED if known else None
    (found,) = reading.recognize(frame_with((box, 10)), [box], camera=camera, contacts=contacts)
    assert (found.tilted, found.may_be_tilted, found.beside_top) == (False, False, beside)


def test_a_known_camera_tells_from_where_it_sees_a_d20() -> None:
    boxes = [Detection(x, 200, 40, 40, 0.9) for x in (160, 220, 280, 320)]
    frame = frame_with(*zip(boxes, (10, 10, 20, 20), strict=True))
    classifiers = recognizer(Painted({10: prediction(), 20: prediction()})).classifiers
    reading = recognizing(classifiers, Pointing({10: 20.0}))
    found = reading.recognize(frame, boxes, camera=CALIBRATED, contacts=Leaning())
    assert [die.tilted for die in found] == [True, True, False, False]
    assert not any(die.may_be_tilted for die in found)


def test_a_detection_with_others_in_it_is_told() -> None:
    heap = Detection(100, 100, 200, 200, 0.9)
    inner = [Detection(115, 180, 40, 40, 0.8), Detection(245, 180, 40, 40, 0.8)]
    frame = frame_with((heap, 10), (inner[0], 20), (inner[1], 20))
    found = recognizer(Painted({10: prediction(), 20: prediction()})).recognize(frame, [heap, *inner])
    assert [(die.detection, die.holds_others) for die in found] == [
        (heap, True),
        *((die, False) for die in inner),
    ]


def test_a_die_is_read_in_the_box_that_the_first_view_tells() -> None:
    box = Detection(100, 100, 40, 20, 0.9)
    dice = Painted({10: prediction(off=(0.1, -0.05, float(np.log(1.5))))})
    (found,) = recognizer(dice).recognize(frame_with((Detection(0, 0, 300, 300, 1), 10)), [box])
    assert found.detection.sides == pytest.approx((124 - 30, 108 - 15, 60, 30))
    assert len(dice.shown) == 2


@pytest.mark.parametrize(
    ("off", "runs"),
    [((0.01, -0.01, 0.03), 1), ((0.03, 0, 0), 2), ((0, -0.03, 0), 2), ((0, 0, -0.05), 2)],
)
def test_a_die_whose_box_is_right_is_classified_once(off: tuple[float, ...], runs: int) -> None:
    box = Detection(100, 100, 40, 20, 0.9)
    dice = Painted({10: prediction(off=off)})
    (found,) = recognizer(dice).recognize(frame_with((Detection(0, 0, 300, 300, 1), 10)), [box])
    assert (found.detection == box) == (runs == 1)
    assert sum(map(len, dice.shown)) == runs


@pytest.mark.parametrize(("heap_is_none", "left"), [(0.9, "dice"), (0.1, "heap")])
def test_which_of_two_detections_in_one_another_stays_is_told_by_classifying_both(
    heap_is_none: float, left: str
) -> None:
    """What scores best is a heap, or a die of which the others are pips."""
    heap = Detection(100, 100, 200, 200, 0.9)
    inner = [Detection(160, 180, 40, 40, 0.8), Detection(205, 180, 35, 40, 0.7)]
    frame = frame_with((heap, 10), (inner[0], 20), (inner[1], 20))
    frame[192:208, 192:208] = 10
    dice = Painted({10: prediction(heap_is_none), 20: prediction(0.1)})
    found = [die.detection for die in recognizer(dice).recognize(frame, [heap, *inner])]
    assert found == (inner if left == "dice" else [heap])


def surely_read(predicted: DiePrediction, sure: float = 0.9999) -> Classifiers:
    """Classifiers to which what is painted in grey level 10 looks so, with a plain symbol in its middle."""
    table = Table()
    table.says = {(symbol(0.0).x, 90): (7, sure)}
    symbols = SymbolReader(table, WEIGHTS)
    return Classifiers(Painted({10: predicted}), symbols, Shown())


@pytest.mark.parametrize(
    ("points_deg", "tilted", "may_be"),
    [(0.0, False, False), (3.0, False, False), (4.5, False, True), (8.0, True, False)],
)
def test_a_die_that_leans_is_cocked_only_if_a_calibrated_camera_measures_it(
    points_deg: float, *, tilted: bool, may_be: bool
) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(prediction()), Pointing({10: points_deg}))
    frame = frame_with((box, 10))
    (found,) = reading.recognize(frame, [box], camera=CALIBRATED, contacts=Leaning())
    assert (found.tilted, found.may_be_tilted) == (tilted, may_be)
    (unknown,) = reading.recognize(frame, [box], contacts=Leaning())
    assert (unknown.tilted, unknown.may_be_tilted) == (False, tilted or may_be)
    assert found.tilt_error_deg is not None
    assert unknown.tilt_error_deg is not None
    assert unknown.tilt_error_deg > 4 * found.tilt_error_deg
    for die in (found, unknown):
        assert die.tilt_deg == pytest.approx(points_deg, abs=1)
        assert die.top is not None
        assert die.top.pixel == (320, 220)
        assert die.top.top == pytest.approx((np.sin(np.radians(points_deg)), 0))


@pytest.mark.parametrize(
    ("points_deg", "scatter_deg", "tilted", "may_be"),
    [
        (10.0, 0.5, True, False),
        (10.0, 1.25, False, True),
        (10.0, 3.0, False, True),  # what looks plainly cocked at first is asked about at least
        (8.0, 0.5, False, True),
        (8.0, 3.0, False, False),
    ],
)
def test_a_die_of_which_other_views_say_otherwise_is_not_plainly_cocked(
    points_deg: float, scatter_deg: float, tilted: bool, may_be: bool
) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    by_distance = LogisticWeights((0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0), -8.0)
    pointing = Pointing({10: points_deg}, scatter_deg)
    reading = Recognizer(surely_read(prediction()), pointing, by_distance)
    (found,) = reading.recognize(frame_with((box, 10)), [box], camera=CALIBRATED, contacts=Leaning())
    assert (found.tilted, found.may_be_tilted) == (tilted, may_be)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("points_deg", "may_be"), [(0.0, False), (20.0, True)])
def test_a_die_that_is_hardly_read_may_be_cocked_but_not_plainly(
    points_deg: float, *, may_be: bool, known: bool
) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(prediction(), 0.4), Pointing({10: points_deg}))
    camera = CALIBRATED if known else None
    (found,) = reading.recognize(frame_with((box, 10)), [box], camera=camera, contacts=Leaning())
    assert found.prediction.confidence <= REFERENCE_CONFIDENCE
    assert (found.tilted, found.may_be_tilted) == (False, may_be)
    assert found.top is None


@pytest.mark.parametrize("touch", [False, True])
def test_a_die_whose_tilt_cannot_be_measured_may_be_cocked_if_it_touches_something(*, touch: bool) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(replace(prediction(), find=tuple)), Pointing({}))
    for camera in (CALIBRATED, None):
        contacts = Leaning(touch=touch)
        (found,) = reading.recognize(frame_with((box, 10)), [box], camera=camera, contacts=contacts)
        assert (found.tilted, found.may_be_tilted) == (False, touch)


@pytest.mark.parametrize(("points_deg", "may_be"), [(20.0, True), (0.0, False)])
def test_a_die_on_a_marker_is_not_plainly_cocked(points_deg: float, *, may_be: bool) -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    reading = recognizing(surely_read(prediction()), Pointing({10: points_deg}))
    contacts = Leaning(on_marker=True)
    (found,) = reading.recognize(frame_with((box, 10)), [box], camera=CALIBRATED, contacts=contacts)
    assert (found.tilted, found.may_be_tilted) == (False, may_be)


def test_the_top_of_a_die_that_looks_cocked_tells_nothing_of_the_camera() -> None:
    box = Detection(280, 180, 80, 80, 0.9)
    classifiers = surely_read(prediction(cocked=0.4))
    (found,) = recognizing(classifiers, Pointing({})).recognize(frame_with((box, 10)), [box])
    assert found.top is None
