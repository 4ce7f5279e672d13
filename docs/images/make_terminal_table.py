"""Makes docs/images/terminal-table.svg: `dicetable play` at a terminal, recorded and drawn as an animation.

Plays two throws of Six By 6 in a pseudo-terminal, as a person would, which takes half a minute. The tray is
a small picture for each moment at which it changed; the text below it is text. `make pictures` calls it.
"""

from __future__ import annotations

import base64
import codecs
import os
import pty
import re
import select
import sys
import termios
import time
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

PLAY = ("-m", "dicetable", "play", "six_by_6", "--seed", "11")
COLUMNS, ROWS = 96, 40
CELL_X, CELL_Y = 8, 16
FRAME_S = 0.06
THROWS = 2
BEFORE_S = 1.6
"""What a person looks at before the next throw, and at the end."""
LIMIT_S = 120.0
GREY, BACK = "#d0d0d0", "#101418"
INKS = {90: "#5a6068", 91: "#ff6b60", 92: "#6be675", 93: "#ffe066", 94: "#6ea8ff", 97: "#ffffff"}
PART = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])|(.)", re.DOTALL)
NO_BREAK = "\u00a0"
"""A space that no reader of SVG drops."""
Thing = TypeVar("Thing")
Line = tuple[tuple[str, str], ...]
"""Text and colour of each stretch of a line."""
Cell = tuple[str, str, str]
"""A character, its ink and its ground."""
EMPTY: Cell = (" ", GREY, BACK)


@dataclass
class Screen:
    """What the program has written so far: cells by row and column from 1."""

    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    ink: str = GREY
    ground: str = BACK
    row: int = 1
    column: int = 1
    rest: str = ""

    def write(self, text: str) -> None:
        """Takes what was written; an escape sequence that is cut waits for its end."""
        text = self.rest + text
        cut = text.rfind("\x1b")
        whole = cut < 0 or re.match(r"\x1b\[\??[0-9;]*[A-Za-z]", text[cut:])
        text, self.rest = (text, "") if whole else (text[:cut], text[cut:])
        for private, numbers, letter, character in PART.findall(text):
            if letter == "H":
                self.row, self.column = map(int, numbers.split(";"))
            elif letter == "m":
                self.colour(numbers)
            elif letter in "JK" and letter and not private:
                self.clear(letter, numbers)
            elif character:
                self.cells[self.row, self.column] = (character, self.ink, self.ground)
                self.column += 1

    def clear(self, letter: str, numbers: str) -> None:
        """Erases the screen, or what follows the cursor on it or on its line."""
        if letter == "K":
            gone = {at for at in self.cells if at[0] == self.row and at[1] >= self.column}
        else:
            gone = {at for at in self.cells if numbers == "2" or at >= (self.row, self.column)}
        for at in gone:
            del self.cells[at]

    def colour(self, numbers: str) -> None:
        """Changes the colours."""
        if found := re.fullmatch(r"38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)", numbers):
            levels = [int(level) for level in found.groups()]
            self.ink, self.ground = ("#{:02x}{:02x}{:02x}".format(*part) for part in (levels[:3], levels[3:]))
        else:
            inks = [INKS[int(number)] for number in numbers.split(";") if int(number or 0) in INKS]
            self.ink, self.ground = (inks or [GREY])[-1], BACK

    def tray(self) -> bytes:
        """The picture of the tray as JPEG, two pixels to a character; empty before there is one."""
        halves = {at: cell for at, cell in self.cells.items() if cell[0] == "▀"}
        if not halves:
            return b""
        tall, wide = (max(at[axis] for at in halves) for axis in (0, 1))
        pixels = np.zeros((2 * tall, wide, 3), np.uint8)
        for (row, column), (_, ink, ground) in halves.items():
            for half, colour in enumerate((ink, ground)):
                pixels[2 * row - 2 + half, column - 1] = list(bytes.fromhex(colour[1:]))[::-1]
        return cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 75])[1].tobytes()

    def text(self) -> dict[int, Line]:
        """Every row that is no picture."""
        return {row: line_of(cells) for row, cells in self.rows() if all(cell[0] != "▀" for cell in cells)}

    def labels(self) -> dict[int, Line]:
        """What is written over the picture, by row."""
        pictured = {row: cells for row, cells in self.rows() if any(cell[0] == "▀" for cell in cells)}
        return {
            row: line_of([EMPTY if cell[0] == "▀" else cell for cell in cells])
            for row, cells in pictured.items()
            if any(cell[0] not in "▀ " for cell in cells)
        }

    def rows(self) -> list[tuple[int, list[Cell]]]:
        """All rows with their cells."""
        return [
            (row, [self.cells.get((row, column), EMPTY) for column in range(1, COLUMNS + 1)])
            for row in range(1, ROWS + 1)
        ]


def line_of(cells: list[Cell]) -> Line:
    runs = groupby(cells, lambda cell: cell[1])
    return tuple(("".join(cell[0] for cell in run), ink) for ink, run in runs)


def record() -> list[tuple[float, bytes, dict[int, Line]]]:
    """Plays; returns when the screen changed, in seconds, with the tray and the text from then on."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLORTERM="truecolor")
        os.execv(sys.executable, [sys.executable, *PLAY])  # noqa: S606 - no shell is wanted
    termios.tcsetwinsize(terminal, (ROWS, COLUMNS))
    screen, moments = Screen(), []
    decoder = codecs.getincrementaldecoder("utf-8")()
    begun_s = time.monotonic()
    asked: list[str] = []
    asked_s, thrown = begun_s, 0
    while (now_s := time.monotonic()) < begun_s + LIMIT_S:
        while select.select([terminal], [], [], 0)[0]:
            screen.write(decoder.decode(os.read(terminal, 1 << 16)))
        panel = ["".join(text for text, _ in line) for line in screen.text().values()]
        if panel != asked:
            asked, asked_s = panel, now_s
        moments.append((now_s - begun_s, screen.tray(), screen.text() | screen.labels()))
        whole = "\n".join(panel)
        awaited = "| THROW" in whole and "Rolling" not in whole and moments[-1][1]
        if awaited and now_s > asked_s + BEFORE_S:
            if thrown == THROWS:
                break
            os.write(terminal, b"\r")
            thrown, asked_s = thrown + 1, now_s + BEFORE_S
        time.sleep(FRAME_S)
    os.write(terminal, b"\x04")
    os.close(terminal)
    os.waitpid(child, 0)
    first_s = next(
        at_s for at_s, tray, text in moments if tray and any("THROW" in str(r) for r in text.values())
    )
    return [(at_s - first_s, tray, text) for at_s, tray, text in moments if at_s >= first_s]


def shown(since_s: float, until_s: float, whole_s: float) -> str:
    """The animation by which something is there from one time to another, again and again."""
    if since_s <= 0 and until_s >= whole_s:
        return ""
    keys = [("none", 0.0)] if since_s > 0 else []
    keys += [("inline", max(0.0, since_s)), *([("none", until_s)] if until_s < whole_s else [])]
    values, times = ";".join(v for v, _ in keys), ";".join(f"{t / whole_s:.4f}" for _, t in keys)
    return (
        f'<animate attributeName="display" calcMode="discrete" dur="{whole_s:.2f}s" '
        f'repeatCount="indefinite" values="{values}" keyTimes="{times}"/>'
    )


def stretches(moments: list[tuple[float, Thing]], whole_s: float) -> list[tuple[float, float, Thing]]:
    """From when to when each thing was there, of what was there at each moment."""
    kept = []
    for thing, group in groupby(moments, lambda moment: moment[1]):
        kept.append((next(group)[0], thing))
    ends = [at_s for at_s, _ in kept[1:]] + [whole_s]
    return [(at_s, end_s, thing) for (at_s, thing), end_s in zip(kept, ends, strict=True)]


def drawn(moments: list[tuple[float, bytes, dict[int, Line]]]) -> str:
    """The whole SVG. Without animations its last moment is seen."""
    whole_s = moments[-1][0] + BEFORE_S
    halves, columns = cv2.imdecode(np.frombuffer(moments[-1][1], np.uint8), cv2.IMREAD_GRAYSCALE).shape
    wide, tall = COLUMNS * CELL_X + 20, ROWS * CELL_Y + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" '
        'role="img">',
        "<title>Two throws of Six By 6 on the simulated table, as dicetable play shows them</title>",
        f'<rect width="{wide}" height="{tall}" rx="8" fill="{BACK}"/>',
        '<g transform="translate(10 10)" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        'font-size="13.3">',
    ]
    for since_s, until_s, tray in stretches([(at_s, tray) for at_s, tray, _ in moments], whole_s):
        data = base64.b64encode(tray).decode()
        last = "" if until_s >= whole_s else ' display="none"'
        parts.append(
            f'<image width="{columns * CELL_X}" height="{halves * CELL_Y // 2}"{last} '
            'preserveAspectRatio="none" style="image-rendering:pixelated" '
            f'href="data:image/jpeg;base64,{data}">'
            f"{shown(since_s, until_s, whole_s)}</image>"
        )
    for row in range(1, ROWS + 1):
        lines = [(at_s, text.get(row, ())) for at_s, _, text in moments]
        for since_s, until_s, line in stretches(lines, whole_s):
            parts += written(row, line, since_s, until_s, whole_s)
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def written(row: int, line: Line, since_s: float, until_s: float, whole_s: float) -> list[str]:
    """A row of text, each stretch of one colour where it belongs."""
    parts, column = [], 0
    last = "" if until_s >= whole_s else ' display="none"'
    for text, ink in line:
        if text.strip():
            blank = len(text) - len(text.lstrip())
            words = escape(text.strip()).replace(" ", NO_BREAK)
            long = len(text.strip()) * CELL_X
            parts.append(
                f'<text x="{(column + blank) * CELL_X}" y="{row * CELL_Y - 4}" fill="{ink}"{last} '
                f'textLength="{long}">{words}{shown(since_s, until_s, whole_s)}</text>'
            )
        column += len(text)
    return parts


def make(out: Path) -> None:
    """Plays, and writes the animation."""
    out.write_text(drawn(record()), encoding="utf-8")
