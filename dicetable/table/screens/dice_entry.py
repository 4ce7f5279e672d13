"""Dice entered at the panel: because they cannot be read, or because they were read wrongly."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.confirm import Confirm
from dicetable.table.screens.screen import YOURS, Choice, PhoneView, Screen, lamp
from dicetable.table.screens.walk import Walk
from games import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.table.screens.dice_form import DiceForm
    from dicetable.table.screens.screen import TableControl
    from games.dice import Die
    from hardware.ports import PanelView

IDLE_S = 60.0


class DiceEntry(Screen):
    """`owner` fills in the form; `use` is called with the dice and the two seats that stand for them."""

    idle_s = IDLE_S

    def __init__(
        self,
        table: TableControl,
        owner: int,
        heading: str,
        form: DiceForm,
        use: Callable[[tuple[Die, ...], tuple[int, ...]], object],
    ) -> None:
        super().__init__(table)
        self.owner = owner
        self.heading = heading
        self.form = form
        self.use = use
        self.walk = self.choices()

    def choices(self) -> Walk[str]:
        """The choices of the field that is asked for now."""
        field = self.form.field
        return Walk(field.choices, field.start) if field else Walk([""])

    def key(self, key: Key) -> None:
        """The owner walks, takes, goes back; before the first field, back leaves."""
        if key.seat != self.owner:
            return
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.BACK:
            if not self.form.back():
                self.table.close(self)
            self.walk = self.choices()
        elif key.means is Means.OK:
            self.take(self.walk.at)
        self.table.ask()

    def take(self, choice: int) -> None:
        """Fills in the field."""
        self.form.take(choice)
        self.walk = self.choices()
        if self.form.field is None:
            self.complete()
        self.table.ask()

    def phone(self, seat: int) -> PhoneView:
        """The field, and a button for each value."""
        field = self.form.field
        if seat != self.owner or field is None:
            return PhoneView()
        values = [Choice(value, partial(self.take, at)) for at, value in enumerate(field.choices)]
        back = Choice(texts.panel.CLOSE_MENU, self.keyed(seat, Means.BACK), small=True)
        return PhoneView(f"{self.heading}\n{field.label}", [*values, back])

    def complete(self) -> None:
        """All dice are entered: a second seat has to agree."""
        dice, owner = self.form.dice, self.owner
        confirm = Confirm(
            self.table,
            owner,
            texts.panel.IS_IT_RIGHT,
            words.dice(dice),
            lambda second: self.use(dice, (owner, second)),
        )
        self.table.close(self, lambda: self.table.open(confirm))

    def view(self) -> PanelView:
        """The field and the choice."""
        field = self.form.field
        label = field.label if field else ""
        return self.lines(
            [
                display.beside(self.heading, self.walk.position),
                label,
                f"> {self.walk.current}",
                self.keys_hint,
            ],
            {lamp(self.owner): YOURS},
        )
