"""A page of rectangles and words to print in true size, as SVG or PDF."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final, TypeAlias
from xml.sax.saxutils import escape

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from dicetable import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPERS: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height in millimetres."""
RULE_MM: Final = 100
HAIR_MM: Final = 0.15
TEXT_MM: Final = 4.0


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
    for at in range(0, RULE_MM + 1, 10):
        high = 5 if at % 50 == 0 else 3
        marks.append(Block(left + at - HAIR_MM, top - high, 2 * HAIR_MM, high))
        if at % 50 == 0:
            marks.append(SheetText(left + at - 2, top - 7, str(at)))
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
