"""A person who plays at a terminal."""

from __future__ import annotations

import os
import pty
import select
import sys
import termios
import time
from pathlib import Path

from tests.hardware.screen import Screen

LIMIT_S = 300.0


class Player:
    """Somebody at a terminal of 100×44 characters."""

    def __init__(self, *options: str, folder: Path | None = None) -> None:
        """`options` are those of `play`, which runs in the folder."""
        self.screen = Screen()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder or Path.cwd())
            os.environ.update(COLORTERM="truecolor")
            os.execv(sys.executable, [sys.executable, "-m", "dicetable", "play", *options])

    def resize(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self.terminal, (rows, columns))

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def sees(self, words: str) -> bool:
        """Whether the words come to be on the screen."""
        end_s = time.monotonic() + LIMIT_S
        while time.monotonic() < end_s:
            if words in "\n".join(self.screen.lines()):
                return True
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.screen.write(os.read(self.terminal, 1 << 16).decode(errors="replace"))
        return False

    def left_with(self) -> int:
        """What the program ended with; what it writes at its end is read."""
        try:
            while data := os.read(self.terminal, 1 << 16):
                self.screen.write(data.decode(errors="replace"))
        except OSError:
            pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
