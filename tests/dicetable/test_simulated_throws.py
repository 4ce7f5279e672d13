"""The truth about simulated throws: what is due is thrown, and a reading is judged die by die."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.simulated_throws import Thrower, Verdict, judge
from games.match import Match
from games.prompts import OverPrompt
from games.requests import Dice
from hardware.simulated.scene import placed
from hardware.simulated.table import SimulatedTable
from tests.hardware.fakes import FakeClock
from vision.reading import DieReading, Reading

if TYPE_CHECKING:
    from hardware.simulated.throw import Resting


def table(count: int = 4) -> SimulatedTable:
    made = SimulatedTable(3, FakeClock())
    made.throw(["d6"] * count)
    return made


def truth(made: SimulatedTable, die: Resting) -> DieReading:
    """The die as a perfect reader has it."""
    corners = made.view.project(placed(die))
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    return DieReading(die.kind, die.value, 1.0, sure=True, box=box)


def perfect(made: SimulatedTable) -> list[DieReading]:
    return [truth(made, die) for die in made.lying]


def other(die: DieReading) -> DieReading:
    return replace(die, value=1 if die.value != 1 else 2)


def test_a_perfect_reading_is_right() -> None:
    made = table()
    assert judge(made, made.lying, Reading(tuple(perfect(made)))) == Verdict(4, 0, 0)


def test_what_is_missing_or_doubtful_is_asked() -> None:
    made = table()
    seen = perfect(made)
    assert judge(made, made.lying, Reading(())) == Verdict(0, 4, 0)
    doubtful = (replace(seen[0], sure=False), replace(other(seen[1]), sure=False), *seen[3:])
    assert judge(made, made.lying, Reading(doubtful)) == Verdict(1, 3, 0)


def test_a_sure_die_with_another_value_is_wrong() -> None:
    made = table()
    seen = perfect(made)
    assert judge(made, made.lying, Reading((other(seen[0]), *seen[1:]))) == Verdict(3, 0, 1)


def test_a_sure_die_that_is_not_there_is_wrong() -> None:
    made = table()
    seen = perfect(made)
    nowhere = replace(seen[0], box=(0, 0, 5, 5))
    assert judge(made, made.lying, Reading((*seen, nowhere))) == Verdict(4, 0, 1)
    assert judge(made, made.lying, Reading((*seen, replace(nowhere, sure=False)))) == Verdict(4, 0, 0)
    assert judge(made, made.lying, Reading((*seen, seen[0]))) == Verdict(4, 0, 1)


def test_dice_set_aside_count_only_if_they_are_wrong() -> None:
    made = table()
    kept = made.lying[:2]
    thrown = made.throw(["d6"] * 2, kept)
    seen = perfect(made)
    assert judge(made, thrown, Reading(tuple(seen))) == Verdict(2, 0, 0)
    assert judge(made, thrown, Reading(tuple(seen[1:]))) == Verdict(2, 0, 0)
    assert judge(made, thrown, Reading((other(seen[0]), *seen[1:]))) == Verdict(2, 0, 1)


def test_what_is_due_is_thrown_and_sixes_are_left_lying() -> None:
    made = SimulatedTable(1, FakeClock())
    thrower = Thrower(made)
    match = Match.new("six_by_6", ("ann", "bob"), seed=1)
    for _ in range(200):
        if isinstance(match.prompt, OverPrompt):
            break
        aside = list(thrower.aside)
        assert all(die.value == 6 for die in aside)
        thrown = thrower.throw(match.prompt)
        assert made.lying == [*aside, *thrown]
        assert len(made.lying) == 6
        match = match.apply(Dice([(die.kind, die.value) for die in thrown]))
        thrower.accepted(match)
    assert isinstance(match.prompt, OverPrompt)


def test_where_no_dice_are_due_none_can_be_thrown() -> None:
    match = Match.new("sixes", ("ann", "bob", "cleo"), {"first": "ann"}, seed=1)
    with pytest.raises(TypeError, match="waits for no dice"):
        Thrower(table()).throw(match.prompt)
