"""Virtual time: it stands still until somebody waits, and then it is over at once. Nothing really sleeps."""

from __future__ import annotations


class VirtualClock:
    """A `Clock` that jumps.

    Whoever sleeps moves time on for everybody. Everything simulated asks it what time it is and derives its
    state from that, so that it also runs on the machine's real clock.
    """

    def __init__(self, start_s: float = 1000.0) -> None:
        self.time_s = start_s

    def now_s(self) -> float:
        """Virtual seconds."""
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Moves time on.

        Raises:
            ValueError: a negative time.
        """
        if seconds < 0:
            raise ValueError(f"time does not go back: {seconds} s")
        self.time_s += seconds
