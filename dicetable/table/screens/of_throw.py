"""Questions about a throw that lies in the tray: another seat decides, and the thrower waits."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dicetable import texts
from dicetable.ledger.entries import DieDetails, Thrown
from dicetable.table.keys import Key, Means
from dicetable.table.screens.screen import CONFIRM, YOURS, Choice, PhoneView, Screen, lamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dicetable.table.screens.screen import TableControl
    from dicetable.throws.outcomes import NeedsConfirmation
    from games.dice import Die
    from hardware.ports import Lamp


class OfThrow(Screen):
    """A question about a throw.

    OK of one of `witnesses` says yes, OK held by any seat makes the throw void. Where there is no witness,
    the thrower's own OK is taken, and the ledger says that nobody confirmed the throw. As long as the dice
    are not seen to lie still nothing is accepted: a hand may turn one.
    """

    def __init__(
        self, table: TableControl, thrower: int, witnesses: Sequence[int], throw: NeedsConfirmation
    ) -> None:
        super().__init__(table)
        self.thrower = thrower
        self.witnesses = witnesses
        self.throw = throw
        self.details = list(map(DieDetails, throw.positions_mm, throw.die_ids))

    @property
    @abstractmethod
    def question(self) -> str:
        """What is asked, as one line."""

    @abstractmethod
    def accept(self, seat: int) -> None:
        """The seat says yes."""

    @property
    def lies_still(self) -> bool:
        """Whether the dice are seen to lie still."""
        return self.table.acceptance.seen is not None

    @property
    def answering(self) -> Sequence[int]:
        """The seats whose OK says yes."""
        return self.witnesses or [self.thrower]

    def key(self, key: Key) -> None:
        """OK of a seat that answers says yes; OK held by any seat makes the throw void."""
        if key.means is Means.BACK:
            table = self.table
            table.close(self, lambda: table.carry_out(table.acceptance.nobody_agreed(self.throw)))
        elif key.means is Means.OK and key.seat in self.answering and self.lies_still:
            self.accept(key.seat)

    def tick(self) -> None:
        """Dice that are touched meanwhile are no longer those that were thrown; seats come and go."""
        super().tick()
        if self.table.acceptance.confirming is not self.throw:
            self.table.close(self)
        else:
            self.thrower, self.witnesses = self.table.thrower_and_witnesses()

    def phone_of(self, seat: int, answers: Sequence[Choice], void: str) -> PhoneView:
        """The question, with `void` and, while the dice lie still, the `answers` of seats that may."""
        answering = seat in self.answering
        hint = "" if answering else texts.phones.ANOTHER_PLAYER
        hint = hint if self.lies_still else texts.throws.HANDS_OFF
        no = Choice(void, self.keyed(seat, Means.BACK), small=True)
        return PhoneView(
            f"{self.question}\n{hint}".strip(), [*(answers if answering and self.lies_still else ()), no]
        )

    def count(self, dice: Sequence[Die], seat: int) -> None:
        """The throw counts with these values; the seat that said so vouches for dice not seen to roll."""
        for at in self.throw.unseen:
            self.details[at] = replace(self.details[at], vouched_by=self.by(seat))
        entry = Thrown(tuple(dice), self.throw.baseline, details=tuple(self.details))
        self.table.close(self, lambda: self.table.write(entry, self.throw.evidence, self.throw.read_from))

    def by(self, seat: int) -> int | Literal["nobody"]:
        """Who answered, as the ledger has it."""
        return seat if self.witnesses else "nobody"

    @property
    def lamps(self) -> Mapping[str, Lamp]:
        """The lamps of those who can answer, and of the thrower."""
        lamps = {lamp(seat): CONFIRM for seat in self.answering if self.lies_still}
        return {**lamps, lamp(self.thrower): YOURS} if self.witnesses else lamps
