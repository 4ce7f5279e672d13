"""What the eye tells the table: dice that lie still, why there are none to read, or why it cannot see.

Data only; the same messages come from an eye in this process and from one in a child process. The bounds in
the fields' types are for what a child says: wire.py has them checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, Literal, Protocol, TypeAlias

from pydantic import AfterValidator, Field

from hardware.ports import Degraded
from vision.reading import Arrival, DieReading, Flight, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_EVIDENCE: Final = 256 * 1024
LONGEST_SENTENCE: Final = 200
MOST_DICE: Final = 500
LARGEST_PX: Final = 20_000
FARTHEST_MM: Final = 10_000.0
MOST_TILT_DEG: Final = 90.0
FASTEST_FPS: Final = 10_000.0


class Why(StrEnum):
    """Why nothing is read although frames come."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    CAMERA_MOVED = "camera_moved"
    MARKERS = "markers"


def possible_reading(reading: Reading) -> Reading:
    """The reading; ValueError if no camera over a tray can have seen it."""
    if len(reading.dice) > MOST_DICE:
        raise ValueError("more dice than any tray holds")
    for die in reading.dice:
        check_die(die)
    return reading


def check_die(die: DieReading) -> None:
    """Raises ValueError if no die can lie there."""
    if min(die.box[2:]) <= 0 or min(die.box) < -LARGEST_PX or max(die.box) > LARGEST_PX:
        raise ValueError("not a box")
    if die.position_mm is not None and max(map(abs, die.position_mm)) > FARTHEST_MM:
        raise ValueError("not a position")
    if die.tilt_deg is not None and not 0 <= die.tilt_deg <= MOST_TILT_DEG:
        raise ValueError("not a tilt")


def possible_evidence(evidence: bytes) -> bytes:
    """The evidence; ValueError if it is neither a JPEG nor nothing."""
    if evidence and not evidence.startswith(b"\xff\xd8"):
        raise ValueError("no JPEG")
    return evidence


def possible_flight(flight: Flight | None) -> Flight | None:
    """The flight; ValueError if no camera is that fast."""
    if flight is not None and not 0 <= flight.fps <= FASTEST_FPS:
        raise ValueError("not a rate of frames")
    return flight


def showable(degraded: Degraded) -> Degraded:
    """What degrades a part; ValueError if no panel or log should have to show it."""
    for text in (degraded.what, degraded.remedy):
        if len(text) > LONGEST_SENTENCE or not text.isprintable():
            raise ValueError("not a sentence")
    return degraded


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice lie still and the frames that were read agree on them.

    Attributes:
        reading: all dice in the tray; places are in millimetres once the tray was seen.
        time_s: when the last frame that was read was taken, on the clock that all parts share.
        evidence: a small JPEG of the tray as it was read; empty if none could be made.
        flight: how the dice came to lie there, one arrival for each in the reading's order; None if nobody
            can tell, because the rig is not calibrated.
        touched: a hand moved, turned or took dice that lay open and had not been read yet.
    """

    reading: Annotated[Reading, AfterValidator(possible_reading)]
    time_s: float
    evidence: Annotated[bytes, Field(max_length=LONGEST_EVIDENCE), AfterValidator(possible_evidence)] = b""
    flight: Annotated[Flight | None, AfterValidator(possible_flight)] = None
    touched: bool = False
    message: Literal["settled"] = "settled"

    def __post_init__(self) -> None:
        if self.flight is not None and len(self.flight.arrivals) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.arrivals)} arrivals of {len(self.reading.dice)} dice")
        if self.flight is not None and self.flight.anew and len(self.flight.anew) != len(self.reading.dice):
            raise ValueError(f"{len(self.flight.anew)} places of {len(self.reading.dice)} dice")

    def unchanged(self, before: Settled) -> bool:
        """Whether every die lies as it did before, as far as anybody can tell."""
        if self.flight is None or len(self.reading.dice) != len(before.reading.dice):
            return False
        return all(arrival is Arrival.LAY for arrival in self.flight.arrivals)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The tray cannot be read now, and why; said once, when it begins or its reason changes."""

    why: Why
    time_s: float
    message: Literal["unsettled"] = "unsettled"


@dataclass(frozen=True, slots=True)
class Blind:
    """No frame that could be used comes from the camera."""

    degraded: Annotated[Degraded, AfterValidator(showable)]
    time_s: float
    message: Literal["blind"] = "blind"


EyeMessage: TypeAlias = Settled | Unsettled | Blind


class Eye(Protocol):
    """Watches the tray. May be started again after it was stopped."""

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Begins to watch; does nothing if it already does.

        Eyes with a source of events call `news` on the running asyncio loop when there may be some.
        """

    def messages(self) -> Sequence[EyeMessage]:
        """What is new since the last call, in order; does not wait."""

    def stop(self) -> None:
        """Stops watching and lets go of the camera; does nothing if it already has."""
