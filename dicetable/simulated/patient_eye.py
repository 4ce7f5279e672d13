"""An eye that knows when the simulated dice lie still: it reads them once each time they come to rest.

It does not watch for motion as the eye of a real table does (`watchful_eye.py`), which takes more than twice
the processor time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicetable.eye.messages import EyeMessage, Settled, Unsettled, Why
from dicetable.eye.still_reading import look
from vision.reader import DiceReader
from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.simulated.die import Lying
    from hardware.simulated.world import World

FRAMES = 2
"""Frames that must agree."""
STILL_S = 0.4
"""Time from the end of all motion to the reading."""


def true_reading(world: World) -> Reading:
    """The reading of a perfect reader, from the simulated table's state and not from pixels."""
    return Reading(tuple(sorted((true_die(world, die) for die in world.lying), key=lambda d: d.box[1::-1])))


def true_die(world: World, lying: Lying) -> DieReading:
    """The die as a perfect reader would read it; a die that does not lie flat has the doubt `COCKED`."""
    corners = world.lens.view_at(world.clock.now_s()).project(lying.pose.placed(lying.die))
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    flat = lying.value is not None
    return DieReading(lying.kind, lying.value, 1.0, box, None if flat else Doubt.COCKED)


class PatientEye:
    """An `Eye` over a simulated world.

    Args:
        world: the simulated table.
        read: gives the reading in place of the reader; None to read the camera's frames.

    Attributes:
        reading_ms: for each reading, the mean time from a frame's pixels to its dice, milliseconds.
    """

    def __init__(self, world: World, read: Callable[[World], Reading] | None = None) -> None:
        self.world = world
        self.read = read
        self.reader = DiceReader()
        self.looked_s = float("-inf")
        self.moved_s = float("-inf")
        self.reading_ms: list[float] = []

    def start(self, news: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - it is asked
        """Starts the camera."""
        self.world.camera.start()

    def messages(self) -> Sequence[EyeMessage]:
        """The messages since the last call: that dice move, or how they lie."""
        now_s, still_s = self.world.clock.now_s(), self.world.still_at_s
        if still_s <= self.looked_s:
            return []
        if now_s < still_s + STILL_S:
            if self.moved_s == still_s:
                return []
            self.moved_s = still_s
            return [Unsettled(Why.MOVING, now_s)]
        self.looked_s = still_s
        if self.read is not None:
            self.reading_ms.append(0.0)
            return [Settled(self.read(self.world), now_s)]
        seen = look(self.world.camera, FRAMES, self.reader)
        if seen is None:
            return []
        self.reading_ms.append(seen.reading_ms)
        return [Settled(seen.reading, seen.frame.time_s)]

    def stop(self) -> None:
        """Stops the camera."""
        self.world.camera.stop()
