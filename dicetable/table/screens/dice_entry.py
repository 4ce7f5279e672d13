"""Dice entered at the panel: because they cannot be read, or because they were read wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.pages import Confirm
from dicetable.table.screens.screen import YOURS, Choice, PhoneView, Screen, Walk, lamp
from games import words
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dicetable.table.screens.screen import TableControl
    from games.dice import Die, Kind
    from hardware.ports import PanelView

MANY = 6
"""More alike dice than this are entered by how many show each face."""


@dataclass(frozen=True, slots=True)
class Field:
    """One number to choose: what it is, and each choice in words."""

    label: str
    choices: tuple[str, ...]
    start: int = 0


class DiceForm:
    """Takes `count` of the dice `kinds`; starts with the values of `before`, if there are any."""

    def __init__(self, kinds: Sequence[Kind], count: int, before: Sequence[Die] = ()) -> None:
        self.kinds = tuple(kinds)
        self.count = count
        self.chosen: list[int] = []
        self.alike = len(set(kinds)) == 1 and count > MANY
        self.free = count < len(kinds) and len(set(kinds)) > 1
        self.before = self.encoded(before) if len(before) == count else []

    def encoded(self, dice: Sequence[Die]) -> list[int]:
        """The choices that lead to these dice."""
        if self.alike:
            return [sum(value == face for _, value in dice) for face in range(1, FACES[self.kinds[0]])]
        choices: list[int] = []
        left = list(self.kinds)
        for kind, value in sorted(dice, key=lambda die: self.kinds.index(die[0])):
            if self.free:
                choices.append(left.index(kind))
            left.remove(kind)
            choices.append(value - 1)
        return choices

    @property
    def field(self) -> Field | None:
        """What to choose next; None once the dice are complete."""
        at = len(self.chosen)
        field = self.count_field(at) if self.alike else self.die_field(at)
        if field is None:
            return None
        start = self.before[at] if at < len(self.before) else 0
        return Field(field.label, field.choices, start if start < len(field.choices) else 0)

    def count_field(self, at: int) -> Field | None:
        """How many dice show the next face."""
        left = self.count - sum(self.chosen)
        if at + 1 >= FACES[self.kinds[0]] or not left:
            return None
        return Field(texts.menu.face_field(at + 1), tuple(map(str, range(left + 1))))

    def die_field(self, at: int) -> Field | None:
        """The kind or the value of the next die."""
        number, part = divmod(at, 2) if self.free else (at, 1)
        if number == self.count:
            return None
        left = self.kinds_left(number)
        if not part:
            return Field(texts.menu.kind_field(number + 1, self.count), tuple(left))
        kind = left[self.chosen[-1]] if self.free else left[0]
        values = tuple(str(value) for value in range(1, FACES[kind] + 1))
        return Field(texts.menu.die_field(number + 1, self.count, kind), values)

    def kinds_left(self, number: int) -> list[Kind]:
        """The kinds left for die `number`, after the dice before it."""
        left = list(self.kinds)
        for place in range(number):
            left.pop(self.chosen[2 * place] if self.free else 0)
        return left

    def take(self, choice: int) -> None:
        """Chooses, by the choice's place in the field."""
        self.chosen.append(choice)

    def back(self) -> bool:
        """Takes back the last choice; False if there is none."""
        if not self.chosen:
            return False
        self.before = [*self.chosen, *self.before[len(self.chosen) :]]
        self.chosen.pop()
        return True

    @property
    def dice(self) -> tuple[Die, ...]:
        """The dice, once they are complete."""
        if self.alike:
            kind = self.kinds[0]
            counts = [*self.chosen, *[0] * (FACES[kind] - len(self.chosen))]
            if len(self.chosen) == FACES[kind] - 1:
                counts[-1] = self.count - sum(self.chosen)
            return tuple((kind, face) for face, count in enumerate(counts, 1) for _ in range(count))
        dice: list[Die] = []
        for number in range(self.count):
            left = self.kinds_left(number)
            kind = left[self.chosen[2 * number]] if self.free else left[0]
            dice.append((kind, self.chosen[2 * number + 1 if self.free else number] + 1))
        return tuple(dice)


class DiceEntry(Screen):
    """`owner` fills in the form; `use` is called with the dice and the two seats that stand for them."""

    idle_s = 60.0

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
        back = Choice(texts.menu.CLOSE, self.keyed(seat, Means.BACK), small=True)
        return PhoneView(f"{self.heading}\n{field.label}", [*values, back])

    def complete(self) -> None:
        """All dice are entered: a second seat has to agree."""
        dice, owner = self.form.dice, self.owner
        confirm = Confirm(
            self.table,
            owner,
            texts.menu.IS_IT_RIGHT,
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
