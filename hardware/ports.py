"""The interfaces to a table's parts: a camera, a panel, a clock, and what drivers of a panel share.

A driver that cannot work right now says so in its `degraded` and recovers by itself; it never raises for a
missing device and never falls back to another driver.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Pixels: TypeAlias = npt.NDArray[np.uint8]
"""The pixels of a frame: uint8, H×W×3, BGR."""
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
class Degraded:
    """Why a part does not work now and how to fix it, in words for the person beside it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the tray, taken at `time_s` on the common clock; `name` is the file it came from.

    `photograph`: it is no moment of a film but shows a throw that lies still, until the next one is taken; a
    camera may give it again and again.
    """

    pixels: Pixels
    time_s: float
    name: str = ""
    photograph: bool = False


class Camera(Protocol):
    """Takes pictures of the tray. It can be restarted after it was stopped."""

    @property
    def degraded(self) -> Degraded | None:
        """Why no frames come; None if all is well."""

    def start(self) -> None:
        """Starts taking pictures; does nothing if it is already started."""

    def frame(self, timeout_s: float) -> Frame | None:
        """The newest frame not returned yet; None if none arrives within the time."""

    def stop(self) -> None:
        """Releases the device; does nothing if it is already released."""


class LampMode(StrEnum):
    """How a lamp is lit; the panel runs the animation."""

    OFF = "off"
    ON = "on"
    BLINK = "blink"
    PULSE = "pulse"
    CHASE = "chase"


class Colour(StrEnum):
    """The colours of multi-colour lamps; a one-colour lamp ignores them."""

    WHITE = "white"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    YELLOW = "yellow"
    VIOLET = "violet"
    ORANGE = "orange"
    CYAN = "cyan"
    PINK = "pink"


@dataclass(frozen=True, slots=True)
class Lamp:
    """The state of one lamp."""

    mode: LampMode = LampMode.OFF
    colour: Colour = Colour.WHITE


@dataclass(frozen=True, slots=True)
class PanelView:
    """Everything that a panel shows. It is always sent whole, so sending it twice changes nothing.

    Attributes:
        lamps: by the names of LAMPS; a lamp that is not named is off.
        lines: at most four, of at most twenty printable ASCII characters.
        stays: whether the display should keep showing the lines after the panel is stopped, if it can.
        elsewhere: the lines for displays that people away from the table can read; None if they are the same.
    """

    lamps: Mapping[str, Lamp]
    lines: Sequence[str]
    stays: bool = False
    elsewhere: Sequence[str] | None = None

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
    """One of CONTROLS went down or up.

    `number` is the panel's event number, which counts up, so that losses and duplicates are noticed.
    """

    number: int
    control: str
    down: bool
    time_s: float


NOT_IN_USE = Degraded("the panel is not in use", "start it")
"""The state of a panel that is not started, or was stopped."""


class Panel(Protocol):
    """Buttons, lamps and a small display. It runs on the current asyncio loop and uses its time for presses.

    If the panel is lost, controls that are held are released. A control that was held before the panel
    appeared counts as released until it is pressed again. So the events of a control always alternate down,
    up, down, up.
    """

    @property
    def degraded(self) -> Degraded | None:
        """Why the panel cannot be reached; None if all is well."""

    def start(self, news: Callable[[], None]) -> None:
        """Starts looking for the device; does nothing if it is already started.

        Drivers that can do so call `news` on the loop when there are presses or its state has changed.
        """

    def stop(self) -> None:
        """Releases the device, lamps off where possible, and is then degraded; does nothing if stopped."""

    def show(self, view: PanelView) -> None:
        """Shows exactly this view, now or as soon as the panel can be reached."""

    def presses(self) -> Sequence[Press]:
        """The events since the last call, in order; does not wait."""


class Clock(Protocol):
    """A monotonic clock."""

    def now_s(self) -> float:
        """Seconds since an arbitrary start; only differences are meaningful."""

    def sleep(self, seconds: float) -> None:
        """Returns after that many seconds."""


class PressLog:
    """Takes the events that a driver saw and returns each press once."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self._number = 0
        self._waiting: list[Press] = []

    def change(self, control: str, *, down: bool, time_s: float) -> None:
        """Records that a control went down or up; an event that changes nothing is ignored.

        A control whose press was not seen counts as up, so its release is ignored too.
        """
        if down == (control in self.held):
            return
        self.held ^= {control}
        self._number += 1
        self._waiting.append(Press(self._number, control, down, time_s))

    def release(self, controls: set[str], time_s: float) -> None:
        for control in sorted(controls & self.held):
            self.change(control, down=False, time_s=time_s)

    def take(self) -> list[Press]:
        taken, self._waiting = self._waiting, []
        return taken


@dataclass(frozen=True, slots=True)
class Wiring:
    """Numbers by the names of CONTROLS and LAMPS; those that a panel lacks are absent."""

    controls: Mapping[str, int]
    lamps: Mapping[str, int]

    def __post_init__(self) -> None:
        if unknown := (set(self.controls) - set(CONTROLS)) | (set(self.lamps) - set(LAMPS)):
            raise ValueError(f"no panel has {min(unknown)}")
        for numbers in (self.controls.values(), self.lamps.values()):
            if len(set(numbers)) != len(numbers):
                raise ValueError("two names have one number")


WHOLE_BOARD = Wiring(
    {name: number for number, name in enumerate(CONTROLS)},
    {name: number for number, name in enumerate(LAMPS)},
)
"""The project's own board: all controls and lamps in the order of their names."""


class SystemClock:
    """Real time since the machine started."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
