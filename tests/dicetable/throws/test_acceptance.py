"""Between what is due and a reading: only sure, fresh, fitting dice count; all else changes nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetable import texts
from dicetable.throws.acceptance import Due, Fits, Refused, Session, as_lying
from games.dice import FACES, KINDS
from tests.dicetable.readings import die, lie, place, together
from vision.detection.boxes import iou
from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from games.dice import Kind

EMPTY = Reading(())
SIX = Due(("d6",) * 6, (6,))
ONE_OF_EACH = Due(KINDS, (2,))


def four(*aside: int) -> Due:
    """Four d6 are due; these were set aside."""
    return Due(("d6",) * 4, (4,), tuple(("d6", face) for face in aside))


def refused(session: Session, reading: Reading, due: Due) -> str:
    answer = session.see(reading, due)
    assert isinstance(answer, Refused)
    assert answer.text.endswith(".")
    return answer.text


def taken(session: Session, reading: Reading, due: Due) -> list[int]:
    """The values of a reading that has to fit; then it lies there from before."""
    answer = session.see(reading, due)
    assert isinstance(answer, Fits)
    assert answer.lying == as_lying(reading.dice)
    session.rest(answer.lying)
    return [face for _, face in answer.dice]


def after_six() -> Session:
    """Six dice were thrown, two of them sixes."""
    session = Session()
    taken(session, lie(6, 6, 1, 1, 2, 3), SIX)
    return session


def test_a_throw_that_fits_is_taken() -> None:
    assert taken(Session(), lie(6, 6, 1, 1, 2, 3), SIX) == [6, 6, 1, 1, 2, 3]


@pytest.mark.parametrize("count", [1, 5, 7, 12])
def test_a_wrong_number_of_dice_is_said(count: int) -> None:
    text = refused(Session(), lie(*[2] * count), SIX)
    assert text == texts.throws.wrong_count(count, 6)
    assert "6 are due" in text


def test_an_empty_tray_is_worth_no_word() -> None:
    assert Session().see(EMPTY, SIX) is None
    assert Session().see(lie(1, 2), None) is None


def test_a_wrong_kind_is_said() -> None:
    reading = Reading((*lie(1, 2, 3, 4, 5).dice, die(8, 9, kind="d8")))
    assert refused(Session(), reading, SIX) == texts.throws.wrong_kind("d8", ["d6"])


def test_each_die_of_a_throw_must_be_another_of_those_due() -> None:
    session = Session()
    two = Reading((die(3, 0, kind="d20"), die(4, 1, kind="d20")))
    assert refused(session, two, ONE_OF_EACH) == texts.throws.wrong_kind("second d20", KINDS)
    assert taken(session, Reading((die(3, 0, kind="d20"), die(4, 1, kind="d4"))), ONE_OF_EACH) == [3, 4]


def test_a_leaning_die_is_said_first() -> None:
    reading = Reading((*lie(1, 2, 3, 4).dice, die(None, 8, cocked=True), die(3, 9, sure=False)))
    assert refused(Session(), reading, SIX) == texts.throws.leaning("d6", reveal=False)
    unknown = Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, kind=None, cocked=True)))
    assert refused(Session(), unknown, SIX) == texts.throws.leaning(None, reveal=False)


@pytest.mark.parametrize("reveal", [False, True])
def test_a_stranger_is_said_before_all_else(reveal: bool) -> None:
    strange = replace(die(4, 9, sure=False), doubt=Doubt.UNKNOWN_DIE)
    reading = Reading((*lie(1, 2, 3, 4).dice, die(None, 8, cocked=True), strange))
    assert refused(Session(), reading, replace(SIX, reveal=reveal)) == texts.throws.strangers(
        1, reveal=reveal
    )
    both = Reading((*lie(1, 2, 3, 4).dice, strange, replace(strange, box=place(8))))
    assert refused(Session(), both, replace(SIX, reveal=reveal)) == texts.throws.strangers(2, reveal=reveal)


@pytest.mark.parametrize("value", [4, None])
def test_a_doubtful_die_is_said_and_never_guessed(value: int | None) -> None:
    text = refused(Session(), Reading((*lie(1, 2, 3, 4, 5).dice, die(value, 9, sure=False))), SIX)
    assert text == texts.throws.unsure(1, ["4"] if value else [], reveal=False)


def test_an_unread_thing_beside_all_dice_is_asked_about() -> None:
    reading = Reading((*lie(1, 2, 3, 4, 5, 6).dice, die(None, 9, kind=None)))
    assert refused(Session(), reading, SIX) == texts.throws.unsure(1, [], reveal=False)


def test_dice_that_lie_unmoved_do_not_count() -> None:
    session = after_six()
    assert taken(session, together(lie(6, 6), lie(2, 2, 3, 6, start=20)), four(6, 6)) == [2, 2, 3, 6]


def test_the_same_reading_again_counts_no_die() -> None:
    session = after_six()
    assert session.see(lie(6, 6, 1, 1, 2, 3), four(6, 6)) is None
    session.stir()
    assert refused(session, lie(6, 6, 1, 1, 2, 3), four(6, 6)) == texts.throws.nothing_thrown(4)


def test_a_die_that_was_not_taken_up_is_named() -> None:
    session = after_six()
    reading = together(lie(6, 6), lie(2, start=4), lie(4, 4, 5, start=20))
    assert refused(session, reading, four(6, 6)) == texts.throws.left_lying(1)


def test_a_die_set_aside_that_moved_is_asked_about() -> None:
    moved = together(lie(6), lie(6, start=30), lie(2, 2, 3, 5, start=20))
    assert refused(after_six(), moved, four(6, 6)) == texts.throws.wrong_count(5, 4)
    one_on_the_floor = together(lie(6), lie(6, start=30), lie(2, 2, 3, start=20))
    assert refused(after_six(), one_on_the_floor, four(6, 6)) == texts.throws.old_die_moved(reveal=False)
    two_on_the_floor = together(lie(6, 6, start=30), lie(2, 2, start=20))
    assert refused(after_six(), two_on_the_floor, four(6, 6)) == texts.throws.old_die_moved(reveal=False)


def test_a_die_set_aside_that_took_the_place_of_one_that_was_not_thrown_is_asked_about() -> None:
    reading = together(lie(6), lie(3, start=5), lie(6, start=30), lie(2, 2, 4, start=20))
    assert refused(after_six(), reading, four(6, 6)) == texts.throws.old_die_moved(reveal=False)


def test_an_old_die_of_somebody_else_that_was_pushed_is_not_taken_for_a_thrown_one() -> None:
    session = Session()
    taken(session, Reading((die(3, 0, kind="d6"), die(8, 1, kind="d8"))), ONE_OF_EACH)
    due = replace(ONE_OF_EACH, aside=(("d6", 3), ("d8", 8)))
    pushed = Reading((die(5, 30, kind="d6"), die(8, 1, kind="d8"), die(2, 20, kind="d4")))
    assert refused(session, pushed, due) == texts.throws.old_die_moved(reveal=False)
    other_kinds = Reading((die(2, 20, kind="d4"), die(9, 21, kind="d10")))
    assert taken(session, other_kinds, due) == [2, 9]


def test_dice_set_aside_may_be_taken_out_if_that_is_seen() -> None:
    session = after_six()
    unseen = lie(2, 2, 3, 5, start=20)
    assert refused(session, unseen, four(6, 6)) == texts.throws.old_die_moved(reveal=False)
    assert session.see(EMPTY, four(6, 6)) is None
    assert taken(session, unseen, four(6, 6)) == [2, 2, 3, 5]


def test_dice_may_be_taken_up_one_by_one() -> None:
    session = after_six()
    assert session.see(lie(6, 6, 1, 1), four(6, 6)) is None
    assert taken(session, together(lie(6, 6), lie(2, 2, 3, 5, start=20)), four(6, 6)) == [2, 2, 3, 5]


def test_a_turned_die_in_its_old_place_is_a_fresh_one() -> None:
    text = refused(after_six(), together(lie(6, 5), lie(2, 2, 3, 5, start=20)), four(6, 6))
    assert text == texts.throws.wrong_count(5, 4)


def test_an_unmoved_die_that_is_doubtful_now_still_lies_there() -> None:
    aside = Reading((die(6, 0), die(None, 1, kind=None)))
    assert taken(after_six(), together(aside, lie(2, 2, 3, 5, start=20)), four(6, 6)) == [2, 2, 3, 5]


def test_what_could_not_be_read_before_is_told_by_its_place() -> None:
    session = Session(as_lying([die(None, 0, kind=None)]))
    assert taken(session, together(lie(4), lie(1, 2, 3, 4, 5, 6, start=20)), SIX) == [1, 2, 3, 4, 5, 6]


def test_dice_that_came_while_nobody_saw_do_not_count() -> None:
    for session in (Session(None), after_six()):
        session.doubt()
        there = lie(1, 2, 3, 4, 5, 6, start=40)
        assert refused(session, there, SIX) == texts.throws.not_seen(reveal=False)
        assert session.see(there, SIX) is None
        assert taken(session, lie(1, 2, 3, 4, 5, 6, start=20), SIX) == [1, 2, 3, 4, 5, 6]


def test_dice_that_lay_there_before_a_restart_are_known_again() -> None:
    session = Session(as_lying(lie(6, 6, 1, 1, 2, 3).dice))
    session.doubt()
    assert session.see(lie(6, 6, 1, 1, 2, 3), four(6, 6)) is None
    assert taken(session, together(lie(6, 6), lie(1, 2, 2, 3, start=20)), four(6, 6)) == [1, 2, 2, 3]


def test_revealed_dice_are_never_to_be_thrown_again() -> None:
    due = Due(("d6",) * 5, (2, 5), reveal=True)
    said = [
        refused(Session(None), lie(5, 3), due),
        refused(Session(), Reading((die(None, 0, cocked=True), die(2, 1))), due),
        refused(Session(), Reading((die(None, 0), die(2, 1))), due),
        refused(Session(as_lying(lie(3).dice)), lie(5, 3, start=20), due),
        refused(Session(), lie(1, 2, 3), due),
    ]
    assert not any("throw" in text for text in said)
    assert said[-1] == texts.throws.wrong_count(3, 2)
    for fits in (lie(5, 3), lie(1, 2, 3, 4, 5)):
        assert isinstance(Session().see(fits, due), Fits)


@st.composite
def dice(draw: st.DrawFn) -> DieReading:
    """Any die at one of a few places, often a sure d6."""
    often: list[Kind | None] = ["d6"] * 12
    kind = draw(st.sampled_from([*often, *KINDS, None]))
    value = draw(st.integers(1, FACES[kind])) if kind is not None and draw(st.integers(0, 9)) else None
    read = die(value, draw(st.integers(0, 15)), kind=kind, sure=draw(st.integers(0, 9)) > 0)
    x, y, w, h = read.box
    return replace(read, box=(x + draw(st.sampled_from([0, 0, 0, 3, 9])), y, w, h))


readings = st.lists(dice(), max_size=9, unique_by=lambda d: d.box[0] // 60 + 10 * (d.box[1] // 60))


def likely(session: Session, count: int, seed: int) -> Reading:
    """A reading that fits: some old dice lie on, the rest is thrown anew."""
    rng = Random(seed)
    kept = [die(old.value, 0, kind=old.kind) for old in session.lying[: rng.choice((0, 6 - count))]]
    kept = [replace(new, box=old.box) for new, old in zip(kept, session.lying, strict=False)]
    free = [n for n in range(100, 160) if all(place(n) != old.box for old in session.lying)]
    return Reading((*kept, *(die(rng.randint(1, 6), n) for n in rng.sample(free, count))))


@given(
    st.lists(st.one_of(readings.map(tuple), st.integers(0, 2**20)), max_size=25),
    st.lists(st.integers(1, 6), min_size=25, max_size=25),
)
@settings(max_examples=60)
def test_only_sure_dice_that_fit_and_moved_ever_count(offered: list[Any], counts: list[int]) -> None:
    session = Session()
    for given_dice, count in zip(offered, counts, strict=False):
        due = Due(SIX.kinds[:count], (count,))
        reading = likely(session, count, given_dice) if isinstance(given_dice, int) else Reading(given_dice)
        lying = session.lying
        answer = session.see(reading, due)
        assert session.lying == lying
        if not isinstance(answer, Fits):
            continue
        assert len(answer.dice) == count
        fresh = [
            seen
            for seen in reading.dice
            if not any(iou(seen.box, old.box) >= 0.7 and not moved(seen, old) for old in lying)
        ]
        assert all(seen.sure and seen.kind == "d6" for seen in fresh)
        assert sorted(face for _, face in answer.dice) == sorted(seen.value or 0 for seen in fresh)
        session.rest(answer.lying)


def moved(seen: DieReading, old: Any) -> bool:
    """Whether a die in the same place shows something else."""
    return seen.sure and old.value is not None and (seen.kind, seen.value) != (old.kind, old.value)
