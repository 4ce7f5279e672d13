"""Dice that the camera did not see roll: one press of another seat counts them, OK held makes them void."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common import texts
from dicetable.ledger.entries import Closed, Ending, Thrown
from dicetable.service.publisher import snapshot
from dicetable.table.table import Table
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import NAMES, RACK, HandsOn
from vision.reading import Arrival, Doubt, Flight, Reading, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

FAIR = Flight((Arrival.THROWN,) * 6, fps=30.0)
HALF_SEEN = Flight((Arrival.THROWN,) * 4 + (Arrival.UNSEEN,) * 2, fps=30.0)
SAME = Flight((Arrival.LAY,) * 6, fps=30.0)
SIX = lie(6, 6, 1, 1, 2, 3)


def throw(at: HandsOn, reading: Reading = SIX, flight: Flight = HALF_SEEN) -> None:
    at.stir()
    at.wait(0.7)
    at.table.eye(Settled(reading, at.now_s, flight=flight))


def thrown(at: HandsOn) -> list[Thrown]:
    return [entry for entry in at.journal.entries if isinstance(entry, Thrown)]


def vouchers(entry: Thrown) -> list[object]:
    return [die.vouched_by for die in entry.details]


def test_one_press_of_another_seat_counts_the_throw(strict: HandsOn) -> None:
    throw(strict)
    assert strict.lines[:2] == ["I didn't see 2 dice", "roll. Fair?"]
    assert strict.lines[2:] == [texts.panel.ANOTHER_SEAT, texts.throws.HOLD_IS_VOID]
    strict.tap("1.ok")
    assert thrown(strict) == []
    strict.tap("2.ok")
    (entry,) = thrown(strict)
    assert entry.dice == tuple(("d6", face) for face in (6, 6, 1, 1, 2, 3))
    assert vouchers(entry) == [None] * 4 + [2] * 2
    assert strict.lines[0] != "I didn't see 2 dice"


@pytest.mark.parametrize("seat", [1, 2])
def test_ok_held_by_any_seat_makes_the_throw_void(strict: HandsOn, seat: int) -> None:
    throw(strict)
    strict.hold(f"{seat}.ok")
    assert thrown(strict) == []
    assert strict.table.sentence == "Void: refused. Take all 6 out, throw again."
    throw(strict, SIX, SAME)
    assert thrown(strict) == []
    throw(strict, RACK, FAIR)
    assert len(thrown(strict)) == 1


@pytest.mark.parametrize("key", ["1.plus", "2.minus", "2.plus"])
def test_other_presses_answer_nothing(strict: HandsOn, key: str) -> None:
    throw(strict)
    strict.tap(key)
    assert thrown(strict) == []
    assert strict.text.startswith("I didn't see 2 dice roll. Fair?")


def test_the_question_waits_as_long_as_the_dice_lie_there(strict: HandsOn) -> None:
    throw(strict)
    strict.wait(600.0)
    assert thrown(strict) == []
    strict.tap("2.ok")
    assert vouchers(thrown(strict)[0])[4:] == [2, 2]


def test_a_press_from_before_the_question_answers_nothing(strict: HandsOn) -> None:
    strict.change("seat2.ok", down=True)
    throw(strict, SIX)
    strict.wait(0.01)
    strict.change("seat2.ok", down=False)
    assert thrown(strict) == []


def test_screens_ask_what_the_panel_asks(strict: HandsOn) -> None:
    throw(strict)
    told = snapshot(strict.table, [])
    assert (told["wrong"], told["menu"]) == ("I didn't see 2 dice roll. Fair?", False)


def test_nothing_counts_while_a_hand_may_turn_the_dice(strict: HandsOn) -> None:
    throw(strict)
    strict.stir()
    assert strict.lines[2] == texts.throws.HANDS_OFF
    strict.tap("2.ok")
    assert thrown(strict) == []
    strict.table.eye(Settled(SIX, strict.now_s, flight=SAME))
    strict.tap("2.ok")
    assert len(thrown(strict)) == 1


def test_dice_taken_up_before_the_answer_need_another_seats_consent(strict: HandsOn) -> None:
    throw(strict)
    throw(strict, lie(), Flight((), fps=30.0))
    strict.wait(0.1)
    assert strict.table.sentence == texts.throws.HAND_OVER_DICE
    throw(strict, RACK, FAIR)
    assert thrown(strict) == []
    strict.tap("2.ok")
    throw(strict, SIX, FAIR)
    assert len(thrown(strict)) == 1


def test_a_lone_player_allows_the_new_throw_after_a_hand_came_over_the_dice() -> None:
    at = HandsOn()
    at.table = Table(at.journal, lambda: 7, names=NAMES, strict=True)
    at.open("six_by_6", 1)
    throw(at, SIX, replace(FAIR, interfered=True))
    throw(at, lie(), Flight((), fps=30.0))
    at.wait(0.1)
    assert at.table.sentence == texts.throws.HAND_OVER_DICE
    at.tap("1.ok")
    throw(at, RACK, FAIR)
    assert len(thrown(at)) == 1


@pytest.mark.parametrize(
    ("doubtful", "asked"),
    [((2,), ["Which value? d6, 3rd from left: 1? OK: 2 dice rolled"]), ((0, 5), ["", "OK: 2"])],
)
def test_the_ok_for_the_last_value_vouches_as_well(
    strict: HandsOn, doubtful: Sequence[int], asked: Sequence[str]
) -> None:
    dice = [
        replace(die, doubt=Doubt.LOW_CONFIDENCE, confidence=0.6) if i in doubtful else die
        for i, die in enumerate(SIX.dice)
    ]
    throw(strict, Reading(tuple(dice)))
    for text in asked:
        assert text in snapshot(strict.table, [])["wrong"]
        strict.tap("2.ok")
    (entry,) = thrown(strict)
    assert [i for i, die in enumerate(entry.details) if die.confirmed_by == 2] == list(doubtful)
    assert vouchers(entry) == [None] * 4 + [2] * 2


def test_the_panel_says_that_the_ok_vouches_as_well(strict: HandsOn) -> None:
    dice = (replace(SIX.dice[0], doubt=Doubt.LOW_CONFIDENCE, confidence=0.6), *SIX.dice[1:])
    throw(strict, Reading(dice))
    pages = set()
    for _ in range(8):
        strict.wait(1.3)
        pages.add(strict.lines[3])
    assert {"OK: 2 dice rolled", texts.panel.ANOTHER_SEAT, texts.throws.HOLD_IS_VOID} <= pages


def alone(*, strict: bool) -> HandsOn:
    at = HandsOn(seats=2)
    at.table = Table(at.journal, lambda: 7, seats=2, names=NAMES, strict=strict)
    at.open("six_by_6", 1)
    return at


def test_with_a_single_player_dice_not_seen_to_roll_count_and_are_marked() -> None:
    at = alone(strict=True)
    throw(at)
    (entry,) = thrown(at)
    assert vouchers(entry) == [None] * 4 + ["nobody"] * 2


def test_a_friendly_table_counts_and_marks_them() -> None:
    at = alone(strict=False)
    throw(at, SIX, Flight((Arrival.HANDLED, *(Arrival.THROWN,) * 4, Arrival.UNSEEN), fps=30.0))
    (entry,) = thrown(at)
    assert vouchers(entry) == ["nobody", None, None, None, None, "nobody"]


def test_it_marks_nothing_of_a_throw_that_was_seen() -> None:
    at = alone(strict=False)
    throw(at, SIX, FAIR)
    assert thrown(at)[0].details == ()


def test_who_left_meanwhile_need_not_answer(strict: HandsOn) -> None:
    throw(strict)
    strict.menu(2, texts.panel.MENU_ITEMS["leave"])
    strict.tap("1.ok")
    (entry,) = thrown(strict)
    assert vouchers(entry)[4:] == ["nobody"] * 2


def test_the_question_goes_away_with_the_game(strict: HandsOn) -> None:
    throw(strict)
    strict.table.write(Closed(Ending.ENDED))
    strict.wait(0.1)
    assert "Fair?" not in strict.text
    strict.tap("2.ok")
    assert thrown(strict) == []


def test_a_question_that_could_not_be_saved_is_asked_again(strict: HandsOn) -> None:
    throw(strict)
    strict.journal.full = True
    strict.tap("2.ok")
    assert thrown(strict) == []
    strict.journal.full = False
    strict.wait(6.0)
    strict.tap("2.ok")
    assert len(thrown(strict)) == 1


def test_a_game_is_played_to_its_end_by_taps_with_vouches(strict: HandsOn) -> None:
    for start in range(20, 20_000, 20):
        if strict.over:
            break
        dice = strict.table.state.awaited
        if dice is None:
            strict.tap(f"{strict.table.state.panel_seats[strict.table.state.to_act or '']}.ok")
            continue
        count = dice.counts[0]
        reading = lie(*[1 + (start // 20 + die // 2) % 6 for die in range(count)], start=start)
        throw(strict, reading, Flight((Arrival.UNSEEN,) * count, fps=30.0))
        (other,) = strict.table.thrower_and_witnesses()[1]
        strict.tap(f"{other}.ok")
    assert strict.over
    assert len(thrown(strict)) > 4
    for entry in thrown(strict):
        assert all(by in (1, 2) for by in vouchers(entry))
