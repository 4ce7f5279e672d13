"""An eye that reports the simulated table's ground truth, without pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.eye.messages import Blind, EyeMessage
from hardware.ports import Degraded
from tests.hardware.simulated.truth import SeenDie, Truth, truth
from vision.reading import DieReading, Doubt, Reading, Reason, Settled, Unsettled

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.simulated.world import World

STILL_S = 0.4
SILENCE_S = 2.0
SILENT = Degraded("the camera gives no pictures", "pull its plug and put it in again")


class TruthfulEye:
    """Reads the dice once they have been still for a while, and again when they have moved."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.still_s: float | None = None
        self.said: object = None
        self.frame_s = world.clock.now_s()

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Nothing is needed."""

    def stop(self) -> None:
        """Nothing was taken."""

    def messages(self) -> list[EyeMessage]:
        now = truth(self.world)
        if degraded := self.degraded(now.time_s):
            return self.say(degraded, Blind(degraded, now.time_s))
        if why := reason(now):
            return self.say(why, Unsettled(why, now.time_s))
        self.still_s = now.time_s if self.still_s is None else self.still_s
        if now.time_s < self.still_s + STILL_S:
            return []
        reading = Reading(tuple(sorted(map(read, now.dice), key=lambda die: (die.box[1], die.box[0]))))
        return self.say(reading, Settled(reading, now.time_s, b"\xff\xd8"), still=True)

    def say(self, what: object, message: EyeMessage, *, still: bool = False) -> list[EyeMessage]:
        if not still:
            self.still_s = None
        if what == self.said:
            return []
        self.said = what
        return [message]

    def degraded(self, now_s: float) -> Degraded | None:
        faults = self.world.faults
        if faults.active("unplugged", now_s):
            return Degraded("the camera is gone", "plug it in")
        if not faults.active("hangs", now_s) and not faults.active("stuck", now_s):
            self.frame_s = now_s
        return SILENT if now_s - self.frame_s > SILENCE_S else None


def reason(now: Truth) -> Reason | None:
    """Why a perfect eye would not read now."""
    if now.unlit:
        return Reason.UNLIT
    if now.hand:
        return Reason.HAND
    if now.camera_moved:
        return Reason.CAMERA_MOVED
    if now.occluded:
        return Reason.MARKERS
    return Reason.MOVING if now.moving else None


def read(seen: SeenDie) -> DieReading:
    """The die as it is; one that leans has no value."""
    kind, value = seen.lying.kind, seen.lying.value
    if value is None:
        return DieReading(kind, None, 0.5, seen.box, Doubt.COCKED)
    return DieReading(kind, value, 0.999, seen.box)
