"""Agreement: a die is sure only if every frame is sure and says the same of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.detection.boxes import iou
from vision.reading import Box, DieReading, Doubt, Reading
from vision.recognition.consensus import consensus
from vision.settings import ReaderSettings

PLACES = [(x, y) for x in (0, 100, 200) for y in (0, 100)]


def agree(readings: list[Reading]) -> Reading:
    return consensus(readings, ReaderSettings().consensus_iou)


@st.composite
def looks(draw: st.DrawFn) -> DieReading:
    """One frame's word on a die: sure, doubtful or unread."""
    value = draw(st.sampled_from([None, 3, 3, 3, 4]))
    confidence = draw(st.floats(0, 1))
    doubt = None if value and confidence > 0.5 else Doubt.LOW_CONFIDENCE
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
def test_a_die_is_sure_exactly_if_sure_and_the_same_in_all_frames(seen: list[dict[int, DieReading]]) -> None:
    agreed = {place(die): die for die in agree([reading(dice) for dice in seen]).dice}
    assert set(agreed) == {i for dice in seen for i in dice}
    for i, die in agreed.items():
        said = [dice[i] for dice in seen if i in dice]
        same = len(said) == len(seen) and len({(d.kind, d.value) for d in said}) == 1
        assert die.sure == (same and all(d.sure for d in said))
        if die.sure:
            assert (die.kind, die.value) == (said[0].kind, said[0].value)
            assert die.confidence == min(d.confidence for d in said)


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
