"""A fair die that cannot be read: the thrower proposes, another seat accepts, anybody calls it void."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common import texts
from dicetable.ledger.entries import DieDetails, Thrown
from dicetable.service.publisher import snapshot
from dicetable.table.table import Table
from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import NAMES, HandsOn
from vision.reading import Arrival, DieReading, Doubt, Flight, Reading, Settled

if TYPE_CHECKING:
    from games.dice import Kind


@pytest.fixture
def rolling() -> HandsOn:
    """A table of strict throws without a game."""
    at = HandsOn()
    at.table = Table(at.journal, lambda: 7, names=NAMES, strict=True)
    return at


FAIR = Flight((Arrival.THROWN,) * 6, fps=30.0)
SAME = Flight((Arrival.LAY,) * 6, fps=30.0)


def unsure(*numbers: int, doubt: Doubt = Doubt.LOW_CONFIDENCE) -> Reading:
    """Six dice that show 6 6 1 1 2 3; those of these numbers are not sure."""
    dice = [
        replace(die, doubt=doubt, confidence=0.6) if i in numbers else die
        for i, die in enumerate(lie(6, 6, 1, 1, 2, 3).dice)
    ]
    return Reading(tuple(dice))


def throw(at: HandsOn, reading: Reading, flight: Flight = FAIR) -> None:
    at.stir()
    at.wait(0.7)
    at.table.eye(Settled(reading, at.now_s, flight=flight))


def thrown(at: HandsOn) -> list[Thrown]:
    return [entry for entry in at.journal.entries if isinstance(entry, Thrown)]


def test_another_seats_ok_accepts_what_is_proposed(strict: HandsOn) -> None:
    throw(strict, unsure(2))
    assert strict.lines[:3] == ["Which value?     1/1", "d6, 3rd from left", "> 1?"]
    assert thrown(strict) == []
    strict.tap("1.ok")
    assert thrown(strict) == []
    strict.tap("2.ok")
    (entry,) = thrown(strict)
    assert entry.dice == tuple(("d6", face) for face in (6, 6, 1, 1, 2, 3))
    assert entry.details[2] == DieDetails(confirmed_by=2, proposed=1)
    assert [each.confirmed_by for each in entry.details] == [None, None, 2, None, None, None]


def test_screens_ask_what_the_panel_asks(strict: HandsOn) -> None:
    throw(strict, unsure(2))
    told = snapshot(strict.table, [])
    assert (told["wrong"], told["menu"]) == ("Which value? d6, 3rd from left: 1?", False)
    strict.tap("1.plus")
    assert snapshot(strict.table, [])["wrong"] == "Which value? d6, 3rd from left: 2?"
    strict.tap("2.ok")
    assert snapshot(strict.table, [])["wrong"] == ""


def test_the_thrower_changes_it_and_each_die_is_confirmed_by_itself(strict: HandsOn) -> None:
    throw(strict, unsure(0, 3))
    strict.tap("1.plus", "2.plus", "2.ok")
    assert strict.lines[0] == "Which value?     2/2"
    strict.tap("1.minus", "2.ok")
    (entry,) = thrown(strict)
    assert entry.dice == tuple(("d6", face) for face in (1, 6, 1, 6, 2, 3))
    assert (entry.details[0].proposed, entry.details[3].proposed) == (6, 1)


def unread(strict: HandsOn) -> None:
    """Six dice that show 6 6 1 1 2 3 are thrown; of the third nothing could be read."""
    dice = list(lie(6, 6, 1, 1, 2, 3).dice)
    dice[2] = replace(dice[2], kind=None, value=None, doubt=Doubt.NOT_READ, confidence=0.1)
    throw(strict, Reading(tuple(dice)))


def test_the_thrower_names_the_value_of_a_die_that_was_not_read(strict: HandsOn) -> None:
    unread(strict)
    assert strict.lines[:3] == ["Which value?     1/1", "d6, 3rd from left", "> ?"]
    strict.tap("2.ok")
    assert thrown(strict) == []
    strict.tap("1.plus")
    assert strict.lines[2] == "> 1?"
    strict.tap("2.ok")
    (entry,) = thrown(strict)
    assert entry.dice == tuple(("d6", face) for face in (6, 6, 1, 1, 2, 3))
    assert entry.details[2] == DieDetails(confirmed_by=2, proposed=None)


def test_minus_begins_at_the_highest_face(strict: HandsOn) -> None:
    unread(strict)
    strict.tap("1.minus")
    assert strict.lines[2] == "> 6?"


def test_a_phone_says_yes_only_to_a_value(strict: HandsOn) -> None:
    unread(strict)
    asked = strict.table.screen
    assert [choice.label for choice in asked.phone(2).choices] == [texts.phones.THROW_AGAIN]
    yes, other = "Yes, it shows 1", texts.phones.OTHER_VALUE
    assert [choice.label for choice in asked.phone(1).choices] == [texts.phones.THROW_AGAIN, other]
    asked.phone(1).choices[1].do(1)
    assert [choice.label for choice in asked.phone(2).choices] == [yes, texts.phones.THROW_AGAIN]


def test_people_say_whether_a_die_that_may_be_cocked_lies_flat(strict: HandsOn) -> None:
    throw(strict, unsure(2, doubt=Doubt.COCKED))
    assert strict.lines[:3] == ["Is it flat?      1/1", "d6, 3rd from left", "> 1?"]
    asked = strict.table.screen.phone(2)
    assert asked.text == "Is it flat? d6, 3rd from left: 1?"
    assert asked.choices[0].label == texts.phones.flat(1)
    strict.tap("2.ok")
    (entry,) = thrown(strict)
    assert entry.details[2] == DieDetails(confirmed_by=2, proposed=1)


def test_a_die_that_is_cocked_is_thrown_again_with_all_others(strict: HandsOn) -> None:
    throw(strict, unsure(2, doubt=Doubt.COCKED))
    strict.hold("2.ok")
    assert thrown(strict) == []
    assert strict.table.sentence == "Void: refused. Take all 6 out, throw again."


def test_touched_dice_are_not_confirmed(strict: HandsOn) -> None:
    throw(strict, unsure(1))
    throw(strict, unsure(1), SAME)
    assert strict.lines[0].startswith(texts.throws.WHICH_VALUE)
    throw(strict, unsure(1), Flight((Arrival.LAY,) * 5 + (Arrival.HANDLED,), fps=30.0))
    strict.tap("2.ok")
    assert thrown(strict) == []


def test_nothing_is_confirmed_while_a_hand_may_turn_the_dice(strict: HandsOn) -> None:
    throw(strict, unsure(1))
    strict.stir()
    assert strict.lines[3] == texts.throws.HANDS_OFF
    strict.tap("2.ok")
    assert thrown(strict) == []
    strict.table.eye(Settled(unsure(1), strict.now_s, flight=SAME))
    strict.tap("2.ok")
    assert len(thrown(strict)) == 1


def test_a_hand_over_dice_waits_for_another_seat(strict: HandsOn) -> None:
    throw(strict, lie(6, 6, 1, 1, 2, 3), Flight((Arrival.HANDLED,) * 6, interfered=True, fps=30.0))
    again = lie(1, 2, 3, 4, 5, 6, start=20)
    throw(strict, again)
    assert thrown(strict) == []
    strict.tap("1.ok")
    throw(strict, lie(1, 2, 3, 4, 5, 5, start=40))
    assert thrown(strict) == []
    strict.tap("2.ok")
    throw(strict, lie(6, 5, 4, 3, 2, 1, start=60))
    assert len(thrown(strict)) == 1


def percentile(at: HandsOn, *dice: DieReading, formula: str = "") -> None:
    """These dice, all seen to roll, in a game of rolls."""
    at.open("rolls", 2, formula=formula)
    throw(at, Reading(dice), Flight((Arrival.THROWN,) * len(dice), fps=30.0))


def doubtful(kind: Kind, value: int, at: int = 0) -> DieReading:
    return replace(die(value, at, kind=kind), doubt=Doubt.PERCENTILE, confidence=0.6)


def test_the_thrower_may_say_that_a_d10_is_a_percentile_die(rolling: HandsOn) -> None:
    percentile(rolling, doubtful("d10", 9))
    assert rolling.lines[1:3] == ["d10, 1st from left", "> 9?"]
    rolling.tap("1.plus", "1.plus")
    assert rolling.lines[1:3] == ["d100, 1st from left", "> 0?"]
    rolling.tap("1.minus")
    assert rolling.lines[1:3] == ["d10, 1st from left", "> 10?"]
    rolling.tap("1.plus", "1.plus", "2.ok")
    (entry,) = thrown(rolling)
    assert entry.dice == (("d100", 10),)


def test_on_a_phone_a_button_says_that_it_is_the_other_kind(rolling: HandsOn) -> None:
    percentile(rolling, doubtful("d100", 30))
    asked = rolling.table.screen
    (*_, values, other) = asked.phone(1).choices
    assert ([number for (number,) in values.numbers], values.at) == (list(range(0, 100, 10)), 3)
    assert other.label == "It's a d10"
    other.do()
    (*_, values, other) = asked.phone(1).choices
    assert [number for (number,) in values.numbers] == list(range(1, 11))
    assert other.label == "It's a d100"
    values.do(7)
    rolling.tap("2.ok")
    (entry,) = thrown(rolling)
    assert entry.dice == (("d10", 7),)


def test_a_die_that_fits_in_one_kind_alone_is_of_that_kind(rolling: HandsOn) -> None:
    percentile(rolling, doubtful("d10", 9, 0), doubtful("d10", 4, 1), formula="d100")
    assert rolling.lines[1:3] == ["d100, 1st from left", "> ?"]
    rolling.tap("1.minus")
    assert rolling.lines[2] == "> 90?"
    rolling.tap("2.ok", "2.ok")
    (entry,) = thrown(rolling)
    assert entry.dice == (("d100", 90), ("d10", 4))
    assert rolling.table.state.match is not None
    assert rolling.table.state.match.state()["last"][0]["total"] == 94


def test_a_d10_alone_is_no_percentile_throw(rolling: HandsOn) -> None:
    percentile(rolling, die(4, 0, kind="d10"), formula="d100")
    assert rolling.table.sentence == "Void: I see a d10; I need d100. Take it out, throw again."
    assert thrown(rolling) == []
