"""What is told of a JPEG by its header: the coefficients that its decoder must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import pytest

from hardware.jpeg import coefficient_bytes
from tests.hardware.files import exif_turned, jpeg_header, quarters, write

if TYPE_CHECKING:
    from pathlib import Path

FULL = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
HALVED = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420


@pytest.mark.parametrize(("sampling", "per_pixel"), [(FULL, 6), (HALVED, 3)])
def test_a_progressive_one_holds_all(tmp_path: Path, sampling: int, per_pixel: int) -> None:
    options = (cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling)
    data = write(tmp_path / "photo.jpg", quarters(), *options).read_bytes()
    assert coefficient_bytes(data) == coefficient_bytes(exif_turned(data, 6)) == per_pixel * 96 * 64


def test_a_plain_one_holds_none(tmp_path: Path) -> None:
    assert coefficient_bytes(write(tmp_path / "photo.jpg", quarters()).read_bytes()) == 0


def test_a_plain_one_in_several_scans_holds_all() -> None:
    data = jpeg_header(96, 64)
    one = data.index(b"\xff\xc0") + 9
    assert data[one] == 1
    three = data[:one] + b"\x03" + b"\x01\x11\x00\x02\x11\x00\x03\x11\x00" + data[one + 4 :]
    three = three.replace(b"\xff\xc0\x00\x0b", b"\xff\xc0\x00\x11")
    assert coefficient_bytes(three) == 6 * 96 * 64


@pytest.mark.parametrize("end", range(1, 40, 3))
def test_a_header_cut_anywhere_is_no_error(end: int) -> None:
    data = jpeg_header(96, 64).replace(b"\xff\xc0", b"\xff\xc2", 1)[:end]
    assert coefficient_bytes(data) >= 0
    assert coefficient_bytes(data + b"\xff\xc2\xff\xda\0\0\0\0\0\0" * 3) >= 0
