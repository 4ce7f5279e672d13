"""The screens while no game goes on: the invitation, and what replaces a game that cannot simply go on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.entries import Sat, Sitting
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.pages import Confirm
from dicetable.table.screens.screen import DEGRADED, THERE, Choice, PhoneView, Screen, Walk, lamp
from dicetable.table.table_state import AWAY, TableState
from games.prompts import OverPrompt
from hardware.ports import Colour, Lamp, LampMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.table.screens.screen import TableControl
    from hardware.ports import PanelView

ATTRACT = Lamp(LampMode.CHASE, Colour.BLUE)
ROOM = 2
"""Lines for what happened, over the item and the key that takes it."""


class Attract(Screen):
    """Invites people to play; shows who won last, and what is wrong, if anything is."""

    def key(self, key: Key) -> None:
        self.table.set_up(key.seat)

    def phone(self, seat: int) -> PhoneView:
        return PhoneView(texts.phones.NO_GAME, [Choice(texts.phones.NEW_GAME, self.keyed(seat, Means.OK))])

    def view(self) -> PanelView:
        table = self.table
        screens = [list(texts.set_up.ATTRACT), display.packed(texts.games.titles(), gap=", ")]
        if table.winners:
            screens.append([texts.set_up.LAST_WON, *display.packed(table.winners, gap=", ")])
        for part in table.degraded:
            words = display.wrapped(table.explained(part))
            screens += [[texts.health.degraded(part), *words[at : at + 3]] for at in range(0, len(words), 3)]
        lines = [line for screen in screens for line in display.page(screen[:4], 4, 0.0)]
        lamps = {lamp(seat): ATTRACT for seat in range(1, table.seats + 1)}
        return self.lines(self.page(lines, 4), lamps)


class Safe(Screen):
    """Offers to resume, if that can be, a new game, and to power off; any seat may choose."""

    def __init__(self, table: TableControl, why: str, resume: Callable[[], None] | None) -> None:
        super().__init__(table)
        self.why = why
        self.resume = resume
        self.walk = Walk(["resume", "new", "off"] if resume else ["new", "off"])

    def key(self, key: Key) -> None:
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.OK:
            self.take(key.seat, self.walk.current)

    def take(self, seat: int, item: str) -> None:
        if item == "new":
            self.table.show(Attract(self.table))
            self.table.set_up(seat)
        elif item == "off":
            confirm_power_off(self.table, seat)
        elif self.resume:
            self.resume()

    def phone(self, seat: int) -> PhoneView:
        choices = [
            Choice(texts.health.SAFE_ITEMS[item], partial(self.take, seat, item)) for item in self.walk.items
        ]
        return PhoneView(" ".join([self.why, *map(self.table.explained, self.table.degraded)]), choices)

    def view(self) -> PanelView:
        words: list[str] = []
        for sentence in (self.why, *map(self.table.explained, self.table.degraded)):
            wrapped = display.wrapped(sentence)
            words += [*wrapped, *([""] * (len(wrapped) % ROOM))]
        lamps = {lamp(seat): THERE for seat in range(1, self.table.seats + 1)}
        return self.lines(
            [
                *self.page(words, ROOM),
                f"> {texts.health.SAFE_ITEMS[self.walk.current]}",
                texts.turns.take(self.walk.position),
            ],
            {**lamps, "table": DEGRADED},
        )


def confirm_power_off(table: TableControl, asker: int) -> None:
    """Switches the table off if another seat agrees; the game is where it was when the power comes back."""
    body = texts.menu.POWER_OFF
    table.open(Confirm(table, asker, texts.menu.HEADING, body, lambda _: table.switch_off()))


def missing_players(state: TableState, seats: int) -> list[Sat]:
    """The players who sit beyond the panel's last seat."""
    if state.match is None or isinstance(state.match.prompt, OverPrompt):
        return []
    sats = [state.roster[seat] for seat in state.panel_seats.values() if seat > seats]
    return [sat for sat in sats if sat.how not in AWAY]


def go_on_without(table: TableControl, state: TableState) -> None:
    """Offers to go on as if they had left, or to begin anew."""
    missing = missing_players(state, table.seats)

    def resume() -> None:
        table.go_on(state)
        if not all(table.write(replace(sat, how=Sitting.LEAVES)) for sat in missing):
            go_on_without(table, table.state)
        table.ask()

    table.state = TableState(opened=state.opened, roster=state.roster)
    table.base = Safe(table, texts.health.fewer_seats(missing[0].panel_seat, table.seats), resume)
