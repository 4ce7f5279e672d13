"""What an observer of the tray reports: dice that lie still, or why none can be read. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from vision.reading import Arrival, Flight, Reading


class Reason(StrEnum):
    """Why nothing is read although frames come."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    CAMERA_MOVED = "camera_moved"
    MARKERS = "markers"


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice lie still and were read.

    Attributes:
        reading: all dice in the tray, as two frames agree on them.
        time_s: when the last frame that was read was taken.
        evidence: a small JPEG of the tray as it was read; empty without one.
        flight: how the dice came to lie there, one arrival for each in the reading's order; None while the
            empty tray has not been seen.
        touched: a hand moved, turned or took dice that lay open and had not been read yet.
    """

    reading: Reading
    time_s: float
    evidence: bytes = b""
    flight: Flight | None = None
    touched: bool = False

    def __post_init__(self) -> None:
        if self.flight is not None and len(self.flight.arrivals) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.arrivals)} arrivals of {len(self.reading.dice)} dice")
        if self.flight is not None and self.flight.anew and len(self.flight.anew) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.anew)} places of {len(self.reading.dice)} dice")

    def unchanged(self, before: Settled) -> bool:
        """Whether every die was seen to lie as it did before."""
        if self.flight is None or len(self.reading.dice) != len(before.reading.dice):
            return False
        return all(arrival is Arrival.LAY for arrival in self.flight.arrivals)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The tray cannot be read now; reported once, when that begins or the reason changes."""

    reason: Reason
    time_s: float


Observation: TypeAlias = Settled | Unsettled
