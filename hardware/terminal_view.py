"""A terminal that shows panel and tray at once, and whose keys are the panel's buttons.

    with TerminalView(sys.stdin.fileno(), sys.stdout, clock) as view:
        view.show(panel_view)            # a Panel like any other: lamps and display
        view.tray(frame.pixels, marks)   # what the camera sees, with words written beside dice
        view.say("ann throws")           # a line of what happens
        view.presses(), view.commands()  # what was typed; trouble is set once somebody wants to leave

Enter is OK of the seat whose lamp is lit, + and − (or the arrows) are its other buttons, Backspace holds OK,
`m` is the menu; a digit chooses another seat for the next button. `:` begins a command, which Enter ends.
"""

from __future__ import annotations

import os
import select
import shutil
import termios
import tty
from collections import deque
from typing import TYPE_CHECKING, Any, TextIO

from hardware.ports import COLUMNS, LAMPS, LINES, SEATS, Colour, Lamp, LampMode, PanelView, Press, Trouble
from hardware.terminal_keys import Keys
from hardware.terminal_picture import TerminalPicture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from hardware.ports import Clock, Pixels

HOLD_S = 1.0
"""How long Backspace holds OK."""
CHUNK = 4096
SAID = 5
"""Lines of what happens that stay on the screen."""
BESIDE = LINES + 2 + 1 + SAID + 2
"""Screen lines that the picture leaves to everything else."""
BUTTONS = {
    **dict.fromkeys(("enter", "back"), "ok"),
    **dict.fromkeys(("+", "=", "up", "right"), "plus"),
    **dict.fromkeys(("-", "_", "down", "left"), "minus"),
}
SIGNS = {LampMode.OFF: "·", LampMode.ON: "●", LampMode.BLINK: "◐", LampMode.PULSE: "◉", LampMode.CHASE: "◍"}
INKS = {Colour.WHITE: 97, Colour.RED: 91, Colour.GREEN: 92, Colour.BLUE: 94, Colour.YELLOW: 93}
HELP = "Enter OK   + - change   Backspace back   m menu   1-8 seat   : command   Ctrl-D leave"
LEFT = Trouble("the keyboard is gone", "start again at a terminal")


class TerminalView:
    """A `Panel` that is a whole terminal; between `with` and its end the terminal is in raw mode."""

    def __init__(
        self, keyboard: int, screen: TextIO, clock: Clock, size: tuple[int, int] | None = None
    ) -> None:
        self.keyboard = keyboard
        self.screen = screen
        self.clock = clock
        self.columns, rows = size or shutil.get_terminal_size((100, 40))
        wide = max(16, min(self.columns, round((rows - BESIDE) * 2 * 16 / 9)))
        every = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
        self.picture = TerminalPicture(wide, max(4, round(wide * 9 / 32)), every_colour=every)
        self.view = PanelView({}, [])
        self.keys = Keys()
        self.seat: int | None = None
        self.command: str | None = None
        self.typed: list[str] = []
        self.waiting: list[tuple[float, str, bool]] = []
        self.said: deque[str] = deque(maxlen=SAID)
        self.number = 0
        self.trouble: Trouble | None = None
        self.before: list[Any] | None = None

    def __enter__(self) -> TerminalView:
        """Takes the terminal over."""
        if os.isatty(self.keyboard):
            self.before = termios.tcgetattr(self.keyboard)
            tty.setraw(self.keyboard)
        self.screen.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        self.redraw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Gives the terminal back as it was."""
        self.screen.write("\x1b[0m\x1b[?25h\x1b[?1049l")
        self.screen.flush()
        if self.before is not None:
            termios.tcsetattr(self.keyboard, termios.TCSADRAIN, self.before)

    def show(self, view: PanelView) -> None:
        """Shows lamps and display."""
        if view != self.view:
            self.view = view
            self.redraw()

    def tray(self, pixels: Pixels, marks: Sequence[tuple[int, int, str]] = ()) -> None:
        """Shows what the camera sees; `marks` are words at pixels (x, y) of it."""
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
        """Adds a line to what happens."""
        self.said.append(line)
        self.redraw()

    def presses(self) -> Sequence[Press]:
        """What was typed since the last call, as presses."""
        self.listen()
        now_s = self.clock.now_s()
        due = [change for change in self.waiting if change[0] <= now_s]
        self.waiting = [change for change in self.waiting if change[0] > now_s]
        events = []
        for time_s, control, down in due:
            self.number += 1
            events.append(Press(self.number, control, down, time_s))
        return events

    def commands(self) -> list[str]:
        """What was typed after `:` since the last call."""
        self.listen()
        typed, self.typed = self.typed, []
        return typed

    def listen(self) -> None:
        """Reads the keyboard, without waiting."""
        while self.trouble is None and select.select([self.keyboard], [], [], 0)[0]:
            data = os.read(self.keyboard, CHUNK)
            if not data:
                self.trouble = LEFT
            for key in self.keys.feed(data):
                if self.command is None:
                    self.button(key)
                else:
                    self.edit(key)

    def button(self, key: str) -> None:
        """A key that is a button, or chooses what the next one is."""
        if key == "leave":
            self.trouble = LEFT
        elif key == ":":
            self.command = ""
            self.redraw()
        elif key == "m":
            self.press("table.menu", 0.0)
        elif key.isdigit() and 1 <= int(key) <= SEATS:
            self.seat = int(key)
        elif key in BUTTONS:
            lit = [n for n in range(1, SEATS + 1) if self.lamp(f"seat{n}").mode is not LampMode.OFF]
            seat = self.seat or (lit[0] if lit else 1)
            self.seat = None
            self.press(f"seat{seat}.{BUTTONS[key]}", HOLD_S if key == "back" else 0.0)

    def edit(self, key: str) -> None:
        """A key of a command."""
        if key == "enter":
            self.typed += [self.command.strip()] if self.command and self.command.strip() else []
            self.command = None
        elif key == "leave":
            self.command = None
        elif key == "back":
            self.command = self.command[:-1] if self.command else None
        elif len(key) == 1 or key == "space":
            self.command = (self.command or "") + (" " if key == "space" else key)
        self.redraw()

    def press(self, control: str, hold_s: float) -> None:
        """The control goes down, and up when it was held so long."""
        now_s = self.clock.now_s()
        if not any(held == control for _, held, _ in self.waiting):
            self.waiting += [(now_s, control, True), (now_s + hold_s, control, False)]

    def lamp(self, name: str) -> Lamp:
        """What the lamp shows."""
        return self.view.lamps.get(name, Lamp())

    def redraw(self) -> None:
        """Writes everything but the picture."""
        top = self.picture.rows + 1
        lamps = []
        for name in LAMPS:
            lamp = self.lamp(name)
            lit = lamp.mode is not LampMode.OFF
            ink = f"\x1b[{INKS[lamp.colour] if lit else 90}m"
            lamps.append(f"{ink}{SIGNS[lamp.mode]} {name.removeprefix('seat')}\x1b[0m")
        rule = "+" + "-" * (COLUMNS + 2) + "+"
        lines = [*self.view.lines, *[""] * (LINES - len(self.view.lines))]
        said = [*self.said, *[""] * (SAID - len(self.said))]
        prompt = HELP if self.command is None else f":{self.command}_"
        text = ["  ".join(lamps), rule, *(f"| {line:{COLUMNS}} |" for line in lines), rule, *said, prompt]
        text[1:] = [line[: self.columns] for line in text[1:]]
        rows = [f"\x1b[{top + i};1H{line}\x1b[K" for i, line in enumerate(text)]
        self.screen.write("".join(rows))
        self.screen.flush()
