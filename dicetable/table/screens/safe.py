"""What is shown in place of a game that cannot simply go on: it failed again and again, or is damaged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.attract import Attract
from dicetable.table.screens.confirm import Confirm
from dicetable.table.screens.screen import DEGRADED, THERE, Choice, PhoneView, Screen, lamp
from dicetable.table.screens.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.table.screens.screen import TableControl
    from hardware.ports import PanelView


ROOM = 2
"""Lines for what happened, over the item and the key that takes it."""


class Safe(Screen):
    """Offers to resume, if that can be, a new game, and to power off; any seat may choose."""

    def __init__(self, table: TableControl, why: str, resume: Callable[[], None] | None) -> None:
        super().__init__(table)
        self.why = why
        self.resume = resume
        self.walk = Walk(["resume", "new", "off"] if resume else ["new", "off"])

    def key(self, key: Key) -> None:
        """Walks and takes."""
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.OK:
            self.take(key.seat, self.walk.current)

    def take(self, seat: int, item: str) -> None:
        """Does what the item says."""
        if item == "new":
            self.table.show(Attract(self.table))
            self.table.set_up(seat)
        elif item == "off":
            off = self.table.switch_off
            self.table.open(
                Confirm(self.table, seat, texts.panel.MENU_HEADING, texts.panel.POWER_OFF, lambda _: off())
            )
        elif self.resume:
            self.resume()

    def phone(self, seat: int) -> PhoneView:
        """What happened, and the items."""
        choices = [
            Choice(texts.health.SAFE_ITEMS[item], partial(self.take, seat, item)) for item in self.walk.items
        ]
        return PhoneView(" ".join([self.why, *map(self.table.explained, self.table.degraded)]), choices)

    def view(self) -> PanelView:
        """What happened and what is wrong, page after page, and the item."""
        words: list[str] = []
        for sentence in (self.why, *map(self.table.explained, self.table.degraded)):
            wrapped = display.wrapped(sentence)
            words += [*wrapped, *([""] * (len(wrapped) % ROOM))]
        lamps = {lamp(seat): THERE for seat in range(1, self.table.seats + 1)}
        return self.lines(
            [
                *self.page(words, ROOM),
                f"> {texts.health.SAFE_ITEMS[self.walk.current]}",
                texts.games.take(self.walk.position),
            ],
            {**lamps, "table": DEGRADED},
        )
