"""Detects event storms: a loose wire can cause thousands of edges per second. Says which pin to ignore.

No clock, no I/O. A pin that was ignored is tried again after a pause, and ignored again if it still storms.
"""

from __future__ import annotations

from collections import Counter

WINDOW_S = 1.0
REST_S = 2.0


class StormBreaker:
    """`limit`: the most edges of one pin per second that are not a storm."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.stopped: dict[int, float] = {}
        self._counts: Counter[int] = Counter()
        self._began_s = float("-inf")

    def edge(self, pin: int, now_s: float) -> bool:
        """Counts an edge. Returns True if the pin must be ignored from now on."""
        if now_s >= self._began_s + WINDOW_S:
            self._counts.clear()
            self._began_s = now_s
        self._counts[pin] += 1
        if self._counts[pin] <= self.limit or pin in self.stopped:
            return False
        self.stopped[pin] = now_s + REST_S
        return True

    @property
    def due_s(self) -> float:
        """When an ignored pin is tried again."""
        return min(self.stopped.values(), default=float("inf"))

    def rested(self, now_s: float) -> list[int]:
        """Pins that are tried again from now on."""
        pins = [pin for pin, until in self.stopped.items() if now_s >= until]
        for pin in pins:
            del self.stopped[pin]
            del self._counts[pin]
        return pins
