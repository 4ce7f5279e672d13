"""The table while nobody plays: it invites people, and says what is wrong, if anything is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Means
from dicetable.table.screens.screen import Choice, PhoneView, Screen, lamp
from hardware.ports import Colour, Lamp, LampMode

if TYPE_CHECKING:
    from dicetable.table.keys import Key
    from hardware.ports import PanelView

ATTRACT = Lamp(LampMode.CHASE, Colour.BLUE)


class Attract(Screen):
    """Nobody plays: shows what the table is for, who won last, and what is wrong, if anything is."""

    def key(self, key: Key) -> None:
        """Any key begins to set up a game."""
        self.table.set_up(key.seat)

    def phone(self, seat: int) -> PhoneView:
        """A button that begins to set up a game."""
        return PhoneView(texts.phones.NO_GAME, [Choice(texts.phones.NEW_GAME, self.keyed(seat, Means.OK))])

    def view(self) -> PanelView:
        """Page after page."""
        table = self.table
        screens = [list(texts.panel.ATTRACT), display.packed(texts.games.titles(), gap=", ")]
        if table.winners:
            screens.append([texts.panel.LAST_WON, *display.packed(table.winners, gap=", ")])
        for part in table.degraded:
            words = display.wrapped(table.explained(part))
            screens += [[texts.health.degraded(part), *words[at : at + 3]] for at in range(0, len(words), 3)]
        lines = [line for screen in screens for line in display.page(screen[:4], 4, 0.0)]
        lamps = {lamp(seat): ATTRACT for seat in range(1, table.seats + 1)}
        return self.lines(self.page(lines, 4), lamps)
