"""What the table needs of its parts: a camera, a panel, a clock. Drivers live beside this file.

A driver that cannot work right now says so in its `trouble`, and works again by itself once it can; it never
raises for a missing device and never turns into another driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Pixels: TypeAlias = npt.NDArray[np.uint8]
"""A frame's pixels: uint8, H×W×3, BGR."""

SEATS = 8
LINES = 4
COLUMNS = 20
CONTROLS = (
    *tuple(f"seat{n}.{key}" for n in range(1, SEATS + 1) for key in ("minus", "plus", "ok")),
    "table.menu",
)
"""The 25 inputs of a panel."""
LAMPS = (*tuple(f"seat{n}" for n in range(1, SEATS + 1)), "table")
"""The nine lamps of a panel."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a part does not work now, in words for the person beside it, and what would help."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the tray.

    Attributes:
        pixels: uint8, H×W×3, BGR.
        time_s: when it was taken, on the clock that all parts share; never decreases.
        name: where it came from, if it is a file; else empty.
    """

    pixels: Pixels
    time_s: float
    name: str = ""


class Camera(Protocol):
    """Takes pictures of the tray. May be started again after it was stopped."""

    @property
    def trouble(self) -> Trouble | None:
        """Why no frames come; None while all is well."""

    def start(self) -> None:
        """Begins to take pictures; does nothing if it already does."""

    def frame(self, timeout_s: float) -> Frame | None:
        """The newest frame not yet given; None if none came within the time."""

    def stop(self) -> None:
        """Lets go of the device; does nothing if it already has."""


class LampMode(StrEnum):
    """How a lamp shines; the panel animates it by itself."""

    OFF = "off"
    ON = "on"
    BLINK = "blink"
    PULSE = "pulse"
    CHASE = "chase"


class Colour(StrEnum):
    """Colours that every multi-colour lamp has; a one-colour lamp shines in its own."""

    WHITE = "white"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    YELLOW = "yellow"


@dataclass(frozen=True, slots=True)
class Lamp:
    """What one lamp shows."""

    mode: LampMode = LampMode.OFF
    colour: Colour = Colour.WHITE


@dataclass(frozen=True, slots=True)
class PanelView:
    """All that a panel shows: it is sent whole, so that sending it twice changes nothing.

    Attributes:
        lamps: by the names of LAMPS; a lamp that is not named is off.
        lines: at most four, of at most twenty printable ASCII characters.
        stays: whether a display that can goes on to show the lines after the panel was stopped.
    """

    lamps: Mapping[str, Lamp]
    lines: Sequence[str]
    stays: bool = False

    def __post_init__(self) -> None:
        if unknown := set(self.lamps) - set(LAMPS):
            raise ValueError(f"there is no lamp {min(unknown)}")
        if len(self.lines) > LINES:
            raise ValueError(f"{len(self.lines)} lines, {LINES} fit")
        for line in self.lines:
            if len(line) > COLUMNS or not ((line.isascii() and line.isprintable()) or not line):
                raise ValueError(f"not a line of {COLUMNS} printable ASCII characters: {line!r}")


@dataclass(frozen=True, slots=True)
class Press:
    """A control went down or up.

    Attributes:
        number: counts the panel's events up from 1, so that none is lost or taken twice unnoticed.
        control: one of CONTROLS.
        down: whether it went down.
        time_s: when, on the clock that all parts share.
    """

    number: int
    control: str
    down: bool
    time_s: float


NOT_IN_USE = Trouble("the panel is not in use", "start it")
"""The trouble of a panel that was stopped, or that looks for real parts and is not started yet."""


class Panel(Protocol):
    """Buttons, lamps and a small display. It works on the running asyncio loop, whose time its presses have.

    A control that is held when the panel gets lost is let go; one that was held before the panel was there is
    not pressed before it went up. So the presses of a control go down, up, down, up, whatever happens.
    """

    @property
    def trouble(self) -> Trouble | None:
        """Why the panel cannot be reached; None while all is well."""

    def start(self, news: Callable[[], None]) -> None:
        """Begins to look for the parts; does nothing if it already does.

        `news` is called on the loop when presses or trouble have changed, by drivers that can tell.
        """

    def stop(self) -> None:
        """Lets go of the parts, lamps off where it can, and has a trouble; once more does nothing."""

    def show(self, view: PanelView) -> None:
        """Shows this and nothing else, now or as soon as the panel can be reached."""

    def presses(self) -> Sequence[Press]:
        """What happened since the last call, in order; does not wait."""


class Clock(Protocol):
    """Time that never goes back."""

    def now_s(self) -> float:
        """Seconds since some start; only differences mean anything."""

    def sleep(self, seconds: float) -> None:
        """Returns once so much time has gone by."""
