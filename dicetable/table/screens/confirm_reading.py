"""Dice thrown fairly that cannot be read, or may be cocked: the thrower proposes, another seat accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.entries import DieDetails, Thrown
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.screen import CONFIRM, YOURS, Screen, lamp
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.table.screens.screen import TableControl
    from dicetable.throws.outcomes import NeedsConfirmation
    from hardware.ports import PanelView


class ConfirmReading(Screen):
    """Goes through the dice that could not be read or may be cocked.

    `thrower` may change each value that is proposed; OK of one of `witnesses` accepts what is shown;
    OK held by anybody makes the throw void. Where there is no witness, the thrower's own OK is taken, and the
    ledger says that nobody confirmed it. As long as the dice are not seen to lie still nothing is
    accepted: a hand may turn one.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], throw: NeedsConfirmation
    ) -> None:
        super().__init__(table)
        self.thrower = thrower
        self.witnesses = witnesses
        self.throw = throw
        self.dice = list(throw.dice)
        self.details = list(map(DieDetails, throw.positions_mm, throw.die_ids))
        self.left = list(throw.unsure)

    @property
    def asked(self) -> int:
        """The number of the die that is asked about."""
        return self.left[0]

    @property
    def may_be_cocked(self) -> bool:
        """Whether it is asked whether the die lies flat."""
        return self.throw.reading.dice[self.throw.read_from.numbers[self.asked]].cocked

    @property
    def lies_still(self) -> bool:
        """Whether the dice are seen to lie still."""
        return self.table.acceptance.seen is not None

    @property
    def question(self) -> str:
        """What is asked, as one line."""
        kind, value = self.dice[self.asked]
        return texts.throws.which_value(texts.throws.which(kind, self.throw.ranks[self.asked]), value)

    def key(self, key: Key) -> None:
        """The thrower's − and + change the value; a witness's OK accepts it; OK held: the throw is void."""
        kind, value = self.dice[self.asked]
        if key.means is Means.BACK:
            self.void()
        elif key.means is Means.STEP and key.seat == self.thrower:
            faces = FACES[kind]
            self.dice[self.asked] = (kind, (value - 1 + key.by) % faces + 1)
        elif key.means is Means.OK and key.seat in (self.witnesses or [self.thrower]) and self.lies_still:
            self.accept(key.seat)

    def accept(self, seat: int) -> None:
        """The value counts; after the last one the throw does."""
        at = self.left.pop(0)
        self.details[at] = replace(
            self.details[at],
            confirmed_by=seat if self.witnesses else "nobody",
            proposed=self.throw.dice[at][1],
        )
        self.table.ask()
        if not self.left:
            entry = Thrown(tuple(self.dice), self.throw.baseline, details=tuple(self.details))
            self.table.close(self, lambda: self.table.write(entry, self.throw.evidence, self.throw.read_from))

    def void(self) -> None:
        """Nobody agrees: all dice are thrown again."""
        table = self.table
        table.close(self, lambda: table.carry_out(table.acceptance.nobody_agreed(self.throw)))

    def tick(self) -> None:
        """Dice that are touched meanwhile are no longer those that were thrown."""
        super().tick()
        if self.table.acceptance.confirming is not self.throw:
            self.table.close(self)

    def view(self) -> PanelView:
        """Which die, and what it is taken for."""
        kind, value = self.dice[self.asked]
        number = len(self.throw.unsure) - len(self.left) + 1
        lamps = {lamp(seat): CONFIRM for seat in self.witnesses or [self.thrower] if self.lies_still}
        if self.witnesses:
            lamps[lamp(self.thrower)] = YOURS
        question, hold = texts.throws.WHICH_VALUE, texts.throws.HOLD_IS_VOID
        if self.may_be_cocked:
            question, hold = texts.throws.IS_IT_FLAT, texts.throws.IF_COCKED
        accepts = texts.menu.ANOTHER_SEAT if self.witnesses else texts.menu.SAME_SEAT
        hints = [texts.throws.CHANGE_IT, accepts] if self.lies_still else [texts.throws.HANDS_OFF]
        return self.lines(
            [
                display.beside(question, f"{number}/{len(self.throw.unsure)}"),
                texts.throws.which(kind, self.throw.ranks[self.asked]),
                f"> {value}?",
                *self.page([*hints, hold], 1),
            ],
            lamps,
        )
