"""Pictures in a terminal: each character shows two pixels, one above the other."""

from __future__ import annotations

import os
from typing import TypeAlias

import cv2
import numpy as np

from hardware.ports import Pixels

Shrunk: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int16]]"
"""A picture (H×W×3 BGR) with one pixel for each half of a character."""
Indices: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
"""Its pixels as some of 256 colours (H×W)."""
HALF = "▀"
CUBE = np.array([0, 95, 135, 175, 215, 255], np.int16)
"""The levels of each channel in the colour cube of a terminal with 256 colours, whose first colour is 16."""
GREYS = np.arange(8, 239, 10, dtype=np.int16)
"""The levels of its grey ramp, which begins at 232."""
DITHER = (np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) - 7.5) * (40 / 16)
"""Added to each pixel of a square of four by four, so that neighbours mix to the colour between."""
SEEN = 10
"""A pixel is redrawn only if it changed by more than this many grey levels, which ignores noise."""


class TerminalPicture:
    """Draws pictures as ANSI text, and for each new picture only the characters that have changed."""

    def __init__(self, columns: int, rows: int, *, every_colour: bool) -> None:
        self.columns = columns
        self.rows = rows
        self.every_colour = every_colour
        self.drawn = np.full((2 * rows, columns, 3), -256, np.int16)

    def draw(self, pixels: Pixels, top: int) -> str:
        """The cursor moves and characters that update the picture, with its first line at `top` (from 1)."""
        small = shrunk(pixels, self.columns, self.rows)
        changed = np.abs(small - self.drawn).max(axis=2) > SEEN
        cells = changed[0::2] | changed[1::2]
        few = None if self.every_colour else of_256(small)
        parts = []
        for row in range(self.rows):
            last = -2
            for column in np.flatnonzero(cells[row]).tolist():
                if column != last + 1:
                    parts.append(f"\x1b[{top + row};{column + 1}H")
                parts.append(character(small, few, row, column))
                self.drawn[2 * row : 2 * row + 2, column] = small[2 * row : 2 * row + 2, column]
                last = column
        return "".join(parts) + ("\x1b[0m" if parts else "")

    def forget(self, column: int, row: int, wide: int) -> None:
        """Marks characters of the picture that were overwritten."""
        self.drawn[2 * row : 2 * row + 2, column : column + wide] = -256


def picture_lines(pixels: Pixels, columns: int, rows: int) -> list[str]:
    """The picture as lines of text, for a terminal that scrolls."""
    small = shrunk(pixels, columns, rows)
    few = None if shows_every_colour() else of_256(small)
    return [
        "".join(character(small, few, row, column) for column in range(columns)) + "\x1b[0m"
        for row in range(rows)
    ]


def shrunk(pixels: Pixels, columns: int, rows: int) -> Shrunk:
    """The picture with one pixel for each half of a character."""
    return cv2.resize(pixels, (columns, 2 * rows), interpolation=cv2.INTER_AREA).astype(np.int16)


def shows_every_colour() -> bool:
    """Whether the terminal says that it shows more than 256 colours."""
    return os.environ.get("COLORTERM", "") in ("truecolor", "24bit")


def character(small: Shrunk, few: Indices | None, row: int, column: int) -> str:
    """The character there in a shrunk picture; `few` are its pixels as some of 256 colours."""
    upper, lower = 2 * row, 2 * row + 1
    if few is None:
        ink, ground = every_colour(small[upper, column]), every_colour(small[lower, column])
    else:
        ink, ground = f"5;{few[upper, column]}", f"5;{few[lower, column]}"
    return f"\x1b[38;{ink};48;{ground}m{HALF}"


def every_colour(bgr: Shrunk) -> str:
    blue, green, red = bgr.tolist()
    return f"2;{red};{green};{blue}"


def of_256(small: Shrunk) -> Indices:
    """Each pixel as one of 256 colours: the nearest of colour cube and grey ramp, dithered."""
    rows, columns = small.shape[:2]
    dither = np.tile(DITHER, (rows // 4 + 1, columns // 4 + 1))[:rows, :columns, None]
    wanted = np.clip(small + dither, 0, 255)
    steps = np.abs(wanted[..., None] - CUBE).argmin(axis=3)
    grey = np.abs(wanted.mean(axis=2)[..., None] - GREYS).argmin(axis=2)
    off_cube = np.square(CUBE[steps] - wanted).sum(axis=2)
    off_grey = np.square(GREYS[grey][..., None] - wanted).sum(axis=2)
    cube = 16 + 36 * steps[..., 2] + 6 * steps[..., 1] + steps[..., 0]
    colours: Indices = np.where(off_grey < off_cube, 232 + grey, cube)
    return colours
