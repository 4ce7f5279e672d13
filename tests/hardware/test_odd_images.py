"""Whatever an image file says, reading it stays within 300 MB and 10 s; a refusal is one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.hardware.odd_images import NAMES, QUICK, make
from tests.hardware.reading_cost import costs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_MB, MOST_S = 300, 10
READ = {
    *("png_12000", "png_12000_of_64_bits", "png_12000_grey", "png_interlaced", "png_extreme_aspect"),
    *("png_many_frames", "jpeg_12000", "jpeg_progressive", "jpeg_progressive_fully_coloured", "jpeg_cmyk"),
    *("jpeg_many_segments", "jpeg_long_comments", "jpeg_profile_monster", "jpeg_restarts", "gif_12000"),
    *("gif_many_frames", "gif_long_comment", "tiff_of_rows", "tiff_grey_12000", "tiff_fax", "tiff_ifd_loop"),
    *("tiff_many_pages", "tiff_12_bits", "tiff_planes", "bmp_12000_packed", "bmp_large", "pnm_deep"),
    *("pnm_written", "webp_whole", "webp_many_frames", "jp2_12000", "avif_large", "avif_many_frames"),
    *("heic_large", "png_long_text", "tiff_sub_ifd_loop"),
}
"""Odd or large, but photographs."""
REFUSED = {
    *("png_60000", "png_zero", "jpeg_progressive_12000", "jpeg_200000_scans", "gif_65535", "webp_12000"),
    *("tiff_one_strip_grey", "tiff_one_strip_deep", "avif_lying_small", "heic_too_large", "heic_lying_small"),
    *("sparse", "fifo", "folder", "socket", "loop", "nowhere", "zeros", "memory", "text", "drawing"),
}
"""Of the others it does not matter what comes of them."""


def check(folder: Path, names: Sequence[str], *, alone: bool) -> None:
    for cost in costs([make(folder, name) for name in names], alone=alone):
        assert cost.peak_mb < MOST_MB, cost
        assert cost.processor_s < MOST_S, cost
        assert "\n" not in cost.said
        assert cost.said.isprintable()
        if cost.name in READ:
            assert " at 1:" in cost.said, cost
        if cost.name in REFUSED:
            assert " at 1:" not in cost.said, cost
            assert "its decoder fails" not in cost.said, cost


def test_a_few_that_are_made_in_no_time(tmp_path: Path) -> None:
    assert set(QUICK) <= set(NAMES)
    check(tmp_path, QUICK, alone=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    assert set(NAMES) >= READ | REFUSED
    check(tmp_path, [name], alone=True)
    for path in tmp_path.iterdir():
        if path.is_file() and not path.is_symlink():
            path.unlink()
