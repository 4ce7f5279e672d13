"""Files for tests of the cameras: photographs, and things that only look like them."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Pixels

CORNERS = ((0, 0, 255), (0, 255, 0), (255, 0, 0), (255, 255, 255))
"""Red, green, blue and white: the upper left, upper right, lower left and lower right quarter, BGR."""


def quarters(width: int = 96, height: int = 64) -> Pixels:
    """A picture that shows which way up it is."""
    picture = np.zeros((height, width, 3), np.uint8)
    for number, colour in enumerate(CORNERS):
        y, x = divmod(number, 2)
        picture[y * height // 2 : (y + 1) * height // 2, x * width // 2 : (x + 1) * width // 2] = colour
    return picture


def write(
    path: Path, picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8 | np.uint16]], *flags: int
) -> Path:
    """The picture in a file of the format that its name tells."""
    done, data = cv2.imencode(path.suffix, picture, flags)
    assert done
    path.write_bytes(data.tobytes())
    return path


def chunk(name: bytes, data: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, depth: int, colour: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG out of its chunks, between header and end."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    middle = b"".join(chunk(name, data) for name, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + middle + chunk(b"IEND", b"")


def exif_turned(jpeg: bytes, orientation: int) -> bytes:
    """The JPEG with the note of how the camera was held."""
    note = b"II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + note
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def jpeg_header(width: int, height: int) -> bytes:
    """All of a JPEG but its picture."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    return (
        b"\xff\xd8\xff\xc0"
        + struct.pack(">H", len(frame) + 2)
        + frame
        + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"
        + b"\0" * 16
        + b"\xff\xd9"
    )


def bmp_header(width: int, height: int) -> bytes:
    """All of a BMP but its picture."""
    return b"BM" + struct.pack("<IIIIiiHHIIiiII", 54, 0, 54, 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
