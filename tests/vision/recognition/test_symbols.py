"""What a mark says decides which mark and which way up counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import vision.recognition.symbols
from games.dice import KINDS
from vision.recognition.die_classifier import Mark, Turn
from vision.recognition.outputs import VALUES
from vision.recognition.symbols import Floats, Writing, Written, nothing_known

if TYPE_CHECKING:
    from collections.abc import Callable

STORED = np.zeros((112, 112, 3), np.uint8)
D8, D20 = KINDS.index("d8"), KINDS.index("d20")
Says = dict[tuple[float, float], tuple[int, float]]


def one(value: int, sure: float = 0.98) -> Floats:
    odds = np.full(VALUES, (1 - sure) / (VALUES - 1))
    odds[value] = sure
    return odds


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Says:
    """What the mark at x says along a way up, to be filled in; elsewhere there is nothing."""
    table: Says = {}

    def read(_stored: object, x: float, _y: float, _span: float, up_deg: float) -> np.ndarray:
        return one(*table.get((x, up_deg % 360), (0, 0.98)))

    monkeypatch.setattr(vision.recognition.symbols, "read", read)
    return table


def mark(x: float, score: float, *turns: tuple[float, float]) -> Mark:
    return Mark(x, 50, 20, score, tuple(Turn(*turn) for turn in turns))


def written(*marks: Mark, known: Callable[[Mark], float] = nothing_known) -> Written:
    told = Writing(STORED, marks).says(known)
    assert told is not None
    return told


def value(kind: int, *marks: Mark) -> tuple[int, float]:
    """The likeliest value on such a die, and its probability."""
    found = written(*marks)
    return int(found.values[kind].argmax()) + 1, float(found.values[kind].max())


def test_a_way_up_in_which_nothing_is_legible_does_not_count(says: Says) -> None:
    says[50, 90] = (17, 0.95)
    best, sure = value(D20, mark(50, 0.6, (0, 0.6), (90, 0.3)))
    assert best == 17
    assert sure > 0.9


def test_a_much_fainter_place_hardly_counts(says: Says) -> None:
    says[50, 0], says[80, 0] = (17, 0.98), (3, 0.98)
    best, sure = value(D20, mark(50, 0.7, (0, 1.0)), mark(80, 0.2, (0, 1.0)))
    assert best == 17
    assert sure > 0.9


def test_of_two_places_as_plain_neither_is_sure(says: Says) -> None:
    says[50, 0], says[80, 0] = (17, 0.98), (3, 0.98)
    assert value(D20, mark(50, 0.5, (0, 1.0)), mark(80, 0.49, (0, 1.0)))[1] < 0.6


def test_of_two_places_as_plain_the_one_where_the_camera_sees_tops_says_it(says: Says) -> None:
    says[50, 0], says[80, 0] = (17, 0.98), (3, 0.98)
    marks = mark(50, 0.5, (0, 1.0)), mark(80, 0.5, (0, 1.0))
    told = written(*marks, known=lambda seen: -4.0 if seen == marks[0] else 0.0)
    assert told.values[D20].argmax() + 1 == 3
    assert told.values[D20].max() > 0.9
    assert told.mark == marks[1]


def test_a_mark_is_read_once_however_often_it_is_weighed(says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    says[50, 0] = (17, 0.98)
    writing = Writing(STORED, (mark(50, 0.7, (0, 1.0)),))
    first = writing.says()
    monkeypatch.setattr(vision.recognition.symbols, "read", None)
    again = writing.says(lambda _: -1.0)
    assert first is not None
    assert again is not None
    assert np.allclose(first.values, again.values)


def test_a_value_that_the_kind_lacks_is_not_said(says: Says) -> None:
    says[50, 0] = (17, 0.98)
    assert value(D8, mark(50, 0.7, (0, 1.0)))[1] < 0.02


def test_what_is_legible_upside_down_too_is_told(says: Says) -> None:
    says[50, 0] = (6, 0.98)
    told = written(mark(50, 0.7, (0, 1.0)))
    says[50, 180] = (9, 0.98)
    both = written(mark(50, 0.7, (0, 1.0)))
    assert told.turned < 0.05
    assert both.turned > 0.9


def test_on_a_die_without_a_9_what_looks_like_one_is_a_6_upside_down(says: Says) -> None:
    says[50, 0], says[50, 180] = (9, 0.98), (6, 0.98)
    assert value(D8, mark(50, 0.7, (0, 1.0)))[0] == 6


def test_a_die_without_marks_says_nothing() -> None:
    assert Writing(STORED, ()).says() is None


def test_a_face_of_pips_is_read_in_one_way_up_alone(says: Says) -> None:
    says[50, 90] = (5, 0.98)
    pips = mark(50, 0.9, (90, 0.3), (180, 0.25), (270, 0.25), (0, 0.2))
    best, sure = value(KINDS.index("d6"), pips)
    assert best == 5
    says[50, 180], says[50, 270], says[50, 0] = (2, 0.98), (2, 0.98), (2, 0.98)
    assert value(KINDS.index("d6"), pips) == (best, sure)
