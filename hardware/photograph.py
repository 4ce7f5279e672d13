"""A photograph file as a frame (upright, eight bits, three channels, reduced), and a folder as a camera.

The whole project reads image files here. Pillow reads every header and decodes what OpenCV cannot. OpenCV
decodes the rest, because Pillow hides damage to a JPEG and keeps only the upper eight of sixteen bits.
"""

import contextlib
import logging
import os
import re
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

import cv2
import numpy as np
import pi_heif
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from hardware.file_kinds import head_of, is_video
from hardware.ports import Clock, Degraded, Frame, Pixels

WORK_PX = 2400
"""Photographs with a longer side are reduced to half, quarter or eighth size."""
LEAST_PX: Final = 32
MOST_MEGAPIXELS: Final = 100
MOST_FILE_MB: Final = 400
ENDINGS = {
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".jp2", ".avif"),
    *(".pbm", ".pgm", ".ppm", ".pnm", ".heic", ".heif", ".hif"),
}
"""The endings of the names of photographs, in lower case."""
FORMATS: Final = ("JPEG", "PNG", "TIFF", "BMP", "PPM", "GIF", "WEBP", "JPEG2000", "AVIF", "HEIF")
BY_PILLOW: Final = {"GIF", "AVIF", "HEIF"}
"""The formats that Pillow reads, beside TIFF of at most eight bits, which has palettes and fax pages."""
REDUCED: Final = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
"""How OpenCV decodes a JPEG directly to a smaller size."""
TWELVE_BITS: Final = 1 << 12
"""Cameras and scanners store twelve bits in sixteen; an image whose values are no larger is taken for one."""
BITS_PER_SAMPLE: Final = 258
DAMAGE: Final = re.compile(
    rb"Premature end of JPEG|Corrupt JPEG data: (?!\d{1,2} extraneous bytes before marker 0xd9)"
    rb"|TIFF_Error|libpng error"
)
"""Messages of decoders about damage. Cameras commonly leave a few spare bytes before the end of a JPEG."""
OF_DECODER: Final = re.compile(rb"JPEG|JFIF|Huffman|OpenCV")
AS_SENT: Final = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
STANDARD_ERROR: Final = 2
MOST_WORDS: Final = 1 << 16
DAMAGED: Final = "it is cut short, damaged or of an unknown kind: copy it again, or save it as JPEG or PNG"
A_VIDEO: Final = "it is a video: use `dicetable watch FILE` or `dicetable roll --camera FILE`"
STANDARD_ERROR_TAKEN: Final = threading.Lock()


Image.MAX_IMAGE_PIXELS = None  # MOST_MEGAPIXELS is the limit
logging.getLogger("PIL").setLevel(logging.CRITICAL)  # what it logs about damage is raised too


pi_heif.register_heif_opener(thumbnails=False)


class PhotographError(Exception):
    """The file cannot be read as a photograph; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """The upright pixels of a file, reduced by `scale` (1, 2, 4 or 8) along each side."""

    pixels: Pixels
    scale: int


def load_photograph(path: Path, work_px: int = WORK_PX) -> Photograph:
    """Decodes a photograph (JPEG, HEIC, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000, AVIF).

    It is reduced, to an eighth at most, until no side is longer than `work_px`. Raises PhotographError if it
    is missing, empty, cut short, damaged, not a picture, or if it has fewer than 32 pixels on a side or more
    than 100 megapixels.
    """
    data = contents(path)
    try:
        with warnings.catch_warnings(action="ignore"), overhearing() as words:
            photograph = decode(path, data, work_px)
            if DAMAGE.search(words()):
                raise PhotographError(DAMAGED)
            return photograph
    except PhotographError:
        raise
    except UnidentifiedImageError:
        if is_video(data):
            raise PhotographError(A_VIDEO) from None
        if data.startswith((b"\xff\xd8", b"\x89PNG\r\n\x1a\n")) or data[4:8] == b"ftyp":
            raise PhotographError(DAMAGED) from None
        raise PhotographError("it is not a picture of a known kind: save it as JPEG or PNG") from None
    except MemoryError:
        raise PhotographError("it needs more memory than there is: save it smaller") from None
    except Exception:  # noqa: BLE001 - decoders raise anything on damaged files
        raise PhotographError(DAMAGED) from None


def contents(path: Path) -> bytes:
    """The bytes of a regular file. Raises PhotographError if there are none or too many."""
    try:
        status = path.stat()  # opening a device may have side effects
        if S_ISDIR(status.st_mode):
            raise PhotographError("it is a folder: name the photographs in it")
        if not S_ISREG(status.st_mode):
            raise PhotographError("it is a device or a pipe: save the photograph in a file")
        if status.st_size > MOST_FILE_MB * 1_000_000:
            if is_video(head_of(path)):
                raise PhotographError(A_VIDEO)
            raise PhotographError(f"the file is larger than {MOST_FILE_MB} MB: save it smaller")
        data = path.read_bytes()
    except FileNotFoundError:
        raise PhotographError("there is no such file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise PhotographError(f"it cannot be opened: {why}") from None
    if not data:
        raise PhotographError("the file is empty")
    return data


def decode(path: Path, data: bytes, work_px: int) -> Photograph:
    """Decodes a file and its bytes. Raises PhotographError, or what the decoder raises."""
    with Image.open(path, formats=FORMATS) as image:
        width, height = image.size
        if min(width, height) < LEAST_PX:
            raise PhotographError(f"{width}×{height} pixels are too few: at least {LEAST_PX} on each side")
        if width * height > MOST_MEGAPIXELS * 1_000_000:
            raise PhotographError(
                f"{width}×{height} pixels are too many: save it with at most {MOST_MEGAPIXELS} megapixels"
            )
        fits = (scale for scale in REDUCED if max(width, height) <= work_px * scale)
        scale = next(fits, max(REDUCED))
        if image.format in ("JPEG", "MPO"):
            pixels = by_opencv(data, REDUCED[scale])
        elif image.format in BY_PILLOW or is_plain_tiff(image):
            upright = ImageOps.exif_transpose(image).convert("RGB")
            pixels = reduced(cv2.cvtColor(np.asarray(upright), cv2.COLOR_RGB2BGR), scale)
        else:
            pixels = reduced(eight_bits(data), scale)
    return Photograph(np.ascontiguousarray(pixels, np.uint8), scale)


def is_plain_tiff(image: ImageFile) -> bool:
    return image.format == "TIFF" and max(getattr(image, "tag_v2", {}).get(BITS_PER_SAMPLE, (1,))) <= 8


def eight_bits(data: bytes) -> Any:
    """An image decoded by OpenCV, with the upper eight bits of its samples."""
    if data.startswith(b"\x89PNG") and b"IEND" not in data[-64:]:
        raise PhotographError(DAMAGED)  # OpenCV returns the rows that are there
    pixels = by_opencv(data, cv2.IMREAD_COLOR | cv2.IMREAD_ANYDEPTH)
    if pixels.dtype == np.uint16:
        return (pixels >> (4 if pixels.max() < TWELVE_BITS else 8)).astype(np.uint8)
    return pixels if pixels.dtype == np.uint8 else by_opencv(data, cv2.IMREAD_COLOR)


def by_opencv(data: bytes, flag: int) -> Any:
    """An image decoded by OpenCV, upright. Raises PhotographError if it fails."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
    if pixels is None:
        raise PhotographError(DAMAGED)
    return pixels


def decode_frame(jpeg: bytes, *, upright: bool = False) -> Pixels:
    """The pixels of a JPEG in colour, as they were sent unless they are to be `upright`.

    Raises PhotographError.
    What others write to standard error meanwhile gets there afterwards; the decoder's words do not.
    """
    with overhearing() as words:
        pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR if upright else AS_SENT)
        complaints = words()
    if others := b"".join(
        line for line in complaints.splitlines(keepends=True) if not OF_DECODER.search(line)
    ):
        os.write(STANDARD_ERROR, others)
    if pixels is None or DAMAGE.search(complaints):
        raise PhotographError(DAMAGED)
    return np.ascontiguousarray(pixels, np.uint8)


def reduced(pixels: Any, scale: int) -> Any:
    height, width = pixels.shape[:2]
    smaller = (-(-width // scale), -(-height // scale))
    return pixels if scale == 1 else cv2.resize(pixels, smaller, interpolation=cv2.INTER_AREA)


@contextlib.contextmanager
def overhearing() -> Iterator[Callable[[], bytes]]:
    """Keeps what C libraries write to standard error, where some report damage and nowhere else."""
    with STANDARD_ERROR_TAKEN, tempfile.TemporaryFile() as file:
        duplicate = os.dup(STANDARD_ERROR)
        try:
            os.dup2(file.fileno(), STANDARD_ERROR)
            yield lambda: from_start(file.fileno())
        finally:
            os.dup2(duplicate, STANDARD_ERROR)
            os.close(duplicate)


def from_start(descriptor: int) -> bytes:
    """What the file holds, from its start; Windows has no `pread`."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, MOST_WORDS)


class FolderCamera:
    """Returns each photograph of a folder once; `degraded` names a fault of the folder or of a photograph.

    `scale` is by how much the sides of the last one were reduced.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.degraded: Degraded | None = None
        self.waiting: list[Path] = []
        self.scale = 1

    def start(self) -> None:
        """Lists the photographs; starts again from the first after a stop."""
        if self.waiting:
            return
        try:
            files = [path for path in self.folder.iterdir() if path.suffix.lower() in ENDINGS]
        except OSError as error:
            self.degraded = Degraded(
                f"{self.folder} cannot be opened: {error.strerror}", "name a folder of photographs"
            )
            return
        self.waiting = sorted(files, key=natural)
        self.degraded = (
            None if files else Degraded(f"{self.folder} has no photographs", "put JPEG or PNG files in it")
        )

    @property
    def left(self) -> int:
        return len(self.waiting)

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - photographs are there or not
        """The next photograph; None if it cannot be read (`degraded` says why) or there are no more."""
        self.degraded = None
        if not self.waiting:
            return None
        path = self.waiting.pop(0)
        try:
            photograph = load_photograph(path)
        except PhotographError as error:
            self.degraded = Degraded(f"{path}: {error}", "take it out of the folder or replace it")
            return None
        self.scale = photograph.scale
        return Frame(photograph.pixels, self.clock.now_s(), path.name)

    def stop(self) -> None:
        self.waiting = []


def natural(path: Path) -> list[tuple[int, str]]:
    """A sort key that puts photo2 before photo10."""
    return [
        (int(part), "") if part.isdecimal() else (0, part.lower()) for part in re.split(r"(\d+)", path.name)
    ]
