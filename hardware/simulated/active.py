"""The active faults, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardware.simulated.faults import Fault

REMEMBERED_S = 30.0
"""How long a fault that has ended is remembered, because late frames still show it."""


@dataclass
class Active:
    """A fault that is active from `since_s` until `until_s`."""

    fault: Fault
    since_s: float
    until_s: float


class ActiveFaults:
    """The faults of one table. All times are on the table's clock."""

    def __init__(self) -> None:
        self.known: list[Active] = []

    def begin(self, fault: Fault, at_s: float) -> None:
        """Begins the fault at that time; an active one of the same name ends."""
        for active in self.known:
            if active.fault.name == fault.name and active.until_s > at_s:
                active.until_s = max(at_s, active.since_s)
        lasts_s = float("inf") if fault.kind.part == "throw" else fault.lasts_s
        self.known = [a for a in self.known if a.until_s > at_s - REMEMBERED_S]
        self.known.append(Active(fault, at_s, at_s + lasts_s))

    def clear(self, name: str | None, at_s: float) -> None:
        """Ends that fault, or all of them, at that time; faults scheduled for later never begin."""
        for active in self.known:
            if name in (None, active.fault.name):
                active.until_s = min(active.until_s, max(at_s, active.since_s))
        self.known = [a for a in self.known if a.since_s <= at_s or name not in (None, a.fault.name)]

    def at(self, name: str, time_s: float) -> Active | None:
        """The fault of that name, if it is active then."""
        return next((a for a in self.known if a.fault.name == name and a.since_s <= time_s < a.until_s), None)

    def number(self, name: str, time_s: float) -> float | None:
        """Its argument, if it is active then."""
        active = self.at(name, time_s)
        return active.fault.number if active else None

    def take(self, name: str, time_s: float) -> int:
        """The argument of a fault of throws, which ends with this call; 0 if it is not active."""
        active = self.at(name, time_s)
        if active is None:
            return 0
        active.until_s = time_s
        return int(active.fault.number)

    def all(self, time_s: float) -> list[Fault]:
        """All faults active then."""
        return [a.fault for a in self.known if a.since_s <= time_s < a.until_s]
