"""A terminal's screen for tests: interprets what is written to it."""

from __future__ import annotations

import io
import re

SIZE = (64, 36)
PART = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])|(.)", re.DOTALL)


class Screen(io.StringIO):
    """Enough of a terminal to know what is where."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: dict[tuple[int, int], str] = {}
        self.shown = ""

    def write(self, text: str) -> int:
        row, column = 1, 1
        for private, numbers, letter, character in PART.findall(text):
            if letter == "H" and not private:
                row, column = (int(n) for n in numbers.split(";"))
            elif letter == "J" and numbers == "2":
                self.cells = {}
            elif letter == "J":
                self.cells = {at: c for at, c in self.cells.items() if at < (row, column)}
            elif letter == "K":
                self.cells = {at: c for at, c in self.cells.items() if at[0] != row or at[1] < column}
            elif character:
                self.cells[row, column] = character
                column += 1
        return super().write(text)

    def lines(self) -> list[str]:
        rows = max((row for row, _ in self.cells), default=0)
        columns = max((column for _, column in self.cells), default=0)
        return [
            "".join(self.cells.get((row, column), " ") for column in range(1, columns + 1)).rstrip()
            for row in range(1, rows + 1)
        ]
