"""Which parts of a reduced frame are worth a look: those where the next smaller reduction shows a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

Floats: TypeAlias = npt.NDArray[Any]
Tiles: TypeAlias = npt.NDArray[np.bool_]
"""Rows × columns of squares that a picture is made of; the last ones may reach beyond it."""

TILE = 16
"""Pixels along a tile."""
TRACE = 0.03
"""Score that even a die too small for a reduction leaves there, in 99 cases of 100."""
AROUND = 3
"""Tiles about a trace that are looked at too: a pip seen without its die would pass for one."""
WORTH = 0.7
"""Part of the picture from which it is looked at whole."""


def tiles(height: int, width: int) -> tuple[int, int]:
    """Rows and columns of tiles that cover so many pixels."""
    return -(-height // TILE), -(-width // TILE)


def traces(score: Floats, shape: tuple[int, int]) -> Tiles:
    """The tiles of a reduction, of this shape in tiles, where the next smaller one's score shows a trace."""
    rows, columns = (side // 2 for side in score.shape)
    cells = score.reshape(rows, 2, columns, 2).max((1, 3)) >= TRACE
    return np.asarray(cells[: shape[0], : shape[1]], np.bool_)


def parts(marked: Tiles) -> Iterator[tuple[slice, slice]]:
    """Rows and columns, in tiles, of rectangles that hold the marked tiles and what is around them."""
    grown = cv2.dilate(marked.astype(np.uint8), np.ones((2 * AROUND + 1, 2 * AROUND + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    found = [(slice(y, y + h), slice(x, x + w)) for x, y, w, h, _ in stats[1:].tolist()]
    if sum(grown[part].size for part in found) > WORTH * grown.size:
        found = [(slice(0, grown.shape[0]), slice(0, grown.shape[1]))]
    yield from found
