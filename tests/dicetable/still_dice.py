"""A photograph of dice on the simulated table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.hardware.files import write

if TYPE_CHECKING:
    from pathlib import Path


def photograph(path: Path) -> Path:
    """Writes a photograph of a d6 and a d20 that lie flat; returns its path."""
    world = World(3, VirtualClock(), fps=30)
    world.camera.start()
    world.throw(["d6", "d20"])
    frame = world.camera.frame(1.0)
    while world.clock.now_s() < world.settled_at_s + 1.5:
        frame = world.camera.frame(1.0) or frame
    assert frame is not None
    return write(path, frame.pixels)
