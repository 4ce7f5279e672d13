"""Format, size and memory that an image file's header announces, and whether they are acceptable.

Runs only in the decoding process (worker.py): even reading a header is not safe.
"""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Final

from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    PpmImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
)

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

LEAST_PX: Final = 32
MOST_PX: Final = 12_000
"""Allowed side lengths; other files are rejected by their header, before decoding."""
MOST_FILE_BYTES: Final = 200_000_000
MOST_BYTES: Final = 158_000_000
"""Memory for decoding, beyond the 55 MB of the decoding process itself. A caller that has loaded the nets
takes 110 MB, of which 25 MB are shared libraries: 298 MB in all. The largest PNG needs 147 MB."""
SPARE_BYTES: Final = 4_000_000
"""The part of it that decoders need for a small image."""
BYTES_A_PIXEL: Final = {"WEBP": 8.1, "AVIF": 9.1, "HEIC": 4.7}
"""Memory for decoding in bytes per pixel, measured by benchmarks/images.py; formats not listed here take one
byte per pixel while they are reduced."""
JPEG_2000_BYTES: Final = 0.3
JPEG_2000_REDUCED_BYTES: Final = 16
"""Bytes per pixel of the file, and per pixel after the reduction, which this decoder does itself."""
COEFFICIENT_BYTES: Final = 2
"""libjpeg holds all coefficients of a progressive JPEG; there are as many as samples, in 8×8 blocks."""
PLUGINS: Final = (
    *(AvifImagePlugin, BmpImagePlugin, GifImagePlugin, Jpeg2KImagePlugin, JpegImagePlugin),
    *(PngImagePlugin, PpmImagePlugin, TiffImagePlugin),
)
"""Imported before the limits are set."""
FORMATS: Final = ("JPEG", "PNG", "TIFF", "BMP", "PPM", "GIF", "JPEG2000", "AVIF")
HEIC_BRANDS: Final = {
    *(b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"heif"),
    *(b"mif1", b"mif2", b"msf1"),
}
AVIF_BRANDS: Final = {b"avif", b"avis"}
"""The brands in the first box of a HEIC or AVIF file; some files of both name only the container, `mif1`."""
REMEDY: Final = "copy it again from where it came, or save it as JPEG or PNG"
CUT_SHORT: Final = "the file is cut short: copy it again from where it came"
TOO_MUCH: Final = "it takes more than 300 MB to decode: save it smaller, or as a plain JPEG"


class ImageFileError(Exception):
    """The file cannot be read as an image; the text says why and what to do."""


def opened(path: bytes) -> int:
    """A descriptor of a regular file that is not empty and not too large. Raises ImageFileError otherwise."""
    try:
        check_regular(Path(os.fsdecode(path)).stat())  # opening a device may have side effects
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        found = os.fstat(file)
        check_regular(found)
    except FileNotFoundError:
        raise ImageFileError("there is no such file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ImageFileError(f"it cannot be opened: {why}") from None
    if not found.st_size:
        raise ImageFileError("the file is empty")
    if found.st_size > MOST_FILE_BYTES:
        raise ImageFileError(f"the file is larger than {MOST_FILE_BYTES // 1_000_000} MB: save it smaller")
    return file


def in_one_line(words: object) -> str:
    """A library's message, in a form that fits into a sentence."""
    return " ".join("".join(each if each.isprintable() else " " for each in str(words)[:200]).split())


def check_regular(found: os.stat_result) -> None:
    """Raises ImageFileError for devices, pipes and folders."""
    if S_ISDIR(found.st_mode):
        raise ImageFileError("it is a folder: name the photographs in it")
    if not S_ISREG(found.st_mode):
        raise ImageFileError("it is a device or a pipe: save the photograph in a file")


def path_of(file: int) -> str:
    """A name for an open file, for libraries that open files themselves."""
    return f"/proc/self/fd/{file}"


def is_heic(file: int) -> bool:
    """Whether the file is HEIC, as phones write it; AVIF uses the same container but is not."""
    head = os.pread(file, 256, 0)
    if head[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(head[:4]), len(head))
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, end, 4))}
    return not brands & AVIF_BRANDS and bool(brands & HEIC_BRANDS)


def webp_size(file: int) -> tuple[int, int] | None:
    """Width and height of a WebP; None if it is not one. Pillow would need eight bytes per pixel for this.

    Source: the WebP container specification and RFC 6386, section 9.1.
    """
    head = os.pread(file, 30, 0)
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            sides = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
            return sides[0] & 0x3FFF, sides[1] & 0x3FFF


def image_of(file: int) -> ImageFile:
    """The image as Pillow opens it from the header. Raises ImageFileError if it is not an image."""
    try:
        return Image.open(path_of(file), formats=FORMATS)
    except MemoryError:
        raise ImageFileError(TOO_MUCH) from None
    except UnidentifiedImageError:
        if os.pread(file, 8, 0).startswith((b"\xff\xd8", b"\x89PNG\r\n\x1a\n")):
            raise ImageFileError(f"it is cut short or damaged: {REMEDY}") from None
        raise ImageFileError("it is no picture of a kind that is read here: save it as JPEG or PNG") from None
    except Exception as error:  # noqa: BLE001 - Pillow's parsers raise much else on files that are none
        if "truncated" in str(error).lower():
            raise ImageFileError(CUT_SHORT) from None
        raise ImageFileError(f"its header makes no sense ({in_one_line(error)}): {REMEDY}") from None


def scale_of(width: int, height: int, work_px: int) -> int:
    """The smallest of 1, 2, 4 and 8 at which no side is longer than `work_px`; 8 if there is none.

    Raises:
        ImageFileError: too few pixels or too many.
    """
    if min(width, height) < LEAST_PX:
        raise ImageFileError(f"{width}×{height} pixels are too few: at least {LEAST_PX} on each side")
    if max(width, height) > MOST_PX:
        raise ImageFileError(f"{width}×{height} pixels are too many: at most {MOST_PX} on each side")
    return next(scale for scale in (1, 2, 4, 8) if max(width, height) <= work_px * scale or scale == 8)


def check_memory(width: int, height: int, kind: str, needed: float) -> None:
    """Raises ImageFileError if decoding needs more bytes than there are."""
    if needed + SPARE_BYTES > MOST_BYTES:
        better = "not progressive" if kind == PROGRESSIVE else "as JPEG"
        raise ImageFileError(
            f"{width}×{height} pixels are too many in this kind of file ({kind}): "
            f"save it smaller, or {better}"
        )


PROGRESSIVE: Final = "progressive JPEG"


def kind_of(image: ImageFile) -> str:
    """The format's common name."""
    named = {"MPO": "JPEG", "JPEG2000": "JPEG 2000", "PPM": "PNM"}
    kind = named.get(image.format or "", image.format or "")
    return PROGRESSIVE if kind == "JPEG" and "progressive" in image.info else kind


def needed_bytes(image: ImageFile, scale: int) -> float:
    """The most memory that decoding at this scale needs, if the header is truthful."""
    width, height = image.size
    area = width * height
    kind = kind_of(image)
    if kind == PROGRESSIVE:
        whole: float = COEFFICIENT_BYTES * samples(image)
    elif kind == "JPEG":
        whole = 0
    elif kind == "JPEG 2000":
        whole = JPEG_2000_BYTES * area + JPEG_2000_REDUCED_BYTES * area / scale**2
    elif kind == "TIFF":
        whole = tiff_bytes(image)
    else:
        whole = area * BYTES_A_PIXEL.get(image.format or "", 1)
    return float(whole + 3 * area / scale**2)


def samples(image: ImageFile) -> int:
    """The number of samples of all components of a JPEG, in whole blocks."""
    sampled = [(across, down) for _, across, down, _ in getattr(image, "layer", [])]
    width, height = image.size
    most = [max((each[i] for each in sampled), default=1) or 1 for i in (0, 1)]
    blocks = [-(-side // (8 * factor)) for side, factor in zip((width, height), most, strict=True)]
    return sum(64 * blocks[0] * blocks[1] * across * down for across, down in sampled)


def tiff_bytes(image: ImageFile) -> float:
    """An image as Pillow holds it, plus one of its strips or tiles."""
    width, height = image.size
    tags = getattr(image, "tag_v2", {})
    rows = min(height, tags.get(TiffImagePlugin.ROWSPERSTRIP, height))
    strip = width * rows
    if TiffImagePlugin.TILEWIDTH in tags:
        strip = tags[TiffImagePlugin.TILEWIDTH] * tags.get(TiffImagePlugin.TILELENGTH, 1)
    bits = tags.get(TiffImagePlugin.BITSPERSAMPLE, (1,))
    depth = sum(bits) / 8 * (tags.get(TiffImagePlugin.SAMPLESPERPIXEL, 1) if len(bits) == 1 else 1)
    packed = tags.get(TiffImagePlugin.COMPRESSION, 1) != 1
    held = 1 if image.mode in ("1", "L", "P") else 4
    return float(held * width * height + (strip * depth if packed else 0))
