"""What is recognized becomes a reading: doubtful dice, dropped ones, odd sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS
from tests.vision.a_reader import READER
from tests.vision.recognition.doubted import DOUBTED, die, prediction
from tests.vision.recognition.tables import PERCENT, WEIGHTS, Shown
from vision.detection import PLAIN_SCORE
from vision.reading import DieReading, Doubt, Reading
from vision.recognition.classifiers import (
    BODIES,
    BOX,
    COCKED,
    CROP_PX,
    DieClassifier,
    DiePrediction,
)
from vision.recognition.doubts import judge, of_usual_size
from vision.recognition.evidence import KIND_TURN_DEG
from vision.recognition.fusion import Classifiers, SymbolReader, Views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.recognition.classifiers import Pixels


def sized(size: int, doubt: Doubt | None = None) -> DieReading:
    return DieReading("d6", 3, 0.5, (0, 0, size, size), doubt)


def test_a_sure_die_has_its_kind_value_and_confidence() -> None:
    assert judge(die(), PLAIN_SCORE) == DieReading("d8", 4, 0.99, (100, 80, 40, 40))


def test_what_is_neither_sure_nor_plainly_a_die_is_not_asked_about() -> None:
    assert judge(die(confidence=0.5, score=0.475), PLAIN_SCORE) is None
    assert judge(die(confidence=0.5, score=0.525), PLAIN_SCORE) is not None
    assert judge(die(score=0.475), PLAIN_SCORE) is not None


def test_what_the_net_holds_for_cocked_keeps_its_likeliest_value_to_be_asked_about() -> None:
    told = judge(die(prediction(cocked=0.6), confidence=0.5), PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value, told.confidence, told.doubt) == ("d8", 4, 0.5, Doubt.COCKED)


def test_a_die_that_plainly_leans_keeps_its_kind_alone() -> None:
    told = judge(die(tilted=True), PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value, told.doubt) == ("d8", None, Doubt.COCKED)


def test_a_die_that_may_lie_flat_keeps_its_value_to_be_asked_about() -> None:
    told = judge(die(may_be_tilted=True), PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value, told.doubt) == ("d8", 4, Doubt.COCKED)


@pytest.mark.parametrize("doubt", sorted(set(DOUBTED) - {Doubt.COCKED, Doubt.NOT_READ}))
def test_other_doubts_leave_the_likeliest_value_to_be_asked_about(doubt: Doubt) -> None:
    told = judge(DOUBTED[doubt], PLAIN_SCORE)
    assert told is not None
    assert told.value is not None
    assert told.doubt is doubt


@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("reasons", [0.0, 0.6])
def test_the_share_of_the_kind_among_the_kinds_counts_whatever_else_the_net_sees(
    share: float, reasons: float
) -> None:
    class Turned(DieClassifier):
        def predict_all(
            self, crops: Sequence[Pixels], turn_deg: float = 0.0, _zoom: float = 1.0
        ) -> list[DiePrediction]:
            assert turn_deg == KIND_TURN_DEG
            bodies = np.zeros(BODIES)
            bodies[[1, 2, COCKED]] = (1 - reasons) * (1 - share), (1 - reasons) * share, reasons
            return [DiePrediction(bodies, np.zeros(BOX), tuple) for _ in crops]

    classifiers = Classifiers(Turned(lambda _: np.zeros(0)), SymbolReader(READER.symbols, WEIGHTS), Shown())
    seen = die()._replace(views=Views(classifiers, np.zeros((CROP_PX, CROP_PX, 3), np.uint8)))
    assert seen.kind_share() == pytest.approx(share)


def test_the_confidence_of_a_die_is_calibrated() -> None:
    assert KINDS[die().kind] == "d8"
    assert 0.5 < READER.confidence(die()) < 1.0


def test_the_scores_that_find_prints_say_nothing_of_a_die_that_was_thrown() -> None:
    plain = die()
    faint = plain._replace(detection=replace(plain.detection, score=0.3))
    assert READER.confidence(faint) < READER.confidence(plain)
    thrown = READER.confidence(plain._replace(thrown=True))
    assert READER.confidence(faint._replace(thrown=True)) == thrown > 0.5


def test_the_tilt_that_was_measured_is_in_the_reading() -> None:
    told = judge(die(tilt_deg=7.5, tilt_error_deg=2.0), PLAIN_SCORE)
    assert told is not None
    assert (told.tilt_deg, told.tilt_error_deg) == (7.5, 2.0)


def test_a_flat_die_that_was_read_beside_its_top_is_asked_about_in_every_frame() -> None:
    beside = die(beside_top=True)
    (told,) = READER.judged(beside)
    assert (told.doubt, told.value) == (Doubt.LOW_CONFIDENCE, 4)
    (again,) = READER.agree([Reading((told,)), Reading((told,))]).dice
    assert again.doubt is Doubt.LOW_CONFIDENCE


def test_a_doubtful_find_of_another_size_than_the_sure_dice_is_no_die() -> None:
    low = Doubt.LOW_CONFIDENCE
    kept = [sized(40), sized(44), sized(30, low), sized(75, low)]
    assert of_usual_size([*kept, sized(19, low), sized(90, low)], [("d6", 3)]) == kept
    doubted = [sized(10, low), sized(90, low)]
    assert of_usual_size(doubted) == doubted


@pytest.mark.parametrize("size", [19, 81])
def test_a_sure_die_of_another_size_than_the_others_is_asked_about_unless_it_is_known(size: int) -> None:
    others = [sized(40)] * 3
    odd = sized(size, Doubt.ODD_SIZE)
    assert of_usual_size([*others, sized(size)]) == [*others, odd]
    assert of_usual_size([*others, sized(size)], [("d6", 4)])[3] == odd
    assert of_usual_size([*others, sized(size)], [("d6", 3)])[3] == sized(size)


def test_neither_of_two_dice_is_odd_unless_three_times_as_large() -> None:
    pair = [sized(20), sized(55)]
    assert of_usual_size(pair) == pair


@pytest.mark.parametrize("doubt", [None, Doubt.COVERED])
def test_two_digits_on_a_d10_are_proposed_as_a_percentile_die(doubt: Doubt | None) -> None:
    ten = die(prediction("d10", 10, unreadable=0.6 if doubt else 0.0), shown=Shown(PERCENT[30], 0.52))
    told = judge(ten, PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value, told.doubt) == ("d100", 30, Doubt.PERCENTILE)
    assert told.confidence == pytest.approx(0.52)


def test_00_is_the_value_0_of_a_percentile_die() -> None:
    told = judge(die(prediction("d10", 10), shown=Shown(PERCENT[0], 0.9)), PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value) == ("d100", 0)


def test_a_die_that_is_likelier_a_d10_keeps_that_kind() -> None:
    told = judge(die(prediction("d10", 10), shown=Shown(PERCENT[30], 0.48)), PLAIN_SCORE)
    assert told is not None
    assert (told.kind, told.value, told.doubt) == ("d10", 10, Doubt.PERCENTILE)
