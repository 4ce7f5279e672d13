"""An eye that reports the simulated table's ground truth, without pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.eye.messages import Blind, EyeMessage
from hardware.ports import Degraded
from vision.reading import DieReading, Doubt, Reading, Reason, Settled, Unsettled

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.simulated.world import SeenDie, Truth, World

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
        truth = self.world.truth()
        if degraded := self.degraded(truth.time_s):
            return self.say(degraded, Blind(degraded, truth.time_s))
        if why := reason(truth):
            return self.say(why, Unsettled(why, truth.time_s))
        self.still_s = truth.time_s if self.still_s is None else self.still_s
        if truth.time_s < self.still_s + STILL_S:
            return []
        reading = Reading(tuple(sorted(map(read, truth.dice), key=lambda die: (die.box[1], die.box[0]))))
        return self.say(reading, Settled(reading, truth.time_s, b"\xff\xd8"), still=True)

    def say(self, what: object, message: EyeMessage, *, still: bool = False) -> list[EyeMessage]:
        if not still:
            self.still_s = None
        if what == self.said:
            return []
        self.said = what
        return [message]

    def degraded(self, now_s: float) -> Degraded | None:
        faults = self.world.faults
        if faults.at("unplugged", now_s):
            return Degraded("the camera is gone", "plug it in")
        if not faults.at("hangs", now_s) and not faults.at("stuck", now_s):
            self.frame_s = now_s
        return SILENT if now_s - self.frame_s > SILENCE_S else None


def reason(truth: Truth) -> Reason | None:
    """Why a perfect eye would not read now."""
    if truth.unlit:
        return Reason.UNLIT
    if truth.hand:
        return Reason.HAND
    if truth.camera_moved:
        return Reason.CAMERA_MOVED
    if truth.occluded:
        return Reason.MARKERS
    return Reason.MOVING if truth.moving else None


def read(seen: SeenDie) -> DieReading:
    """The die as it is; one that leans has no value."""
    kind, value = seen.lying.kind, seen.lying.value
    if value is None:
        return DieReading(kind, None, 0.5, seen.box, Doubt.COCKED)
    return DieReading(kind, value, 0.999, seen.box)
