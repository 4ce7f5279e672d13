"""Strict throws as a table of cases: what came to lie how, what is due, and what the table makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dicetable import texts
from dicetable.throws.acceptance import Due, Fits, Refused, Session, Unread, as_lying
from tests.dicetable.readings import lie
from vision.motion.flight import SLOWEST_FPS, Arrival, Flight
from vision.reading import Doubt, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = Reading(())
THREE = Due(("d6",) * 3, (3,))
THROWN, PLACED, TOUCHED, UNSEEN, LAY = (
    Arrival.THROWN,
    Arrival.PLACED,
    Arrival.TOUCHED,
    Arrival.UNSEEN,
    Arrival.LAY,
)


def flight(*arrivals: Arrival, fps: float = 30.0, knocked: bool = False, interfered: bool = False) -> Flight:
    return Flight(arrivals, knocked, interfered, fps)


def doubted(reading: Reading, number: int, doubt: Doubt) -> Reading:
    """The reading with a die that is not sure."""
    dice = list(reading.dice)
    dice[number] = replace(dice[number], doubt=doubt, confidence=0.5)
    return Reading(tuple(dice))


def void(session: Session, reading: Reading, way: Flight | None, due: Due = THREE) -> str:
    """The sentence of a throw that has to be void: the same dice do not count when they are seen again."""
    answer = session.see(reading, due, way)
    assert isinstance(answer, Refused)
    assert answer.void
    assert session.lying == as_lying(reading.dice)
    return answer.text


def test_dice_that_were_seen_to_be_thrown_count() -> None:
    answer = Session(strict=True).see(lie(1, 2, 3), THREE, flight(THROWN, THROWN, THROWN))
    assert isinstance(answer, Fits)
    assert answer.dice == (("d6", 1), ("d6", 2), ("d6", 3))


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (flight(PLACED, PLACED, PLACED), texts.throws.placed(3)),
        (flight(THROWN, THROWN, PLACED), texts.throws.placed(1)),
        (flight(THROWN, LAY, THROWN), texts.throws.placed(1)),
        (flight(UNSEEN, THROWN, THROWN), texts.throws.not_seen(reveal=False)),
        (flight(TOUCHED, THROWN, THROWN, interfered=True), texts.throws.HAND_OVER_DICE),
        (flight(THROWN, THROWN, THROWN, interfered=True), texts.throws.HAND_OVER_DICE),
        (flight(THROWN, THROWN, THROWN, knocked=True), texts.throws.old_die_moved(reveal=False)),
        (flight(THROWN, THROWN, THROWN, fps=11.9), texts.throws.too_slow(12, SLOWEST_FPS)),
        (None, texts.throws.EMPTY_FIRST),
    ],
)
def test_whatever_was_not_seen_to_be_thrown_is_void(way: Flight | None, says: str) -> None:
    assert void(Session(strict=True), lie(6, 6, 6), way) == says


@pytest.mark.parametrize("values", [(1, 2), (1, 2, 3, 4)])
def test_too_few_or_too_many_are_void_as_a_whole(values: Sequence[int]) -> None:
    session = Session(strict=True)
    said = void(session, lie(*values), flight(*[THROWN] * len(values)))
    assert said == f"Void: I see {len(values)} dice, 3 are due. Take all {len(values)} out, throw again."
    left = Reading(lie(*values).dice[:3])
    assert not isinstance(session.see(left, THREE, flight(*[LAY] * len(left.dice))), Fits)


def test_after_a_void_throw_each_die_has_to_be_thrown_again() -> None:
    session = Session(strict=True)
    void(session, lie(1, 2), flight(THROWN, THROWN))
    completed = Reading((*lie(1, 2).dice, *lie(6, start=5).dice))
    void(session, completed, flight(LAY, LAY, THROWN))
    turned = lie(6, 6, 6)
    assert void(session, turned, flight(PLACED, PLACED, LAY)) == texts.throws.placed(3)
    again = lie(4, 5, 6, start=10)
    assert isinstance(session.see(again, THREE, flight(THROWN, THROWN, THROWN)), Fits)


@pytest.mark.parametrize(
    "doubt", [Doubt.COCKED, Doubt.COVERED, Doubt.PILE, Doubt.CUT_BY_FRAME, Doubt.UNKNOWN_DIE]
)
def test_one_die_that_does_not_lie_flat_makes_all_void(doubt: Doubt) -> None:
    said = void(Session(strict=True), doubted(lie(1, 2, 3), 1, doubt), flight(THROWN, THROWN, THROWN))
    assert said.startswith("Void: ")
    assert said.endswith("Take all 3 out, throw again.")


@pytest.mark.parametrize("doubt", [Doubt.LOW_CONFIDENCE, Doubt.SIX_OR_NINE, Doubt.FRAMES_DISAGREE])
def test_a_fair_die_that_cannot_be_read_is_to_be_confirmed(doubt: Doubt) -> None:
    answer = Session(strict=True).see(doubted(lie(1, 2, 3), 1, doubt), THREE, flight(THROWN, THROWN, THROWN))
    assert isinstance(answer, Unread)
    assert answer.dice == (("d6", 1), ("d6", 2), ("d6", 3))
    assert (answer.unsure, answer.ranks) == ((1,), (1, 2, 3))


def test_a_die_nobody_has_a_guess_at_is_thrown_again() -> None:
    reading = doubted(lie(1, 2, 3), 2, Doubt.NOT_READ)
    reading = Reading((*reading.dice[:2], replace(reading.dice[2], value=None)))
    assert "cannot read one die" in void(Session(strict=True), reading, flight(THROWN, THROWN, THROWN))


def test_a_hand_over_dice_needs_somebody_elses_consent_even_if_they_are_gone() -> None:
    session = Session(strict=True)
    answer = session.see(EMPTY, THREE, flight(interfered=True))
    assert isinstance(answer, Refused)
    assert answer.text == texts.throws.HAND_OVER_DICE
    assert void(session, lie(6, 6, 6), flight(THROWN, THROWN, THROWN)) == texts.throws.HAND_OVER_DICE
    session.consent = False
    assert isinstance(session.see(lie(6, 6, 6, start=9), THREE, flight(THROWN, THROWN, THROWN)), Fits)


def test_a_reveal_and_a_friendly_table_ask_for_no_throw() -> None:
    shown = replace(THREE, reveal=True)
    assert isinstance(Session(strict=True).see(lie(1, 2, 3), shown, flight(PLACED, PLACED, PLACED)), Fits)
    assert isinstance(Session().see(lie(1, 2, 3), THREE, flight(PLACED, PLACED, PLACED)), Fits)
