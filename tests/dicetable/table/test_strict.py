"""Strict throws as a table of cases: what came to lie how, what is awaited, and what follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common.texts import throws as texts
from dicetable.table.acceptance import Accepted, NeedsConfirmation
from dicetable.table.table_state import Awaited
from tests.dicetable.readings import lie, together, unread
from tests.dicetable.table.trays import (
    EMPTY,
    THREE,
    Tray,
    accepted,
    agreed,
    confirm,
    end_of,
    entered_by_hand,
    essence,
    flew,
    lain,
    lies,
    menu_closes,
    menu_opens,
    moves,
    nobody_agrees,
    not_saved,
    out_of_sight,
    prompts,
    rejected,
    saved,
    thrown,
    touched,
    void,
    vouch,
    waiting,
)
from vision.reading import Arrival, Doubt, Flight, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.dicetable.table.trays import Step

THROWN, HANDLED, UNSEEN, LAY = Arrival
REVEAL = replace(THREE, reveal=True)
MIXED = Awaited(("d6", "d6", "d8", "d12"), (4,))
POSTED = replace(THREE, aside=(("d6", 6),))


def doubted(doubt: Doubt, value: int | None = 2) -> Reading:
    """Three dice, the second of which is not sure."""
    one, two, three = lie(1, 2, 3).dice
    return Reading((one, replace(two, doubt=doubt, confidence=0.5, value=value), three))


@pytest.mark.parametrize(
    ("awaited", "reading", "flight", "outcome"),
    [
        (THREE, lie(1, 2, 3), thrown(3), accepted(1, 2, 3)),
        # What was not seen to be thrown is void.
        (THREE, lie(6, 6, 6), flew(HANDLED, HANDLED, HANDLED), void(texts.placed(3))),
        (THREE, lie(6, 6, 6), flew(THROWN, THROWN, HANDLED), void(texts.placed(1))),
        (THREE, lie(6, 6, 6), flew(THROWN, LAY, THROWN), void(texts.placed(1))),
        (THREE, lie(6, 6, 6), flew(HANDLED, THROWN, THROWN, interfered=True), void(texts.HAND_OVER_DICE)),
        (THREE, lie(6, 6, 6), flew(THROWN, THROWN, THROWN, interfered=True), void(texts.HAND_OVER_DICE)),
        (
            THREE,
            lie(6, 6, 6),
            flew(THROWN, THROWN, THROWN, knocked=True),
            void(texts.old_die_moved(reveal=False)),
        ),
        (THREE, lie(6, 6, 6), None, void(texts.EMPTY_FIRST)),
        # Dice that count as they lie stay in the tray: it need not be seen empty while they do.
        (POSTED, lie(6, 6, 6), None, vouch(0, 1, 2)),
        (POSTED, lie(1, 2), None, void("Void: I see 2 dice, not 3. Take all 2 out, throw again.")),
        # What was not seen to roll, with no hand at it, is to be vouched for; all of it at too low a rate.
        (THREE, lie(6, 6, 6), flew(UNSEEN, THROWN, THROWN), vouch(0)),
        (THREE, lie(6, 6, 6), flew(UNSEEN, UNSEEN, UNSEEN), vouch(0, 1, 2)),
        (THREE, lie(6, 6, 6), flew(THROWN, THROWN, THROWN, fps=6.9), vouch(0, 1, 2)),
        (THREE, lie(6, 6, 6), flew(UNSEEN, HANDLED, THROWN), void(texts.placed(1))),
        (THREE, lie(6, 6, 6), flew(HANDLED, THROWN, THROWN, fps=6.9), void(texts.placed(1))),
        (THREE, lie(6, 6, 6), flew(UNSEEN, THROWN, LAY), void(texts.placed(1))),
        (
            THREE,
            lie(6, 6, 6),
            flew(UNSEEN, THROWN, THROWN, knocked=True),
            void(texts.old_die_moved(reveal=False)),
        ),
        (THREE, lie(6, 6, 6), flew(UNSEEN, THROWN, THROWN, interfered=True), void(texts.HAND_OVER_DICE)),
        (
            THREE,
            lie(1, 2),
            flew(UNSEEN, UNSEEN),
            void("Void: I see 2 dice, not 3. Take all 2 out, throw again."),
        ),
        # So is a throw of which one die is missing, surplus, not flat, or of a kind that nobody can tell.
        (THREE, lie(1, 2), thrown(2), void("Void: I see 2 dice, not 3. Take all 2 out, throw again.")),
        (
            THREE,
            lie(1, 2, 3, 4),
            thrown(4),
            void("Void: I see 4 dice, not 3. Take all 4 out, throw again."),
        ),
        *(
            (THREE, doubted(doubt), thrown(3), void(texts.void(texts.unsure(1, ["2"], reveal=False), 3)))
            for doubt in (Doubt.COVERED, Doubt.PILE, Doubt.CUT_BY_FRAME)
        ),
        (
            THREE,
            doubted(Doubt.COCKED, None),
            thrown(3),
            void(texts.void(texts.cocked("d6", reveal=False), 3)),
        ),
        (
            THREE,
            doubted(Doubt.UNKNOWN_DIE),
            thrown(3),
            void(texts.void(texts.unknown_dice(1), 3)),
        ),
        (
            MIXED,
            unread(2, "d6", "d8"),
            thrown(4),
            void("Void: I can't read 2 dice. Take all 4 out, throw again."),
        ),
        # What nothing was read of is asked about; its kind is the one that is lacking.
        (THREE, doubted(Doubt.NOT_READ, None), thrown(3), confirm(1, None, 3)),
        (THREE, unread(3), thrown(3), confirm(None, None, None)),
        (MIXED, unread(1, "d6", "d6", "d8"), thrown(4), confirm(None, 1, 1, 1)),
        (THREE, unread(2), thrown(2), void("Void: I see 2 dice, not 3. Take all 2 out, throw again.")),
        # Dice aside need not lie in the tray; what is to be taken out are the others.
        (
            replace(THREE, aside=(("d6", 6),) * 3),
            doubted(Doubt.COCKED, None),
            thrown(3),
            void("Void: The d6 is cocked. Take all 3 out, throw again."),
        ),
        # A fair die that lies flat and cannot be read is to be confirmed.
        (THREE, doubted(Doubt.LOW_CONFIDENCE), thrown(3), confirm(1, 2, 3)),
        (THREE, doubted(Doubt.SIX_OR_NINE), thrown(3), confirm(1, 2, 3)),
        (THREE, doubted(Doubt.FRAMES_DISAGREE), thrown(3), confirm(1, 2, 3)),
        # So is one that may be cocked: people see whether it is.
        (THREE, doubted(Doubt.COCKED), thrown(3), confirm(1, 2, 3)),
        # A hand needs consent even if the dice are gone; without dice or a prompt there is nothing to say.
        (THREE, EMPTY, flew(interfered=True), rejected(texts.HAND_OVER_DICE)),
        (THREE, EMPTY, flew(), waiting()),
        (None, lie(1, 2, 3), flew(HANDLED, HANDLED, HANDLED, interfered=True), waiting()),
        # A reveal asks for no throw.
        (REVEAL, lie(1, 2, 3), flew(HANDLED, HANDLED, HANDLED), accepted(1, 2, 3)),
    ],
)
def test_one_reading(
    awaited: Awaited | None, reading: Reading, flight: Flight | None, outcome: tuple[type, object]
) -> None:
    tray = Tray(awaited, strict=True)
    assert essence(tray.lie(reading, flight)) == outcome
    is_void = outcome == void(str(outcome[1]))
    assert tray.acceptance.baseline == (lain(reading) if is_void else ())


def test_a_die_of_which_nothing_was_read_is_of_the_kind_that_is_lacking() -> None:
    tray = Tray(MIXED, strict=True)
    tray.lie(unread(1, "d6", "d6", "d8"), thrown(4))
    asked = tray.said
    assert isinstance(asked, NeedsConfirmation)
    kinds = [(die.kind, die.value) for die in asked.dice]
    assert kinds == [("d12", None), ("d6", 1), ("d6", 1), ("d8", 1)]
    assert asked.unsure == asked.dice[:1]


def test_a_throw_to_be_confirmed_names_the_dice_not_seen_to_roll() -> None:
    outcome = Tray(THREE, strict=True).lie(doubted(Doubt.LOW_CONFIDENCE), flew(THROWN, UNSEEN, UNSEEN))
    assert isinstance(outcome, NeedsConfirmation)
    assert (outcome.unsure, outcome.unseen) == (outcome.dice[1:2], outcome.dice[1:])


@pytest.mark.parametrize(
    ("flight", "unseen"),
    [
        (thrown(3), ()),
        (flew(THROWN, UNSEEN, HANDLED), (1, 2)),
        # At too low a rate, or on a tray that was not seen empty, the table cannot tell any die from another.
        (flew(THROWN, UNSEEN, HANDLED, fps=6.9), ()),
        (None, ()),
    ],
)
def test_a_friendly_table_marks_dice_that_were_not_seen_to_roll(
    flight: Flight | None, unseen: tuple[int, ...]
) -> None:
    outcome = Tray(THREE).lie(lie(1, 2, 3), flight)
    assert isinstance(outcome, Accepted)
    assert tuple(die.number for die in outcome.unseen) == unseen


def test_nothing_is_left_to_confirm_once_the_game_waits_for_something_else() -> None:
    tray = Tray(THREE, strict=True)
    tray.lie(lie(1, 2, 3), flew(UNSEEN, THROWN, THROWN))
    assert tray.acceptance.confirming is not None
    tray.ask(None)
    assert tray.acceptance.confirming is None


def test_a_friendly_table_asks_for_no_throw() -> None:
    assert essence(Tray(THREE).lie(lie(1, 2, 3), flew(HANDLED, HANDLED, HANDLED))) == accepted(1, 2, 3)


UNSURE = doubted(Doubt.LOW_CONFIDENCE)
TOO_FEW = lies(lie(1, 2), thrown(2))
AGAIN = lie(4, 5, 6, start=10)


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        # After a void throw every die of it is thrown again: none is added, turned, or left lying.
        ([TOO_FEW, lies(lie(1, 2), flew(LAY, LAY))], waiting()),
        ([TOO_FEW, moves, lies(lie(1, 2), flew(LAY, LAY))], rejected(texts.nothing_thrown(3))),
        ([TOO_FEW, menu_opens, menu_closes], None),
        (
            [TOO_FEW, lies(together(lie(1, 2), lie(6, start=5)), flew(LAY, LAY, THROWN))],
            void(texts.void(texts.left_lying(2), 3)),
        ),
        ([TOO_FEW, lies(lie(6, 6, 6), flew(HANDLED, HANDLED, HANDLED))], void(texts.placed(3))),
        (
            [TOO_FEW, lies(together(lie(1, 2), AGAIN), flew(LAY, LAY, THROWN, THROWN, THROWN))],
            void(texts.void(texts.left_lying(2), 5)),
        ),
        (
            [
                lies(lie(1, 2, 3), flew(HANDLED, HANDLED, HANDLED)),
                lies(together(lie(1), AGAIN), flew(LAY, THROWN, THROWN, THROWN)),
            ],
            void(texts.void(texts.left_lying(1), 4)),
        ),
        ([TOO_FEW, lies(EMPTY, flew()), lies(AGAIN, thrown(3))], accepted(4, 5, 6)),
        ([TOO_FEW, lies(AGAIN, thrown(3))], accepted(4, 5, 6)),
        # A die may roll to where one lay that was taken up, and show the same.
        (
            [lies(lie(1, 2, 3), flew(HANDLED, HANDLED, HANDLED)), moves, lies(lie(1, 2, 3), thrown(3))],
            accepted(1, 2, 3),
        ),
        # A hand over dice: no throw counts before another seat agrees.
        (
            [lies(EMPTY, flew(interfered=True)), lies(lie(6, 6, 6), thrown(3))],
            void(texts.HAND_OVER_DICE),
        ),
        (
            [lies(EMPTY, flew(interfered=True)), agreed, menu_opens, menu_closes],
            waiting(),
        ),
        (
            [
                lies(EMPTY, flew(interfered=True)),
                lies(lie(6, 6, 6), thrown(3)),
                agreed,
                lies(AGAIN, thrown(3)),
            ],
            accepted(4, 5, 6),
        ),
        (
            [
                menu_opens,
                lies(lie(6, 6, 6), flew(THROWN, THROWN, THROWN, interfered=True)),
                lies(AGAIN, thrown(3)),
                menu_closes,
            ],
            void(texts.HAND_OVER_DICE),
        ),
        ([lies(EMPTY, flew(interfered=True)), entered_by_hand, lies(AGAIN, thrown(3))], accepted(4, 5, 6)),
        # A throw that is read again before it is accepted is still that throw, unless it was touched.
        (
            [lies(AGAIN, thrown(3)), not_saved, moves, lies(AGAIN, flew(LAY, LAY, LAY))],
            accepted(4, 5, 6),
        ),
        (
            [menu_opens, lies(AGAIN, thrown(3)), moves, lies(AGAIN, flew(LAY, LAY, LAY)), menu_closes],
            accepted(4, 5, 6),
        ),
        (
            [lies(UNSURE, thrown(3)), menu_opens, lies(UNSURE, flew(LAY, LAY, LAY)), menu_closes],
            confirm(1, 2, 3),
        ),
        (
            [menu_opens, lies(AGAIN, thrown(3)), moves, lies(AGAIN, flew(LAY, HANDLED, LAY)), menu_closes],
            void(texts.placed(1)),
        ),
        # One that was out of sight later may be another; one that was handled stays so.
        (
            [menu_opens, lies(AGAIN, thrown(3)), moves, lies(AGAIN, flew(UNSEEN, LAY, LAY)), menu_closes],
            vouch(0),
        ),
        (
            [
                menu_opens,
                lies(AGAIN, flew(UNSEEN, THROWN, THROWN)),
                moves,
                lies(AGAIN, flew(LAY, LAY, LAY)),
                menu_closes,
            ],
            vouch(0),
        ),
        (
            [
                menu_opens,
                lies(AGAIN, flew(HANDLED, THROWN, THROWN)),
                lies(AGAIN, flew(UNSEEN, UNSEEN, UNSEEN)),
                menu_closes,
            ],
            void(texts.placed(1)),
        ),
        # What is to be confirmed stays the same throw until it is touched.
        ([lies(UNSURE, thrown(3)), nobody_agrees], void(texts.nobody_agreed(3))),
        ([lies(UNSURE, thrown(3)), nobody_agrees, menu_opens, menu_closes], None),
        ([lies(UNSURE, thrown(3)), nobody_agrees, lies(lie(1, 2, 3), flew(LAY, LAY, LAY))], waiting()),
        ([lies(UNSURE, thrown(3)), nobody_agrees, lies(AGAIN, thrown(3))], accepted(4, 5, 6)),
        # So does what is to be vouched for.
        ([lies(AGAIN, flew(UNSEEN, THROWN, THROWN)), nobody_agrees], void(texts.nobody_agreed(3))),
        # Whoever takes dice up that people are asked about needs another seat's consent to throw again.
        *(
            ([lies(AGAIN, flew(UNSEEN, THROWN, THROWN)), *steps], outcome)
            for steps, outcome in [
                ([lies(EMPTY, flew())], rejected(texts.HAND_OVER_DICE)),
                ([lies(EMPTY, flew()), lies(lie(6, 6, 6), thrown(3))], void(texts.HAND_OVER_DICE)),
                ([lies(AGAIN, flew(LAY, HANDLED, LAY))], void(texts.HAND_OVER_DICE)),
                ([lies(EMPTY, flew()), agreed, lies(lie(6, 6, 6), thrown(3))], accepted(6, 6, 6)),
                ([nobody_agrees, lies(EMPTY, flew()), lies(lie(6, 6, 6), thrown(3))], accepted(6, 6, 6)),
            ]
        ),
        # What lay there before the prompt is no throw, however it came there; what is void stays void.
        (
            [
                TOO_FEW,
                moves,
                lies(lie(1, 2), flew(LAY, LAY)),
                prompts(THREE),
                lies(together(lie(1, 2), AGAIN), flew(LAY, LAY, THROWN, THROWN, THROWN)),
            ],
            void(texts.void(texts.left_lying(2), 5)),
        ),
        ([prompts(None), lies(AGAIN, thrown(3)), prompts(THREE)], rejected(texts.TOO_EARLY)),
        (
            [prompts(None), lies(AGAIN, thrown(3)), prompts(THREE), lies(AGAIN, flew(LAY, LAY, LAY))],
            waiting(),
        ),
    ],
)
def test_what_happens_at_the_tray(steps: Sequence[Step], outcome: tuple[type, object] | None) -> None:
    assert end_of(Tray(THREE, strict=True), *steps) == outcome


@pytest.mark.parametrize(
    ("arrivals", "touched"), [((LAY, LAY, LAY), False), ((LAY, HANDLED, LAY), True), ((LAY, LAY), True)]
)
def test_a_throw_is_to_be_confirmed_as_long_as_its_dice_lie_untouched(
    arrivals: Sequence[Arrival], touched: bool
) -> None:
    tray = Tray(THREE, strict=True)
    throw = tray.lie(UNSURE, thrown(3))
    assert tray.acceptance.confirming is throw
    tray.hold(held=True)
    tray.move()
    assert tray.acceptance.confirming is throw
    tray.lie(Reading(UNSURE.dice[: len(arrivals)]), flew(*arrivals))
    assert (tray.acceptance.confirming is None) is touched


TURNED, TOUCHED_OPEN, OTHER_VALUE = map(rejected, (texts.TURNED, texts.TOUCHED, texts.OTHER_VALUE))
UNREAD = rejected(texts.unsure(1, ["2"], reveal=True))
TWO_OF_FIVE = Awaited(("d6",) * 5, (2, 5), reveal=True)


@pytest.mark.parametrize(
    ("awaited", "steps", "outcome"),
    [
        # A hand may pass over the dice.
        (REVEAL, [lies(lie(1, 2, 3))], accepted(1, 2, 3)),
        # What was read counts too, while a doubtful die is laid right.
        (REVEAL, [lies(UNSURE)], UNREAD),
        (REVEAL, [lies(UNSURE), lies(lie(1, 2, 3))], accepted(1, 2, 3)),
        (REVEAL, [lies(UNSURE), lies(lie(1, 2, 4))], TURNED),
        (REVEAL, [lies(lie(6)), lies(lie(5, 1, 2))], TURNED),
        (REVEAL, [lies(doubted(Doubt.PRINT_OR_TOKEN, 1)), lies(lie(1, 6, 3))], TURNED),
        # People agree about one that seemed to show another value; of what was hardly seen nobody knows.
        (REVEAL, [lies(UNSURE), lies(lie(1, 5, 3))], OTHER_VALUE),
        (REVEAL, [lies(doubted(Doubt.PRINT_OR_TOKEN, 2)), lies(lie(1, 6, 3))], OTHER_VALUE),
        (REVEAL, [lies(doubted(Doubt.COCKED, 2)), lies(lie(1, 6, 3))], OTHER_VALUE),
        (REVEAL, [lies(UNSURE), lies(EMPTY), lies(lie(1, 5, 3))], accepted(1, 5, 3)),
        (REVEAL, [lies(doubted(Doubt.COVERED, 2)), lies(lie(1, 6, 3))], accepted(1, 6, 3)),
        # Nobody touches dice before they are read, whatever they show; there is no way back but to the start.
        (REVEAL, [touched(lie(1, 2, 3))], TOUCHED_OPEN),
        (REVEAL, [touched(lie(1, 2, 6)), lies(lie(1, 2, 3))], TOUCHED_OPEN),
        (REVEAL, [touched(UNSURE)], UNREAD),
        (REVEAL, [touched(UNSURE), lies(lie(1, 2, 3))], TOUCHED_OPEN),
        (REVEAL, [lies(UNSURE), touched(lie(1, 2, 3))], accepted(1, 2, 3)),  # as they were asked to
        (REVEAL, [lies(UNSURE), touched(lie(1, 2, 4))], TURNED),
        (REVEAL, [touched(lie(1, 2, 3)), lies(EMPTY), lies(lie(1, 2, 3))], accepted(1, 2, 3)),
        # Dice that did not belong there are taken out; whoever takes all out shows other ones.
        (REVEAL, [lies(lie(1, 2, 3, 4)), lies(lie(1, 2, 3))], accepted(1, 2, 3)),
        (REVEAL, [lies(lie(6)), lies(EMPTY), lies(lie(5, 1, 2))], accepted(5, 1, 2)),
        (
            REVEAL,
            [lies(lie(6)), prompts(None), moves, prompts(REVEAL), lies(lie(5, 1, 2))],
            accepted(5, 1, 2),
        ),
        # One seat after the other.
        (
            TWO_OF_FIVE,
            [
                lies(lie(1, 2)),
                saved,
                prompts(REVEAL),
                lies(together(lie(1, 2), lie(4, 5, 6, start=10))),
            ],
            accepted(4, 5, 6),
        ),
        # A throw has rules of its own, and before the prompt nothing is revealed.
        (
            THREE,
            [lambda tray: tray.lie(lie(1, 2, 3), thrown(3), touched=True)],
            accepted(1, 2, 3),
        ),
        (None, [touched(lie(1, 2, 3)), lies(lie(1, 2, 3)), prompts(REVEAL)], accepted(1, 2, 3)),
    ],
)
def test_what_dice_showed_when_the_cup_was_lifted_counts(
    awaited: Awaited | None, steps: Sequence[Step], outcome: tuple[type, object]
) -> None:
    assert end_of(Tray(awaited, strict=True), *steps) == outcome


def test_an_old_die_among_those_revealed_is_taken_out_again() -> None:
    tray = Tray(REVEAL, strict=True, baseline=lain(lie(6)))
    tray.lie(lie(6))
    assert essence(tray.lie(lie(6, 1, 2, start=10))) == rejected(texts.old_die_moved(reveal=True))
    assert essence(tray.lie(lie(3, 1, 2, start=20))) == accepted(3, 1, 2)


@pytest.mark.parametrize(
    ("anew", "outcome"),
    [
        ((True, True, True), accepted(6, 1, 2)),
        ((False, True, True), rejected(texts.wrong_count(2, 3))),  # a cup was put over it
        ((), rejected(texts.wrong_count(2, 3))),
    ],
)
def test_a_die_revealed_where_one_was_taken_up_that_showed_the_same_counts(
    anew: tuple[bool, ...], outcome: tuple[type, object]
) -> None:
    tray = Tray(REVEAL, strict=True, baseline=lain(lie(6)))
    tray.lie(lie())
    assert essence(tray.lie(lie(6, 1, 2), flew(*[Arrival.HANDLED] * 3, anew=anew))) == outcome


def test_a_die_that_was_put_back_is_an_old_one_again() -> None:
    tray = Tray(REVEAL, strict=True, baseline=lain(lie(6)))
    tray.lie(lie())
    tray.lie(lie(6))
    revealed = flew(*[Arrival.HANDLED] * 3, anew=(True,) * 3)
    assert essence(tray.lie(lie(6, 1, 2), revealed)) == rejected(texts.wrong_count(2, 3))


def test_a_die_that_was_revealed_where_one_was_taken_up_stays_a_new_one() -> None:
    came, stays = flew(*[Arrival.HANDLED] * 3, anew=(True,) * 3), flew(*[Arrival.LAY] * 3, anew=(False,) * 3)
    tray = Tray(REVEAL, strict=True, baseline=lain(lie(1)))
    tray.lie(lie())
    assert essence(tray.lie(doubted(Doubt.COCKED), came)) != accepted(1, 2, 3)
    assert essence(tray.lie(lie(1, 2, 3), stays)) == accepted(1, 2, 3)


@pytest.mark.parametrize("values", [(6, 1, 2), (6,)])
def test_a_cup_that_is_lifted_before_the_prompt_reveals_new_dice_too(values: tuple[int, ...]) -> None:
    count = len(values)
    tray = Tray(None, strict=True, baseline=lain(lie(6)))
    tray.lie(lie())
    tray.lie(lie(*values), flew(*[Arrival.HANDLED] * count, anew=(True,) * count))
    tray.lie(lie(*values), flew(*[Arrival.LAY] * count, anew=(False,) * count))
    assert essence(tray.ask(replace(REVEAL, kinds=REVEAL.kinds[:count], counts=(count,)))) == accepted(
        *values
    )


def test_a_friendly_reveal_goes_by_places_alone() -> None:
    tray = Tray(REVEAL, baseline=lain(lie(6)))
    tray.lie(lie())
    came = flew(*[Arrival.HANDLED] * 3, anew=(True,) * 3)
    assert essence(tray.lie(lie(6, 1, 2), came)) == rejected(texts.wrong_count(2, 3))


def test_a_die_set_down_again_where_it_was_taken_up_is_no_throw() -> None:
    tray = Tray(THREE, strict=True, baseline=lain(lie(6)))
    tray.lie(lie(), flew())
    thrown_beside = flew(Arrival.HANDLED, Arrival.THROWN, Arrival.THROWN, anew=(True,) * 3)
    assert essence(tray.lie(lie(6, 1, 2), thrown_beside)) == void(texts.void(texts.left_lying(1), 3))


def test_dice_out_of_sight_are_pushed_without_turning_them() -> None:
    tray = Tray(REVEAL, strict=True)
    out_of_sight(tray)
    assert essence(tray.lie(lie(1, 2, 3))) == rejected(texts.not_seen(reveal=True))
    assert essence(tray.lie(lie(1, 2, 6, start=10))) == TURNED
    assert essence(tray.lie(lie(1, 2, 3, start=20))) == accepted(1, 2, 3)


def test_a_friendly_table_lets_dice_be_turned() -> None:
    assert end_of(Tray(REVEAL), touched(lie(1, 2, 6))) == accepted(1, 2, 6)


def test_dice_that_were_touched_out_of_sight_are_not_pushed_right() -> None:
    tray = Tray(REVEAL, strict=True)
    out_of_sight(tray)
    assert essence(tray.lie(lie(1, 2, 3), touched=True)) == rejected(texts.not_seen(reveal=True))
    assert essence(tray.lie(lie(1, 2, 3, start=10))) == TOUCHED_OPEN
