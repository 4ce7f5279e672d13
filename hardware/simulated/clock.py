"""Virtual time: it stands still until somebody sleeps, and then jumps ahead. Nothing really sleeps."""

from __future__ import annotations


class VirtualClock:
    """A `Clock` that jumps.

    A sleep advances the time for everybody. Everything simulated derives its state from the clock's time, so
    it also runs on the machine's real clock.
    """

    def __init__(self, start_s: float = 1000.0) -> None:
        self.time_s = start_s

    def now_s(self) -> float:
        """Virtual seconds."""
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Advances the time.

        Raises:
            ValueError: a negative time.
        """
        if seconds < 0:
            raise ValueError(f"time does not go back: {seconds} s")
        self.time_s += seconds
