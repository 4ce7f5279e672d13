"""The two sheets to print in true size, as SVG or PDF: the markers, and the lens sheet, a ChArUco board.

Each has a rule to check the print by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final, TypeAlias
from xml.sax.saxutils import escape

import cv2
import numpy as np
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from common import texts
from vision.tray.camera import SHEET_MARKER_MM, SQUARE_MM, SQUARES, board
from vision.tray.markers import CELLS, IDS, MARKER_MM, PAPER_MM, cells

PAPERS: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height in millimetres."""
RULE_MM: Final = 100
HAIR_MM: Final = 0.15
TEXT_MM: Final = 4.0
BOARD_LEFT_MM: Final = 24.5
BOARD_TOP_MM: Final = 20.0
BOARD_CELLS: Final = 7
"""Black or white cells along a side of a marker, the black border included."""
STEP_MM: Final = 42.0
"""The distance from one marker to the next."""
LEFT_MM: Final = 35.0
TOP_MM: Final = 45.0


@dataclass(frozen=True, slots=True)
class Block:
    """A filled rectangle: left, top, width, height in mm from the top left of the page; grey 0 … 1."""

    x: float
    y: float
    w: float
    h: float
    grey: float = 0.0


@dataclass(frozen=True, slots=True)
class SheetText:
    """A line of text in ASCII whose foot is at this height."""

    x: float
    y: float
    text: str


Shape: TypeAlias = Block | SheetText


def printed_rule(left: float, top: float) -> list[Shape]:
    """A scale of RULE_MM with a line every ten."""
    marks: list[Shape] = [Block(left, top, RULE_MM, HAIR_MM * 2)]
    for mark_mm in range(0, RULE_MM + 1, 10):
        high = 5 if mark_mm % 50 == 0 else 3
        marks.append(Block(left + mark_mm - HAIR_MM, top - high, 2 * HAIR_MM, high))
        if mark_mm % 50 == 0:
            marks.append(SheetText(left + mark_mm - 2, top - 7, str(mark_mm)))
    return [*marks, SheetText(left, top + 7, texts.rig.PRINTED_RULE)]


def svg(paper: tuple[float, float], shapes: Sequence[Shape], title: str) -> bytes:
    """The page as SVG; one unit is a millimetre."""
    width, height = paper
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" shape-rendering="crispEdges">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for shape in shapes:
        if isinstance(shape, Block):
            grey = f"#{round(255 * shape.grey):02x}" + 2 * f"{round(255 * shape.grey):02x}"
            place = f'x="{shape.x:.4f}" y="{shape.y:.4f}" width="{shape.w:.4f}" height="{shape.h:.4f}"'
            lines.append(f'<rect {place} fill="{grey}"/>')
        else:
            font = f'font-family="Helvetica, Arial, sans-serif" font-size="{TEXT_MM}"'
            lines.append(f'<text x="{shape.x:.2f}" y="{shape.y:.2f}" {font}>{escape(shape.text)}</text>')
    return "\n".join([*lines, "</svg>", ""]).encode()


def pdf(paper: tuple[float, float], shapes: Sequence[Shape], title: str) -> bytes:
    """The page as PDF, which asks viewers not to scale it."""
    width, height = (side * mm for side in paper)
    out = BytesIO()
    page = Canvas(out, pagesize=(width, height), initialFontSize=TEXT_MM * mm, invariant=True)
    page.setTitle(title)
    page.setViewerPreference("PrintScaling", "None")
    for shape in shapes:
        x, y = shape.x * mm, height - shape.y * mm
        if isinstance(shape, Block):
            page.setFillGray(shape.grey)
            page.rect(x, y - shape.h * mm, shape.w * mm, shape.h * mm, stroke=0, fill=1)
        else:
            page.setFillGray(0)
            page.drawString(x, y, shape.text)
    page.save()
    return out.getvalue()


def marker_sheet() -> list[Shape]:
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
    return [*across, *(Block(edge, y, HAIR_MM, side, 0.6) for edge in (x, far_x))]


def marker(number: int, left: float, top: float) -> list[Shape]:
    """The black square with the white cells of its code in it."""
    side = MARKER_MM / CELLS
    white = [(row, column) for row in range(CELLS) for column in range(CELLS) if cells(number)[row, column]]
    blocks = [Block(left + column * side, top + row * side, side, side, 1.0) for row, column in white]
    return [Block(left, top, MARKER_MM, MARKER_MM), *blocks]


def lens_sheet() -> list[Shape]:
    words = [SheetText(BOARD_LEFT_MM, 13 + 6 * i, line) for i, line in enumerate(texts.rig.LENS_SHEET)]
    black = [
        Block(BOARD_LEFT_MM + column * SQUARE_MM, BOARD_TOP_MM + row * SQUARE_MM, SQUARE_MM, SQUARE_MM)
        for row in range(SQUARES[1])
        for column in range(SQUARES[0])
        if (column + row) % 2 == 0
    ]
    return [
        *words,
        *black,
        *board_markers(),
        *printed_rule(BOARD_LEFT_MM, BOARD_TOP_MM + SQUARES[1] * SQUARE_MM + 12),
    ]


def board_markers() -> list[Shape]:
    """A marker in the middle of each white square: black, with the white cells of its code in it."""
    side = SHEET_MARKER_MM / BOARD_CELLS
    shapes: list[Shape] = []
    for number, corners in zip(board().getIds().ravel(), board().getObjPoints(), strict=True):
        left, top = (np.asarray(corners)[0, :2] + [BOARD_LEFT_MM, BOARD_TOP_MM]).tolist()
        shapes.append(Block(left, top, SHEET_MARKER_MM, SHEET_MARKER_MM))
        code = cv2.aruco.generateImageMarker(board().getDictionary(), int(number), BOARD_CELLS)
        shapes += [
            Block(left + column * side, top + row * side, side, side, 1.0)
            for row, column in np.argwhere(np.asarray(code) > 127).tolist()
        ]
    return shapes
