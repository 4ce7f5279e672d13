"""Where the dice of a throw are in its picture: those that the table took its values from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.eye.evidence import evidence, strip
from dicetable.ledger.entries import LyingDie, Opened, Thrown
from dicetable.ledger.pictures import noted
from dicetable.service.throws import MatchThrows, marks

if TYPE_CHECKING:
    from games.dice import Die
    from vision.reading import Box

SIZE = 40


def box(x: int) -> Box:
    return (x, 100, SIZE, SIZE)


LYING = tuple(LyingDie(None, None, box(x)) for x in (0, 100, 200))
FOURS: tuple[Die, ...] = (("d6", 4), ("d6", 4))


@pytest.mark.parametrize(
    ("lying", "numbers", "boxes"),
    [
        (LYING, (0, 2), [0, 200]),
        (LYING, (2, 1), [200, 100]),
        (LYING, (), []),  # entered by hand, or by an earlier version
        (None, (), []),
    ],
)
def test_a_throw_is_listed_with_the_boxes_of_its_dice(
    lying: tuple[LyingDie, ...] | None, numbers: tuple[int, ...], boxes: list[int]
) -> None:
    match = MatchThrows()
    match.follow(1, Opened("rolls", ("Ann",), {}, 7, (), (1,), ()))
    match.follow(2, Thrown(FOURS, lying, numbers))
    (throw,) = match.listed()
    assert throw.boxes == tuple(map(box, boxes))


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
    [{}, {"shows": [0, 0, 0, 9]}, {"shows": [0, 0, 9, 0]}, {"shows": [1, 2, "3", 4]}, {"shows": 5},
     {"columns": 0, "seconds": [1]}, {"columns": True, "seconds": [1]}, {"columns": 4, "seconds": []},
     {"columns": 4, "seconds": ["x"]}],
)  # fmt: skip
def test_a_picture_of_an_earlier_release_or_a_damaged_note_has_no_marks(note: dict[str, object]) -> None:
    picture = noted(b"\xff\xd8", note) if note else b"\xff\xd8"
    assert marks([box(0)], picture, picture) == {"boxes": [], "motion": None}
