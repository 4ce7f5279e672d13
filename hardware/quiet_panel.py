"""A terminal panel that prints only when something important changes, so that people can type in peace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hardware.ports import Degraded, LampMode, Panel, PanelView, Press


class QuietPanel:
    """Wraps a terminal panel, and prints a view when an important part of it changes, not at each page.

    `oks` has the seats that pressed OK among the last presses.
    """

    def __init__(self, terminal: Panel) -> None:
        self.terminal = terminal
        self.shown: list[object] = []
        self.oks: set[int] = set()

    @property
    def degraded(self) -> Degraded | None:
        """Why nothing can be typed."""
        return self.terminal.degraded

    def start(self, news: Callable[[], None]) -> None:
        """Starts the terminal."""
        self.terminal.start(news)

    def stop(self) -> None:
        """Stops the terminal."""
        self.terminal.stop()

    def show(self, view: PanelView) -> None:
        """Prints the view if its lamps, its first lines or its menu have changed.

        While no one plays and after a game, when pages turn for passers-by, only changed lamps count.
        """
        lit = {name: lamp for name, lamp in view.lamps.items() if lamp.mode is not LampMode.OFF}
        matters: list[object] = [*lit.items()]
        if "table" in lit or all(lamp.mode is not LampMode.CHASE for lamp in lit.values()):
            matters += [*view.lines[:2], *(line for line in view.lines if line.startswith("> "))]
        if matters != self.shown:
            self.shown = matters
            self.terminal.show(view)

    def presses(self) -> Sequence[Press]:
        """What was typed since the last call."""
        presses = self.terminal.presses()
        self.oks = {
            int(press.control[4])
            for press in presses
            if press.down and press.control.startswith("seat") and press.control.endswith(".ok")
        }
        return presses
