"""A terminal as the panel: display and lamps are printed, typed lines are presses.

Enter alone presses OK for the seat whose lamp is lit, first for one that blinks; `+` and `-` are the other
buttons of the lit seat, `b` (back) holds OK, `m` is the menu; a digit before them names another seat (`2+`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

from hardware import keyboard
from hardware.ports import (
    COLUMNS,
    NOT_IN_USE,
    SEATS,
    Clock,
    Degraded,
    Lamp,
    LampMode,
    PanelView,
    Press,
    PressLog,
)

ESCAPED = {b"[A": "up", b"[B": "down", b"[C": "right", b"[D": "left", b"OA": "up", b"OB": "down"}
NAMED = {
    0x0D: "enter",
    0x0A: "enter",
    0x7F: "back",
    0x08: "back",
    0x03: "interrupt",
    0x04: "leave",
    0x20: "space",
}
ESCAPE = 0x1B
KEYS = {"": "ok", "+": "plus", "-": "minus", "b": "ok"}
LINE = re.compile(r"([1-8]?)([+b-]?)")
HOLD_S = 1.0
"""How long `b` holds OK down."""
ASKS_FOR_HELP = ("?", "h")
HELP = "Enter: OK of the lit seat   + -: change   b: back   m: menu   2+: plus of seat 2"


class KeyParser:
    """Assembles bytes into keys; an escape sequence may arrive in pieces."""

    def __init__(self) -> None:
        self.begun = b""

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete: a printable character, or a name such as "enter" or "left"."""
        keys = []
        for byte in data:
            if self.begun:
                self.begun += bytes([byte])
                if len(self.begun) == 2 and byte not in b"[O":
                    self.begun = b""
                elif len(self.begun) > 2 and 0x40 <= byte <= 0x7E:
                    if (name := ESCAPED.get(self.begun[1:])) is not None:
                        keys.append(name)
                    self.begun = b""
                elif len(self.begun) > 8:
                    self.begun = b""
            elif byte == ESCAPE:
                self.begun = bytes([byte])
            elif byte in NAMED:
                keys.append(NAMED[byte])
            elif 0x20 < byte < 0x7F:
                keys.append(chr(byte))
        return keys


def seat_of_key(key: str, lamps: Mapping[str, Lamp]) -> int:
    """The seat for a key without a digit: OK is for one whose lamp blinks, because the table waits for it.

    Else, and for − and +, the first lit seat whose lamp does not blink; the first one if none is lit.
    """
    lit = {n: lamps.get(f"seat{n}", Lamp()).mode for n in range(1, SEATS + 1)}
    lit = {n: mode for n, mode in lit.items() if mode is not LampMode.OFF}
    first = sorted(lit, key=lambda n: ((lit[n] is LampMode.BLINK) is not (key == "ok"), n))
    return first[0] if first else 1


def ok_seats(presses: Sequence[Press]) -> set[int]:
    """The seats that pressed OK."""
    return {int(press.control[4]) for press in presses if press.down and press.control.endswith(".ok")}


class TerminalPanel:
    """Prints views, and reads lines from a file descriptor without blocking.

    It prints a view when an important part of it changes, not at each page, so that people can type in peace.
    `oks` has the seats that pressed OK among the last presses.
    """

    def __init__(self, descriptor: int, screen: TextIO, clock: Clock) -> None:
        self.keyboard = descriptor
        self.screen = screen
        self.clock = clock
        self.lamps: Mapping[str, Lamp] = {}
        self.shown: list[object] = []
        self.typed = b""
        self.oks: set[int] = set()
        self.held: list[tuple[float, str]] = []
        self.degraded: Degraded | None = None
        self.started = False
        self._presses = PressLog()

    def start(self, news: Callable[[], None]) -> None:  # noqa: ARG002 - the caller polls it
        """Starts; anything typed at a terminal before that is discarded."""
        if not self.started:
            self.started = True
            keyboard.discard_typed(self.keyboard)
            if self.degraded == NOT_IN_USE:
                self.degraded = None

    def stop(self) -> None:
        self.started = False
        self.degraded = self.degraded or NOT_IN_USE

    def show(self, view: PanelView) -> None:
        """Prints the display in a frame, the lit lamps below it, if lamps, first lines, menu or news changed.

        While no one plays and after a game, when pages turn for passers-by, only changed lamps count.
        """
        lit = {name: lamp for name, lamp in view.lamps.items() if lamp.mode is not LampMode.OFF}
        matters: list[object] = [*lit.items()]
        if "table" in lit or all(lamp.mode is not LampMode.CHASE for lamp in lit.values()):
            menu = [line for line in view.lines if line.startswith("> ")]
            # The last line holds the news of a throw; in a menu it only alternates between two hints.
            matters += [*view.lines[:2], *(menu or view.lines[3:])]
        if matters == self.shown or self.degraded == NOT_IN_USE:
            return
        self.shown, self.lamps = matters, view.lamps
        rule = "+" + "-" * (COLUMNS + 2) + "+"
        box = [rule, *(f"| {line:{COLUMNS}} |" for line in view.lines), rule]
        self.screen.write("\n".join([*box, " ".join(f"({name})" for name in lit)]) + "\n")
        self.screen.flush()

    def presses(self) -> Sequence[Press]:
        """The lines typed since the last call, each as a press and a release."""
        while self.degraded is None and (chunk := keyboard.typed(self.keyboard, echo=True)) is not None:
            if not chunk:
                self.degraded = Degraded("the keyboard is gone", "start again at a terminal")
            self.typed += chunk
        *lines, self.typed = self.typed.split(b"\n")
        now_s = self.clock.now_s()
        for line in lines:
            self.press(line.decode(errors="replace").strip(), now_s)
        for until_s, control in self.held:
            if until_s <= now_s:
                self._presses.change(control, down=False, time_s=now_s)
        self.held = [(until_s, control) for until_s, control in self.held if until_s > now_s]
        presses = self._presses.take()
        self.oks = ok_seats(presses)
        return presses

    def press(self, line: str, now_s: float) -> None:
        """Presses the control that a typed line means, if any, and releases it now or later."""
        if line in ASKS_FOR_HELP:
            self.screen.write(f"{HELP}\n")
            self.screen.flush()
        control = self.control(line)
        if control is None or control in self._presses.held:
            return
        self._presses.change(control, down=True, time_s=now_s)
        if line.endswith("b"):
            self.held.append((now_s + HOLD_S, control))
        else:
            self._presses.change(control, down=False, time_s=now_s)

    def control(self, line: str) -> str | None:
        """The control that a typed line means; None if there is none."""
        if line == "m":
            return "table.menu"
        match = LINE.fullmatch(line)
        if match is None:
            return None
        key = KEYS[match[2]]
        return f"seat{match[1] or seat_of_key(key, self.lamps)}.{key}"
