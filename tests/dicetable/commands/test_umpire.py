"""What strict throws make of a recording: one word each time that the tray settles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common.texts import throws as texts
from dicetable.commands.umpire import JudgedThrow, Umpire, Word
from tests.dicetable.readings import lie, together, unread
from tests.dicetable.table.trays import EMPTY, flew, thrown
from vision.reading import Arrival, Doubt, Flight, Part, Reading, Reason, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

THROWN, HANDLED, UNSEEN, LAY = Arrival
AGAIN = lie(4, 5, 6, start=10)
OLD_AND_NEW = together(lie(1, 2, 3), AGAIN)


def doubted(doubt: Doubt, value: int | None = 2) -> Reading:
    one, two, three = lie(1, 2, 3).dice
    return Reading((one, replace(two, doubt=doubt, confidence=0.5, value=value), three))


def judged(*settled: tuple[Reading, Flight | None]) -> list[JudgedThrow]:
    umpire = Umpire()
    found = []
    for at, (reading, flight) in enumerate(settled):
        umpire.unsettled(Reason.MOVING)
        found.append(umpire.settled(Settled(reading, float(at), flight=flight)))
    return found


def arrivals(verdict: JudgedThrow) -> list[Arrival]:
    return [arrival for _, arrival in verdict.dice]


def test_what_covers_the_tray_is_said_where_there_is_nothing_to_judge() -> None:
    umpire = Umpire()
    for reading, flight, reason in (
        (EMPTY, flew(), f"{texts.NO_NEW_DICE} Something covers the upper left of the picture."),
        (lie(1, 2), thrown(2), None),
    ):
        umpire.unsettled(Reason.MOVING)
        seen = Settled(reading, 1.0, flight=flight, covered=Part.UPPER_LEFT)
        assert umpire.settled(seen).reason == reason


@pytest.mark.parametrize(
    ("reading", "flight", "word", "reason"),
    [
        (lie(1, 2, 3), thrown(3), Word.COUNTS, None),
        (lie(1), thrown(1), Word.COUNTS, None),
        (lie(1, 2, 3), flew(THROWN, HANDLED, THROWN), Word.VOID, texts.placed(1)),
        (lie(1, 2, 3), flew(THROWN, UNSEEN, UNSEEN), Word.VOUCH, texts.fair(2)),
        (lie(1, 2, 3), flew(THROWN, THROWN, THROWN, fps=6.0), Word.VOUCH, texts.fair(3)),
        (lie(1, 2, 3), flew(THROWN, UNSEEN, HANDLED), Word.VOID, texts.placed(1)),
        (lie(1, 2, 3), None, Word.VOID, texts.EMPTY_FIRST),
        (
            doubted(Doubt.LOW_CONFIDENCE),
            thrown(3),
            Word.CONFIRM,
            "Which value? d6, 2nd from left: 2?",
        ),
        (
            doubted(Doubt.LOW_CONFIDENCE),
            flew(UNSEEN, THROWN, THROWN),
            Word.CONFIRM,
            "Which value? d6, 2nd from left: 2? OK: one die rolled",
        ),
        (
            doubted(Doubt.COVERED, None),
            thrown(3),
            Word.UNREAD,
            texts.void(texts.unsure(1, [], reveal=False), 3),
        ),
        (doubted(Doubt.NOT_READ, None), thrown(3), Word.CONFIRM, "Which value? d6, 2nd from left"),
        (doubted(Doubt.PART_OF_THE_TRAY), thrown(3), Word.CONFIRM, "Which value? d6, 2nd from left: 2?"),
        (
            unread(1, "d6"),
            thrown(2),
            Word.UNREAD,
            "Void: I can't read one die. Take all 2 out, throw again.",
        ),
        (doubted(Doubt.COCKED, None), thrown(3), Word.VOID, texts.void(texts.cocked("d6", reveal=False), 3)),
        (doubted(Doubt.NOT_READ, None), flew(THROWN, HANDLED, THROWN), Word.VOID, texts.placed(1)),
        (EMPTY, flew(), Word.UNREAD, texts.NO_NEW_DICE),
        (EMPTY, flew(interfered=True), Word.VOID, texts.HAND_OVER_DICE),
    ],
)
def test_one_throw(reading: Reading, flight: Flight | None, word: Word, reason: str | None) -> None:
    (verdict,) = judged((reading, flight))
    assert (verdict.word, verdict.reason) == (word, reason)
    assert [die for die, _ in verdict.dice] == list(reading.dice)


@pytest.mark.parametrize(
    ("flight", "found"),
    [
        (flew(THROWN, HANDLED, UNSEEN), [THROWN, HANDLED, UNSEEN]),
        (flew(THROWN, HANDLED, UNSEEN, fps=6.0), [UNSEEN, HANDLED, UNSEEN]),
        (None, [UNSEEN] * 3),
    ],
)
def test_how_each_die_came(flight: Flight | None, found: Sequence[Arrival]) -> None:
    assert arrivals(judged((lie(1, 2, 3), flight))[0]) == found


NEXT = (AGAIN, thrown(3))


@pytest.mark.parametrize(
    "before", [thrown(3), flew(UNSEEN, THROWN, THROWN), flew(THROWN, THROWN, THROWN, interfered=True)]
)
def test_each_throw_is_judged_by_itself(before: Flight) -> None:
    """What another seat would be asked counts as agreed to."""
    *_, last = judged((lie(1, 2, 3), before), (EMPTY, flew()), NEXT)
    assert last.word is Word.COUNTS


def test_dice_from_before_lay_there() -> None:
    first, same, more = judged(
        (lie(1, 2, 3), thrown(3)),
        (lie(1, 2, 3), flew(LAY, LAY, UNSEEN)),
        (OLD_AND_NEW, flew(LAY, LAY, UNSEEN, THROWN, THROWN, THROWN)),
    )
    assert first.word is more.word is Word.COUNTS
    assert (same.word, same.reason, arrivals(same)) == (Word.UNREAD, texts.NO_NEW_DICE, [LAY] * 3)
    assert sorted(arrivals(more)) == sorted([LAY] * 3 + [THROWN] * 3)


def test_dice_of_a_void_throw_may_not_stay() -> None:
    *_, last = judged(
        (lie(1, 2, 3), flew(HANDLED, THROWN, THROWN)), (OLD_AND_NEW, flew(*[LAY] * 3, *[THROWN] * 3))
    )
    assert last.word is Word.VOID


def test_dice_under_a_moved_camera_are_not_judged() -> None:
    umpire = Umpire()
    umpire.unsettled(Reason.CAMERA_MOVED)
    verdict = umpire.settled(Settled(lie(1, 2, 3), 1.0, flight=thrown(3)))
    assert (verdict.word, verdict.reason) == (Word.VOID, texts.not_seen(reveal=False))
