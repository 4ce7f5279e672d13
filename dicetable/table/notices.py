"""Short lines that take the place of the panel's last one for a while, whatever screen is shown.

They are for people at the table alone: displays elsewhere keep the line that was there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dicetable.table import display
from hardware.ports import LINES

if TYPE_CHECKING:
    from hardware.ports import PanelView

EACH_S: Final = 2.0
"""If there are several notices, each is shown for so long in its turn."""
MOST: Final = 8


class Notices:
    """What is to be seen until when, by name. A notice takes no key and keeps no throw waiting."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, float]] = {}

    def show(self, name: str, text: str, until_s: float) -> None:
        """Shows a line; one of the same name goes away."""
        self.shown[name] = (display.printable(text), until_s)
        while len(self.shown) > MOST:
            del self.shown[next(iter(self.shown))]

    def over(self, view: PanelView, now_s: float) -> PanelView:
        """The view, with the notice that is to be seen now in its last line."""
        if not self.shown:
            return view
        self.shown = {name: each for name, each in self.shown.items() if each[1] > now_s}
        lines = [text for text, _ in self.shown.values()]
        if not lines:
            return view
        kept = [*view.lines, *[""] * LINES][: LINES - 1]
        shown = [*kept, lines[int(now_s / EACH_S) % len(lines)]]
        return replace(view, lines=shown, elsewhere=view.lines)
