"""Only where the smaller reduction shows a trace is the larger one looked at, and never past it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection import TILE, TRACE, regions, tiles, traced


def covered(shape: tuple[int, int], marked: np.ndarray) -> np.ndarray:
    seen = np.zeros(shape, np.int_)
    for part in regions(marked):
        seen[part] += 1
    return seen


@pytest.mark.parametrize(("height", "width"), [(1, 1), (16, 16), (17, 33), (360, 640)])
def test_tiles_cover_the_picture(height: int, width: int) -> None:
    rows, columns = tiles(height, width)
    assert (rows - 1) * TILE < height <= rows * TILE
    assert (columns - 1) * TILE < width <= columns * TILE


@pytest.mark.parametrize("shape", [(23, 40), (24, 40), (22, 39)])
def test_a_trace_marks_the_tile_of_twice_its_place(shape: tuple[int, int]) -> None:
    score = np.zeros((48, 80), np.float32)
    score[21, 54] = TRACE
    marked = traced(score, shape)
    assert marked.shape == shape
    assert np.argwhere(marked).tolist() == [[10, 27]]


def test_the_smallest_trace_counts_and_less_does_not() -> None:
    score = np.full((4, 4), 0.0297, np.float32)
    assert not traced(score, (2, 2)).any()


def test_nothing_marked_is_nothing_to_look_at() -> None:
    assert list(regions(np.zeros((5, 7), np.bool_))) == []


def test_what_is_marked_is_looked_at_with_its_surroundings_and_nothing_far_from_it() -> None:
    marked = np.zeros((30, 40), np.bool_)
    marked[9, 5] = marked[20, 33] = True
    seen = covered((30, 40), marked)
    assert seen[6:13, 2:9].sum() == seen[17:24, 30:37].sum() == 49
    assert seen.sum() == 98


def test_a_picture_marked_for_the_most_part_is_looked_at_whole_and_once() -> None:
    marked = np.zeros((12, 20), np.bool_)
    marked[:, ::5] = True
    assert (covered((12, 20), marked) == 1).all()
