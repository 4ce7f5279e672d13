"""What the table tells the eye to learn: sure readings and confirmed values of throws that count; no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common import texts
from dicetable.eye.messages import (
    MOST_TAUGHT,
    BadLessonError,
    Lesson,
    Retraction,
    TaughtDie,
    Teaching,
    decoded_lesson,
    encode_lesson,
)
from dicetable.ledger.entries import Thrown
from dicetable.table.baseline import remembered
from dicetable.table.table import Table
from tests.dicetable.readings import lie, together
from tests.dicetable.table.hands_on import NAMES, HandsOn
from vision.reading import Arrival, Doubt, Flight, Reading, Settled

FAIR = Flight((Arrival.THROWN,) * 6, fps=30.0)
FACES = (6, 6, 1, 1, 2, 3)


def throw(at: HandsOn, *unsure: int) -> float:
    """Throws six dice, the given ones doubted; returns the time of the reading."""
    dice = [
        replace(die, doubt=Doubt.LOW_CONFIDENCE, confidence=0.6) if i in unsure else die
        for i, die in enumerate(lie(*FACES).dice)
    ]
    at.stir()
    at.wait(0.7)
    at.table.eye(Settled(Reading(tuple(dice)), at.now_s, flight=FAIR))
    return at.now_s


def taught(*confirmed: int, but: tuple[int, ...] = ()) -> tuple[TaughtDie, ...]:
    return tuple(TaughtDie(i, "d6", face, i in confirmed) for i, face in enumerate(FACES) if i not in but)


def lessons(at: HandsOn) -> list[Teaching]:
    return list(at.table.lessons)


def test_a_sure_throw_that_counts_is_a_lesson(strict: HandsOn) -> None:
    seen_s = throw(strict)
    (entry,) = [entry for entry in strict.journal.entries if isinstance(entry, Thrown)]
    row = strict.journal.entries.index(entry) + 1
    assert lessons(strict) == [Lesson(seen_s, row, 7, 1, taught())]


def test_a_doubted_value_teaches_once_another_seat_has_confirmed_it(strict: HandsOn) -> None:
    seen_s = throw(strict, 2)
    assert lessons(strict) == []
    strict.tap("2.ok")
    (lesson,) = lessons(strict)
    assert isinstance(lesson, Lesson)
    assert (lesson.time_s, lesson.dice) == (seen_s, taught(2))


def test_what_nobody_confirmed_teaches_nothing(strict: HandsOn) -> None:
    throw(strict, 2)
    strict.hold("2.ok")
    assert lessons(strict) == []


def test_what_the_thrower_alone_said_teaches_nothing(
    strict: HandsOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict.table, "thrower_and_witnesses", lambda: (1, []))
    throw(strict, 2)
    strict.tap("1.ok")
    (lesson,) = lessons(strict)
    assert isinstance(lesson, Lesson)
    assert lesson.dice == taught(but=(2,))


def test_old_dice_in_the_tray_are_no_part_of_the_lesson() -> None:
    at = HandsOn()
    at.open("six_by_6", 2)
    at.table.acceptance.set_baseline(remembered(lie(5).dice))
    at.settle(together(lie(5), lie(*FACES, start=20)))
    (lesson,) = [one for one in lessons(at) if isinstance(one, Lesson)]
    assert [one.number for one in lesson.dice] == [1, 2, 3, 4, 5, 6]


def test_a_throw_by_hand_or_that_was_not_saved_teaches_nothing(strict: HandsOn) -> None:
    strict.journal.full = True
    throw(strict)
    assert lessons(strict) == []
    strict.journal.full = False
    assert strict.table.write(Thrown(tuple(("d6", face) for face in FACES), None, by_hand=True))
    assert lessons(strict) == []


def test_a_correction_takes_the_lesson_back_also_after_a_restart(strict: HandsOn) -> None:
    throw(strict)
    strict.menu(2, texts.panel.MENU_ITEMS["correct"])
    strict.tap("2.plus")
    for _ in range(12):
        strict.tap("2.ok", "1.ok")
    assert lessons(strict)[-1] == Retraction(7, 1)
    again = Table(strict.journal, lambda: 7, entries=strict.journal.entries, names=NAMES, strict=True)
    assert list(again.lessons) == [Retraction(7, 1)]


def test_lessons_fit_into_a_pipe_and_come_back_whole() -> None:
    most = tuple(TaughtDie(i, "d20", 20, confirmed=True) for i in range(MOST_TAUGHT))
    for lesson in (Lesson(1234567.123456789, 2**40, 2**53, 1000, most), Retraction(2**53, 1000)):
        line = encode_lesson(lesson)
        assert len(line) <= 4096
        assert decoded_lesson(line) == lesson


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b'{"lesson": "learn"}',
        b'{"lesson": "retract", "seed": -1, "revision": 1}',
        b'{"lesson": "learn", "time_s": 1.0, "row": 1, "seed": 1, "revision": 1, "dice": '
        b'[{"number": 0, "kind": "d6", "value": 7, "confirmed": false}]}',
    ],
)
def test_other_lines_are_no_lessons(line: bytes) -> None:
    with pytest.raises(BadLessonError):
        decoded_lesson(line)
