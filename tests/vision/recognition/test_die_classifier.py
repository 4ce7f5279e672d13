"""The maps of the die net become symbols: where, how large, in which orientation."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.classifiers import (
    BODIES,
    BOX,
    CELLS,
    CROP_PX,
    LEAST_ORIENTATION,
    MAPS,
    MOST_BOX_OFF,
    STRIDE,
    TURNS,
    DieClassifier,
    Floats,
    die_view,
    orientations,
    symbols,
)


def maps_with(*places: tuple[int, int, float, int]) -> Floats:
    """Maps with a symbol in each (row, column), of that score before the sigmoid and that turn."""
    maps = np.zeros((MAPS, CELLS, CELLS), np.float32)
    maps[0] = -9
    maps[1:3] = 0.5
    for row, column, score, turn in places:
        maps[0, row, column] = score
        maps[4:, row, column] = -6
        maps[4 + turn, row, column] = 6
    return maps


@pytest.mark.parametrize("turn_deg", [0.0, 25.0])
def test_a_symbol_is_placed_in_the_crop(turn_deg: float) -> None:
    matrix = die_view(turn_deg)
    at = np.array([70.0, 40.0])
    x, y = matrix @ np.array([*at, 1.0])
    maps = maps_with((int(y / STRIDE), int(x / STRIDE), 3.0, 4))
    (symbol,) = symbols(maps, cv2.invertAffineTransform(matrix), turn_deg)
    assert [symbol.x, symbol.y] == pytest.approx(at, abs=STRIDE)
    assert symbol.score == pytest.approx(0.953, abs=0.01)
    assert symbol.orientations[0].up_deg == pytest.approx(90 - turn_deg, abs=1)


def test_a_box_is_never_corrected_into_the_absurd() -> None:
    def absurd(views: Floats) -> Floats:
        return np.full((len(views), BODIES + BOX + MAPS * CELLS**2), 900.0, np.float32)

    die = DieClassifier(absurd).predict(np.zeros((CROP_PX, CROP_PX, 3), np.uint8))
    assert np.abs(die.off).max() == MOST_BOX_OFF


def test_several_crops_are_one_batch_and_none_is_no_run() -> None:
    batches = []

    def net(views: Floats) -> Floats:
        batches.append(views.shape)
        return np.zeros((len(views), BODIES + BOX + MAPS * CELLS**2), np.float32)

    classifier = DieClassifier(net)
    assert len(classifier.predict_all([np.zeros((CROP_PX, CROP_PX, 3), np.uint8)] * 3)) == 3
    assert classifier.predict_all([]) == []
    assert [shape[0] for shape in batches] == [3]


def test_symbols_come_best_first_and_near_ones_count_once() -> None:
    maps = maps_with((5, 5, 1.0, 0), (6, 6, 2.0, 0), (15, 15, 3.0, 0), (2, 15, -3.0, 0))
    found = symbols(maps, cv2.invertAffineTransform(die_view()), 0.0)
    assert [round(symbol.score, 2) for symbol in found] == [0.95, 0.88]


def test_a_turn_between_two_directions_is_found_between_them() -> None:
    odds = np.zeros(TURNS)
    odds[[15, 0]] = 0.5
    odds[0] += 1e-6
    (turn,) = orientations(odds, 0.0, LEAST_ORIENTATION)
    assert turn.up_deg % 360 == pytest.approx(360 - 360 / TURNS / 2, abs=0.1)
    assert turn.probability == pytest.approx(1.0)


def test_two_orientations_are_both_told() -> None:
    odds = np.zeros(TURNS)
    odds[2], odds[10] = 0.6, 0.4
    found = orientations(odds, 10.0, LEAST_ORIENTATION)
    assert [turn.up_deg for turn in found] == pytest.approx([35.0, 215.0])
