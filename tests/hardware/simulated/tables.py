"""A simulated table for tests, with its camera running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World

if TYPE_CHECKING:
    from hardware.ports import Frame, Pixels
    from hardware.simulated.throw import Style


def world(seed: int = 1, *faults: str, real: bool = False, style: Style = "hand") -> World:
    made = World(seed, VirtualClock(), real=real, style=style)
    made.camera.start()
    for fault in faults:
        made.inject(parse(fault))
    return made


def frame(made: World) -> Frame:
    taken = made.camera.frame(1)
    assert taken is not None
    return taken


def pixels(made: World) -> Pixels:
    return frame(made).pixels


def change(one: Pixels, other: Pixels) -> float:
    """How many grey levels a pixel differs in the mean."""
    return float(abs(one.astype(int) - other.astype(int)).mean())
