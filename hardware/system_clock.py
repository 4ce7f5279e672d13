"""The machine's monotonic clock."""

from __future__ import annotations

import time


class SystemClock:
    """Real time, from the start of the machine."""

    def now_s(self) -> float:
        """Seconds since the machine started."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits for so long."""
        time.sleep(seconds)
