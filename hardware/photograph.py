"""A photograph in a file as a frame: upright, eight bits, three channels, reduced if it is very large."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any

import cv2
import imagesize
import numpy as np

from hardware.jpeg import coefficient_bytes
from hardware.overheard import overheard

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Pixels

LEAST_PX = 32
MOST_PX = 12_000
"""Sides that are read; anything else is refused by what its header says, before it is decoded."""
WORK_PX = 2400
"""Photographs with a longer side are decoded at a half, a quarter or an eighth."""
MOST_BYTES = 200_000_000
"""Of a file, with what must be held beside it to decode it; so that 300 MB are enough for all."""
MOST_WHOLE_BYTES = 225_000_000
WHOLE = (
    ("WebP", re.compile(rb"RIFF....WEBP", re.DOTALL), 4),
    ("GIF", re.compile(rb"GIF8"), 10),
    ("JPEG 2000", re.compile(rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51"), 16),
    ("AVIF", re.compile(rb"....ftyp", re.DOTALL), 18),
)
"""Kinds that are decoded whole, how they begin, and how many bytes a pixel takes then, as measured."""
TWELVE_BITS = 1 << 12
"""Cameras and scanners write twelve bits into sixteen; a picture of no larger values is one of theirs."""
DAMAGE = re.compile(
    r"Corrupt JPEG data: (?!\d{1,2} extraneous bytes before marker 0xd9)|TIFF_Error|libpng error"
)
"""What decoders say of damage and decode on; a few spare bytes before a JPEG's end are a habit of cameras."""
ENDINGS = {
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".jp2", ".avif"),
    *(".pbm", ".pgm", ".ppm", ".pnm", ".heic", ".heif"),
}
"""How the names of photographs end, small letters; HEIC too, so that it is refused in words."""
HEIC_BRANDS = {
    *(b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"heif"),
    *(b"mif1", b"mif2", b"msf1", b"avci", b"avcs"),
}
AVIF_BRANDS = {b"avif", b"avis"}
"""What such a file says it is; some call themselves by the name of the box that HEIC and AVIF share."""

REMEDY = "copy it again from where it came, or save it as JPEG or PNG"


class PhotographError(Exception):
    """The file cannot be read as a photograph; the text says why and what helps."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """Pixels of a file.

    Attributes:
        pixels: uint8, H×W×3, BGR, upright.
        scale: pixels of the file for one of these (1, 2, 4 or 8).
    """

    pixels: Pixels
    scale: int


def load_photograph(path: Path) -> Photograph:
    """Decodes a photograph (JPEG, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000, AVIF).

    Raises:
        PhotographError: missing, empty, cut short, no picture, too small or too large.
    """
    data = file_bytes(path)
    if is_heic(data):
        raise PhotographError(
            "HEIC is not read here: save it as JPEG (in the phone's settings: most compatible)"
        )
    if reason := cut_short(data):
        raise PhotographError(reason)
    width, height = size_px(data)
    if min(width, height) < LEAST_PX:
        raise PhotographError(f"{width}×{height} pixels are too few: at least {LEAST_PX} on each side")
    if max(width, height) > MOST_PX:
        raise PhotographError(f"{width}×{height} pixels are too many: at most {MOST_PX} on each side")
    too_many = f"{width}×{height} pixels are too many"
    if len(data) + coefficient_bytes(data) > MOST_BYTES:
        raise PhotographError(f"{too_many} in a progressive JPEG: save it smaller, or not progressive")
    for kind, begins, held in WHOLE:
        if begins.match(data) and len(data) + held * width * height > MOST_WHOLE_BYTES:
            raise PhotographError(f"{too_many} in this kind of file ({kind}): save it smaller, or as JPEG")
    return decoded(data, width, height)


def file_bytes(path: Path) -> bytes:
    """The file's content; PhotographError if there is none."""
    try:
        found = path.stat()
        if S_ISDIR(found.st_mode):
            raise PhotographError("it is a folder: name the photographs in it")
        if not S_ISREG(found.st_mode):
            raise PhotographError("it is a device or a pipe: save the photograph in a file")
        if found.st_size > MOST_BYTES:
            raise PhotographError(f"the file is larger than {MOST_BYTES // 1_000_000} MB: save it smaller")
        data = path.read_bytes()
    except FileNotFoundError:
        raise PhotographError("there is no such file") from None
    except OSError as error:
        raise PhotographError(f"it cannot be opened: {error.strerror}") from None
    if not data:
        raise PhotographError("the file is empty")
    return data


def is_heic(data: bytes) -> bool:
    """Whether the file is of a kind that phones write and that is not decoded here; AVIF is."""
    if data[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(data[:4]), 256)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, end, 4))}
    return not brands & AVIF_BRANDS and bool(brands & HEIC_BRANDS)


def cut_short(data: bytes) -> str | None:
    """Why the file is not whole, for the two formats whose decoders would fill the rest with grey."""
    message = "the file is cut short: copy it again from where it came"
    if data.startswith(b"\xff\xd8"):
        scan = data.find(b"\xff\xda")  # the end mark of a small preview comes before the picture's own data
        return None if scan >= 0 and data.find(b"\xff\xd9", scan) >= 0 else message
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return None if b"IEND" in data[-64:] else message
    return None


def size_px(data: bytes) -> tuple[int, int]:
    """Width and height as the header has them."""
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = np.frombuffer(data, "<i4", count=2, offset=18)
        return int(width), abs(int(height))
    try:
        width, height = imagesize.get(io.BytesIO(data))
    except (ValueError, OSError) as error:
        raise PhotographError(f"its header makes no sense ({error}): {REMEDY}") from None
    if width <= 0 or height <= 0:
        raise PhotographError("it is no picture of a kind that is read here: save it as JPEG or PNG")
    return int(width), int(height)


def decoded(data: bytes, width: int, height: int) -> Photograph:
    """The pixels; large ones reduced while they are decoded, so that memory stays bounded."""
    scale = next(s for s in (1, 2, 4, 8) if max(width, height) <= WORK_PX * s or s == 8)
    jpeg = data.startswith(b"\xff\xd8")
    # Only JPEG decodes straight to a reduced size; the others would need the whole picture in colour first.
    colour = {
        1: cv2.IMREAD_COLOR,
        2: cv2.IMREAD_REDUCED_COLOR_2,
        4: cv2.IMREAD_REDUCED_COLOR_4,
        8: cv2.IMREAD_REDUCED_COLOR_8,
    }
    grey = {
        2: cv2.IMREAD_REDUCED_GRAYSCALE_2,
        4: cv2.IMREAD_REDUCED_GRAYSCALE_4,
        8: cv2.IMREAD_REDUCED_GRAYSCALE_8,
    }
    flag = colour[scale] if jpeg or scale == 1 else grey[scale]
    image = None
    if not jpeg and len(data) + 2 * width * height <= MOST_BYTES:
        image = eight_bits(pixels(data, flag | cv2.IMREAD_ANYDEPTH))
    if image is None:
        image = pixels(data, flag)
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return Photograph(np.ascontiguousarray(image, np.uint8), scale)


def pixels(data: bytes, flag: int) -> Any:
    """What OpenCV decodes; PhotographError if that is nothing, or its decoder complains of damage."""
    with overheard() as words:
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
        except cv2.error as error:
            raise PhotographError(f"it cannot be decoded ({error.err}): {REMEDY}") from None
    if image is None:
        raise PhotographError(f"it is damaged or of a kind that is not read here: {REMEDY}")
    if DAMAGE.search(words.text):
        raise PhotographError(f"it is damaged: {REMEDY}")
    return image


def eight_bits(image: Any) -> Any:
    """The upper eight of the bits that it has, 8, 12 or 16; None if it has others."""
    if image.dtype == np.uint16:
        return (image >> (4 if image.max() < TWELVE_BITS else 8)).astype(np.uint8)
    return image if image.dtype == np.uint8 else None
