"""Dice that the camera did not see roll: another seat says whether the throw was fair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Means
from dicetable.table.screens.of_throw import OfThrow
from dicetable.table.screens.screen import Choice, PhoneView

if TYPE_CHECKING:
    from hardware.ports import PanelView


class Vouch(OfThrow):
    """Asks once for all dice of the throw that were not seen to roll."""

    @property
    def question(self) -> str:
        """What is asked, as one line."""
        return texts.throws.fair(len(self.throw.unseen))

    def accept(self, seat: int) -> None:
        """The throw counts."""
        self.count(self.throw.read, seat)

    def phone(self, seat: int) -> PhoneView:
        """The question, and the answers that the seat may give."""
        yes = [Choice(texts.phones.FAIR, self.keyed(seat, Means.OK))]
        return self.phone_of(seat, yes, texts.phones.NOT_FAIR)

    def view(self) -> PanelView:
        """The question, and how to answer it."""
        answer = texts.throws.HANDS_OFF
        if self.lies_still:
            answer = texts.panel.ANOTHER_SEAT if self.witnesses else texts.panel.SAME_SEAT
        asked = self.page(display.wrapped(self.question), 2)
        return self.lines([*asked, answer, texts.throws.HOLD_IS_VOID], self.lamps)
