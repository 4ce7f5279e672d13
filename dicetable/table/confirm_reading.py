"""Dice thrown fairly that lie flat but cannot be read: the thrower proposes, another seat accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.entries import DieDetails, Thrown
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screen import CONFIRM, YOURS, Screen, lamp
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.eye.messages import Settled
    from dicetable.table.screen import TableControl
    from dicetable.throws.acceptance import Unread
    from hardware.ports import PanelView


class ConfirmReading(Screen):
    """Goes through the dice that could not be read; `thrower` may change each value that is proposed.

    OK of one of `witnesses` accepts the value that is shown; OK held by anybody makes the throw void. Where
    there is no witness, the thrower's own OK is taken, and the ledger says that nobody confirmed it.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], unread: Unread, seen: Settled
    ) -> None:
        super().__init__(table)
        self.thrower = thrower
        self.witnesses = witnesses
        self.unread = unread
        self.seen = seen
        self.dice = list(unread.dice)
        self.details = [DieDetails(position_mm=place) for place in unread.positions_mm]
        self.left = list(unread.unsure)

    @property
    def asked(self) -> int:
        """The number of the die that is asked about."""
        return self.left[0]

    def key(self, key: Key) -> None:
        """The thrower's − and + change the value; a witness's OK accepts it; OK held: the throw is void."""
        kind, value = self.dice[self.asked]
        if key.means is Means.BACK:
            self.void()
        elif key.means is Means.STEP and key.place == self.thrower:
            faces = FACES[kind]
            self.dice[self.asked] = (kind, (value - 1 + key.by) % faces + 1)
        elif key.means is Means.OK and key.place in (self.witnesses or [self.thrower]):
            self.accept(key.place)

    def accept(self, place: int) -> None:
        """The value counts; after the last one the throw does."""
        at = self.left.pop(0)
        self.details[at] = replace(
            self.details[at],
            confirmed_by=place if self.witnesses else "nobody",
            proposed=self.unread.dice[at][1],
        )
        self.table.ask()
        if not self.left:
            entry = Thrown(tuple(self.dice), self.unread.lying, details=tuple(self.details))
            self.table.close(self, lambda: self.table.write(entry, self.seen.evidence))

    def void(self) -> None:
        """Nobody agrees: all dice are thrown again."""
        why = texts.throws.nobody_agreed(len(self.dice))
        self.table.close(self, lambda: self.table.make_void(self.seen, why))

    def tick(self) -> None:
        """Dice that are touched meanwhile are no longer those that were thrown."""
        super().tick()
        now = self.table.seen
        if now is not None and now is not self.seen and not now.unchanged(self.seen):
            self.table.close(self)

    def view(self) -> PanelView:
        """Which die, and what it is taken for."""
        kind, value = self.dice[self.asked]
        number = len(self.unread.unsure) - len(self.left) + 1
        lamps = {lamp(place): CONFIRM for place in self.witnesses or [self.thrower]}
        if self.witnesses:
            lamps[lamp(self.thrower)] = YOURS
        hints = [texts.throws.CHANGE_IT, texts.menu.ANOTHER_SEAT if self.witnesses else texts.menu.SAME_SEAT]
        return self.lines(
            [
                display.beside(texts.throws.WHICH_VALUE, f"{number}/{len(self.unread.unsure)}"),
                texts.throws.which(kind, self.unread.ranks[self.asked]),
                f"> {value}?",
                *self.page([*hints, texts.throws.HOLD_IS_VOID], 1),
            ],
            lamps,
        )
