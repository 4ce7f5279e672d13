"""Each reason for doubt by itself: what brings it about, what does not, and which is told first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.vision.recognition.doubted import DOUBTED, die, pips, prediction
from tests.vision.recognition.tables import PERCENT, Shown
from vision.reading import DieReading, Doubt
from vision.recognition import doubts
from vision.recognition.classifiers import (
    PICTURE,
)
from vision.recognition.doubts import (
    first_doubt,
    may_be_identified,
)
from vision.recognition.evidence import Evidence, shows_what_tokens_show
from vision.recognition.fusion import Prediction


def sized(side: int) -> DieReading:
    return DieReading("d6", 3, 0.99, (0, 0, side, side))


def told(evidence: Evidence) -> Doubt | None:
    return first_doubt(evidence)


def test_a_whole_flat_legible_die_is_sure() -> None:
    assert told(die()) is None
    assert may_be_identified(die())


PLAIN = {
    Doubt.CUT_BY_FRAME: die(x=-1),
    Doubt.COVERED: die(prediction(unreadable=0.27)),
    Doubt.PRINT_OR_TOKEN: die(prediction(no_die=0.18)),
    Doubt.SIX_OR_NINE: die(prediction("d20", 9, six_nine=0.9985)),
    Doubt.UPSIDE_DOWN: die(prediction("d10", 8, upside_down=0.76)),
    Doubt.LOW_CONFIDENCE: die(confidence=0.86),
    Doubt.HIDDEN_PIP: die(pips(4, 0.998), bare_middle=False),
    Doubt.PICTURE: die(shown=Shown(PICTURE, 0.94)),
    Doubt.PERCENTILE: die(prediction("d10", 10), shown=Shown(PERCENT[10], 0.25)),
    Doubt.KIND_NOT_STABLE: die(kind_share=lambda: 0.77),
}


def test_every_predicate_has_its_case_here() -> None:
    assert set(DOUBTED) == {doubt for doubt, _ in doubts.PREDICATES}


@pytest.mark.parametrize("doubt", DOUBTED)
def test_each_reason_for_doubt_is_told_by_itself(doubt: Doubt) -> None:
    assert told(DOUBTED[doubt]) is doubt


@pytest.mark.parametrize("doubt", PLAIN)
def test_within_its_limits_a_die_stays_sure(doubt: Doubt) -> None:
    assert told(PLAIN[doubt]) is None


def test_a_die_that_may_be_cocked_is_doubted_but_not_before_what_nobody_could_confirm() -> None:
    assert told(die(may_be_tilted=True)) is Doubt.COCKED
    assert told(die(may_be_tilted=True, confidence=0.5)) is Doubt.LOW_CONFIDENCE
    assert told(die(may_be_tilted=True, x=-10)) is Doubt.CUT_BY_FRAME
    assert told(die(may_be_tilted=True, holds_others=True)) is Doubt.PILE
    assert told(die(prediction(unreadable=0.33), may_be_tilted=True)) is Doubt.COVERED
    assert not may_be_identified(die(may_be_tilted=True))
    assert not may_be_identified(die(beside_top=True))
    assert may_be_identified(die(may_be_tilted=True, confidence=0.5))  # its tilt is hardly measured


@pytest.mark.parametrize("doubt", [Doubt.COCKED, Doubt.CUT_BY_FRAME, Doubt.PILE, Doubt.PRINT_OR_TOKEN])
def test_what_is_not_whole_flat_and_a_die_is_not_compared_with_the_enrolled(doubt: Doubt) -> None:
    assert not may_be_identified(DOUBTED[doubt])


@pytest.mark.parametrize("doubt", [Doubt.LOW_CONFIDENCE, Doubt.NOT_READ, Doubt.COVERED, Doubt.SIX_OR_NINE])
def test_what_is_merely_illegible_is_compared_with_the_enrolled(doubt: Doubt) -> None:
    assert may_be_identified(DOUBTED[doubt])


def test_what_another_throw_mends_is_told_before_what_the_camera_cannot_read() -> None:
    assert told(die(x=-10, confidence=0.2)) is Doubt.CUT_BY_FRAME
    assert told(die(tilted=True, x=-10)) is Doubt.COCKED


def test_pixels_are_looked_at_only_where_nothing_else_is_doubted() -> None:
    def asked() -> float:
        raise AssertionError("the net was run")

    assert told(die(confidence=0.2, kind_share=asked)) is Doubt.LOW_CONFIDENCE


def test_a_misplaced_symbol_tells_nothing_where_it_is_hardly_read() -> None:
    assert told(die(tilted=True, confidence=0.5)) is Doubt.LOW_CONFIDENCE


def test_a_die_may_be_cocked_if_the_net_holds_it_for_that_rather_than_for_what_it_reads() -> None:
    assert told(die(prediction(cocked=0.6), confidence=0.5)) is Doubt.COCKED
    assert told(die(prediction(best=0.0, cocked=0.6), confidence=0.1)) is Doubt.NOT_READ
    assert told(die(prediction(cocked=0.6), confidence=0.7)) is Doubt.LOW_CONFIDENCE
    assert told(die(prediction(cocked=0.2), confidence=0.1)) is Doubt.LOW_CONFIDENCE


@pytest.mark.parametrize("value", [2, 4])
def test_a_face_that_may_hide_its_middle_pip_must_be_bare_there(value: int) -> None:
    assert told(die(pips(value, 0.99))) is None
    assert told(die(pips(value, 0.99), bare_middle=False)) is Doubt.HIDDEN_PIP
    assert told(die(pips(6, 0.99), bare_middle=False)) is None


def test_a_face_of_pips_tells_its_kind_by_itself() -> None:
    assert told(die(pips(5), kind_share=lambda: 0.0)) is None


def test_the_numerals_beside_the_top_of_a_d20_tell_its_kind_if_they_bear_its_value_out() -> None:
    borne_out = prediction("d20", 17, beside=2.53)
    assert told(die(borne_out, kind_share=lambda: 0.0)) is None
    hardly = prediction("d20", 17, beside=2.07)
    assert told(die(hardly, kind_share=lambda: 0.0)) is Doubt.KIND_NOT_STABLE


@pytest.mark.parametrize(
    ("said", "token"),
    [
        (pips(1), True),
        (pips(5), False),
        (prediction("d6", 4), True),
        (prediction("d12", 4), True),
        (prediction("d8", 4), False),
        (prediction("d20", 4), False),
    ],
)
def test_one_dot_and_numerals_of_d6_and_d12_are_found_on_tokens_too(said: Prediction, token: bool) -> None:
    assert shows_what_tokens_show(said) is token


def test_a_size_is_odd_from_twice_or_half_the_usual_one() -> None:
    assert [
        px
        for px in (19, 21, 40, 79, 81)
        if doubts.of_usual_size([*[sized(40)] * 3, sized(px)])[3].doubt is Doubt.ODD_SIZE
    ] == [19, 81]


def test_no_die_is_smaller_than_7_or_larger_than_60_mm_across() -> None:
    assert [mm for mm in (6.9, 7.0, 59.0, 60.0, 61.0) if not doubts.of_possible_size(sized(40), mm).sure] == [
        6.9,
        61.0,
    ]


def test_a_die_that_something_speaks_against_has_little_confidence() -> None:
    assert doubts.of_possible_size(sized(40), 61.0).confidence == 0.3
    assert doubts.of_possible_size(replace(sized(40), confidence=0.2), 61.0).confidence == 0.2
    assert doubts.of_possible_size(sized(40), 59.0).confidence == sized(40).confidence > 0.3


def test_frames_disagree_over_a_value_a_kind_or_a_die_that_is_missing() -> None:
    four = DieReading("d6", 4, 0.9, (0, 0, 9, 9))
    assert not doubts.differs_between_frames(four, [four, replace(four, confidence=0.95)])
    for other in (replace(four, value=5), replace(four, kind="d8"), None):
        assert doubts.differs_between_frames(four, [four, other])


@pytest.mark.parametrize("kind", ["d12", "d20"])
def test_a_ten_with_two_digits_is_plain_on_a_die_that_has_no_percentile_sibling(kind: str) -> None:
    assert told(die(prediction(kind, 10), shown=Shown(PERCENT[10]))) is None


def test_the_numerals_of_a_d4_bear_one_another_out() -> None:
    assert told(die(prediction("d4", 3), shown=Shown(PICTURE))) is None


def test_digits_that_no_plain_die_bears_are_no_value_of_a_d8() -> None:
    assert told(die(prediction("d8", 7), shown=Shown(PERCENT[70]))) is Doubt.PICTURE


@pytest.mark.parametrize(
    ("kind", "value", "unlike"), [("d6", 4, 0.8), ("d8", 4, 1.0), ("d10", 4, 1.0), ("d10", 10, 0.8)]
)
def test_a_face_that_may_bear_a_picture_must_look_like_its_value_when_turned(
    kind: str, value: int, unlike: float
) -> None:
    """The table of symbols holds the value with 0.98, so a picture counts from `unlike` less 0.02."""
    said = prediction(kind, value)
    assert told(die(said, shown=Shown(PICTURE, unlike - 0.03))) is None
    assert told(die(said, shown=Shown(PICTURE, unlike - 0.01))) is Doubt.PICTURE
    other = prediction(kind, value, read_as=4)
    assert told(die(other, shown=Shown(PICTURE, 0.51))) is Doubt.PICTURE
    assert told(die(other, shown=Shown(PICTURE, 0.49))) is None
