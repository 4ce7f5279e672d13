"""What the table counts: each throw once, whatever happens to it."""

from __future__ import annotations

from dataclasses import replace

from tests.dicetable.readings import die, lie
from tests.dicetable.table.hands_on import HandsOn
from vision.reading import Arrival, Doubt, Flight, Reading, Settled

FAIR = Flight((Arrival.THROWN,) * 6, fps=30.0)


def throw(at: HandsOn, reading: Reading) -> None:
    at.stir()
    at.wait(0.7)
    at.table.eye(Settled(reading, at.now_s, flight=FAIR))


def counts(at: HandsOn) -> dict[str, int]:
    """Those that are not nothing."""
    told = at.table.meters.to_json()
    return {name: count for name, count in told.items() if type(count) is int and count and name != "v"}


def test_a_throw_and_its_dice(strict: HandsOn) -> None:
    throw(strict, lie(6, 6, 1, 1, 2, 3))
    assert counts(strict) == {"throws": 1, "dice": 6}


def test_a_cocked_die_makes_a_throw_void_and_is_counted_once(strict: HandsOn) -> None:
    throw(strict, Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, cocked=True))))
    strict.tap("menu", "menu")
    assert counts(strict) == {"asked": 1, "void": 1, "cocked": 1}


def test_a_confirmed_die_and_a_void_call(strict: HandsOn) -> None:
    dice = lie(6, 6, 1, 1, 2, 3).dice
    unsure = Reading((replace(dice[0], doubt=Doubt.LOW_CONFIDENCE, confidence=0.6), *dice[1:]))
    throw(strict, unsure)
    assert counts(strict) == {}
    strict.hold("2.ok")
    assert counts(strict) == {"asked": 1, "void": 1}
    again = Reading(tuple(replace(each, box=(600 + each.box[0], *each.box[1:])) for each in unsure.dice))
    throw(strict, again)
    strict.tap("2.ok")
    assert counts(strict) == {"asked": 1, "void": 1, "throws": 1, "dice": 6, "confirmed": 1}


def test_dice_that_were_vouched_for(strict: HandsOn) -> None:
    strict.stir()
    strict.wait(0.7)
    flight = Flight((Arrival.UNSEEN,) * 2 + (Arrival.THROWN,) * 4, fps=30.0)
    strict.table.eye(Settled(lie(6, 6, 1, 1, 2, 3), strict.now_s, flight=flight))
    strict.tap("2.ok")
    assert counts(strict) == {"throws": 1, "dice": 6, "vouched": 2}


def test_a_friendly_throw_that_is_asked_for_again_is_not_void() -> None:
    at = HandsOn()
    at.open("six_by_6", 2)
    at.settle(Reading((*lie(1, 2, 3, 4, 5).dice, die(None, 8, cocked=True))))
    at.settle(lie(1, 2, 3, 4, 5, 6))
    assert counts(at) == {"asked": 1, "cocked": 1, "throws": 1, "dice": 6}
