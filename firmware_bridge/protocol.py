"""Versions, times and windows of panel link v1 that both ends hold to, and the arithmetic of its numbers."""

from __future__ import annotations

OLDEST_VERSION = 1
NEWEST_VERSION = 1

LOSS_S = 1.5  # nothing valid heard for so long: the other end is lost
PING_S = 0.25  # PING comes this often, the first at once
HELLO_S = 0.2  # a host that seeks its board repeats its HELLO
REFUSED_HELLO_S = 1.0  # ... and goes on doing so, slower, to a board that it refused
BEACON_S = 0.2  # a board without a host repeats its HELLO
RESEND_S = 0.05  # an unacknowledged state or event is sent again; the wait doubles each time
RESEND_MOST_S = 0.4

EVENT_RING = 32  # events that a board keeps until they are acknowledged
EVENT_WINDOW = 8  # unacknowledged events at once
MOST_LOST = 0xFFFF  # the count of lost events stops here

VIEW_NUMBERS = 1 << 16
EVENT_NUMBERS = 1 << 32


def common_version(oldest: int, newest: int) -> int | None:
    """The newest protocol version that we and an end with this range both speak, if any."""
    version = min(newest, NEWEST_VERSION)
    return version if version >= max(oldest, OLDEST_VERSION) else None


def is_older(view: int, than: int) -> bool:
    """Whether a view number is older than another, up to half the circle back."""
    return 0 < (than - view) % VIEW_NUMBERS < VIEW_NUMBERS // 2


class ResendTimer:
    """When what is under way should be sent again: after 50 ms, then after twice as long, up to 400 ms."""

    def __init__(self) -> None:
        self.due = float("inf")
        self._wait_s = RESEND_S

    def start(self, now: float) -> None:
        """Something was sent; the wait is as long as the tries before it made it."""
        self.due = now + self._wait_s

    def expire(self) -> None:
        """Nothing came back in time."""
        self.due = float("inf")
        self._wait_s = min(2 * self._wait_s, RESEND_MOST_S)

    def stop(self) -> None:
        """It came back: the next wait is short again."""
        self.due = float("inf")
        self._wait_s = RESEND_S
