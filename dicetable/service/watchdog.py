"""When systemd's watchdog is fed: only while every part of the service meets its deadline.

Pure: time is given to it. The service calls, on its one loop::

    watchdog = Watchdog(watchdog_period_s(), clock.now_s())
    ...
    watchdog.met("loop", now_s)      # each turn of the loop
    watchdog.met("session", now_s)   # each time the table has taken what was due (presses, eye, tick)
    watchdog.met("eye", now_s)       # each time the eye's supervisor has looked after the eye
    if watchdog.feed(now_s):
        notifier.alive()

A dead eye or an absent camera is no missed deadline: the supervisor that heals it is what must be alive.
Between two turns of the loop at most a quarter of the period should pass.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEADLINES_S: Mapping[str, float] = MappingProxyType({"loop": 5.0, "session": 5.0, "eye": 5.0})
"""The longest between two signs of life of each part. Less would take a slow SD card for a hang."""
FEEDS_A_PERIOD = 4


class Watchdog:
    """Holds the parts to their deadlines, and says when to feed."""

    def __init__(
        self, period_s: float | None, now_s: float, deadlines_s: Mapping[str, float] = DEADLINES_S
    ) -> None:
        """Every part counts as alive at `now_s`; without a period nothing is ever fed."""
        self._interval_s = None if period_s is None else period_s / FEEDS_A_PERIOD
        self._deadlines_s = deadlines_s
        self._met_s = dict.fromkeys(deadlines_s, now_s)
        self._fed_s: float | None = None

    def met(self, part: str, now_s: float) -> None:
        """The part has done its work; KeyError if there is no such part."""
        if part not in self._met_s:
            raise KeyError(part)
        self._met_s[part] = now_s

    def late(self, now_s: float) -> Sequence[str]:
        """The parts that have missed their deadline, for the log and the status line."""
        return [part for part, last_s in self._met_s.items() if now_s - last_s > self._deadlines_s[part]]

    def feed(self, now_s: float) -> bool:
        """Whether to feed now: it is time to, and no part is late."""
        if self._interval_s is None or self.late(now_s):
            return False
        if self._fed_s is not None and now_s - self._fed_s < self._interval_s:
            return False
        self._fed_s = now_s
        return True
