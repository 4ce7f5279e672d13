"""The modes of a camera, as the kernel's V4L2 lists them."""

import errno
import os
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

CAPTURE: Final = 1  # V4L2_BUF_TYPE_VIDEO_CAPTURE
ENUM_FORMATS: Final = 0xC0405602  # from linux/videodev2.h: VIDIOC_ENUM_FMT
ENUM_SIZES: Final = 0xC02C564A  # VIDIOC_ENUM_FRAMESIZES
ENUM_INTERVALS: Final = 0xC034564B  # VIDIOC_ENUM_FRAMEINTERVALS
FORMAT: Final = struct.Struct("=III32s4sI12x")
SIZE: Final = struct.Struct("=I4sIIII20x")
INTERVAL: Final = struct.Struct("=I4sIIIII24x")
DISCRETE: Final = 1
MOST_LISTED: Final = 200
"""The most entries of one list; a driver that never ends its list is cut off there."""

Ask = Callable[[int, bytes], bytes]
"""Asks the device: a request and its argument; the answer. Raises OSError at the end of a list."""


class Mode(NamedTuple):
    """A size of picture in pixels, the rates in frames per second, and the four letters of its format."""

    width: int
    height: int
    rates: tuple[float, ...]
    coding: str

    def __str__(self) -> str:
        rates = ", ".join(f"{rate:g}" for rate in self.rates)
        return f"{self.width} × {self.height} {self.coding}" + (f", {rates} frames/s" if rates else "")


def modes_of(path: Path) -> list[Mode]:
    """The modes of the camera at the path; none if it does not say, or cannot be opened."""
    try:
        import fcntl

        device = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except (ImportError, OSError):
        return []
    try:
        return list(modes(lambda request, argument: fcntl.ioctl(device, request, argument)))
    except OSError:
        return []
    finally:
        os.close(device)


def modes(ask: Ask) -> Iterator[Mode]:
    """All modes with a size of their own; a camera that scales freely lists none."""
    for answer in listed(ask, ENUM_FORMATS, lambda index: FORMAT.pack(index, CAPTURE, 0, b"", b"", 0)):
        coding: bytes = FORMAT.unpack(answer)[4]
        for size in listed(ask, ENUM_SIZES, partial(asked_size, coding)):
            _, _, kind, width, height, _ = SIZE.unpack(size)
            if kind == DISCRETE:
                letters = coding.decode("ascii", "replace").strip()
                yield Mode(width, height, tuple(rates(ask, coding, width, height)), letters)


def asked_size(coding: bytes, index: int) -> bytes:
    return SIZE.pack(index, coding, 0, 0, 0, 0)


def rates(ask: Ask, coding: bytes, width: int, height: int) -> Iterator[float]:
    """The frame rates of a size, in the order of the driver."""
    for answer in listed(
        ask, ENUM_INTERVALS, lambda index: INTERVAL.pack(index, coding, width, height, 0, 0, 0)
    ):
        *_, kind, numerator, denominator = INTERVAL.unpack(answer)
        if kind == DISCRETE and numerator:
            yield round(denominator / numerator, 2)


def listed(ask: Ask, request: int, argument: Callable[[int], bytes]) -> Iterator[bytes]:
    """The answers to a request for the first entry of a list, the second, and so on."""
    for index in range(MOST_LISTED):
        try:
            yield ask(request, argument(index))
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOTTY, errno.ENODATA):
                return
            raise
