"""Rotated pictures, pixel by pixel: clockwise first, then mirrored."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.capture import turned

PICTURE = np.arange(2 * 3, dtype=np.uint8).reshape(2, 3, 1).repeat(3, axis=2)
"""0 1 2 over 3 4 5."""


@pytest.mark.parametrize(
    ("rotate_deg", "mirror", "rows"),
    [
        (0, False, [[0, 1, 2], [3, 4, 5]]),
        (0, True, [[2, 1, 0], [5, 4, 3]]),
        (90, False, [[3, 0], [4, 1], [5, 2]]),
        (90, True, [[0, 3], [1, 4], [2, 5]]),
        (180, False, [[5, 4, 3], [2, 1, 0]]),
        (180, True, [[3, 4, 5], [0, 1, 2]]),
        (270, False, [[2, 5], [1, 4], [0, 3]]),
    ],
)
def test_turned(rotate_deg: int, mirror: bool, rows: list[list[int]]) -> None:
    picture = turned(PICTURE, rotate_deg, mirror=mirror)
    assert picture.dtype == np.uint8
    assert picture[:, :, 1].tolist() == rows
