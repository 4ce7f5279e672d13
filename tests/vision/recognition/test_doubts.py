"""Each reason for doubt by itself: what brings it about, what does not, and which is told first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from games.dice import KINDS
from vision.detection.detections import Detection
from vision.reading import DieReading, Doubt
from vision.recognition import doubts
from vision.recognition.die_classifier import Orientation, Symbol
from vision.recognition.doubts import Evidence, first_doubt, may_be_identified
from vision.recognition.fusion import Prediction
from vision.recognition.outputs import VALUES
from vision.settings import DoubtSettings

LIMITS = DoubtSettings()
SYMBOL = Symbol(56, 56, 30, 0.9, ())
UPRIGHT = (Orientation(80.0, 0.97),)
EITHER_WAY = (Orientation(80.0, 0.9), Orientation(-95.0, 0.07))
ACROSS = (Orientation(80.0, 0.9), Orientation(200.0, 0.07))


def prediction(kind: str = "d8", value: int = 4, best: float = 1.0, **said: Any) -> Prediction:
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), value] = best
    return replace(Prediction(joint, SYMBOL, 0.9, 0.8, 0.0, 0.01, 0.02, 0.001), **said)


def pips(value: int, best: float = 1.0, **said: Any) -> Prediction:
    return prediction("d6", value, best, upright=0.3, **said)


def die(said: Prediction | None = None, score: float = 0.9, x: float = 100, **known: Any) -> Evidence:
    """A flat, whole, legible die of which all but the named is well."""
    flat = Evidence(
        detection=Detection(x, 80, 40, 40, score),
        prediction=said or prediction(),
        confidence=0.99,
        frame=(200, 300),
        tilted=False,
        holds_others=False,
        kind_share=lambda: 1.0,
        bare_middle=lambda: True,
    )
    return flat._replace(**known)


def told(evidence: Evidence) -> Doubt | None:
    return first_doubt(evidence, LIMITS)


def test_a_whole_flat_legible_die_is_sure() -> None:
    assert told(die()) is None
    assert may_be_identified(die(), LIMITS)


DOUBTED = {
    Doubt.COCKED: die(tilted=True),
    Doubt.CUT_BY_FRAME: die(x=-10),
    Doubt.COVERED: die(prediction(unreadable=1.1 * LIMITS.unreadable)),
    Doubt.PILE: die(holds_others=True),
    Doubt.PRINT_OR_TOKEN: die(prediction(no_die=1.1 * LIMITS.printed)),
    Doubt.NOT_READ: die(prediction(best=0.0)),
    Doubt.SIX_OR_NINE: die(prediction("d20", 9, reversible=0.9)),
    Doubt.LOW_CONFIDENCE: die(confidence=0.85),
    Doubt.HIDDEN_PIP: die(pips(4, 0.99), bare_middle=lambda: False),
    Doubt.KIND_NOT_STABLE: die(kind_share=lambda: 0.9 * LIMITS.kind_share),
}
PLAIN = {
    Doubt.CUT_BY_FRAME: die(x=-1),
    Doubt.COVERED: die(prediction(unreadable=0.9 * LIMITS.unreadable)),
    Doubt.PRINT_OR_TOKEN: die(prediction(no_die=0.9 * LIMITS.printed)),
    Doubt.SIX_OR_NINE: die(prediction("d20", 9, reversible=0.2)),
    Doubt.LOW_CONFIDENCE: die(confidence=0.885),
    Doubt.HIDDEN_PIP: die(pips(4, 0.998), bare_middle=lambda: False),
    Doubt.KIND_NOT_STABLE: die(kind_share=lambda: 1.1 * LIMITS.kind_share),
}


def test_every_predicate_has_its_case_here() -> None:
    assert set(DOUBTED) == {doubt for doubt, _ in doubts.PREDICATES}


@pytest.mark.parametrize("doubt", DOUBTED)
def test_each_reason_for_doubt_is_told_by_itself(doubt: Doubt) -> None:
    assert told(DOUBTED[doubt]) is doubt


@pytest.mark.parametrize("doubt", PLAIN)
def test_within_its_limits_a_die_stays_sure(doubt: Doubt) -> None:
    assert told(PLAIN[doubt]) is None


@pytest.mark.parametrize("doubt", [Doubt.COCKED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.PRINT_OR_TOKEN])
def test_what_is_not_whole_flat_and_a_die_is_not_compared_with_the_enrolled(doubt: Doubt) -> None:
    assert not may_be_identified(DOUBTED[doubt], LIMITS)


@pytest.mark.parametrize("doubt", [Doubt.LOW_CONFIDENCE, Doubt.NOT_READ, Doubt.COVERED, Doubt.SIX_OR_NINE])
def test_what_is_merely_illegible_is_compared_with_the_enrolled(doubt: Doubt) -> None:
    assert may_be_identified(DOUBTED[doubt], LIMITS)


def test_what_another_throw_mends_is_told_before_what_the_camera_cannot_read() -> None:
    assert told(die(x=-10, confidence=0.2)) is Doubt.CUT_BY_FRAME
    assert told(die(tilted=True, x=-10)) is Doubt.COCKED


def test_pixels_are_looked_at_only_where_nothing_else_is_doubted() -> None:
    def asked() -> float:
        raise AssertionError("the net was run")

    assert told(die(confidence=0.2, kind_share=asked)) is Doubt.LOW_CONFIDENCE


def test_a_misplaced_symbol_tells_nothing_where_it_is_hardly_read() -> None:
    assert told(die(tilted=True, confidence=0.5)) is Doubt.LOW_CONFIDENCE


def test_a_die_is_cocked_if_the_net_holds_it_for_that_rather_than_for_what_it_reads() -> None:
    assert told(die(prediction(cocked=0.6), confidence=0.5)) is Doubt.COCKED
    assert told(die(prediction(cocked=0.6), confidence=0.7)) is Doubt.LOW_CONFIDENCE


@pytest.mark.parametrize("value", [2, 4])
def test_a_face_that_may_hide_its_middle_pip_must_be_bare_there(value: int) -> None:
    assert told(die(pips(value, 0.99))) is None
    assert told(die(pips(value, 0.99), bare_middle=lambda: False)) is Doubt.HIDDEN_PIP
    assert told(die(pips(6, 0.99), bare_middle=lambda: False)) is None


def test_a_face_of_pips_tells_its_kind_by_itself() -> None:
    assert told(die(pips(5), kind_share=lambda: 0.0)) is None


@pytest.mark.parametrize(
    ("kind", "value", "doubt"), [("d10", 6, True), ("d12", 9, True), ("d10", 5, False), ("d8", 6, False)]
)
def test_a_6_or_9_that_is_legible_upside_down_is_doubtful_where_both_are_found(
    kind: str, value: int, doubt: bool
) -> None:
    assert (told(die(prediction(kind, value, reversible=0.9))) is Doubt.SIX_OR_NINE) is doubt


@pytest.mark.parametrize(
    ("kind", "turns", "doubt"),
    [
        ("d20", EITHER_WAY, True),
        ("d20", UPRIGHT, False),
        ("d20", ACROSS, False),
        ("d12", UPRIGHT, False),
        ("d12", (), True),
        ("d10", EITHER_WAY, True),
        ("d10", UPRIGHT, False),
        ("d8", EITHER_WAY, False),
        ("d6", EITHER_WAY, False),
    ],
)
def test_the_die_tells_which_way_up_where_all_makers_print_alike(
    kind: str, turns: tuple[Orientation, ...], doubt: bool
) -> None:
    symbol = replace(SYMBOL, orientations=turns)
    said = prediction(kind, 6, reversible=0.9, symbol=symbol)
    assert doubts.may_be_six_or_nine(die(said), LIMITS) is doubt


def test_a_dot_on_what_hardly_looks_like_a_die_may_be_that_of_a_coin() -> None:
    faint, plain = 0.95 * LIMITS.faint_score, 1.05 * LIMITS.faint_score
    one, five = (pips(value, no_die=1.1 * LIMITS.dot_no_die) for value in (1, 5))
    assert told(die(one, faint)) is Doubt.PRINT_OR_TOKEN
    assert told(die(replace(one, no_die=0.9 * LIMITS.dot_no_die), faint)) is None
    assert told(die(one, plain)) is None
    assert told(die(five, faint)) is None


@pytest.mark.parametrize(("kind", "doubt"), [("d6", True), ("d12", True), ("d8", False), ("d20", False)])
def test_a_numeral_on_what_hardly_looks_like_a_d6_or_d12_may_be_that_of_a_coin(
    kind: str, doubt: bool
) -> None:
    faint, plain = 0.95 * LIMITS.faint_score, 1.05 * LIMITS.faint_score
    said = prediction(kind, no_die=1.1 * LIMITS.numeral_no_die)
    assert (told(die(said, faint)) is Doubt.PRINT_OR_TOKEN) is doubt
    assert told(die(replace(said, no_die=0.9 * LIMITS.numeral_no_die), faint)) is None
    assert told(die(said, plain)) is None


def test_a_size_is_odd_from_twice_or_half_the_usual_one() -> None:
    assert [px for px in (19, 21, 40, 79, 81) if doubts.has_odd_size(px, 40, LIMITS)] == [19, 81]


def test_no_die_is_smaller_than_7_or_larger_than_60_mm_across() -> None:
    assert [mm for mm in (6.9, 7.1, 59.0, 61.0) if doubts.has_impossible_size(mm, LIMITS)] == [6.9, 61.0]


def test_frames_disagree_over_a_value_a_kind_or_a_die_that_is_missing() -> None:
    four = DieReading("d6", 4, 0.9, (0, 0, 9, 9))
    assert not doubts.differs_between_frames(four, [four, replace(four, confidence=0.95)])
    for other in (replace(four, value=5), replace(four, kind="d8"), None):
        assert doubts.differs_between_frames(four, [four, other])
