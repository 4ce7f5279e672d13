"""Dice thrown fairly that cannot be read, or may be cocked: the thrower proposes, another seat accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.of_throw import OfThrow
from dicetable.table.screens.screen import Choice, PhoneView
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.table.screens.screen import TableControl
    from dicetable.throws.outcomes import NeedsConfirmation
    from hardware.ports import PanelView


class ConfirmReading(OfThrow):
    """Goes through the dice that could not be read or may be cocked.

    `thrower` may change each proposed value, and names it where nothing was read; OK from one of `witnesses`
    accepts the value shown. The OK for the last die also vouches for the dice that were not seen to roll.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], throw: NeedsConfirmation
    ) -> None:
        super().__init__(table, thrower, witnesses, throw)
        self.dice = list(throw.dice)
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
    def vouches(self) -> str:
        """What the next OK says about dice that were not seen to roll; empty if it says nothing."""
        last = len(self.left) == 1
        return texts.throws.vouches_too(len(self.throw.unseen)) if last and self.throw.unseen else ""

    @property
    def question(self) -> str:
        """What is asked, as one line."""
        kind, value = self.dice[self.asked]
        which = texts.throws.which(kind, self.throw.ranks[self.asked])
        return " ".join(filter(None, [texts.throws.which_value(which, value), self.vouches]))

    def key(self, key: Key) -> None:
        """The thrower's − and + change the value."""
        super().key(key)
        if key.means is Means.STEP and key.seat == self.thrower:
            kind, value = self.dice[self.asked]
            if value is None:
                value = 0 if key.by > 0 else 1
            self.dice[self.asked] = (kind, (value - 1 + key.by) % FACES[kind] + 1)

    def phone(self, seat: int) -> PhoneView:
        """The thrower may change the value; the seats that answer accept it."""
        kind, value = self.dice[self.asked]
        yes = []
        if value is not None:
            label = texts.phones.flat(value) if self.may_be_cocked else texts.phones.it_shows(value)
            yes = [Choice(label, self.keyed(seat, Means.OK))]
        view = self.phone_of(seat, yes, texts.phones.THROW_AGAIN)
        if seat != self.thrower:
            return view
        values = [(face,) for face in range(1, FACES[kind] + 1)]
        other = Choice(texts.phones.OTHER_VALUE, self.take_for, values, (value or 1) - 1)
        return PhoneView(view.text, [*view.choices, other])

    def take_for(self, value: int) -> None:
        """The thrower says what the die shows."""
        self.dice[self.asked] = (self.dice[self.asked][0], value)

    def accept(self, seat: int) -> None:
        """The value counts, if one was said; after the last one the throw does."""
        if self.dice[self.asked][1] is None:
            return
        at = self.left.pop(0)
        proposed = self.throw.dice[at][1]
        self.details[at] = replace(self.details[at], confirmed_by=self.by(seat), proposed=proposed)
        self.table.ask()
        if not self.left:
            self.count([(kind, value) for kind, value in self.dice if value is not None], seat)

    def view(self) -> PanelView:
        """Which die, and what it is taken for."""
        kind, value = self.dice[self.asked]
        number = len(self.throw.unsure) - len(self.left) + 1
        question, hold = texts.throws.WHICH_VALUE, texts.throws.HOLD_IS_VOID
        if self.may_be_cocked:
            question, hold = texts.throws.IS_IT_FLAT, texts.throws.IF_COCKED
        accepts = texts.panel.ANOTHER_SEAT if self.witnesses else texts.panel.SAME_SEAT
        hints = [texts.throws.CHANGE_IT, accepts] if self.lies_still else [texts.throws.HANDS_OFF]
        hints += [self.vouches] if self.vouches else []
        return self.lines(
            [
                display.beside(question, f"{number}/{len(self.throw.unsure)}"),
                texts.throws.which(kind, self.throw.ranks[self.asked]),
                "> ?" if value is None else f"> {value}?",
                *self.page([*hints, hold], 1),
            ],
            self.lamps,
        )
