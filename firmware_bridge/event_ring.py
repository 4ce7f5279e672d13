"""The up direction of a board session: stores events until they are acknowledged and counts dropped ones.

Go-back-N: events are sent in order, at most a window ahead of the acknowledgement. Without an
acknowledgement in time, all unacknowledged events are sent again. Does no I/O.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from firmware_bridge.messages import AGE_UNIT_S, MAX_AGE, Event, Inputs
from firmware_bridge.protocol import EVENT_NUMBERS, EVENT_RING, EVENT_WINDOW, MOST_LOST, ResendTimer


@dataclass(frozen=True, slots=True)
class Change:
    """A change of an input, with its time."""

    input: int
    pressed: bool
    at: float


@dataclass(frozen=True, slots=True)
class Report:
    """The inputs held after ``lost`` changes were dropped."""

    kind: Literal["restart", "overflow"]
    lost: int
    held: frozenset[int]


class EventRing:
    """Numbers changes of inputs from 1 and stores the unacknowledged ones, at most ``EVENT_RING``."""

    def __init__(self) -> None:
        self.held: frozenset[int] = frozenset()
        self._entries: deque[Change | Report] = deque()
        self._oldest = 1
        self._sent = 0
        self._lost = 0
        self._timer = ResendTimer()

    @property
    def due(self) -> float:
        """When ``next`` may next have something to send if nothing else happens."""
        return float("-inf") if self._sent < min(len(self._entries), EVENT_WINDOW) else self._timer.due

    def push(self, which: int, now: float, *, pressed: bool) -> None:
        """Records a change of an input; while the ring is full it is dropped and counted."""
        self.held = self.held | {which} if pressed else self.held - {which}
        if self._lost or len(self._entries) >= EVENT_RING:
            self._lose(1)
        else:
            self._entries.append(Change(which, pressed, now))

    def restart(self) -> None:
        """Restarts for another host, or one that forgot: drops the stored events and reports their number."""
        self._oldest = (self._oldest + len(self._entries)) % EVENT_NUMBERS
        self._lose(len(self._entries))
        self._entries.clear()
        self._entries.append(Report("restart", self._lost, self.held))
        self._lost = 0
        self.resend()

    def resend(self) -> None:
        """The link was interrupted: events in flight must be sent again."""
        self._sent = 0
        self._timer.stop()

    def acknowledge(self, number: int, now: float) -> None:
        """The host has all events up to this number."""
        done = (number - self._oldest + 1) % EVENT_NUMBERS
        if not 1 <= done <= len(self._entries):
            return
        for _ in range(done):
            self._entries.popleft()
        self._oldest = (self._oldest + done) % EVENT_NUMBERS
        self._sent = max(0, self._sent - done)
        self._timer.stop()
        if self._sent:
            self._timer.start(now)
        if self._lost:
            self._entries.append(Report("overflow", self._lost, self.held))
            self._lost = 0

    def next(self, now: float) -> Event | Inputs | None:
        """The event to send now; None if there is none."""
        if now >= self._timer.due:
            self._timer.expire()
            self._sent = 0
        if self._sent >= min(len(self._entries), EVENT_WINDOW):
            return None
        entry = self._entries[self._sent]
        number = (self._oldest + self._sent) % EVENT_NUMBERS
        self._sent += 1
        self._timer.start(now)
        if isinstance(entry, Report):
            return Inputs(number, entry.kind == "restart", entry.lost, entry.held)
        age = min(MAX_AGE, int((now - entry.at) / AGE_UNIT_S))
        return Event(number, age, entry.input, entry.pressed)

    def _lose(self, count: int) -> None:
        self._lost = min(MOST_LOST, self._lost + count)
