"""The sheet that a camera's lens is calibrated with, in true size: a ChArUco board and a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable import texts
from dicetable.calibration.sheet import Block, SheetText, printed_rule
from vision.tray.lens import SHEET_MARKER_MM, SQUARE_MM, SQUARES, board

if TYPE_CHECKING:
    from dicetable.calibration.sheet import Shape

LEFT_MM: Final = 24.5
TOP_MM: Final = 20.0
CELLS: Final = 7
"""Black or white cells along a side of a marker, the black border included."""


def lens_sheet() -> list[Shape]:
    """What is on the page."""
    words: list[Shape] = [SheetText(LEFT_MM, 13 + 6 * i, line) for i, line in enumerate(texts.rig.LENS_SHEET)]
    return [*words, *squares(), *markers(), *printed_rule(LEFT_MM, TOP_MM + SQUARES[1] * SQUARE_MM + 12)]


def squares() -> list[Shape]:
    """The black squares of the chessboard, of which the first is one."""
    places = [(column, row) for row in range(SQUARES[1]) for column in range(SQUARES[0])]
    return [
        Block(LEFT_MM + column * SQUARE_MM, TOP_MM + row * SQUARE_MM, SQUARE_MM, SQUARE_MM)
        for column, row in places
        if (column + row) % 2 == 0
    ]


def markers() -> list[Shape]:
    """A marker in the middle of each white square: black, with the white cells of its code in it."""
    side = SHEET_MARKER_MM / CELLS
    shapes: list[Shape] = []
    for number, corners in zip(board().getIds().ravel(), board().getObjPoints(), strict=True):
        left, top = (np.asarray(corners)[0, :2] + [LEFT_MM, TOP_MM]).tolist()
        shapes.append(Block(left, top, SHEET_MARKER_MM, SHEET_MARKER_MM))
        code = np.asarray(cv2.aruco.generateImageMarker(board().getDictionary(), int(number), CELLS)) > 127
        shapes += [
            Block(left + column * side, top + row * side, side, side, 1.0)
            for row, column in np.argwhere(code).tolist()
        ]
    return shapes
