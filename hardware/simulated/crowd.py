"""One frame with any number of dice at rest, for benchmarks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.places import at_random
from hardware.simulated.world import World

if TYPE_CHECKING:
    from hardware.ports import Pixels

CROWD = 12
"""Beyond this number dice are drawn smaller, so that there is room for them."""
SMALLER = 0.6


def frame_of(count: int, seed: int) -> Pixels:
    """A frame (uint8, 720×1280×3, BGR) of the simulated table with `count` dice, kinds in turn."""
    world = World(seed, VirtualClock())
    scale = 1.0 if count <= CROWD else SMALLER
    picked = world.pick([KINDS[at % len(KINDS)] for at in range(count)], set())
    dice = [replace(die, scale=scale * die.scale) for die in picked]
    world.lay(at_random(np.random.default_rng(seed), dice, []))
    return np.array(world.seen(world.settled_at_s + 1))
