"""What a perfect reader would say, from the simulated table's state and not from pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.simulated.world import box_in_frame
from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from hardware.simulated.die import Lying
    from hardware.simulated.world import World


def true_reading(world: World) -> Reading:
    """Every die in the tray, as it lies once all is still."""
    return Reading(tuple(sorted((true_die(world, die) for die in world.lying), key=lambda d: d.box[1::-1])))


def true_die(world: World, lying: Lying) -> DieReading:
    """The die; one that does not lie flat has the doubt `COCKED`."""
    seen = box_in_frame(lying, world.lens.view_at(world.clock.now_s()))
    return DieReading(lying.kind, lying.value, 1.0, seen, None if lying.value is not None else Doubt.COCKED)
