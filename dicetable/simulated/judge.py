"""Compares a reading with the ground truth, which only a simulated table has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.simulated.die import Lying
    from hardware.simulated.world import World
    from vision.reading import DieReading, Reading

NOT_FOUND: Final = "not_found"
"""Counted among the doubts for a die that was not detected at all."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a reading compares with the truth, in dice.

    `doubts` counts the dice asked about by reason. `cocked` counts the thrown dice that lie cocked, and
    `cocked_sure` those of them that are sure all the same. `wrong_cocked` counts the wrong dice that lie
    cocked, those of earlier throws too: no value would be right.
    """

    right: int
    asked: int
    wrong: int
    doubts: Counter[str] = field(default_factory=Counter, compare=False)
    wrong_cocked: int = 0
    cocked: int = 0
    cocked_sure: int = 0


def judge(world: World, thrown: Sequence[Lying], reading: Reading) -> Verdict:
    """Compares the reading of the thrown dice with the truth. A sure die where none lies counts as wrong."""
    unmatched = list(reading.dice)
    numbers = {die.die.number for die in thrown}
    right = asked = wrong = wrong_cocked = cocked = cocked_sure = 0
    why: Counter[str] = Counter()
    for die in sorted(world.lying, key=lambda die: die.die.number in numbers):
        seen = at(world, die, unmatched)
        if seen is not None:
            unmatched.remove(seen)
        fresh = die.die.number in numbers
        right_so = seen is not None and (seen.kind, seen.value) == (die.kind, die.value)
        if not fresh and (seen is None or not seen.sure or right_so):
            continue
        cocked += fresh and die.value is None
        if seen is None or not seen.sure:
            asked += 1
            why[NOT_FOUND if seen is None or seen.doubt is None else seen.doubt] += 1
        elif right_so:
            right += 1
        else:
            wrong += 1
            wrong_cocked += die.value is None
            cocked_sure += fresh and die.value is None
    wrong += sum(die.sure for die in unmatched)
    return Verdict(right, asked, wrong, why, wrong_cocked, cocked, cocked_sure)


def at(world: World, die: Lying, seen: Sequence[DieReading]) -> DieReading | None:
    """The die of the reading whose box contains the centre of this die's top face; the nearest of several."""
    x, y = world.lens.view_at(world.clock.now_s()).project(die.top_mm[None])[0]
    over = [d for d in seen if d.box[0] <= x <= d.box[0] + d.box[2] and d.box[1] <= y <= d.box[1] + d.box[3]]
    return min(
        over, key=lambda d: abs(d.box[0] + d.box[2] / 2 - x) + abs(d.box[1] + d.box[3] / 2 - y), default=None
    )
