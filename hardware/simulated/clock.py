"""Virtual time: it stands still until somebody sleeps, then jumps; for people it keeps to real time."""

from __future__ import annotations

import time


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


class PacedClock(VirtualClock):
    """A `VirtualClock` that people can watch: it is never faster than real time.

    Where the machine cannot keep up it is slower, so that a simulated camera still gives all its frames.
    """

    def __init__(self) -> None:
        super().__init__()
        self.due_s = time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Advances the time, and waits that long since the last sleep ended, if that is not over yet.

        Raises:
            ValueError: a negative time.
        """
        super().sleep(seconds)
        now_s = time.monotonic()
        self.due_s = max(self.due_s + seconds, now_s)
        time.sleep(self.due_s - now_s)
