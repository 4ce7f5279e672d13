"""What is recognized becomes a reading: doubtful dice, dropped ones, odd sizes."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS
from tests.vision.recognition.test_doubts import DOUBTED, LIMITS, die, prediction
from vision.detection.detections import PLAIN, Candidate
from vision.reading import DieReading, Doubt
from vision.recognition import judgement
from vision.recognition.enrolled import OwnDice
from vision.recognition.judgement import evidence_of, judge, of_usual_size, read_any_dice
from vision.recognition.recognizer import Find

FRAME = np.zeros((200, 300, 3), np.uint8)


def sized(size: int, doubt: Doubt | None = None) -> DieReading:
    return DieReading("d6", 3, 0.5, (0, 0, size, size), doubt)


def test_a_sure_die_has_its_kind_value_and_confidence() -> None:
    assert judge(die(), LIMITS) == DieReading("d8", 4, 0.99, (100, 80, 40, 40))


def test_what_is_neither_sure_nor_plainly_a_die_is_not_asked_about() -> None:
    assert judge(die(confidence=0.5, score=0.95 * PLAIN), LIMITS) is None
    assert judge(die(confidence=0.5, score=1.05 * PLAIN), LIMITS) is not None
    assert judge(die(score=0.95 * PLAIN), LIMITS) is not None


def test_what_the_net_holds_for_cocked_has_neither_kind_nor_value() -> None:
    told = judge(die(prediction(cocked=0.6), confidence=0.5), LIMITS)
    assert told is not None
    assert (told.kind, told.value, told.confidence, told.doubt) == (None, None, 0.6, Doubt.COCKED)


def test_a_die_whose_symbol_is_misplaced_keeps_its_kind_alone() -> None:
    told = judge(die(tilted=True), LIMITS)
    assert told is not None
    assert (told.kind, told.value, told.doubt) == ("d8", None, Doubt.COCKED)


@pytest.mark.parametrize("doubt", sorted(set(DOUBTED) - {Doubt.COCKED, Doubt.NOT_READ}))
def test_other_doubts_leave_the_likeliest_value_to_be_asked_about(doubt: Doubt) -> None:
    told = judge(DOUBTED[doubt], LIMITS)
    assert told is not None
    assert told.value is not None
    assert told.doubt is doubt


def test_a_die_that_is_compared_with_the_enrolled_must_be_whole_and_flat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []

    def again(*given: object, settings: object, clear: bool) -> object:
        assert settings is LIMITS
        asked.append(clear)
        return given[3]

    flat = Find(Candidate(100, 80, 40, 40, 0.9), prediction(), leans=False, holds=False)
    monkeypatch.setattr(judgement, "finds", lambda _frame, _progress: [flat, flat._replace(leans=True)])
    monkeypatch.setattr(judgement, "known_again", again)
    own = OwnDice((("d8", 4),), np.ones((1, 1600), np.float32), np.zeros((1, 3), np.float32))
    assert len(read_any_dice(FRAME, LIMITS, own)) == 2
    assert asked == [True, False]


def test_the_confidence_comes_from_the_cues_unless_one_is_given() -> None:
    find = Find(Candidate(100, 80, 40, 40, 0.9), prediction(), leans=False, holds=False)
    assert 0.5 < evidence_of(FRAME, find, LIMITS).confidence < 1.0
    assert evidence_of(FRAME, find, LIMITS, confidence=1.0).confidence == 1.0
    assert KINDS[evidence_of(FRAME, find, LIMITS).kind] == "d8"


def test_a_doubtful_find_of_another_size_than_the_sure_dice_is_no_die() -> None:
    low = Doubt.LOW_CONFIDENCE
    kept = [sized(40), sized(44), sized(30, low), sized(75, low)]
    assert of_usual_size([*kept, sized(19, low), sized(90, low)], LIMITS, [("d6", 3)]) == kept
    doubted = [sized(10, low), sized(90, low)]
    assert of_usual_size(doubted, LIMITS) == doubted


@pytest.mark.parametrize("size", [19, 81])
def test_a_sure_die_of_another_size_than_the_others_is_asked_about_unless_it_is_known(size: int) -> None:
    others = [sized(40)] * 3
    odd = sized(size, Doubt.ODD_SIZE)
    assert of_usual_size([*others, sized(size)], LIMITS) == [*others, odd]
    assert of_usual_size([*others, sized(size)], LIMITS, [("d6", 4)])[3] == odd
    assert of_usual_size([*others, sized(size)], LIMITS, [("d6", 3)])[3] == sized(size)


def test_of_two_dice_neither_is_odd_that_is_not_three_times_as_large() -> None:
    pair = [sized(20), sized(55)]
    assert of_usual_size(pair, LIMITS) == pair
