"""Presses the buttons of a simulated panel, one at a time, by what its display shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dicetable.table.display import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import PanelView
    from hardware.simulated.panel import SimulatedPanel

PLACE = re.compile(r"\s+\d+/\d+$")
TAP_S = 0.06
HOLD_S = 1.0
PAUSE_S = 0.4
"""Between two presses; sooner ones of OK would be taken for one burst."""


class Finger:
    """Presses the panel's buttons, not before `free_s`."""

    def __init__(self, panel: SimulatedPanel) -> None:
        self.panel = panel
        self.free_s = 0.0

    @property
    def view(self) -> PanelView:
        """What people see."""
        return self.panel.shown

    def line(self, number: int) -> str:
        """A line of the display; empty if there is none."""
        return self.view.lines[number] if number < len(self.view.lines) else ""

    @property
    def heading(self) -> str:
        """The first line without the place in the menu, such as 3/9, at its end."""
        return PLACE.sub("", self.line(0))

    @property
    def choice(self) -> str:
        """What the menu shows; empty if there is no menu."""
        return next((line[2:] for line in self.view.lines if line.startswith("> ")), "")

    def tap(self, seat: int, key: str) -> None:
        """Presses and releases a key of a seat; seat 0 is the table's menu button."""
        self.press(seat, key, TAP_S)

    def hold(self, seat: int, key: str) -> None:
        """Holds a key long enough for OK to mean back."""
        self.press(seat, key, HOLD_S)

    def press(self, seat: int, key: str, hold_s: float) -> None:
        """Holds a key for `hold_s` seconds and sets `free_s` to PAUSE_S after its release."""
        self.panel.press(f"seat{seat}.{key}" if seat else "table.menu", hold_s)
        self.free_s = self.panel.clock.now_s() + hold_s + PAUSE_S

    def toward(self, seat: int, labels: Sequence[str], wanted: str) -> bool:
        """Presses once to bring the menu closer to `wanted`, or OK if it is shown.

        Returns:
            False, without a press, if the menu shows none of the labels.
        """
        shown = [printable(f"> {label}")[2:] for label in labels]
        if self.choice not in shown:
            return False
        away = (labels.index(wanted) - shown.index(self.choice)) % len(labels)
        if not away:
            self.tap(seat, "ok")
        else:
            self.tap(seat, "plus" if away <= len(labels) / 2 else "minus")
        return True
