"""Debounces buttons, and detects event storms. Times in, changes out; no I/O.

A level counts once it has lasted a while. A loose wire can cause thousands of edges per second: its pin is
ignored, tried again after a pause, and ignored again if it still storms.
"""

from __future__ import annotations

from collections import Counter


class Debounce:
    """The debounced state of each pin, from raw levels."""

    def __init__(self, bounce_s: float) -> None:
        self.bounce_s = bounce_s
        self.settled: dict[int, bool] = {}
        self._raw: dict[int, tuple[bool, float]] = {}

    def reset(self, pressed: dict[int, bool]) -> None:
        """Takes these levels as debounced."""
        self.settled = dict(pressed)
        self._raw = {}

    def adopt(self, pin: int, *, pressed: bool) -> None:
        """Takes this pin's level as debounced."""
        self.settled[pin] = pressed
        self._raw.pop(pin, None)

    def level(self, pin: int, *, pressed: bool, time_s: float) -> None:
        """Records that a pin has this level since that time."""
        known = self._raw.get(pin)
        if known is not None and known[0] == pressed:
            return
        if known is None and self.settled.get(pin, False) == pressed:
            return
        self._raw[pin] = (pressed, time_s)

    @property
    def due_s(self) -> float:
        """When `settle` may next return something."""
        return min((since for _, since in self._raw.values()), default=float("inf")) + self.bounce_s

    def settle(self, now_s: float) -> list[tuple[int, bool, float]]:
        """Pins whose new level has lasted long enough: pin, whether pressed, and since when."""
        changes = []
        for pin, (pressed, since) in sorted(self._raw.items(), key=lambda item: item[1][1]):
            if now_s < since + self.bounce_s:
                continue
            del self._raw[pin]
            if self.settled.get(pin, False) != pressed:
                self.settled[pin] = pressed
                changes.append((pin, pressed, since))
        return changes


WINDOW_S = 1.0
REST_S = 2.0


class StormBreaker:
    """Says which pins to ignore. `limit`: the most edges of one pin per second that are not a storm."""

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
