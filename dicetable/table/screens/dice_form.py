"""Dice entered by hand, one number after the other; many alike dice are counted by their faces instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable import texts
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Die, Kind

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
        return Field(texts.panel.face_field(at + 1), tuple(map(str, range(left + 1))))

    def die_field(self, at: int) -> Field | None:
        """The kind or the value of the next die."""
        number, part = divmod(at, 2) if self.free else (at, 1)
        if number == self.count:
            return None
        left = self.kinds_left(number)
        if not part:
            return Field(texts.panel.kind_field(number + 1, self.count), tuple(left))
        kind = left[self.chosen[-1]] if self.free else left[0]
        values = tuple(str(value) for value in range(1, FACES[kind] + 1))
        return Field(texts.panel.die_field(number + 1, self.count, kind), values)

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
