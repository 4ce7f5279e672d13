"""Agreement: looks are weighed together; a die that frames show differently is never sure."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.reading import Box, DieReading, Doubt, Reading, iou
from vision.recognition.classifiers import FLOOR
from vision.recognition.doubts import LEAST_CONFIDENCE, consensus

LEAST = LEAST_CONFIDENCE
PLACES = [(x, y) for x in (0, 100, 200) for y in (0, 100)]


def agree(readings: list[Reading]) -> Reading:
    return consensus(readings)


@st.composite
def looks(draw: st.DrawFn) -> DieReading:
    """One frame's word on a die: sure, doubtful or unread."""
    value = draw(st.sampled_from([None, 3, 3, 3, 4]))
    confidence = draw(st.floats(0, 1))
    doubt = None if value and confidence >= LEAST else Doubt.LOW_CONFIDENCE
    return DieReading("d6" if value else None, value, confidence, (0, 0, 40, 40), doubt)


@st.composite
def frames(draw: st.DrawFn) -> list[dict[int, DieReading]]:
    """By place, what each of some frames saw there; boxes shift a little from frame to frame."""
    seen = []
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.lists(st.sampled_from(range(len(PLACES))), unique=True))
        shift = draw(st.integers(0, 4))
        dice = {i: replace(draw(looks()), box=(PLACES[i][0] + shift, PLACES[i][1], 40, 40)) for i in at}
        seen.append(dice)
    return seen


def reading(dice: dict[int, DieReading]) -> Reading:
    return Reading(tuple(sorted(dice.values(), key=lambda die: (die.box[1], die.box[0]))))


def place(die: DieReading) -> int:
    return min(
        range(len(PLACES)), key=lambda i: abs(PLACES[i][0] - die.box[0]) + abs(PLACES[i][1] - die.box[1])
    )


@given(frames())
def test_a_die_that_is_sure_is_whole_evidence(seen: list[dict[int, DieReading]]) -> None:
    agreed = {place(die): die for die in agree([reading(dice) for dice in seen]).dice}
    assert set(agreed) == {i for dice in seen for i in dice}
    for i, die in agreed.items():
        said = [dice[i] for dice in seen if i in dice]
        if die.sure:
            assert len(said) == len(seen)
            assert all((d.kind, d.value) == (die.kind, die.value) for d in said if d.confidence >= 0.5)
            least, most = min(d.confidence for d in said), max(d.confidence for d in said)
            assert min(least, 1 - FLOOR) - 1e-9 <= die.confidence <= most + 1e-9  # as log odds are bounded
            assert die.confidence >= LEAST


@given(frames())
def test_what_is_sure_and_the_same_in_all_frames_stays_sure(seen: list[dict[int, DieReading]]) -> None:
    agreed = {place(die): die for die in agree([reading(dice) for dice in seen]).dice}
    for i, die in agreed.items():
        said = [dice[i] for dice in seen if i in dice]
        if len(said) == len(seen) and all(d.sure for d in said) and len({d.value for d in said}) == 1:
            assert die.sure


def looked(*said: tuple[int | None, float, Doubt | None]) -> DieReading:
    """The die that was read so in one frame after the other."""
    (die,) = agree([Reading((DieReading("d6", v, c, (0, 0, 40, 40), d),)) for v, c, d in said]).dice
    return die


FAINT = Doubt.LOW_CONFIDENCE


def test_a_plain_look_makes_up_for_a_faint_one() -> None:
    die = looked((4, 0.97, None), (4, 0.8, FAINT))
    assert die.sure
    assert 0.9 < die.confidence < 0.97


def test_a_die_that_no_look_reads_is_never_sure() -> None:
    unread = DieReading(None, None, 1.0, (0, 0, 40, 40), FAINT)
    (die,) = agree([Reading((unread,)), Reading((unread,))]).dice
    assert die.doubt is FAINT


def test_faint_looks_alone_do_not_make_a_die_sure() -> None:
    assert looked((4, 0.8, FAINT), (4, 0.8, FAINT), (4, 0.8, FAINT)).doubt is FAINT


def test_a_faint_look_at_another_value_counts_against_it() -> None:
    assert looked((4, 0.97, None), (3, 0.45, FAINT)).confidence < 0.9
    assert looked((4, 0.97, None), (4, 0.45, FAINT)).confidence < looked((4, 0.97, None)).confidence


def test_looks_that_hold_different_values_for_likely_leave_the_die_doubtful() -> None:
    assert looked((4, 0.999, None), (3, 0.6, FAINT)).doubt is Doubt.FRAMES_DISAGREE


@pytest.mark.parametrize("doubt", [Doubt.COCKED, Doubt.SIX_OR_NINE, Doubt.OTHER_BESIDE, Doubt.PILE])
def test_a_doubt_of_the_die_itself_is_settled_by_no_other_look(doubt: Doubt) -> None:
    assert looked((4, 0.999, None), (4, 0.99, doubt), (4, 0.999, None)).doubt is doubt


def test_a_die_that_one_look_calls_plainly_cocked_has_no_value() -> None:
    assert looked((4, 0.999, None), (4, 0.99, Doubt.COCKED)).value == 4
    for first in ((4, 0.99, Doubt.COCKED), (4, 0.8, FAINT), (4, 0.999, None)):
        die = looked(first, (None, 0.99, Doubt.COCKED))
        assert (die.kind, die.value, die.doubt) == ("d6", None, Doubt.COCKED)


@given(frames(), st.randoms(use_true_random=False))
def test_the_order_of_frames_does_not_matter_for_what_is_sure(
    seen: list[dict[int, DieReading]], chance: st.DataObject
) -> None:
    def sure(order: list[dict[int, DieReading]]) -> set[tuple[int, int | None]]:
        return {(place(die), die.value) for die in agree([reading(dice) for dice in order]).dice if die.sure}

    shuffled = list(seen)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sure(shuffled) == sure(seen)


@given(frames())
def test_the_dice_come_sorted_and_one_for_each_place(seen: list[dict[int, DieReading]]) -> None:
    dice = agree([reading(dice) for dice in seen]).dice
    assert [(d.box[1], d.box[0]) for d in dice] == sorted((d.box[1], d.box[0]) for d in dice)
    assert len({place(die) for die in dice}) == len(dice)


def test_one_frame_says_what_it_says() -> None:
    only = Reading((DieReading("d6", 3, 0.9, (0, 0, 9, 9)),))
    assert agree([only]) == only


def test_frames_without_dice_agree_on_none() -> None:
    assert agree([Reading(()), Reading(())]).dice == ()


def test_nothing_cannot_agree() -> None:
    with pytest.raises(ValueError, match="nothing to agree on"):
        agree([])


def test_a_die_that_was_moved_between_frames_is_sure_nowhere() -> None:
    die = DieReading("d6", 3, 0.9, (0, 0, 40, 40))
    agreed = agree([Reading((die,)), Reading((replace(die, box=(30, 0, 40, 40)),))])
    assert [d.doubt for d in agreed.dice] == [Doubt.FRAMES_DISAGREE] * 2


boxes = st.tuples(*[st.integers(0, 60)] * 2, *[st.integers(1, 60)] * 2)


@given(boxes, boxes)
def test_overlap_is_that_of_the_pixels(one: Box, other: Box) -> None:
    def pixels(box: Box) -> set[tuple[int, int]]:
        x, y, w, h = box
        return {(i, j) for i in range(x, x + w) for j in range(y, y + h)}

    a, b = pixels(one), pixels(other)
    assert iou(one, other) == iou(other, one) == pytest.approx(len(a & b) / len(a | b))
