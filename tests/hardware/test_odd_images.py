"""Whatever an image file says, it is read or refused in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hardware.photograph import PhotographError, load_photograph
from tests.hardware.odd_images import NAMES, QUICK, make

if TYPE_CHECKING:
    from pathlib import Path

READ = {
    *("png_10000", "png_10000_of_64_bits", "png_10000_grey", "png_interlaced", "png_extreme_aspect"),
    *("png_many_frames", "jpeg_10000", "jpeg_progressive", "jpeg_progressive_fully_coloured", "jpeg_cmyk"),
    *("jpeg_many_segments", "jpeg_long_comments", "jpeg_profile_monster", "jpeg_restarts", "gif_10000"),
    *("gif_many_frames", "gif_long_comment", "tiff_of_rows", "tiff_grey_10000", "tiff_fax", "tiff_ifd_loop"),
    *("tiff_many_pages", "tiff_12_bits", "tiff_planes", "bmp_10000_packed", "bmp_large", "pnm_deep"),
    *("pnm_written", "webp_whole", "webp_many_frames", "jp2_10000", "avif_large", "avif_many_frames"),
    *("heic_large", "heic_48_megapixels", "png_long_text", "tiff_sub_ifd_loop", "tiff_no_rows"),
    *("png_10000_of_one_bit", "png_beyond_palette", "png_empty_chunks", "png_exif_loop", "png_lying_frames"),
    *("png_lying_small", "png_many_chunks", "jpeg_arithmetic", "jpeg_exif_monster", "pnm_many_comments"),
    *("jpeg_many_pictures_lying", "jpeg_turned_nowhere"),
}
"""Odd or large, but photographs."""
REFUSED = {
    *("png_60000", "png_zero", "jpeg_progressive_12000", "gif_65535", "webp_12000"),
    *("tiff_one_strip_grey", "tiff_one_strip_deep", "heic_lying_small", "heic_torn"),
    *("sparse", "fifo", "folder", "socket", "loop", "nowhere", "zeros", "memory", "text", "drawing"),
}


def check(folder: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    path, said = make(folder, name), ""
    try:
        load_photograph(path)
    except PhotographError as error:
        said = str(error)
    assert said.isprintable()
    assert bool(said) == (name in REFUSED)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", QUICK)
def test_a_few_that_are_made_in_no_time(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    check(tmp_path, name, capfd)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert set(NAMES) == READ | REFUSED
    check(tmp_path, name, capfd)
    for path in tmp_path.iterdir():
        if path.is_file() and not path.is_symlink():
            path.unlink()
