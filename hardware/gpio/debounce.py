"""Debounces buttons: a level counts once it has lasted a while. Times in, changes out; no I/O."""

from __future__ import annotations


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
