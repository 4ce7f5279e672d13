"""A whole table in software, close enough to a real one that the service cannot tell.

    clock = VirtualClock()
    world = World(seed=1, clock=clock)
    world.camera, world.panel            # what the service is given: a Camera and a Panel
    thrown = world.throw(["d6", "d20"])  # people act: dice roll from now on, `thrown` is how they will lie
    world.still_at_s                     # when nothing moves any more
    world.lying                          # the truth: every die on the tray, as it will lie then
    world.panel.press("seat1.ok")        # a finger; world.panel.shown is what people see

Everything follows from the seed and from what is asked of it at what time. It never waits and needs no
thread: whenever it is looked at, it asks the clock for the time. A `VirtualClock` will do, and a real one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.body import render
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.die import dice_set
from hardware.simulated.light import random_light
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.picture import Layer, Picture, Thing
from hardware.simulated.resting import at_random
from hardware.simulated.rolling import Clip, rolled
from hardware.simulated.shadow import shadow
from hardware.simulated.tray import Tray
from hardware.simulated.view import random_view

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from games.dice import Kind
    from hardware.ports import Clock, Pixels
    from hardware.simulated.die import Die, Lying, Pose

GATHER_S = 0.9
"""How long a hand takes up the dice."""


@dataclass
class Roll:
    """A die that was thrown: on the tray from `start_s` until it is taken up."""

    clip: Clip
    start_s: float
    gone_s: float = inf


class World:
    """A tray, a camera, a panel and people's hands; see the module's words."""

    def __init__(self, seed: int, clock: Clock) -> None:
        self.clock = clock
        chances = [np.random.default_rng([seed, part]) for part in range(4)]
        self.chance = chances[0]
        self.view = random_view(chances[1])
        self.light = random_light(chances[1])
        self.chance_of_tray = chances[1]
        self.dice = dice_set(chances[2])
        self.camera = SimulatedCamera(chances[3], clock, self.seen)
        self.panel = SimulatedPanel(clock)
        self.rolls: list[Roll] = []
        self.still_at_s = clock.now_s()

    @cached_property
    def tray(self) -> Tray:
        """What the dice lie on; drawn when it is first looked at."""
        return Tray(self.chance_of_tray)

    @cached_property
    def picture(self) -> Picture:
        """What the lens sees."""
        return Picture(self.tray.seen(self.view))

    @property
    def lying(self) -> list[Lying]:
        """Every die on the tray as it lies once all is still."""
        return [roll.clip.lying for roll in self.rolls if roll.gone_s == inf]

    def throw(self, kinds: Sequence[Kind], keep: Sequence[Lying] = ()) -> list[Lying]:
        """Somebody takes up all dice but `keep` and throws so many; returns how those will lie.

        It begins when all is still, and takes until `still_at_s`.

        Raises:
            ValueError: there are not so many dice, or no room for them.
        """
        kept = {lying.die.number for lying in keep}
        now_s = self.clock.now_s()
        self.rolls = [roll for roll in self.rolls if roll.gone_s > now_s]
        dice = self.pick(kinds, kept)
        landed = at_random(self.chance, dice, [lying for lying in self.lying if lying.die.number in kept])
        start_s = max(now_s, self.still_at_s)
        taken = [roll for roll in self.rolls if roll.gone_s == inf and roll.clip.lying.die.number not in kept]
        for roll in taken:
            roll.gone_s = start_s + GATHER_S / 2
        if taken:
            start_s += GATHER_S
        clips = [rolled(self.chance, lying) for lying in landed]
        self.rolls += [Roll(clip, start_s) for clip in clips]
        self.still_at_s = start_s + max((clip.lasts_s for clip in clips), default=0.0)
        return landed

    def pick(self, kinds: Sequence[Kind], kept: set[int]) -> list[Die]:
        """A die of each kind out of the set, none of those kept."""
        picked: list[Die] = []
        for kind in kinds:
            taken = kept | {die.number for die in picked}
            free = [die for die in self.dice[kind] if die.number not in taken]
            if not free:
                raise ValueError(f"there are only {len(self.dice[kind])} {kind} at this table")
            picked.append(free[0])
        return picked

    def seen(self, time_s: float) -> Pixels:
        """What the lens sees at that time, without the sensor's noise; not to be written to."""
        known = self.picture.things
        things: dict[Hashable, Thing] = {}
        for roll in self.rolls:
            if not roll.start_s <= time_s < roll.gone_s:
                continue
            step, pose = roll.clip.at(time_s - roll.start_s)
            die = roll.clip.lying.die
            state = (roll.start_s, step)
            before = known.get(die.number)
            things[die.number] = before if before and before.state == state else self.drawn(state, die, pose)
        return self.picture.show(things)

    def drawn(self, state: Hashable, die: Die, pose: Pose) -> Thing:
        """The die and its shadow."""
        sprite = render(die, pose, self.view, self.light)
        seen = None
        if sprite:
            pixels = np.asarray(cv2.convertScaleAbs(sprite.colour, alpha=255), np.uint8)
            seen = Layer(pixels, sprite.alpha, sprite.x, sprite.y)
        order = -float(np.linalg.norm(pose.at_mm - self.view.eye_mm))
        return Thing(state, order, seen, shadow(pose.placed(die), self.view, self.light))
