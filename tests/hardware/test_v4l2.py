"""The modes of a camera, from the kernel's lists."""

from __future__ import annotations

import errno
from pathlib import Path

from hardware.v4l2 import (
    ENUM_FORMATS,
    ENUM_INTERVALS,
    ENUM_SIZES,
    FORMAT,
    INTERVAL,
    SIZE,
    Mode,
    modes,
    modes_of,
)

SIZES = {b"MJPG": [(1920, 1080), (1280, 720)], b"YUYV": [(640, 480)]}
RATES = {b"MJPG": [(1, 30), (1001, 30000)], b"YUYV": [(1, 15)]}


def webcam(request: int, argument: bytes) -> bytes:
    """What a webcam answers; an entry beyond the end of a list is EINVAL."""
    try:
        if request == ENUM_FORMATS:
            at, kind, *_ = FORMAT.unpack(argument)
            return FORMAT.pack(at, kind, 0, b"a name", list(SIZES)[at], 0)
        if request == ENUM_SIZES:
            at, coding, *_ = SIZE.unpack(argument)
            return SIZE.pack(at, coding, 1, *SIZES[coding][at], 0)
        assert request == ENUM_INTERVALS
        at, coding, width, height, *_ = INTERVAL.unpack(argument)
        return INTERVAL.pack(at, coding, width, height, 1, *RATES[coding][at])
    except IndexError:
        raise OSError(errno.EINVAL, "no more") from None


def test_modes_are_sizes_with_their_rates() -> None:
    assert list(modes(webcam)) == [
        Mode(1920, 1080, (30.0, 29.97), "MJPG"),
        Mode(1280, 720, (30.0, 29.97), "MJPG"),
        Mode(640, 480, (15.0,), "YUYV"),
    ]
    assert str(Mode(1280, 720, (30.0, 29.97), "MJPG")) == "1280 × 720 MJPG, 30, 29.97 frames/s"


def test_the_structures_have_the_sizes_that_the_kernel_expects() -> None:
    sizes = {ENUM_FORMATS: FORMAT.size, ENUM_SIZES: SIZE.size, ENUM_INTERVALS: INTERVAL.size}
    assert {request: request >> 16 & 0x3FFF for request in sizes} == sizes


def test_a_file_that_is_no_camera_has_no_modes(tmp_path: Path) -> None:
    (tmp_path / "video0").touch()
    assert modes_of(tmp_path / "video0") == []
    assert modes_of(tmp_path / "video9") == []
