"""What every screen of the table is: it takes keys and time, and says what the panel shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from dicetable import display, texts
from hardware.ports import Colour, Lamp, LampMode, PanelView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dicetable.table.keys import Key
    from dicetable.table.table import Table

YOURS = Lamp(LampMode.PULSE, Colour.GREEN)
ABSENT = Lamp(LampMode.PULSE, Colour.YELLOW)
CONFIRM = Lamp(LampMode.BLINK, Colour.BLUE)
THERE = Lamp(LampMode.ON, Colour.WHITE)
WINNER = Lamp(LampMode.CHASE, Colour.YELLOW)
TROUBLE = Lamp(LampMode.BLINK, Colour.RED)
WAITS = Lamp(LampMode.PULSE, Colour.YELLOW)


class Screen(ABC):
    """One state of the table. It changes the table only through the table's own methods."""

    idle_s: float | None = None
    """So long after the last key, or its first moment, `left_idle` is called; None: it may stay for ever."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @property
    def game(self) -> str | None:
        """The game that it is about, if it is about one."""
        return None

    @abstractmethod
    def key(self, key: Key) -> None:
        """Somebody means something, and meant it while this screen was shown."""

    def tick(self) -> None:
        """Time has gone by."""
        last_s = max(self.table.touched_s, self.table.question_s)
        if self.idle_s is not None and self.table.now_s - last_s >= self.idle_s:
            self.left_idle()

    def left_idle(self) -> None:
        """Nobody has pressed anything for `idle_s`: it goes away."""
        self.table.close(self)

    @abstractmethod
    def view(self) -> PanelView:
        """What the panel shows now."""

    def page(self, lines: Sequence[str], room: int) -> list[str]:
        """Of these lines as many as there is room for; page after page, from when the question came up."""
        return display.page(lines, room, self.table.now_s - self.table.question_s)

    @property
    def keys_hint(self) -> str:
        """What the keys do in a menu."""
        return self.page(texts.turns.HINTS, 1)[0]

    def lines(self, lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
        """A view of these lines and lamps; the table's lamp tells of trouble wherever there is any."""
        trouble = {"table": TROUBLE} if self.table.troubles else {}
        return display.view(lines, {**lamps, **trouble})


def lamp(place: int) -> str:
    """The name of the lamp of a seat of the panel."""
    return f"seat{place}"
