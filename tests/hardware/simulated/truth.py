"""What a perfect eye would read of a simulated table, without rendering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hardware.simulated.die import Lying
from hardware.simulated.places import over_marker
from hardware.simulated.stage import visits
from hardware.simulated.world import World, box_in_frame

if TYPE_CHECKING:
    from hardware.simulated.picture import Projection

MOST_SIGHTS: Final = 64
SIGHTS: Final[dict[tuple[int, int], Sight]] = {}
"""Dice at rest as they were last looked at, by the identities of die and view, which stay alive here."""


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die in the tray with its box in the frame: x, y, width, height in pixels."""

    lying: Lying
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Sight:
    """A die at rest as a view shows it, and whether it hides a marker."""

    lying: Lying
    view: Projection
    seen: SeenDie
    hides_marker: bool


def sight(lying: Lying, view: Projection) -> Sight:
    """The sight of the die, worked out once for as long as neither it nor the camera moves."""
    key = id(lying), id(view)
    if key not in SIGHTS:
        if len(SIGHTS) >= MOST_SIGHTS:
            SIGHTS.clear()
        SIGHTS[key] = Sight(lying, view, SeenDie(lying, box_in_frame(lying, view)), over_marker(lying))
    return SIGHTS[key]


@dataclass(frozen=True, slots=True)
class Truth:
    """The state of the table at one time.

    `moving` are dice or a cup, `occluded` is a marker. `dice` are those in the tray and not under a cup.
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


def truth(world: World) -> Truth:
    """The reading of a perfect eye now."""
    time_s, faults = world.clock.now_s(), world.faults
    rolls = [roll for roll in world.rolls if roll.start_s <= time_s < roll.gone_s]
    view = world.lens.view_at(time_s)
    sights = [
        sight(roll.clip.lying, view)
        for roll in rolls
        if roll.in_tray and time_s >= roll.start_s + roll.clip.lasts_s
    ]
    cups = [cup for cup in world.cups if cup.at_mm(time_s) is not None]
    return Truth(
        time_s=time_s,
        moving=any(time_s < roll.start_s + roll.clip.lasts_s for roll in rolls)
        or any(not cup.start_s + 0.3 <= time_s <= cup.uncovered_s for cup in cups),
        hand=bool(visits(world, faults, time_s)),
        unlit=faults.active("dark", time_s) is not None,
        camera_moved=faults.active("bump", time_s) is not None,
        occluded=faults.active("covered", time_s) is not None or any(one.hides_marker for one in sights),
        dice=tuple(one.seen for one in sights),
    )
