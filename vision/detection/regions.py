"""Regions of interest: the parts of a pyramid level where the next smaller level shows a trace of a die."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vision.settings import DetectionSettings

Floats: TypeAlias = npt.NDArray[Any]
Tiles: TypeAlias = npt.NDArray[np.bool_]
"""Rows × columns of squares that a picture is made of; the last ones may reach beyond it."""

TILE = 16
"""Pixels along a tile: the detector's inputs are whole numbers of them."""


def tiles(height: int, width: int) -> tuple[int, int]:
    """Rows and columns of tiles that cover a picture of this size."""
    return -(-height // TILE), -(-width // TILE)


def traced(score: Floats, shape: tuple[int, int], settings: DetectionSettings) -> Tiles:
    """The tiles of a level, of this shape in tiles, where the next smaller level's score shows a trace."""
    rows, columns = (side // 2 for side in score.shape)
    cells = score.reshape(rows, 2, columns, 2).max((1, 3)) >= settings.trace
    return np.asarray(cells[: shape[0], : shape[1]], np.bool_)


def regions(marked: Tiles, settings: DetectionSettings) -> Iterator[tuple[slice, slice]]:
    """Rows and columns, in tiles, of rectangles that hold the marked tiles and what is around them."""
    side = 2 * settings.trace_tiles + 1
    grown = cv2.dilate(marked.astype(np.uint8), np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    found = [(slice(y, y + h), slice(x, x + w)) for x, y, w, h, _ in stats[1:].tolist()]
    if sum(grown[part].size for part in found) > settings.whole_part * grown.size:
        found = [(slice(0, grown.shape[0]), slice(0, grown.shape[1]))]
    yield from found
