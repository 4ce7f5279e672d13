"""Injects faults at a simulated table: repeatedly at random, or when somebody types them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.faults import FAULTS, FaultError, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.simulated.faults import Fault
    from hardware.simulated.world import World

COLUMNS = 78
"""Longest answer."""
PAUSE_S = (5.0, 25.0)
"""Pause from the end of a fault to its next beginning: minimum and maximum."""


class FaultInjection:
    """Begins each of the faults again some time after it has ended; the seed determines when.

    A fault of throws affects one throw, then waits as long as the others do.
    """

    def __init__(self, world: World, faults: Sequence[Fault], seed: int = 0) -> None:
        self.world = world
        self.faults = faults
        self.chance = np.random.default_rng([seed, 17])
        self.due_s = [world.clock.now_s() + float(self.chance.uniform(0, PAUSE_S[0])) for _ in faults]
        self.struck = 0

    def step(self) -> list[Fault]:
        """Begins the faults that are due and returns them; call it whenever time has passed."""
        begun = []
        now_s = self.world.clock.now_s()
        working = {fault.name for fault in self.world.faults.all(now_s)}
        for i, fault in enumerate(self.faults):
            if fault.name in working:
                self.due_s[i] = max(self.due_s[i], now_s + PAUSE_S[0])
            elif now_s >= self.due_s[i]:
                self.world.inject(fault)
                begun.append(fault)
                self.due_s[i] = now_s + fault.lasts_s * (fault.kind.part != "throw") + self.pause_s()
        self.struck += len(begun)
        return begun

    def pause_s(self) -> float:
        """The length of the next pause."""
        return float(self.chance.uniform(*PAUSE_S))


def obey(world: World, typed: str) -> list[str]:
    """Executes what somebody typed; returns lines to show.

    `NAME[:N]` begins a fault, `clear [NAME]` ends one or all, `faults` lists them.
    """
    words = typed.split()
    if words == ["faults"]:
        return wrap(", ".join(FAULTS), COLUMNS)
    if words[:1] == ["clear"] and len(words) <= 2 and set(words[1:]) <= FAULTS.keys():
        world.clear(*words[1:])
        return []
    try:
        fault = parse(typed)
        if fault.kind.part == "cheat":
            return [f"{fault.name}: people cheat only in `dicetable simulate --fault {fault.name}`"]
        world.inject(fault)
    except FaultError as error:
        return [str(error)]
    return []
