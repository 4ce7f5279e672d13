"""Compares what was read with the truth, which only a simulated table knows."""

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
"""Stands among the doubts for a die that was not found at all."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a reading compares with the truth, in dice.

    `doubts` counts the dice asked about by reason, `cocked` the thrown ones that lie cocked. `wrong_cocked`
    counts the wrong ones that do: no value would be right.
    """

    right: int
    asked: int
    wrong: int
    doubts: Counter[str] = field(default_factory=Counter, compare=False)
    wrong_cocked: int = 0
    cocked: int = 0


def judge(world: World, thrown: Sequence[Lying], reading: Reading) -> Verdict:
    """Compares what was read of the thrown dice with the truth; a sure die that is not there is wrong."""
    unmatched = list(reading.dice)
    numbers = {die.die.number for die in thrown}
    right = asked = wrong = wrong_cocked = cocked = 0
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
    return Verdict(right, asked, wrong + sum(die.sure for die in unmatched), why, wrong_cocked, cocked)


def at(world: World, die: Lying, seen: Sequence[DieReading]) -> DieReading | None:
    """Of what was seen, the die whose box holds the middle of this die's top; the nearest of several."""
    x, y = world.lens.view_at(world.clock.now_s()).project(die.top_mm[None])[0]
    over = [d for d in seen if d.box[0] <= x <= d.box[0] + d.box[2] and d.box[1] <= y <= d.box[1] + d.box[3]]
    return min(
        over, key=lambda d: abs(d.box[0] + d.box[2] / 2 - x) + abs(d.box[1] + d.box[3] / 2 - y), default=None
    )
