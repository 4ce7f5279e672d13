"""Asks whether something is meant; where there is another seat, somebody else has to say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table.keys import Key, Means
from dicetable.table.screens.screen import CONFIRM, THERE, Choice, PhoneView, Screen, lamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.table.screens.screen import TableControl
    from hardware.ports import PanelView

IDLE_S = 30.0


class Confirm(Screen):
    """`asker` wants something, in one line and two more; `yes` is called with the seat that confirmed it.

    `asker` is 0 if it is no seat that wants it, but the operator.
    """

    idle_s = IDLE_S

    def __init__(
        self, table: TableControl, asker: int, heading: str, body: str, yes: Callable[[int], object]
    ) -> None:
        super().__init__(table)
        self.asker = asker
        self.heading = heading
        self.body = body
        self.yes = yes

    def key(self, key: Key) -> None:
        """OK of another seat confirms; OK held anywhere calls it off."""
        if key.means is Means.BACK:
            self.table.close(self)
        elif key.means is Means.OK and self.answers(key.seat):
            self.table.close(self, lambda: self.yes(key.seat))

    def answers(self, seat: int) -> bool:
        """Whether the seat may say yes."""
        return seat != self.asker or self.table.seats == 1

    def phone(self, seat: int) -> PhoneView:
        """The question, and the answers that the seat may give."""
        heading = [] if self.heading == texts.panel.MENU_HEADING else [self.heading]
        no = Choice(texts.phones.NO, self.keyed(seat, Means.BACK), small=True)
        if not self.answers(seat):
            return PhoneView("\n".join([*heading, self.body, texts.phones.ANOTHER_PLAYER]), [no])
        yes = Choice(texts.phones.YES, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([*heading, self.body]), [yes, no])

    def view(self) -> PanelView:
        """What is asked, and by whom it can be answered."""
        others = [seat for seat in range(1, self.table.seats + 1) if seat != self.asker]
        lamps = {lamp(seat): CONFIRM for seat in others} or {lamp(self.asker): CONFIRM}
        answer = texts.panel.SAME_SEAT
        if not self.asker:
            answer = texts.panel.ANY_SEAT
        elif others:
            lamps[lamp(self.asker)] = THERE
            answer = texts.panel.ANOTHER_SEAT
        hint = self.page([answer, texts.panel.NO_HOLD], 1)
        return self.lines([self.heading, *self.sentences(self.body, 2), *hint], lamps)
