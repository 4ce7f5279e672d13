"""What the eye tells the table: dice that lie still, why there are none to read, or why it cannot see.

Data only; the same messages come from an eye in this process and from one in a child process.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.ports import Trouble
    from vision.reading import Reading


class Why(StrEnum):
    """Why nothing is read although frames come."""

    MOVING = "moving"
    HAND = "hand"
    DARK = "dark"
    BUMPED = "bumped"
    MARKERS = "markers"


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice lie still and the frames that were read agree on them.

    Attributes:
        reading: all dice in the tray; places are in millimetres once the tray was seen.
        time_s: when the last frame that was read was taken, on the clock that all parts share.
        evidence: a small JPEG of the tray as it was read; empty if none could be made.
    """

    reading: Reading
    time_s: float
    evidence: bytes = b""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The tray cannot be read now, and why; said once, when it begins or its reason changes."""

    why: Why
    time_s: float


@dataclass(frozen=True, slots=True)
class Blind:
    """No frame that could be used comes from the camera."""

    trouble: Trouble
    time_s: float


EyeMessage: TypeAlias = Settled | Unsettled | Blind


class Eye(Protocol):
    """Watches the tray. May be started again after it was stopped."""

    def start(self, news: Callable[[], None] | None = None) -> None:
        """Begins to watch; does nothing if it already does.

        Eyes that are told of messages call `news` on the running asyncio loop when there may be some.
        """

    def messages(self) -> Sequence[EyeMessage]:
        """What is new since the last call, in order; does not wait."""

    def stop(self) -> None:
        """Stops watching and lets go of the camera; does nothing if it already has."""
