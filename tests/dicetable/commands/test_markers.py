"""`dicetable markers`: pages at true size, as PDF and SVG, whose markers the detector finds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import cv2
import numpy as np
import pytest
from pypdfium2 import PdfDocument

from dicetable.__main__ import main
from dicetable.eye.sheets import PAPERS, RULE_MM, Block, SheetText, lens_sheet, marker_sheet, pdf, svg
from vision.tray.camera import SQUARE_MM, find_sheet
from vision.tray.markers import MARKER_MM, find_markers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dicetable.eye.sheets import Shape
    from vision.reading import Image

PX_PER_MM = 6
TITLE = "markers"


def drawn(blocks: list[tuple[float, float, float, float, float]], paper: tuple[float, float]) -> Image:
    page = np.full((round(paper[1] * PX_PER_MM), round(paper[0] * PX_PER_MM)), 255, np.uint8)
    for x, y, w, h, grey in blocks:
        left, top, right, bottom = (round(v * PX_PER_MM) for v in (x, y, x + w, y + h))
        page[top:bottom, left:right] = round(255 * grey)
    return page


def rendered(data: bytes) -> Image:
    with closing(PdfDocument(data)) as document:
        assert len(document) == 1
        page = document[0].render(scale=PX_PER_MM * 25.4 / 72).to_numpy()
    return np.asarray(page, np.uint8)


def blocks_of_svg(data: bytes) -> list[tuple[float, float, float, float, float]]:
    root = ET.fromstring(data)
    rects = root.findall("{http://www.w3.org/2000/svg}rect")[1:]
    blocks = []
    for r in rects:
        x, y, width, height = (float(r.get(key, "0")) for key in ("x", "y", "width", "height"))
        blocks.append((x, y, width, height, int(r.get("fill", "#00")[1:3], 16) / 255))
    return blocks


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_the_printed_markers_are_found_in_their_true_size(paper: str, kind: str) -> None:
    size = PAPERS[paper]
    shapes = marker_sheet()
    page = (
        rendered(pdf(size, shapes, TITLE))
        if kind == "pdf"
        else drawn(blocks_of_svg(svg(size, shapes, TITLE)), size)
    )
    found = find_markers(page)
    assert sorted(found) == [0, 1, 2, 3]
    for corners in found.values():
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1) / PX_PER_MM
        assert np.abs(sides - MARKER_MM).max() < 0.25
    left, right = found[0].mean(axis=0), found[1].mean(axis=0)
    assert left[1] == pytest.approx(right[1], abs=1)
    assert found[2].mean(axis=0)[0] == pytest.approx(right[0], abs=1)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_the_printed_lens_sheet_is_seen_whole_in_its_true_size(paper: str, kind: str) -> None:
    size, shapes = PAPERS[paper], lens_sheet()
    page = (
        rendered(pdf(size, shapes, TITLE))
        if kind == "pdf"
        else drawn(blocks_of_svg(svg(size, shapes, TITLE)), size)
    )
    view = find_sheet(page)
    assert view is not None
    assert len(view.pixels) == 54
    steps = np.linalg.norm(view.pixels[1:6] - view.pixels[:5], axis=1) / PX_PER_MM
    assert steps == pytest.approx(SQUARE_MM, abs=0.1)
    assert find_markers(page) == {}


@pytest.mark.parametrize("sheet", [marker_sheet, lens_sheet])
def test_the_rule_is_true_and_all_is_on_the_page(sheet: Callable[[], list[Shape]]) -> None:
    for width, height in PAPERS.values():
        for shape in sheet():
            assert 10 <= shape.x <= width - 10
            assert 10 <= shape.y <= height - 10
    longest = max((s for s in sheet() if isinstance(s, Block)), key=lambda block: block.w)
    assert longest.w == RULE_MM


@pytest.mark.parametrize("sheet", [marker_sheet, lens_sheet])
def test_the_pdf_is_one_page_of_the_paper_with_all_words_and_asks_not_to_be_scaled(
    sheet: Callable[[], list[Shape]],
) -> None:
    for paper in PAPERS.values():
        data = pdf(paper, sheet(), TITLE)
        assert data == pdf(paper, sheet(), TITLE)
        assert b"/PrintScaling /None" in data
        with closing(PdfDocument(data)) as document:
            page = document[0]
            assert page.get_size() == pytest.approx([side * 72 / 25.4 for side in paper])
            text = page.get_textpage().get_text_bounded()
        assert all(shape.text in text for shape in sheet() if isinstance(shape, SheetText))


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("markers.pdf", "markers.SVG"):
        assert main(["markers", str(tmp_path / name), "--paper", "letter"]) == 0
        assert "100 mm" in capsys.readouterr().out
    assert (tmp_path / "markers.pdf").read_bytes().startswith(b"%PDF-1.")
    assert b"215.9mm" in (tmp_path / "markers.SVG").read_bytes()


def test_the_command_writes_the_lens_sheet(tmp_path: Path) -> None:
    file = tmp_path / "lens.pdf"
    assert main(["markers", str(file), "--sheet", "lens"]) == 0
    assert find_sheet(rendered(file.read_bytes())) is not None


def test_mistakes_are_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["markers", str(tmp_path / "markers.png")]) == 2
    assert main(["markers", str(tmp_path / "nowhere" / "markers.pdf")]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert ".pdf or .svg" in lines[0]
    assert "No such file" in lines[1]


def test_a_marker_on_the_page_is_the_marker_that_is_looked_for() -> None:
    page = drawn(blocks_of_svg(svg(PAPERS["a4"], marker_sheet(), TITLE)), PAPERS["a4"])
    turned = np.asarray(cv2.rotate(page, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    assert sorted(find_markers(turned)) == [0, 1, 2, 3]
