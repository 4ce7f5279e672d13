"""The machine's monotonic clock."""

from __future__ import annotations

import time


class SystemClock:
    """Real time since the machine started."""

    def now_s(self) -> float:
        """Seconds since the machine started."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits that many seconds."""
        time.sleep(seconds)
