"""Frames with many dice, for tests of an eye that is slow."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.resting import at_random
from hardware.simulated.world import World

if TYPE_CHECKING:
    from vision.reading import Image


@cache
def frame_of(count: int) -> Image:
    """A frame with that many dice."""
    world = World(count, VirtualClock())
    picked = world.pick([KINDS[at % 6] for at in range(count)], set())
    dice = [replace(die, scale=0.6 * die.scale) for die in picked]
    world.lay(at_random(np.random.default_rng(count), dice, []))
    return np.array(world.seen(world.still_at_s + 1))
