"""Versions, times and windows of panel link v1 that both ends use, and arithmetic on its numbers."""

from __future__ import annotations

OLDEST_VERSION = 1
NEWEST_VERSION = 1

LOSS_S = 1.5  # nothing valid received for this long: the other end is lost
PING_S = 0.25  # PING is sent this often, the first at once
HELLO_S = 0.2  # a host that is seeking repeats its HELLO
REFUSED_HELLO_S = 1.0  # ... and continues at this rate to a board that it refused
BEACON_S = 0.2  # a board without a host repeats its HELLO
RESEND_S = 0.05  # an unacknowledged state or event is retransmitted; the wait doubles each time
RESEND_MOST_S = 0.4

EVENT_RING = 32  # events that a board stores until they are acknowledged
EVENT_WINDOW = 8  # unacknowledged events in flight
MOST_LOST = 0xFFFF  # the count of lost events saturates here

VIEW_NUMBERS = 1 << 16
EVENT_NUMBERS = 1 << 32


def common_version(oldest: int, newest: int) -> int | None:
    """The newest protocol version that both this end and one with this range speak; None if there is none."""
    version = min(newest, NEWEST_VERSION)
    return version if version >= max(oldest, OLDEST_VERSION) else None


def is_older(view: int, than: int) -> bool:
    """Whether a view number is older than another, modulo 65536."""
    return 0 < (than - view) % VIEW_NUMBERS < VIEW_NUMBERS // 2


class ResendTimer:
    """The retransmission timer: 50 ms, then twice as long each time, up to 400 ms."""

    def __init__(self) -> None:
        self.due = float("inf")
        self._wait_s = RESEND_S

    def start(self, now: float) -> None:
        """Something was sent; the wait depends on the number of retries."""
        self.due = now + self._wait_s

    def expire(self) -> None:
        """The acknowledgement did not arrive in time."""
        self.due = float("inf")
        self._wait_s = min(2 * self._wait_s, RESEND_MOST_S)

    def stop(self) -> None:
        """The acknowledgement arrived: the next wait is short again."""
        self.due = float("inf")
        self._wait_s = RESEND_S
