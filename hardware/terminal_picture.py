"""A picture in a terminal: each character shows two pixels, one above the other, as its two colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from hardware.ports import Pixels

HALF = "▀"
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
        size = (self.columns, 2 * self.rows)
        small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).astype(np.int16)
        changed = np.abs(small - self.drawn).max(axis=2) > SEEN
        cells = changed[0::2] | changed[1::2]
        parts = []
        for row in range(self.rows):
            last = -2
            for column in np.flatnonzero(cells[row]).tolist():
                if column != last + 1:
                    parts.append(f"\x1b[{top + row};{column + 1}H")
                upper, lower = small[2 * row, column], small[2 * row + 1, column]
                parts.append(f"\x1b[38;{self.colour(upper)};48;{self.colour(lower)}m{HALF}")
                self.drawn[2 * row, column], self.drawn[2 * row + 1, column] = upper, lower
                last = column
        return "".join(parts) + ("\x1b[0m" if parts else "")

    def forget(self, column: int, row: int, wide: int) -> None:
        """Marks characters of the picture that were overwritten."""
        self.drawn[2 * row : 2 * row + 2, column : column + wide] = -256

    def colour(self, bgr: np.ndarray[tuple[int, ...], np.dtype[np.int16]]) -> str:
        """A colour as the terminal supports it: true colour, or the nearest of the 216-colour cube."""
        blue, green, red = bgr.tolist()
        if self.every_colour:
            return f"2;{red};{green};{blue}"
        steps = [
            max(0, round((level - 55) / 40)) if level >= 75 else level // 48 for level in (red, green, blue)
        ]
        return f"5;{16 + 36 * steps[0] + 6 * steps[1] + steps[2]}"
