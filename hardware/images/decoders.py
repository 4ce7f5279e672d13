"""Decodes image files. Runs only in the decoding process (worker.py), whose limits hold for every file.

Each format goes to the library that needs less memory. OpenCV decodes JPEG, because Pillow hides damage.
"""

from __future__ import annotations

import os
import re
import warnings
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
import pi_heif
from PIL import AvifImagePlugin, Image

from hardware.images.header import (
    BYTES_A_PIXEL,
    CUT_SHORT,
    MOST_BYTES,
    REMEDY,
    SPARE_BYTES,
    TOO_MUCH,
    ImageFileError,
    check_memory,
    image_of,
    in_one_line,
    is_heic,
    kind_of,
    needed_bytes,
    opened,
    path_of,
    scale_of,
    webp_size,
)

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

    from hardware.ports import Pixels

BY_PILLOW: Final = {"GIF", "JPEG2000", "AVIF"}
EIGHT_BITS: Final = {"1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX"}
"""TIFF modes that Pillow reads; it would drop the lower bits of deeper ones, so OpenCV decodes those."""
STRIP_PX: Final = 32
"""Rows that are reduced at a time; a multiple of every scale."""
TWELVE_BITS: Final = 1 << 12
"""Cameras and scanners store twelve bits in sixteen; an image whose values are no larger is taken for one."""
DARK: Final = 32
"""A JPEG 2000 whose values are no larger may be twelve-bit too. Pillow keeps only the upper eight of sixteen
bits, so OpenCV, which needs more memory for this format, decides."""
COLOUR: Final = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
GREY: Final = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_GRAYSCALE_2,
    4: cv2.IMREAD_REDUCED_GRAYSCALE_4,
    8: cv2.IMREAD_REDUCED_GRAYSCALE_8,
}
"""Only JPEG decodes directly to a reduced size; other formats would need the whole image in colour first."""
ORIENTATION: Final = 0x0112
DAMAGE: Final = re.compile(
    r"Corrupt JPEG data: (?!\d{1,2} extraneous bytes before marker 0xd9)|TIFF_Error|libpng error"
)
"""Warnings of decoders about harmless damage; cameras commonly leave a few spare bytes before the end of a
JPEG."""
NO_MEMORY: Final = re.compile(r"memory|bad_alloc|failed to allocate|no space for", re.IGNORECASE)
STANDARD_ERROR: Final = 2
MOST_WORDS: Final = 1 << 16

Image.MAX_IMAGE_PIXELS = None  # the process has its own limits
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
pi_heif.options.DECODE_THREADS = 1
pi_heif.options.THUMBNAILS = pi_heif.options.DEPTH_IMAGES = pi_heif.options.AUX_IMAGES = False
cv2.setNumThreads(1)
warnings.simplefilter("ignore")


def decode(path: bytes, work_px: int) -> tuple[Pixels, int]:
    """Decodes a file to uint8 H×W×3 BGR, upright; also returns the scale, pixels of the file per pixel.

    Raises:
        ImageFileError: missing, empty, truncated, not an image, too small or too large to be decoded.
    """
    overheard()
    file = opened(path)
    try:
        image, scale = by_heif(file, work_px) if is_heic(file) else by_kind(file, work_px)
    except ImageFileError:
        raise
    except Exception as error:  # noqa: BLE001 - decoders raise anything on damaged files
        raise ImageFileError(reason(error)) from None
    finally:
        os.close(file)
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return np.ascontiguousarray(image, np.uint8), scale


def reason(error: Exception) -> str:
    """Why a decoder failed, from what it raised and wrote."""
    words = f"{error} {overheard()}"
    if isinstance(error, MemoryError) or NO_MEMORY.search(words):
        return TOO_MUCH
    if "truncated" in words.lower():
        return CUT_SHORT
    return f"it is damaged ({in_one_line(error)}): {REMEDY}"


def by_kind(file: int, work_px: int) -> tuple[Any, int]:
    """Pixels and scale of any format except HEIC."""
    if webp := webp_size(file):
        width, height = webp
        scale = scale_of(width, height, work_px)
        check_memory(width, height, "WebP", BYTES_A_PIXEL["WEBP"] * width * height)
        return not_jpeg(file, width * height, scale), scale
    with image_of(file) as image:
        width, height = image.size
        scale = scale_of(width, height, work_px)
        check_memory(width, height, kind_of(image), needed_bytes(image, scale))
        if image.format in BY_PILLOW or (image.format == "TIFF" and is_plain_tiff(image)):
            return by_pillow(file, image, scale), scale
        return by_opencv(file, image, scale), scale


def is_plain_tiff(image: ImageFile) -> bool:
    """Whether its samples have at most eight bits."""
    return image.mode in EIGHT_BITS and max(getattr(image, "tag_v2", {}).get(258, (1,))) <= 8


def by_opencv(file: int, image: ImageFile, scale: int) -> Any:
    """The image decoded by OpenCV. Raises ImageFileError if it fails or warns about damage."""
    if image.format == "PNG" and b"IEND" not in os.pread(file, 64, max(0, os.fstat(file).st_size - 64)):
        raise ImageFileError(CUT_SHORT)
    width, height = image.size
    if kind_of(image).endswith("JPEG"):
        return read(file, COLOUR[scale], width * height)
    return not_jpeg(file, width * height, scale)


def not_jpeg(file: int, area: int, scale: int) -> Any:
    """Keeps sixteen bits if there is enough memory."""
    if scale == 1 or 2 * area + SPARE_BYTES <= MOST_BYTES:
        pixels = eight_bits(read(file, GREY[scale] | cv2.IMREAD_ANYDEPTH, area))
        if pixels is not None:
            return pixels
    return read(file, GREY[scale], area)


def read(file: int, flag: int, area: int) -> Any:
    """Decodes a file with OpenCV; its header says that it has `area` pixels."""
    pixels = cv2.imread(path_of(file), flag)
    words = overheard()
    if "Premature end of JPEG file" in words:
        raise ImageFileError(CUT_SHORT)
    if DAMAGE.search(words):
        raise ImageFileError(f"it is damaged: {REMEDY}")
    if pixels is None:
        if NO_MEMORY.search(words):
            raise MemoryError
        if area * 6 > MOST_BYTES:
            raise ImageFileError(f"it is damaged, or {TOO_MUCH}")
        raise ImageFileError(f"it is damaged or of a kind that is not read here: {REMEDY}")
    return pixels


def eight_bits(image: Any) -> Any:
    """The upper eight bits of 8, 12 or 16-bit samples; None for other depths."""
    if image.dtype == np.uint16:
        return (image >> (4 if image.max() < TWELVE_BITS else 8)).astype(np.uint8)
    return image if image.dtype == np.uint8 else None


def by_pillow(file: int, image: ImageFile, scale: int) -> Any:
    """The image decoded by Pillow, reduced strip by strip."""
    orientation = image.getexif().get(ORIENTATION, 1)
    loaded, left = image, scale
    if image.format == "JPEG2000" and scale > 1:
        loaded, left = reduced_jpeg_2000(file, scale)
    else:
        image.load()
    small = reduced(loaded, left)
    if image.format == "JPEG2000" and small.max() <= DARK:
        return by_opencv(file, image, scale)
    return small if image.format == "TIFF" else upright(small, orientation)  # Pillow rotates TIFF by itself


def reduced_jpeg_2000(file: int, scale: int) -> tuple[ImageFile, int]:
    """The image reduced by its own decoder, if the format allows it, and the remaining scale."""
    image = image_of(file)
    try:
        image.reduce = scale.bit_length() - 1  # type: ignore[method-assign, assignment]
        image.load()
    except OSError:
        image = image_of(file)
        image.load()
        return image, scale
    return image, 1


def reduced(image: Image.Image, scale: int) -> Any:
    """A smaller copy in BGR, made strip by strip."""
    width, height = image.size
    small = np.empty((-(-height // scale), -(-width // scale), 3), np.uint8)
    shift = 0
    if image.mode.startswith("I"):
        shift = 4 if int(np.max(image.getextrema())) < TWELVE_BITS else 8
    for top in range(0, height, STRIP_PX):
        strip = image.crop((0, top, width, min(height, top + STRIP_PX)))
        if shift:
            strip = Image.fromarray((np.asarray(strip, np.int32) >> shift).clip(0, 255).astype(np.uint8))
        strip = strip.convert("RGB")
        strip = strip.reduce(scale) if scale > 1 else strip
        small[top // scale :][: strip.height] = np.asarray(strip)[..., ::-1]
    return small


def upright(image: Any, orientation: int) -> Any:
    """Rotates an image according to its EXIF orientation, 1 to 8. Source: Exif 2.32, section 4.6.4 A."""
    if orientation >= 5:
        image = image.transpose(1, 0, 2)
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    return image[:, ::-1] if orientation in (2, 3, 6, 7) else image


def by_heif(file: int, work_px: int) -> tuple[Any, int]:
    """Pixels and scale of a HEIC file. The container's rotation applies, not the one in its EXIF data."""
    data = os.pread(file, os.fstat(file).st_size, 0)
    image = pi_heif.open_heif(data, bgr_mode=True)
    width, height = image.size
    scale = scale_of(width, height, work_px)
    check_memory(width, height, "HEIC", len(data) + BYTES_A_PIXEL["HEIC"] * width * height)
    pixels = np.asarray(image)
    height, width = pixels.shape[:2]
    smaller = (max(1, width // scale), max(1, height // scale))
    own = cv2.resize(pixels, smaller, interpolation=cv2.INTER_AREA) if scale > 1 else pixels.copy()
    return own if own.ndim == 2 else own[
        ..., :3
    ], scale  # not `pixels`, which belong to the image and are freed with it


def overheard() -> str:
    """What C libraries have written to standard error since the last call; some report errors only there.

    Standard error is a file in this process (worker.py).
    """
    words = os.pread(STANDARD_ERROR, MOST_WORDS, 0)
    os.ftruncate(STANDARD_ERROR, 0)
    os.lseek(STANDARD_ERROR, 0, os.SEEK_SET)
    return words.decode(errors="replace")
