"""A panel whose lines are also shown on a text screen beside it.

For example /dev/tty1, the screen at the Pi's HDMI socket. It is reopened for every write, so that it may be
plugged and unplugged, and the lines are repeated, because other programs may write over them.
"""

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from hardware.errors import unforeseen
from hardware.ports import LINES, NOT_IN_USE, Degraded, Panel, PanelView, Press, Wiring

AGAIN_S = 2.0
"""How often the lines are repeated."""
NO_CURSOR, CLEAR_LINE, CLEAR_BELOW = "\033[?25l", "\033[K", "\033[J"
REMEDIES = {
    errno.EACCES: "the table's user must be in the group tty",
    errno.ENOENT: "name another in panel.screen",
    errno.ENOTTY: "name a terminal in panel.screen, such as /dev/tty1",
}
log = logging.getLogger(__name__)


class ScreenPanel:
    """Any panel, with its lines also on the terminal at `screen`.

    A screen that cannot be written degrades the panel if it is the only display. Otherwise it is a note, and
    the game continues on the panel's own display.
    """

    def __init__(self, panel: Panel, screen: Path, *, only_display: bool) -> None:
        self.panel = panel
        self.screen = screen
        self.only_display = only_display
        self.dark: Degraded | None = None
        self._view = PanelView({}, [])
        self._news: Callable[[], None] = lambda: None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def degraded(self) -> Degraded | None:
        """The state of the panel; if it works, that of the screen if that is the only display."""
        if self._timer is None:
            return NOT_IN_USE
        return self.panel.degraded or (self.dark if self.only_display else None)

    @property
    def notes(self) -> Sequence[str]:
        return [f"{self.dark.what}: {self.dark.remedy}"] if self.dark and not self.only_display else []

    @property
    def below(self) -> Sequence[str]:
        """Lines that the panel shows below its four lines, such as the codes of seats."""
        below: Sequence[str] = getattr(self.panel, "below", ())
        return ["", *below] if below and self._timer is not None else []

    @property
    def at_the_table(self) -> bool:
        """Whether people at the table, and no others, can read a line that is not for displays elsewhere."""
        return self.dark is None or getattr(self.panel, "at_the_table", True)

    @property
    def wiring(self) -> Wiring | None:
        return getattr(self.panel, "wiring", None)

    def start(self, news: Callable[[], None]) -> None:
        if self._timer is None:
            self._news = news
            self.panel.start(news)
            self._draw_again()

    def stop(self) -> None:
        """Stops the panel, lamps off, and clears the screen, unless the view stays."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.panel.stop()
            if not self._view.stays:
                self._view = PanelView({}, [])
                self._draw()

    def show(self, view: PanelView) -> None:
        self.panel.show(view)
        changed = list(view.lines) != list(self._view.lines)
        self._view = view
        if changed and self._timer is not None:
            self._draw()

    def presses(self) -> Sequence[Press]:
        return self.panel.presses()

    def _draw_again(self) -> None:
        self._draw()
        self._timer = asyncio.get_running_loop().call_later(AGAIN_S, self._draw_again)

    def _draw(self) -> None:
        """Writes the lines over the screen; a screen that is not writable now gets them next time."""
        lines = [*[*self._view.lines, "", "", "", ""][:LINES], *self.below]
        text = NO_CURSOR + "".join(f"\033[{row};1H{line}{CLEAR_LINE}" for row, line in enumerate(lines, 1))
        dark = None
        try:
            write(self.screen, f"{text}\033[{len(lines) + 1};1H{CLEAR_BELOW}".encode())
        except BlockingIOError:
            pass
        except OSError as error:
            cause = f"the screen {self.screen}: {os.strerror(error.errno or 0)}"
            dark = Degraded(cause, REMEDIES.get(error.errno or 0, "check the screen"))
        except Exception as error:  # noqa: BLE001 - such as a path that no system has; it is reported and logged
            dark = unforeseen(f"the screen {self.screen}", error, self.dark)
        if dark != self.dark:
            self.dark = dark
            if dark is not None and not self.only_display:
                log.warning("screen=%s what=%r remedy=%r", self.screen, dark.what, dark.remedy)
            self._news()


def write(screen: Path, data: bytes) -> None:
    """Writes to a terminal without blocking. Raises OSError if there is none."""
    descriptor = os.open(screen, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        if not os.isatty(descriptor):
            raise OSError(errno.ENOTTY, "not a terminal")
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
