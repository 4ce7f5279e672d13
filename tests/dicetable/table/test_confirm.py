"""A fair die that cannot be read: the thrower proposes, another seat accepts, anybody calls it void."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.entries import DieDetails, Thrown
from dicetable.service.publisher import snapshot
from tests.dicetable.readings import lie
from vision.reading import Arrival, Doubt, Flight, Reading, Settled

if TYPE_CHECKING:
    from tests.dicetable.table.hands_on import HandsOn

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


def test_of_a_die_of_which_nothing_was_read_the_thrower_says_what_it_shows(strict: HandsOn) -> None:
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


def test_of_a_die_that_may_be_cocked_it_is_asked_whether_it_lies_flat(strict: HandsOn) -> None:
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


def test_ok_held_makes_the_throw_void(strict: HandsOn) -> None:
    throw(strict, unsure(1))
    strict.hold("2.ok")
    assert thrown(strict) == []
    assert strict.table.sentence == "Void: refused. Take all 6 out, throw again."
    throw(strict, unsure(), SAME)
    assert thrown(strict) == []
    throw(strict, lie(1, 2, 3, 4, 5, 6, start=20))
    assert len(thrown(strict)) == 1


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
