"""The maps of the whole die's net become marks: where, how large, which way up."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import vision.nets
from vision.recognition.crops import STORED, whole_view
from vision.recognition.die_classifier import CELLS, FARTHEST_OFF, Floats, look, marks, turns
from vision.recognition.outputs import BODIES, BOX, MAPS, STRIDE, TURNS


def maps_with(*places: tuple[int, int, float, int]) -> Floats:
    """Maps with a mark in each (row, column), of that score before the sigmoid and that turn."""
    maps = np.zeros((MAPS, CELLS, CELLS), np.float32)
    maps[0] = -9
    maps[1:3] = 0.5
    for row, column, score, turn in places:
        maps[0, row, column] = score
        maps[4:, row, column] = -6
        maps[4 + turn, row, column] = 6
    return maps


@pytest.mark.parametrize("turn_deg", [0.0, 25.0])
def test_a_mark_is_placed_in_the_stored_crop(turn_deg: float) -> None:
    matrix = whole_view(turn_deg)
    at = np.array([70.0, 40.0])
    x, y = matrix @ np.array([*at, 1.0])
    maps = maps_with((int(y / STRIDE), int(x / STRIDE), 3.0, 4))
    (mark,) = marks(maps, cv2.invertAffineTransform(matrix), turn_deg)
    assert [mark.x, mark.y] == pytest.approx(at, abs=STRIDE)
    assert mark.score == pytest.approx(0.953, abs=0.01)
    assert mark.turns[0].up_deg == pytest.approx(90 - turn_deg, abs=1)


def test_a_box_is_never_mended_into_the_absurd(monkeypatch: pytest.MonkeyPatch) -> None:
    absurd = np.full((1, BODIES + BOX + MAPS * CELLS**2), 900.0, np.float32)
    monkeypatch.setattr(vision.nets, "run", lambda _name, _pictures: absurd)
    die = look(np.zeros((STORED, STORED, 3), np.uint8))
    assert np.abs(die.off).max() == FARTHEST_OFF


def test_marks_come_best_first_and_near_ones_count_once() -> None:
    maps = maps_with((5, 5, 1.0, 0), (6, 6, 2.0, 0), (15, 15, 3.0, 0), (2, 15, -3.0, 0))
    found = marks(maps, cv2.invertAffineTransform(whole_view()), 0.0)
    assert [round(mark.score, 2) for mark in found] == [0.95, 0.88]


def test_a_turn_between_two_directions_is_found_between_them() -> None:
    odds = np.zeros(TURNS)
    odds[[15, 0]] = 0.5
    odds[0] += 1e-6
    (turn,) = turns(odds, 0.0)
    assert turn.up_deg % 360 == pytest.approx(360 - 360 / TURNS / 2, abs=0.1)
    assert turn.probability == pytest.approx(1.0)


def test_two_ways_up_are_both_told() -> None:
    odds = np.zeros(TURNS)
    odds[2], odds[10] = 0.6, 0.4
    found = turns(odds, 10.0)
    assert [turn.up_deg for turn in found] == pytest.approx([35.0, 215.0])
