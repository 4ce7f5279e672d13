"""The faults that the simulated table can inject, by name: for tests, `simulate` and the terminal.

    fault = parse("flicker:0.4")
    world.inject(fault)       # begins now and ends by itself
    world.clear("flicker")    # ends it now

`FAULTS` maps each name to its fault, with one line that says what it does and what its argument means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Literal

from numpy.random import Generator

from games.dice import KINDS, Kind
from hardware.ports import CONTROLS

Part = Literal["throw", "tray", "light", "camera", "panel", "cheat"]
LEANS = "leaning"
"""The fault whose argument may also be a range of angles, A-B in degrees."""
TILTS_DEG = (1.0, 45.0)
REMEMBERED_S = 30.0
"""How long a fault that has ended is remembered, because late frames still show it."""
SOME_LEAN = (2, 4)
"""The minimum and maximum number of cocked dice if only angles are given."""


class FaultError(ValueError):
    """There is no such fault, or its argument is invalid; the message is one sentence for people."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One thing that can go wrong.

    Attributes:
        name: its name.
        part: the part that it affects. A fault of "throw" affects the next throw only; a "cheat" is what the
            thrower tries in place of an honest throw.
        line: what it does, in terms of its argument N.
        usual: the default argument.
        low, high: the smallest and largest argument; the argument is a whole number if all three are.
        lasts_s: its duration in seconds; 0 if the argument is the duration; unused for a throw.
    """

    name: str
    part: Part
    line: str
    usual: float | str
    low: float = 0.0
    high: float = 0.0
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault with its argument: a number, a control of the panel, or two angles as A-B."""

    kind: FaultKind
    arg: float | str

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def number(self) -> float:
        """The argument if it is a number; 0 for angles."""
        return 0.0 if self.tilts_deg else float(self.arg)

    @property
    def tilts_deg(self) -> tuple[float, float] | None:
        return angles(self.arg) if self.name == LEANS and isinstance(self.arg, str) else None

    @property
    def lasts_s(self) -> float:
        return self.kind.lasts_s or self.number

    @property
    def description(self) -> str:
        if self.tilts_deg:
            return f"two to four of the dice come to rest tilted by {self.arg} degrees"
        argument = self.arg if isinstance(self.arg, str) else f"{self.arg:g}"
        return re.sub(r"\bN\b", argument, self.kind.line)

    def __str__(self) -> str:
        return f"{self.name}:{self.arg:g}" if isinstance(self.arg, float) else f"{self.name}:{self.arg}"


_ALL = (
    FaultKind(
        LEANS, "throw", "N of the dice come to rest cocked, or two to four tilted by A-B degrees", 1, 1, 8
    ),
    FaultKind("touching", "throw", "N of the dice come to rest touching another die", 2, 1, 8),
    FaultKind("lost", "throw", "N of the dice fall on the floor, out of view", 1, 1, 8),
    FaultKind("on_rim", "throw", "N of the dice come to rest on the tray's rim, in view", 1, 1, 8),
    FaultKind("on_marker", "throw", "N of the dice come to rest on a marker", 1, 1, 4),
    FaultKind("wrong_kind", "throw", "N of the dice are of the wrong kind", 1, 1, 8),
    FaultKind("too_many", "throw", "N extra dice are thrown", 1, 1, 8),
    FaultKind("too_few", "throw", "N of the dice are left out of the throw", 1, 1, 8),
    FaultKind("hand", "tray", "a hand stays over the tray for N seconds", 2.0, 0.1, 600),
    FaultKind("nudge", "tray", "a hand pushes one of the dice by N millimetres", 12.0, 2, 60, 2),
    FaultKind("covered", "tray", "a coin covers marker N for 10 seconds", 0, 0, 3, 10),
    FaultKind("dark", "light", "the light goes out for N seconds", 3.0, 0.1, 600),
    FaultKind(
        "flicker", "light", "the light flickers by up to N of its brightness for 10 seconds", 0.4, 0.05, 1, 10
    ),
    FaultKind(
        "drift",
        "light",
        "the light drifts to N of its brightness and back within 60 seconds",
        0.5,
        0.1,
        1.6,
        60,
    ),
    FaultKind(
        "glare", "light", "a reflection of strength N wanders over the tray for 10 seconds", 0.8, 0.1, 1, 10
    ),
    FaultKind("bump", "camera", "the camera is knocked askew by N degrees for 15 seconds", 1.5, 0.1, 5, 15),
    FaultKind("late", "camera", "frames arrive N seconds late for 10 seconds", 0.4, 0.05, 5, 10),
    FaultKind(
        "torn",
        "camera",
        "the lower part N of each frame belongs to the frame before, for 5 seconds",
        0.5,
        0.05,
        0.95,
        5,
    ),
    FaultKind("doubled", "camera", "each frame arrives N times for 5 seconds", 2, 2, 10, 5),
    FaultKind("stuck", "camera", "the camera repeats the same picture for N seconds", 3.0, 0.1, 600),
    FaultKind(
        "hangs", "camera", "the camera delivers no frames for N seconds and reports no error", 3.0, 0.1, 600
    ),
    FaultKind("unplugged", "camera", "the camera is unplugged for N seconds", 3.0, 0.1, 600),
    FaultKind("bounce", "panel", "each press of a button arrives N times, for 30 seconds", 2, 2, 10, 30),
    FaultKind("sticks", "panel", "the control N stays pressed for 10 seconds", "seat1.ok", lasts_s=10),
    FaultKind("link_drop", "panel", "the panel's link is down for N seconds", 3.0, 0.1, 600),
    FaultKind("link_stall", "panel", "no data passes over the panel's link for N seconds", 1.0, 0.1, 600),
    FaultKind("panel_reset", "panel", "the panel restarts and does not respond for N seconds", 1.0, 0.1, 10),
    *(
        FaultKind(name, "cheat", f"a share N of the throwers {line}", 1.0, 0.01, 1)
        for name, line in (
            ("cheat_place", "set all dice down by hand"),
            ("cheat_turn", "turn dice of the last throw where they lie"),
            ("cheat_lift", "lift dice of the last throw and set them down again"),
            ("cheat_surplus", "throw four extra dice, then take out the worst four"),
            ("cheat_complete", "throw all dice but one, and place that one by hand"),
            ("cheat_fix", "turn the other dice of a rejected throw before they throw the rejected one again"),
            ("cheat_push", "push one die of the last throw 18 mm and throw the rest"),
            ("cheat_late", "turn a die within 0.6 seconds after it comes to rest"),
            ("cheat_cover", "hold a hand over the dice, look, and throw again"),
            ("cheat_cup", "turn a die after the cup is lifted from it"),
            ("cheat_print", "lay down flat pictures of dice"),
            ("cheat_drop", "drop dice from two centimetres with the wanted face up"),
        )
    ),
)
FAULTS: dict[str, FaultKind] = {kind.name: kind for kind in _ALL}
"""Every fault by its name."""


def parse(text: str) -> Fault:
    """Parses "NAME" or "NAME:ARG". Raises FaultError if there is no such fault or the argument is invalid."""
    name, colon, value = text.strip().partition(":")
    kind = FAULTS.get(name)
    if kind is None:
        near = get_close_matches(name, FAULTS, 1)
        hint = f"did you mean {near[0]}" if near else f"the faults are {', '.join(FAULTS)}"
        raise FaultError(f"there is no fault {name!r}: {hint}")
    return Fault(kind, argument(kind, value) if colon else kind.usual)


def argument(kind: FaultKind, text: str) -> float | str:
    """Parses the argument of a fault. Raises FaultError if it is invalid for this fault."""
    if kind.name == LEANS and "-" in text:
        if angles(text) is None:
            low, high = TILTS_DEG
            raise FaultError(
                f"{kind.name}:{text}: A-B must be degrees from {low:g} to {high:g}, such as 14-24"
            )
        return text
    if isinstance(kind.usual, str):
        if text not in CONTROLS:
            raise FaultError(f"{kind.name}:{text}: N must be a control of the panel, such as {kind.usual}")
        return text
    whole = isinstance(kind.usual, int)
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = float("nan")
    if not kind.low <= number <= kind.high:  # nor is NaN
        word = "a whole number" if whole else "a number"
        raise FaultError(
            f"{kind.name}:{text}: N must be {word} from {kind.low:g} to {kind.high:g} ({kind.line})"
        )
    return number


def angles(text: str) -> tuple[float, float] | None:
    """Parses "A-B" into two angles in degrees; None if the text is not such a range."""
    try:
        low, high = (float(part) for part in text.split("-"))
    except ValueError:
        return None
    return (low, high) if TILTS_DEG[0] <= low <= high <= TILTS_DEG[1] else None


def described() -> list[str]:
    return [f"{kind.name}[:N]  {kind.line} (N: {kind.usual})" for kind in _ALL]


@dataclass
class ActiveFault:
    """A fault that is active from `since_s` until `until_s`."""

    fault: Fault
    since_s: float
    until_s: float


class ActiveFaults:
    """The faults of one table. All times are on the table's clock."""

    def __init__(self) -> None:
        self.known: list[ActiveFault] = []

    def begin(self, fault: Fault, at_s: float) -> None:
        """Begins the fault at that time; an active one of the same name ends."""
        for active in self.known:
            if active.fault.name == fault.name and active.until_s > at_s:
                active.until_s = max(at_s, active.since_s)
        lasts_s = float("inf") if fault.kind.part == "throw" else fault.lasts_s
        self.known = [a for a in self.known if a.until_s > at_s - REMEMBERED_S]
        self.known.append(ActiveFault(fault, at_s, at_s + lasts_s))

    def clear(self, name: str | None, at_s: float) -> None:
        """Ends that fault, or all of them, at that time; faults scheduled for later never begin."""
        for active in self.known:
            if name in (None, active.fault.name):
                active.until_s = min(active.until_s, max(at_s, active.since_s))
        self.known = [a for a in self.known if a.since_s <= at_s or name not in (None, a.fault.name)]

    def active(self, name: str, time_s: float) -> ActiveFault | None:
        return next((a for a in self.known if a.fault.name == name and a.since_s <= time_s < a.until_s), None)

    def number(self, name: str, time_s: float) -> float | None:
        active = self.active(name, time_s)
        return active.fault.number if active else None

    def take(self, name: str, time_s: float) -> int:
        """The argument of a fault of throws, which ends with this call; 0 if it is not active."""
        active = self.active(name, time_s)
        if active is None:
            return 0
        active.until_s = time_s
        return int(active.fault.number)

    def all(self, time_s: float) -> list[Fault]:
        return [a.fault for a in self.known if a.since_s <= time_s < a.until_s]


@dataclass(frozen=True, slots=True)
class ThrowFaults:
    """How many dice each fault affects; the fields have the faults' names.

    `tilts_deg` is the range of tilts, if it was given: then two to four dice are cocked.
    """

    leaning: int = 0
    touching: int = 0
    lost: int = 0
    on_rim: int = 0
    on_marker: int = 0
    wrong_kind: int = 0
    too_many: int = 0
    too_few: int = 0
    tilts_deg: tuple[float, float] | None = None

    @classmethod
    def taken(cls, faults: ActiveFaults, now_s: float) -> ThrowFaults:
        """The faults of throws that are active; they end with this call."""
        lean = faults.active("leaning", now_s)
        struck = {field.name: faults.take(field.name, now_s) for field in fields(cls) if field.type == "int"}
        return cls(**struck, tilts_deg=lean.fault.tilts_deg if lean else None)

    def cocked(self, rng: Generator) -> int:
        return self.leaning if self.tilts_deg is None else int(rng.integers(SOME_LEAN[0], SOME_LEAN[1] + 1))

    def dice(
        self, rng: Generator, kinds: Sequence[Kind], values: Sequence[int] | None
    ) -> tuple[list[Kind], list[int | None]]:
        """The dice thrown, and the values that they must show; None: any."""
        thrown = list(kinds)
        wanted: list[int | None] = [None] * len(thrown) if values is None else list(values)
        for _ in range(min(self.too_few, len(thrown))):
            place = int(rng.integers(len(thrown)))
            del thrown[place], wanted[place]
        for place in rng.permutation(len(thrown))[: self.wrong_kind].tolist():
            others = [kind for kind in KINDS if kind != thrown[place]]
            thrown[place], wanted[place] = others[int(rng.integers(len(others)))], None
        for _ in range(self.too_many):
            thrown.append(kinds[int(rng.integers(len(kinds)))] if kinds else "d6")
            wanted.append(None)
        return thrown, wanted
