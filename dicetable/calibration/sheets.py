"""The two sheets to print in true size, with a rule to check the print by: the markers and the lens sheet.

The lens sheet is a ChArUco board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable import texts
from dicetable.calibration.page import Block, SheetText, printed_rule
from vision.tray.camera import SHEET_MARKER_MM, SQUARE_MM, SQUARES, board
from vision.tray.markers import CELLS, IDS, MARKER_MM, PAPER_MM, cells

if TYPE_CHECKING:
    from dicetable.calibration.page import Shape

STEP_MM: Final = 42.0
"""From one marker to the next."""
LEFT_MM: Final = 35.0
TOP_MM: Final = 45.0
HAIR_MM: Final = 0.15


def marker_sheet() -> list[Shape]:
    """What is on the page."""
    shapes: list[Shape] = [
        SheetText(LEFT_MM, 20 + 6 * number, line) for number, line in enumerate(texts.rig.MARKER_SHEET)
    ]
    for number, corner in zip(IDS, texts.rig.MARKER_CORNERS, strict=True):
        left = LEFT_MM + STEP_MM * 1.5 * (number in (1, 2))
        top = TOP_MM + 12 + STEP_MM * (number // 2)
        shapes += frame(left, top)
        shapes += marker(number, left + (PAPER_MM - MARKER_MM) / 2, top + (PAPER_MM - MARKER_MM) / 2)
        shapes.append(SheetText(left, top + PAPER_MM + 6, f"{number}: {corner}"))
    return shapes + printed_rule(LEFT_MM, TOP_MM + 12 + 2 * STEP_MM + 20)


def frame(left: float, top: float) -> list[Shape]:
    """The line to cut along, just outside of a marker's paper."""
    side = PAPER_MM + 2 * HAIR_MM
    x, y = left - HAIR_MM, top - HAIR_MM
    far_x, far_y = left + PAPER_MM, top + PAPER_MM
    across = [Block(x, level, side, HAIR_MM, 0.6) for level in (y, far_y)]
    return [*across, *(Block(at, y, HAIR_MM, side, 0.6) for at in (x, far_x))]


def marker(number: int, left: float, top: float) -> list[Shape]:
    """The black square with the white cells of its code in it."""
    side = MARKER_MM / CELLS
    white = [(row, column) for row in range(CELLS) for column in range(CELLS) if cells(number)[row, column]]
    blocks = [Block(left + column * side, top + row * side, side, side, 1.0) for row, column in white]
    return [Block(left, top, MARKER_MM, MARKER_MM), *blocks]


BOARD_LEFT_MM: Final = 24.5
BOARD_TOP_MM: Final = 20.0
BOARD_CELLS: Final = 7
"""Black or white cells along a side of a marker, the black border included."""


def lens_sheet() -> list[Shape]:
    """What is on the page."""
    words: list[Shape] = [
        SheetText(BOARD_LEFT_MM, 13 + 6 * i, line) for i, line in enumerate(texts.rig.LENS_SHEET)
    ]
    return [
        *words,
        *board_squares(),
        *board_markers(),
        *printed_rule(BOARD_LEFT_MM, BOARD_TOP_MM + SQUARES[1] * SQUARE_MM + 12),
    ]


def board_squares() -> list[Shape]:
    """The black squares of the chessboard, of which the first is one."""
    places = [(column, row) for row in range(SQUARES[1]) for column in range(SQUARES[0])]
    return [
        Block(BOARD_LEFT_MM + column * SQUARE_MM, BOARD_TOP_MM + row * SQUARE_MM, SQUARE_MM, SQUARE_MM)
        for column, row in places
        if (column + row) % 2 == 0
    ]


def board_markers() -> list[Shape]:
    """A marker in the middle of each white square: black, with the white cells of its code in it."""
    side = SHEET_MARKER_MM / BOARD_CELLS
    shapes: list[Shape] = []
    for number, corners in zip(board().getIds().ravel(), board().getObjPoints(), strict=True):
        left, top = (np.asarray(corners)[0, :2] + [BOARD_LEFT_MM, BOARD_TOP_MM]).tolist()
        shapes.append(Block(left, top, SHEET_MARKER_MM, SHEET_MARKER_MM))
        code = (
            np.asarray(cv2.aruco.generateImageMarker(board().getDictionary(), int(number), BOARD_CELLS)) > 127
        )
        shapes += [
            Block(left + column * side, top + row * side, side, side, 1.0)
            for row, column in np.argwhere(code).tolist()
        ]
    return shapes
