"""Dice entered at the panel, because they cannot be read or were read wrongly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from common import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.pages import Confirm
from dicetable.table.screen import YOURS, Choice, PhoneView, Screen, TableControl, Walk, lamp
from games.dice import FACES, VALUES, Die, Kind, place_of
from hardware.ports import PanelView

MANY = 6
"""The most alike dice that people enter one by one; of more they enter how many show each face."""


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
            return [sum(value == face for _, value in dice) for face in VALUES[self.kinds[0]][:-1]]
        choices: list[int] = []
        left = list(self.kinds)
        for kind, value in sorted(dice, key=lambda die: self.kinds.index(die[0])):
            if self.free:
                choices.append(left.index(kind))
            left.remove(kind)
            choices.append(place_of((kind, value)) - 1)
        return choices

    @property
    def field(self) -> Field | None:
        """What to choose next; None once the dice are complete."""
        place = len(self.chosen)
        number, part = divmod(place, 2) if self.free else (place, 1)
        choices: tuple[str, ...]
        if self.alike:  # how many show the next face
            unplaced = self.count - sum(self.chosen)
            if place + 1 >= FACES[self.kinds[0]] or not unplaced:
                return None
            label, choices = (
                texts.panel.face_field(VALUES[self.kinds[0]][place]),
                tuple(map(str, range(unplaced + 1))),
            )
        elif number == self.count:
            return None
        elif not part:  # the kind of the next die
            label, choices = texts.panel.kind_field(number + 1, self.count), tuple(self.kinds_left(number))
        else:  # its value
            kind = self.kinds_left(number)[self.chosen[-1] if self.free else 0]
            label = texts.panel.die_field(number + 1, self.count, kind)
            choices = tuple(map(str, VALUES[kind]))
        start = self.before[place] if place < len(self.before) else 0
        return Field(label, choices, start if start < len(choices) else 0)

    def kinds_left(self, number: int) -> list[Kind]:
        """The kinds left for die `number`, after the dice before it."""
        left = list(self.kinds)
        for place in range(number):
            left.pop(self.chosen[2 * place] if self.free else 0)
        return left

    def back(self) -> bool:
        """Takes back the last choice; False if there is none."""
        if not self.chosen:
            return False
        self.before = [*self.chosen, *self.before[len(self.chosen) :]]
        self.chosen.pop()
        return True

    @property
    def dice(self) -> tuple[Die, ...]:
        if self.alike:
            kind = self.kinds[0]
            counts = [*self.chosen, *[0] * (FACES[kind] - len(self.chosen))]
            if len(self.chosen) == FACES[kind] - 1:
                counts[-1] = self.count - sum(self.chosen)
            faces = zip(VALUES[kind], counts, strict=True)
            return tuple((kind, face) for face, count in faces for _ in range(count))
        dice: list[Die] = []
        for number in range(self.count):
            left = self.kinds_left(number)
            kind = left[self.chosen[2 * number]] if self.free else left[0]
            dice.append((kind, VALUES[kind][self.chosen[2 * number + 1 if self.free else number]]))
        return tuple(dice)


class DiceEntry(Screen):
    """`owner` fills in the form; `confirm` asks another seat whether the dice are right."""

    idle_s = 60.0

    def __init__(
        self,
        table: TableControl,
        owner: int,
        heading: str,
        form: DiceForm,
        confirm: Callable[[tuple[Die, ...]], Confirm | None],
    ) -> None:
        super().__init__(table)
        self.owner = owner
        self.heading = heading
        self.form = form
        self.confirm = confirm
        self.walk = self.choices()

    def choices(self) -> Walk[str]:
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
        if not self.table.is_own(self):
            self.table.begin_question()

    def take(self, choice: int) -> None:
        self.form.chosen.append(choice)
        self.walk = self.choices()
        if self.form.field is None:  # all dice are entered: a second seat has to agree
            confirm = self.confirm(self.form.dice)
            self.table.close(self, lambda: self.table.open(confirm) if confirm else None)
        elif not self.table.is_own(self):
            self.table.begin_question()

    def phone(self, seat: int) -> PhoneView:
        field = self.form.field
        if seat != self.owner or field is None:
            return PhoneView()
        values = [Choice(value, partial(self.take, place)) for place, value in enumerate(field.choices)]
        return PhoneView(f"{self.heading}\n{field.label}", [*values, self.back_button(seat)])

    def view(self) -> PanelView:
        field = self.form.field
        heading = display.beside(self.heading, self.walk.position)
        return self.lines(
            [heading, field.label if field else "", f"> {self.walk.current}", self.keys_hint],
            {lamp(self.owner): YOURS},
        )
