"""The ground truth of the simulated table, against which an eye is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.places import over_marker
from hardware.simulated.projection import HEIGHT, WIDTH
from hardware.simulated.stage import visits

if TYPE_CHECKING:
    from hardware.simulated.active import ActiveFaults
    from hardware.simulated.die import Lying
    from hardware.simulated.lens import SimulatedLens
    from hardware.simulated.projection import Projection
    from hardware.simulated.thrower import Thrower


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die in the tray with its box in the frame: x, y, width, height in pixels."""

    lying: Lying
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Truth:
    """The state of the table at one time.

    Attributes:
        time_s: the time.
        moving: a die or a cup is moving.
        hand: a hand is in view.
        unlit: the light is out.
        camera_moved: the camera was moved.
        occluded: a marker is hidden.
        dice: every die in the tray that is not under a cup, in its current state.
    """

    time_s: float
    moving: bool
    hand: bool
    unlit: bool
    camera_moved: bool
    occluded: bool
    dice: tuple[SeenDie, ...]

    @property
    def settled(self) -> bool:
        """Whether nothing keeps an eye from reading."""
        return not (self.moving or self.hand or self.unlit or self.camera_moved or self.occluded)


def truth(time_s: float, people: Thrower, faults: ActiveFaults, lens: SimulatedLens) -> Truth:
    """The truth at that time."""
    rolls = [roll for roll in people.rolls if roll.start_s <= time_s < roll.gone_s]
    view = lens.view_at(time_s)
    dice = [
        SeenDie(roll.clip.lying, box(roll.clip.lying, view))
        for roll in rolls
        if roll.in_tray and time_s >= roll.start_s + roll.clip.lasts_s
    ]
    cups = [cup for cup in people.cups if cup.at_mm(time_s) is not None]
    return Truth(
        time_s=time_s,
        moving=any(time_s < roll.start_s + roll.clip.lasts_s for roll in rolls)
        or any(not cup.start_s + 0.3 <= time_s <= cup.uncovered_s for cup in cups),
        hand=bool(visits(people, faults, time_s)),
        unlit=faults.at("dark", time_s) is not None,
        camera_moved=faults.at("bump", time_s) is not None,
        occluded=faults.at("covered", time_s) is not None or any(over_marker(die.lying) for die in dice),
        dice=tuple(dice),
    )


def box(lying: Lying, view: Projection) -> tuple[int, int, int, int]:
    """The bounding box of the die in the frame."""
    outline = view.project(lying.pose.placed(lying.die))
    low = np.maximum(np.floor(outline.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(outline.max(axis=0)), (WIDTH, HEIGHT)).astype(int)
    x, y = low.tolist()
    right, bottom = high.tolist()
    return x, y, right - x, bottom - y
