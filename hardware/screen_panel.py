"""A panel without a display, whose lines are shown on a screen of text beside it.

Such as /dev/tty1, the screen at the Pi's HDMI socket. It is opened anew each time, so that it may come and
go, and the lines are shown again and again, so that what others write over them does not stay.
"""

from __future__ import annotations

import asyncio
import errno
import os
from typing import TYPE_CHECKING

from hardware.ports import LINES, PanelView, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hardware.gpio.panel import PinPanel
    from hardware.ports import Press

AGAIN_S = 2.0
"""The lines are shown again so often."""
NO_CURSOR, CLEAR_LINE, CLEAR_BELOW = "\033[?25l", "\033[K", "\033[5;1H\033[J"
REMEDIES = {
    errno.EACCES: "the table's user must be in the group tty",
    errno.ENOENT: "name another in panel.screen",
    errno.ENOTTY: "name a terminal in panel.screen, such as /dev/tty1",
}


class ScreenPanel:
    """Buttons and lamps of a panel of pins; its lines on the terminal at `screen`."""

    def __init__(self, pins: PinPanel, screen: Path) -> None:
        self.pins = pins
        self.setup = pins.setup
        self.screen = screen
        self.dark: Trouble | None = None
        self._view = PanelView({}, [])
        self._news: Callable[[], None] = lambda: None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the pins; if nothing, with the screen."""
        return self.pins.trouble or self.dark

    def start(self, news: Callable[[], None]) -> None:
        """Takes pins and screen, now or as soon as they are there; does nothing if it already does."""
        if self._timer is None:
            self._news = news
            self.pins.start(news)
            self._draw_again()

    def stop(self) -> None:
        """Gives the pins back, lamps off, and clears the screen."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.pins.stop()
            self._view = PanelView({}, [])
            self._draw()

    def show(self, view: PanelView) -> None:
        """Shows the lamps that there are, and the lines."""
        self.pins.show(view)
        changed = list(view.lines) != list(self._view.lines)
        self._view = view
        if changed and self._timer is not None:
            self._draw()

    def presses(self) -> Sequence[Press]:
        """What happened since the last call."""
        return self.pins.presses()

    def _draw_again(self) -> None:
        self._draw()
        self._timer = asyncio.get_running_loop().call_later(AGAIN_S, self._draw_again)

    def _draw(self) -> None:
        """Writes the lines over what is there; a screen that is full or stopped gets them the next time."""
        lines = [*self._view.lines, "", "", "", ""][:LINES]
        text = NO_CURSOR + "".join(f"\033[{row};1H{line}{CLEAR_LINE}" for row, line in enumerate(lines, 1))
        dark = None
        try:
            write(self.screen, (text + CLEAR_BELOW).encode())
        except BlockingIOError:
            pass
        except OSError as error:
            what = f"the screen {self.screen}: {os.strerror(error.errno or 0)}"
            dark = Trouble(what, REMEDIES.get(error.errno or 0, "look after the screen"))
        if dark != self.dark:
            self.dark = dark
            self._news()


def write(screen: Path, data: bytes) -> None:
    """Writes to a terminal without waiting for it; OSError if there is none."""
    descriptor = os.open(screen, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        if not os.isatty(descriptor):
            raise OSError(errno.ENOTTY, "not a terminal")
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
