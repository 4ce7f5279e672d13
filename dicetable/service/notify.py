"""What the service tells systemd about itself, over the datagram socket that systemd names (sd_notify).

Without systemd nothing is said. The watchdog is fed at the end of a turn of the service's loop and nowhere
else. Whatever keeps a turn from its end (a stopped process, an endless loop in a screen, a disk that does not
answer) thus makes systemd restart the service. A stuck eye does not: it is a process of its own, and the turn
that supervises it starts another one.
"""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

EXIT_POWER_OFF = 3
"""`dicetable run` ends with this code to have the machine switched off: systemd/dicetable.service does it."""
LONGEST_STATUS = 200
FEEDS_A_PERIOD = 4
"""Signs of life in one period of the watchdog; a turn of the loop takes far less than a quarter of it."""

log = logging.getLogger(__name__)


class Notifier:
    """Says READY, WATCHDOG, STATUS and STOPPING to the service manager, if any. Never waits or raises."""

    def __init__(self, address: str | None, watchdog_s: float | None = None) -> None:
        """Opens nothing yet.

        Args:
            address: a path, or `@` and an abstract name; None: nobody listens.
            watchdog_s: the period of systemd's watchdog; None: it does not watch this process.
        """
        self._address = "\0" + address[1:] if address and address.startswith("@") else address
        self._feed_every_s = None if watchdog_s is None else watchdog_s / FEEDS_A_PERIOD
        self._fed_s = float("-inf")
        self._unheard = 0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier:
        """As systemd says in NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID."""
        return cls(environment.get("NOTIFY_SOCKET"), watchdog_period_s(environment))

    def ready(self) -> None:
        """The service serves. It does not wait for hardware to say so."""
        self._say("READY=1")

    def turn_ended(self, now_s: float) -> None:
        """Feeds the watchdog, four times a period. The loop calls it as the last thing of each turn."""
        if self._feed_every_s is not None and now_s - self._fed_s >= self._feed_every_s:
            self._fed_s = now_s
            self._say("WATCHDOG=1")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._say("STATUS=" + " ".join(text.split())[:LONGEST_STATUS])

    def stopping(self) -> None:
        """The service ends by its own will."""
        self._say("STOPPING=1")

    def _say(self, words: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.settimeout(0)
                line.sendto(words.encode(), self._address)
        except OSError as error:
            self._unheard += 1
            if self._unheard == 1:
                log.warning("notify=%s error=%r", words.partition("=")[0], str(error))
            return
        if self._unheard:
            log.info("notify=heard unheard=%d", self._unheard)
            self._unheard = 0


def watchdog_period_s(environment: Mapping[str, str] = os.environ, pid: int | None = None) -> float | None:
    """How often at least systemd wants a sign of life from this process; None if it does not."""
    wanted_of = environment.get("WATCHDOG_PID")
    if wanted_of is not None and wanted_of != str(os.getpid() if pid is None else pid):
        return None
    period_us = environment.get("WATCHDOG_USEC", "")
    return int(period_us) / 1e6 if period_us.isascii() and period_us.isdigit() and int(period_us) else None
