"""A full-screen terminal that shows panel and tray, and whose keys are the panel's buttons.

    with TerminalView(sys.stdin.fileno(), sys.stdout, clock) as view:
        view.show(panel_view)            # a Panel like any other: lamps and display
        view.tray(frame.pixels, marks)   # the camera's picture, with labels beside dice
        view.say("ann throws")           # a line about what happens
        view.presses(), view.commands()  # what was typed; degraded is set once the user wants to quit

Enter presses OK for the seat whose lamp is lit, first for one that blinks; + and − (or the arrows) are the
other buttons of the lit seat, Backspace holds OK, `m` is the menu. A digit chooses another seat for the next
button. `:` begins a command, which Enter ends; `?` and `h` say what the keys do now. The terminal may change
its size at any time; 40 columns and 24 rows are enough to play.
"""

from __future__ import annotations

import os
import textwrap
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TextIO

from hardware import keyboard
from hardware.ports import (
    COLUMNS,
    LAMPS,
    LINES,
    NOT_IN_USE,
    SEATS,
    Clock,
    Colour,
    Degraded,
    Lamp,
    LampMode,
    PanelView,
    Pixels,
    Press,
    PressLog,
)
from hardware.terminal_panel import KeyParser, ok_seats, seat_of_key
from hardware.terminal_picture import TerminalPicture, shows_every_colour

HOLD_S = 1.0
"""How long Backspace holds OK down."""
SAID = 5
"""How many lines about what happens stay on a screen that is high enough."""
PANEL_COLUMNS = COLUMNS + 4
BESIDE_COLUMNS, BESIDE_ROWS = 70, 32
"""A screen as wide as this and lower than this has the display beside the picture."""
LOWEST_PICTURE = 4
"""The fewest rows of a picture. Where there are fewer, lines about what happens take its place."""
BUTTONS = {
    **dict.fromkeys(("enter", "back"), "ok"),
    **dict.fromkeys(("+", "=", "up", "right"), "plus"),
    **dict.fromkeys(("-", "_", "down", "left"), "minus"),
}
SIGNS = {LampMode.OFF: "·", LampMode.ON: "●", LampMode.BLINK: "◐", LampMode.PULSE: "◉", LampMode.CHASE: "◍"}
INKS = {
    Colour.WHITE: 97,
    Colour.RED: 91,
    Colour.GREEN: 92,
    Colour.BLUE: 94,
    Colour.YELLOW: 93,
    Colour.VIOLET: 95,
    Colour.ORANGE: 33,
    Colour.CYAN: 96,
    Colour.PINK: 35,
}
KEYS = {
    "Enter": "OK",
    "+ -": "change",
    "Backspace": "back",
    "m": "menu",
    "1-8": "seat",
    ":": "command",
    "Ctrl-D": "leave",
}
"""The meaning of each key, unless `explain` changes it."""
GAP = "   "
CHOSEN = "seat {}:"
USUAL = (100, 40)
"""Columns and rows of a terminal that does not report its size."""
LEFT = Degraded("the keyboard is gone", "start again at a terminal")


class TerminalView:
    """A `Panel` that uses a whole terminal, in raw mode between start and stop or within `with`.

    `oks` has the seats that pressed OK among the last presses.
    """

    def __init__(
        self,
        keyboard: int,
        screen: TextIO,
        clock: Clock,
        measure: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        """`measure` returns columns and rows of the screen; by default those of the terminal."""
        self.keyboard = keyboard
        self.screen = screen
        self.clock = clock
        self.measure = measure or (lambda: size_of(screen))
        self.size = self.measure()
        self.explained: Mapping[str, str] = KEYS
        self.view = PanelView({}, [])
        self.keys = KeyParser()
        self.seat: int | None = None
        self.command: str | None = None
        self.typed: list[str] = []
        self.waiting: list[tuple[float, str, bool]] = []
        self.said: deque[str] = deque(maxlen=SAID)
        self.oks: set[int] = set()
        self._presses = PressLog()
        self.degraded: Degraded | None = None
        self.before: Any = None
        self.started = False
        self.lay_out()

    def lay_out(self) -> None:
        """Allots the rows: first display, lamps and keys, then what happens, then the picture.

        On a wide, low screen the display stands at the right of the picture.
        """
        columns, rows = self.size
        self.key_rows = self.rows_for_keys()
        self.beside = columns >= BESIDE_COLUMNS and rows < BESIDE_ROWS
        panel = 0 if self.beside else LINES + 2
        left = max(0, rows - panel - 1 - self.key_rows)
        self.room = max(0, min(SAID, left - LOWEST_PICTURE if left > LOWEST_PICTURE else left))
        tall = left - self.room
        wide = min(columns - PANEL_COLUMNS - 1 if self.beside else columns, round(tall * 2 * 16 / 9))
        tall = min(tall, round(wide * 9 / 32))
        drawn = tall >= LOWEST_PICTURE
        self.picture = TerminalPicture(wide, tall, every_colour=shows_every_colour()) if drawn else None

    def fit(self) -> None:
        """Redraws everything if the terminal's size has changed."""
        size = self.measure()
        if size != self.size:
            self.size = size
            self.redraw_all()

    def explain(self, keys: Mapping[str, str]) -> None:
        if keys != self.explained:
            self.explained = keys
            if self.rows_for_keys() == self.key_rows:
                self.redraw()
            else:
                self.redraw_all()

    def start(self, news: Callable[[], None]) -> None:  # noqa: ARG002 - the caller polls it
        if self.started:
            return
        self.started = True
        if self.degraded == NOT_IN_USE:
            self.degraded = None
        self.before = keyboard.make_raw(self.keyboard)
        self.screen.write("\x1b[?1049h\x1b[?25l")
        self.size = self.measure()
        self.redraw_all()

    def stop(self) -> None:
        self.degraded = self.degraded or NOT_IN_USE
        if not self.started:
            return
        self.started = False
        self.screen.write("\x1b[0m\x1b[?25h\x1b[?1049l")
        self.screen.flush()
        keyboard.restore(self.keyboard, self.before)

    def __enter__(self) -> TerminalView:
        self.start(lambda: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def show(self, view: PanelView) -> None:
        if view != self.view:
            self.view = view
            self.redraw()

    def tray(self, pixels: Pixels, marks: Sequence[tuple[int, int, str]] = ()) -> None:
        """Shows the camera's picture; `marks` are labels at pixels (x, y) of it."""
        if self.picture is None:
            return
        out = [self.picture.draw(pixels, 1)]
        tall, wide = pixels.shape[:2]
        for x, y, words in marks:
            row = min(self.picture.rows - 1, max(0, y * self.picture.rows // tall))
            column = min(self.picture.columns - len(words), max(0, x * self.picture.columns // wide))
            out.append(f"\x1b[{row + 1};{column + 1}H\x1b[97;40m{words}\x1b[0m")
            self.picture.forget(column, row, len(words))
        self.screen.write("".join(out))
        self.screen.flush()

    def say(self, line: str) -> None:
        self.said.append(line)
        self.redraw()

    def presses(self) -> Sequence[Press]:
        """The keys typed since the last call, as presses."""
        self.listen()
        now_s = self.clock.now_s()
        due = [change for change in self.waiting if change[0] <= now_s]
        self.waiting = [change for change in self.waiting if change[0] > now_s]
        for time_s, control, down in due:
            self._presses.change(control, down=down, time_s=time_s)
        presses = self._presses.take()
        self.oks = ok_seats(presses)
        return presses

    def commands(self) -> list[str]:
        """The commands typed after `:` since the last call."""
        self.listen()
        typed, self.typed = self.typed, []
        return typed

    def listen(self) -> None:
        """Reads the keyboard without blocking; checks the terminal's size."""
        self.fit()
        while self.degraded is None and (data := keyboard.typed(self.keyboard, echo=False)) is not None:
            if not data:
                self.degraded = LEFT
            for key in self.keys.feed(data):
                if self.command is None:
                    self.button(key)
                else:
                    self.edit(key)

    def button(self, key: str) -> None:
        """Handles a key that is a button, or that chooses what the next key means.

        Raises KeyboardInterrupt for Ctrl-C.
        """
        if key == "interrupt":  # raw mode makes no signal of Ctrl-C
            raise KeyboardInterrupt
        if key == "leave":
            self.degraded = LEFT
        elif key == ":":
            self.command = ""
            self.redraw()
        elif key == "m":
            self.press("table.menu", 0.0)
        elif key.isdigit() and 1 <= int(key) <= SEATS:
            self.seat = int(key)
            self.redraw()
        elif key in ("?", "h"):
            self.say(GAP.join(f"{name}: {meaning}" for name, meaning in self.explained.items()))
        elif key in BUTTONS:
            seat = self.seat or seat_of_key(BUTTONS[key], self.view.lamps)
            self.seat = None
            self.press(f"seat{seat}.{BUTTONS[key]}", HOLD_S if key == "back" else 0.0)
            self.redraw()
        else:
            self.say(f"{key}: no such key")

    def edit(self, key: str) -> None:
        if key == "enter":
            self.typed += [self.command.strip()] if self.command and self.command.strip() else []
            self.command = None
        elif key in ("leave", "interrupt"):
            self.command = None
        elif key == "back":
            self.command = self.command[:-1] if self.command else None
        elif len(key) == 1 or key == "space":
            self.command = (self.command or "") + (" " if key == "space" else key)
        self.redraw()

    def press(self, control: str, hold_s: float) -> None:
        """Presses the control, and releases it after the time."""
        now_s = self.clock.now_s()
        if not any(held == control for _, held, _ in self.waiting):
            self.waiting += [(now_s, control, True), (now_s + hold_s, control, False)]

    def prompt(self) -> list[str]:
        """The command being typed, or else what the keys do, after the seat chosen for the next one."""
        if self.command is not None:
            rows = [f":{self.command}_"]
        else:
            seat = [] if self.seat is None else [CHOSEN.format(self.seat)]
            rows = packed([*seat, *self.keys_explained()], self.size[0])
        return rows + [""] * (self.key_rows - len(rows))

    def keys_explained(self) -> list[str]:
        return [f"{key} {does}" for key, does in self.explained.items()]

    def rows_for_keys(self) -> int:
        """The number of rows for the keys, with a seat in front."""
        return len(packed([CHOSEN.format(SEATS), *self.keys_explained()], self.size[0]))

    def lamps(self) -> str:
        """One row with a symbol and a name for each lamp; closer together on a narrow screen."""
        columns = self.size[0]
        names = [name.removeprefix("seat") for name in LAMPS]
        wide = sum(2 + len(name) for name in names)
        gap, space = "  ", " "
        if wide + 2 * (len(names) - 1) > columns:
            gap = " "
        if wide + len(names) - 1 > columns:
            space = ""
        parts, used = [], 0
        for name, short in zip(LAMPS, names, strict=True):
            lamp = self.view.lamps.get(name, Lamp())
            used += 1 + len(space) + len(short)
            if used > columns:
                break
            used += len(gap)
            ink = 90 if lamp.mode is LampMode.OFF else INKS[lamp.colour]
            parts.append(f"\x1b[{ink}m{SIGNS[lamp.mode]}{space}{short}\x1b[0m")
        return gap.join(parts)

    def redraw_all(self) -> None:
        """Clears the screen and redraws everything; the picture follows with the next frame."""
        self.lay_out()
        self.screen.write("\x1b[0m\x1b[2J")
        self.redraw()

    def redraw(self) -> None:
        columns, rows = self.size
        top = (self.picture.rows if self.picture else 0) + 1
        rule = "+" + "-" * (COLUMNS + 2) + "+"
        lines = [*self.view.lines, *[""] * (LINES - len(self.view.lines))]
        rows_said = [row for line in self.said for row in textwrap.wrap(line, columns) or [""]]
        rows_said = [*rows_said[-self.room :], *[""] * (self.room - len(rows_said))] if self.room else []
        display = [rule, *(f"| {line:{COLUMNS}} |" for line in lines), rule]
        text = [*rows_said, *self.prompt()] if self.beside else [*display, *rows_said, *self.prompt()]
        text = [self.lamps(), *(line[:columns] for line in text)]
        written = [f"\x1b[{top + i};1H{line}\x1b[K" for i, line in enumerate(text[: rows - top + 1])]
        if self.beside:
            right = columns - PANEL_COLUMNS + 1
            written += [f"\x1b[{1 + i};{right}H{line}" for i, line in enumerate(display)]
        below = top + len(text)
        self.screen.write("".join(written) + (f"\x1b[{below};1H\x1b[J" if below <= rows else ""))
        self.screen.flush()


def packed(words: Sequence[str], columns: int) -> list[str]:
    """The words in rows of at most `columns` columns, without breaking words."""
    rows: list[str] = []
    for word in words:
        if rows and len(rows[-1]) + len(GAP) + len(word) <= columns:
            rows[-1] += GAP + word
        else:
            rows.append(word)
    return rows


def size_of(screen: TextIO) -> tuple[int, int]:
    try:
        columns, rows = os.get_terminal_size(screen.fileno())
    except OSError:
        columns = rows = 0
    return (columns or USUAL[0], rows or USUAL[1])
