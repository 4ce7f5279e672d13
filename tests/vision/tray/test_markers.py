"""A find is told to be a marker where the marker is what the find is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.tray.markers import IDS, cells, is_marker

if TYPE_CHECKING:
    from vision.reading import Image

AT, SIDE = 100, 60


def tray(number: int) -> Image:
    """A dark tray with one marker on white paper."""
    frame = np.full((300, 300, 3), 40, np.uint8)
    paper = np.kron(np.pad(cells(number), 1, constant_values=True), np.ones((SIDE // 6, SIDE // 6)))
    frame[AT : AT + len(paper), AT : AT + len(paper)] = (paper * 230 + 10)[..., None]
    return frame


@pytest.mark.parametrize("number", IDS)
def test_a_find_about_a_marker_is_one(number: int) -> None:
    assert is_marker(tray(number), (AT, AT, 80, 80))


def test_a_find_beside_a_marker_is_none() -> None:
    assert not is_marker(tray(1), (AT + 50, AT, 80, 80))
    assert not is_marker(tray(1), (AT - 70, AT - 70, 200, 80))


def test_a_find_elsewhere_or_of_no_size_is_none() -> None:
    assert not is_marker(tray(1), (10, 10, 60, 60))
    assert not is_marker(tray(1), (298, 298, 2, 2))
