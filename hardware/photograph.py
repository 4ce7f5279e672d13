"""A photograph in a file as a frame: upright, eight bits, three channels, reduced if it is very large.

Every image file of the project is read here: its decoding stays within 300 MB and 10 s, whatever it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.images.process import DECODING

if TYPE_CHECKING:
    from pathlib import Path

    from hardware.ports import Pixels

WORK_PX = 2400
"""Photographs with a longer side are decoded at a half, a quarter or an eighth."""
ENDINGS = {
    *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".jp2", ".avif"),
    *(".pbm", ".pgm", ".ppm", ".pnm", ".heic", ".heif", ".hif"),
}
"""How the names of photographs end, small letters."""


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


def load_photograph(path: Path, work_px: int = WORK_PX) -> Photograph:
    """Decodes a photograph (JPEG, HEIC, PNG, WebP, TIFF, BMP, PNM, GIF, JPEG 2000, AVIF).

    Each side may have 32 to 12,000 pixels.

    Args:
        path: the file.
        work_px: the photograph is reduced while a side is longer than this.

    Raises:
        PhotographError: missing, empty, cut short, no picture, too small or too large, or its decoding takes
            too much memory or time.
    """
    found = DECODING.decode(path, work_px)
    if isinstance(found, str):
        raise PhotographError(found)
    return Photograph(*found)


def start_decoder() -> None:
    """Starts the process that decodes photographs, so that the first need not wait for it."""
    DECODING.start()


def stop_decoder() -> None:
    """Ends it, where no more photographs are expected; another starts when it is needed."""
    DECODING.close()
