"""Between prompt and reading: only sure, fresh, fitting dice count; all else changes nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetable import texts
from dicetable.session import Accepted, Refused, Session
from games.dice import FACES, KINDS
from games.errors import Stale
from games.match import Match
from games.prompts import OverPrompt, RevealPrompt, ThrowPrompt
from games.requests import Act, Dice
from tests.dicetable.readings import die, lie, place, together
from vision.agreement import overlap
from vision.reading import DieReading, Reading


def six_by_6(seats: tuple[str, ...] = ("ann", "bob")) -> Session:
    return Session(Match.new("six_by_6", seats, seed=1))


def refused(session: Session, reading: Reading) -> str:
    """The sentence of a refusal that must leave everything as it was."""
    match, lying = session.match, session.lying
    answer = session.offer(reading)
    assert isinstance(answer, Refused)
    assert session.match is match
    assert session.lying is lying
    assert answer.text.endswith(".")
    return answer.text


def accepted(session: Session, reading: Reading) -> Accepted:
    revision = session.match.revision
    answer = session.offer(reading)
    assert isinstance(answer, Accepted)
    assert session.match.revision == revision + 1
    assert session.lying == reading.dice
    return answer


def test_a_throw_goes_into_the_game() -> None:
    session = six_by_6()
    answer = accepted(session, lie(6, 6, 1, 1, 2, 3))
    assert [d.value for d in answer.dice] == [6, 6, 1, 1, 2, 3]
    assert answer.events == session.match.events
    direct = Match.new("six_by_6", ("ann", "bob"), seed=1).apply(
        Dice([("d6", v) for v in (6, 6, 1, 1, 2, 3)])
    )
    assert session.match.state() == direct.state()


@pytest.mark.parametrize("count", [0, 1, 5, 7, 12])
def test_a_wrong_number_of_dice_is_said(count: int) -> None:
    text = refused(six_by_6(), lie(*[2] * count))
    assert text == texts.wrong_count(count, 6)
    assert "6 are due" in text


def test_a_wrong_kind_is_said() -> None:
    reading = Reading((*lie(1, 2, 3, 4, 5).dice, die(8, 9, kind="d8")))
    assert refused(six_by_6(), reading) == texts.wrong_kind("d8", ["d6"])


def test_a_leaning_die_is_said_first() -> None:
    reading = Reading((*lie(1, 2, 3, 4).dice, die(None, 8, cocked=True), die(3, 9, sure=False)))
    assert refused(six_by_6(), reading) == texts.leaning("d6")
    unknown = Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, kind=None, cocked=True)))
    assert refused(six_by_6(), unknown) == texts.leaning(None)


@pytest.mark.parametrize("value", [4, None])
def test_a_doubtful_die_is_said_and_never_guessed(value: int | None) -> None:
    text = refused(six_by_6(), Reading((*lie(1, 2, 3, 4, 5).dice, die(value, 9, sure=False))))
    assert text == texts.unsure(1, ["d6 4"] if value else [])


def test_an_unread_thing_beside_all_dice_is_asked_about() -> None:
    assert refused(
        six_by_6(), Reading((*lie(1, 2, 3, 4, 5, 6).dice, die(None, 9, kind=None)))
    ) == texts.unsure(1, [])


def test_dice_that_lie_unmoved_do_not_count() -> None:
    session = six_by_6()
    aside = lie(6, 6)
    accepted(session, together(aside, lie(1, 1, 2, 3, start=2)))
    assert isinstance(session.match.prompt, ThrowPrompt)
    assert session.match.prompt.count == 4
    answer = accepted(session, together(aside, lie(2, 2, 3, 6, start=20)))
    assert sorted(d.value or 0 for d in answer.dice) == [2, 2, 3, 6]


def test_the_same_reading_again_counts_no_die() -> None:
    session = six_by_6()
    reading = lie(6, 6, 1, 1, 2, 3)
    accepted(session, reading)
    assert refused(session, reading) == texts.wrong_count(0, 4)


def test_a_die_set_aside_that_moved_is_asked_about() -> None:
    session = six_by_6()
    accepted(session, lie(6, 6, 1, 1, 2, 3))
    moved = together(lie(6), lie(6, start=30), lie(2, 2, 3, 5, start=20))
    assert "I see 5 dice, 4 are due" in refused(session, moved)
    gone = together(lie(6), lie(2, 2, 3, 5, start=20))
    assert refused(session, gone) == texts.SET_ASIDE_MOVED


def test_dice_set_aside_may_all_be_taken_out() -> None:
    session = six_by_6()
    accepted(session, lie(6, 6, 1, 1, 2, 3))
    assert len(accepted(session, lie(2, 2, 3, 5, start=20)).dice) == 4


def test_a_turned_die_in_its_old_place_is_a_fresh_one() -> None:
    session = six_by_6()
    accepted(session, lie(6, 6, 1, 1, 2, 3))
    text = refused(session, together(lie(6, 5), lie(2, 2, 3, 5, start=20)))
    assert text == texts.wrong_count(5, 4)


def test_an_unmoved_die_that_is_doubtful_now_still_lies_there() -> None:
    session = six_by_6()
    accepted(session, lie(6, 6, 1, 1, 2, 3))
    aside = Reading((die(6, 0), die(None, 1, kind=None)))
    assert len(accepted(session, together(aside, lie(2, 2, 3, 5, start=20))).dice) == 4


def test_dice_that_lay_there_before_a_restart_do_not_count() -> None:
    before = lie(6, 6)
    match = Match.new("six_by_6", ("ann",), seed=1).apply(Dice([("d6", v) for v in (6, 6, 1, 1, 2, 3)]))
    session = Session(match, before.dice)
    assert len(accepted(session, together(before, lie(1, 2, 2, 3, start=20))).dice) == 4


def test_a_stale_reading_is_refused_and_changes_nothing() -> None:
    session = six_by_6()
    accepted(session, lie(6, 6, 1, 1, 2, 3))
    match, lying = session.match, session.lying
    with pytest.raises(Stale):
        session.offer(lie(2, 2, 3, 5, start=20), revision=0)
    assert session.match is match
    assert session.lying is lying
    assert isinstance(session.offer(lie(2, 2, 3, 5, start=20), revision=1), Accepted)


def test_no_dice_are_due_when_the_game_is_over_or_a_choice_is() -> None:
    over = six_by_6(("ann",))
    accepted(over, lie(1, 2, 3, 4, 5, 6))
    while not over.over:
        values = [1, 2, 3, 4, 5][: getattr(over.match.prompt, "count", 0)]
        accepted(over, lie(*values, start=10 * over.match.revision))
    assert isinstance(over.match.prompt, OverPrompt)
    assert refused(over, lie(1)) == texts.NO_DICE_DUE
    choosing = Session(Match.new("sixes", ("ann", "bob", "cleo"), {"first": "ann"}, seed=1))
    assert refused(choosing, lie(1, 2, 3)) == texts.NO_DICE_DUE


def test_each_die_of_a_throw_must_be_another_of_those_due() -> None:
    session = Session(Match.new("six_shooter", ("ann", "bob"), seed=1))
    prompt = session.match.prompt
    assert isinstance(prompt, ThrowPrompt)
    assert prompt.count == 2
    two = Reading((die(3, 0, kind="d20"), die(4, 1, kind="d20")))
    assert refused(session, two) == texts.wrong_kind("second d20", prompt.dice)
    assert accepted(session, Reading((die(3, 0, kind="d20"), die(4, 1, kind="d4")))).dice


def test_a_reveal_takes_exactly_its_dice() -> None:
    match = Match.new("sixes", ("ann", "bob", "cleo"), {"first": "ann"}, seed=1)
    match = match.apply(Act("ann", {"type": "call", "value": 532})).apply(Act("bob", {"type": "challenge"}))
    session = Session(match)
    assert isinstance(match.prompt, RevealPrompt)
    assert refused(session, lie(5, 3)) == texts.wrong_count(2, 3)
    accepted(session, lie(5, 3, 2))


@st.composite
def dice(draw: st.DrawFn) -> DieReading:
    """Any die at one of a few places, often a sure d6."""
    kind = draw(st.sampled_from([*["d6"] * 12, *KINDS, None]))
    value = draw(st.integers(1, FACES[kind])) if kind and draw(st.integers(0, 9)) else None  # type: ignore[index]
    read = die(value, draw(st.integers(0, 15)), kind=kind, sure=draw(st.integers(0, 9)) > 0)  # type: ignore[arg-type]
    x, y, w, h = read.box
    return replace(read, box=(x + draw(st.sampled_from([0, 0, 0, 3, 9])), y, w, h))


readings = st.lists(dice(), max_size=9, unique_by=lambda d: d.box[0] // 60 + 10 * (d.box[1] // 60))


def likely(session: Session, seed: int) -> Reading:
    """A reading that fits what is awaited: what was set aside lies on, the rest is thrown anew."""
    rng = Random(seed)
    prompt = session.match.prompt
    due = prompt.count if isinstance(prompt, ThrowPrompt) else 0
    kept = list(session.lying[: rng.choice((0, max(0, 6 - due)))])
    free = [n for n in range(100, 160) if all(place(n) != d.box for d in session.lying)]
    return Reading((*kept, *(die(rng.randint(1, 6), n) for n in rng.sample(free, due))))


@given(st.lists(st.one_of(readings.map(tuple), st.integers(0, 2**20)), max_size=25))
@settings(max_examples=120, deadline=None)
def test_the_game_only_ever_goes_on_by_sure_dice_that_fit(offered: list[Any]) -> None:
    session = six_by_6(("ann",))
    for given_dice in offered:
        reading = likely(session, given_dice) if isinstance(given_dice, int) else Reading(given_dice)
        match, lying = session.match, session.lying
        answer = session.offer(reading)
        if isinstance(answer, Refused):
            assert (session.match, session.lying) == (match, lying)
            assert answer.text
            continue
        prompt = match.prompt
        assert isinstance(prompt, ThrowPrompt)
        assert len(answer.dice) == prompt.count
        assert all(d.sure and d.kind == "d6" and d in reading.dice for d in answer.dice)
        for left in (d for d in reading.dice if d not in answer.dice):
            assert any(overlap(left.box, old.box) >= 0.7 for old in lying)
        direct = match.apply(Dice([(d.kind, d.value) for d in answer.dice]))
        assert session.match.state() == direct.state()
        assert session.lying == reading.dice
