"""A photograph file as a frame: upright, eight bits, three channels, reduced if it is very large.

The whole project reads image files here. Decoding stays within 300 MB and 10 s, whatever the file contains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.images.process import DECODING

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Pixels

WORK_PX = 2400
"""Photographs with a longer side are decoded at half, quarter or eighth size."""
ENDINGS = {
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".jp2", ".avif"),
    *(".pbm", ".pgm", ".ppm", ".pnm", ".heic", ".heif", ".hif"),
}
"""The endings of the names of photographs, in lower case."""


class PhotographError(Exception):
    """The file cannot be read as a photograph; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """The pixels of a file.

    Attributes:
        pixels: uint8, H×W×3, BGR, upright.
        scale: how many pixels of the file, per side, one of these stands for (1, 2, 4 or 8).
    """

    pixels: Pixels
    scale: int


def load_photograph(path: Path, work_px: int = WORK_PX) -> Photograph:
    """Decodes a photograph (JPEG, HEIC, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000, AVIF).

    Each side may have 32 to 12,000 pixels.

    Args:
        path: the file.
        work_px: the photograph is reduced until no side is longer than this.

    Raises:
        PhotographError: missing, empty, truncated, not a picture, too small or too large, or its decoding
        takes
            too much memory or time.
    """
    found = DECODING.decode(path, work_px)
    if isinstance(found, str):
        raise PhotographError(found)
    return Photograph(*found)


def start_decoder() -> None:
    """Starts the decoding process in advance, so that the first photograph need not wait for it."""
    DECODING.start()


def stop_decoder() -> None:
    """Stops the decoding process when no more photographs are expected; it is restarted when needed."""
    DECODING.close()
