"""Throws the dice that a game waits for on a simulated table, and knows the truth about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from games.prompts import RevealPrompt, ThrowPrompt
from hardware.simulated.scene import placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.match import Match
    from games.prompts import Prompt
    from hardware.simulated.table import SimulatedTable
    from hardware.simulated.throw import Resting
    from vision.reading import DieReading, Reading


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a reading compares with the truth, in dice."""

    right: int
    asked: int
    wrong: int


class Thrower:
    """Throws as players do: what is due, leaving what the game has set aside where it lies."""

    def __init__(self, table: SimulatedTable) -> None:
        self.table = table
        self.aside: list[Resting] = []
        self.thrown: list[Resting] = []

    def throw(self, prompt: Prompt) -> list[Resting]:
        """Throws the dice that the prompt waits for; returns how they lie."""
        if not isinstance(prompt, ThrowPrompt | RevealPrompt):
            raise TypeError(f"{prompt} waits for no dice")
        count = prompt.count if isinstance(prompt, ThrowPrompt) else len(prompt.dice)
        self.thrown = self.table.throw(prompt.dice[:count], self.aside)
        return self.thrown

    def accepted(self, match: Match) -> None:
        """Sets aside what the game keeps of the last throw: posted sixes, while the turn goes on."""
        turn = match.state()["turn"]
        posted = [*self.aside, *(die for die in self.thrown if die.value == 6)]
        self.aside = posted if turn is not None and turn["posted"] == len(posted) else []


def judge(table: SimulatedTable, thrown: Sequence[Resting], reading: Reading) -> Verdict:
    """Compares what was read of the thrown dice with the truth; a sure die that is not there is wrong."""
    unmatched = list(reading.dice)
    right = asked = wrong = 0
    for die in [*(d for d in table.lying if d not in thrown), *thrown]:
        seen = at(table, die, unmatched)
        if seen is not None:
            unmatched.remove(seen)
        if die not in thrown and (seen is None or not seen.sure or seen.value == die.value):
            continue
        if seen is None or not seen.sure:
            asked += 1
        elif (seen.kind, seen.value) == (die.kind, die.value):
            right += 1
        else:
            wrong += 1
    return Verdict(right, asked, wrong + sum(die.sure for die in unmatched))


def at(table: SimulatedTable, die: Resting, seen: Sequence[DieReading]) -> DieReading | None:
    """Of what was seen, the die whose box holds the middle of this die's top; the nearest of several."""
    corners = placed(die)
    x, y = table.view.project(np.array([[*corners.mean(axis=0)[:2], corners[:, 2].max()]]))[0]
    over = [d for d in seen if d.box[0] <= x <= d.box[0] + d.box[2] and d.box[1] <= y <= d.box[1] + d.box[3]]
    return min(
        over, key=lambda d: abs(d.box[0] + d.box[2] / 2 - x) + abs(d.box[1] + d.box[3] / 2 - y), default=None
    )
