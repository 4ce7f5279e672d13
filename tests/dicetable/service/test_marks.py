"""Where the dice of a throw are in its picture: shown only if certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.eye.evidence import evidence, strip
from dicetable.ledger.entries import LyingDie
from dicetable.ledger.pictures import noted
from dicetable.service.throws import boxes_of, marks

if TYPE_CHECKING:
    from games.dice import Die, Kind
    from vision.reading import Box

SIZE = 40


def at(x: int, kind: Kind | None = "d6", value: int | None = 4) -> LyingDie:
    return LyingDie(kind, value, box(x))


def box(x: int) -> Box:
    return (x, 100, SIZE, SIZE)


FOUR: Die = ("d6", 4)
SIX: Die = ("d6", 6)


@pytest.mark.parametrize(
    ("dice", "lying", "before", "found"),
    [
        ([FOUR], [at(0)], [], [0]),
        ([FOUR, SIX], [at(0), at(100, value=6)], [], [0, 100]),
        ([FOUR], [at(0), at(100)], [at(0)], [100]),  # the other one lay there before
        ([FOUR], [at(0), at(100)], [at(2)], [100]),  # measured two pixels beside
        ([FOUR, FOUR], [at(0), at(100), at(200)], [at(100)], [0, 200]),
        ([SIX], [at(0, value=6), at(100)], [at(0)], [0]),  # thrown to where another lay
        ([FOUR], [at(0, None, None), at(100, value=6)], [at(100, value=6)], [0]),  # confirmed
        ([FOUR], [at(0), at(100)], [], []),  # either could be meant
        ([FOUR], [at(0), at(100, None, None)], [], []),
        ([FOUR], [at(0, value=6)], [], []),  # corrected by nobody, and yet another one
        ([FOUR], None, [], []),
        ([FOUR], [at(0), at(100, value=6)], None, [0]),
    ],
)
def test_each_die_is_found_or_none_is(
    dice: list[Die], lying: list[LyingDie] | None, before: list[LyingDie] | None, found: list[int]
) -> None:
    known = None if before is None else tuple(before)
    told = boxes_of(dice, None if lying is None else tuple(lying), known)
    assert told == tuple(map(box, found))


@pytest.mark.parametrize("corner", [(0, 0), (200, 50)])
def test_boxes_are_parts_of_what_the_picture_shows(corner: tuple[int, int]) -> None:
    picture = evidence(np.full((600, 1000, 3), 90, np.uint8), corner)
    told = marks([(300, 110, 50, 60)], picture, b"")
    left, top = (300 - corner[0]) / 1000, (110 - corner[1]) / 600
    assert told == {"boxes": [[pytest.approx(left), pytest.approx(top, abs=1e-4), 0.05, 0.1]], "motion": None}


def test_the_strip_tells_how_it_is_to_be_played() -> None:
    sheet = strip([(5 + i / 10, np.zeros((90, 160, 3), np.uint8)) for i in range(6)], 6.0)
    told = marks([], b"", sheet)["motion"]
    assert told == {"columns": 4, "seconds": [-1.0, -0.9, -0.8, -0.7, -0.6, -0.5]}


@pytest.mark.parametrize(
    "note",
    [{}, {"shows": [0, 0, 0, 0]}, {"shows": [1, 2, "3", 4]}, {"shows": 5}, {"columns": 0, "seconds": [1]},
     {"columns": True, "seconds": [1]}, {"columns": 4, "seconds": []}, {"columns": 4, "seconds": ["x"]}],
)  # fmt: skip
def test_a_picture_of_an_earlier_release_or_a_damaged_note_has_no_marks(note: dict[str, object]) -> None:
    picture = noted(b"\xff\xd8", note) if note else b"\xff\xd8"
    assert marks([box(0)], picture, picture) == {"boxes": [], "motion": None}
