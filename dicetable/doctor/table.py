"""The parts of a table one by one, without the service that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.config.camera import SimulatedCamera
from dicetable.parts import camera_of, panel_of

if TYPE_CHECKING:
    from dicetable.config.file import Config
    from hardware.ports import Camera, Clock, Panel


def camera_alone(config: Config, clock: Clock) -> Camera:
    """The camera; a simulated one looks at a tray of its own."""
    if isinstance(config.camera, SimulatedCamera):
        from hardware.simulated.world import World

        return World(config.camera.seed, clock).camera
    return camera_of(config.camera, clock)


def panel_alone(config: Config, clock: Clock) -> Panel:
    """The panel."""
    return panel_of(config.panel, clock)
