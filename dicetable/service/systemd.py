"""What the service sends to systemd (sd_notify), and safe mode after starts that died young.

Without systemd nothing is sent. The watchdog is fed at the end of a turn of the service's loop and nowhere
else. Whatever keeps a turn from ending (a stopped process, an endless loop in a screen, a disk that does not
answer) thus makes systemd restart the service. A stuck eye does not: it is a process of its own, and the turn
that supervises it starts another one.

Three starts in a row that each died before they had been ready for 10 s, with no accepted request between
them, make the next start a safe one. It uses the defaults instead of what the config and an open match ask
for, says so on the panel and offers Resume. The config's panel section is kept if it is valid, because
without a panel no one could resume.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from pathlib import Path

from common.files import atomic_write, first_bytes

EXIT_POWER_OFF = 3
"""`dicetable run` ends with this code to have the machine switched off: systemd/dicetable.service does it."""
LONGEST_STATUS = 200
FEEDS_A_PERIOD = 4
"""Signs of life in one period of the watchdog; a turn of the loop takes far less than a quarter of it."""
DEATHS = 3
PROVEN_S = 10.0

log = logging.getLogger(__name__)


class Notifier:
    """Sends READY, WATCHDOG, STATUS and STOPPING to the service manager, if any. Never waits or raises."""

    def __init__(self, address: str | None, watchdog_s: float | None = None) -> None:
        """Opens nothing yet. The address is a path, or `@` and an abstract name."""
        self._address = "\0" + address[1:] if address and address.startswith("@") else address
        self._feed_every_s = None if watchdog_s is None else watchdog_s / FEEDS_A_PERIOD
        self._fed_s = float("-inf")
        self._unheard = 0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier:
        return cls(environment.get("NOTIFY_SOCKET"), watchdog_period_s(environment))

    def ready(self) -> None:
        self._say("READY=1")

    def turn_ended(self, now_s: float) -> None:
        """Feeds the watchdog, four times a period. The loop calls it as the last thing of each turn."""
        if self._feed_every_s is not None and now_s - self._fed_s >= self._feed_every_s:
            self._fed_s = now_s
            self._say("WATCHDOG=1")

    def status(self, text: str) -> None:
        self._say("STATUS=" + " ".join(text.split())[:LONGEST_STATUS])

    def stopping(self) -> None:
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
    """The longest pause that systemd allows between two signs of life; None if it does not watch us."""
    wanted_of = environment.get("WATCHDOG_PID")
    if wanted_of is not None and wanted_of != str(os.getpid() if pid is None else pid):
        return None
    period_us = environment.get("WATCHDOG_USEC", "")
    return int(period_us) / 1e6 if period_us.isascii() and period_us.isdigit() and int(period_us) else None


class CountFile:
    """A small number that outlives the process, in a file that is replaced as a whole.

    A disk that fails is logged and never stops the start. Anything else in its place, such as a pipe, is
    neither read nor waited for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> int:
        """The number; 0 if the file is absent, cannot be read or holds anything else."""
        try:
            text = first_bytes(self._path, 8).strip()
        except FileNotFoundError:
            return 0
        except OSError as error:
            log.warning("starts_file=%s error=%r", self._path, str(error))
            return 0
        return min(int(text), DEATHS) if text.isdigit() else 0

    def write(self, number: int) -> None:
        try:
            atomic_write(self._path, b"%d\n" % number)
        except OSError as error:
            log.warning("starts_file=%s error=%r", self._path, str(error))


class CrashLoop:
    """Counts starts that died young, across processes, and says when one must be safe.

    A start counts as dead until it has proved the contrary, so that a death needs no work. A safe start that
    survives allows one normal start after it: if that dies too, the next is safe again at once. Switching the
    power off and on is thus a way to try.
    """

    def __init__(self, count: CountFile) -> None:
        self._count = count
        self._before = 0
        self._ready_s: float | None = None
        self._proven = False
        self.safe = False

    def begin(self) -> bool:
        """Counts this start, and says whether it must be a safe one."""
        self._before = self._count.read()
        self.safe = self._before >= DEATHS
        self._count.write(min(self._before + 1, DEATHS))
        return self.safe

    def ready(self, now_s: float) -> None:
        self._ready_s = now_s

    def tick(self, now_s: float) -> None:
        if self._ready_s is not None and now_s - self._ready_s >= PROVEN_S:
            self._prove(DEATHS - 1 if self.safe else 0)

    def accepted(self) -> None:
        self._prove(0)

    def stopped(self) -> None:
        """A clean end is no death: a start that it cut short is as if it had not been."""
        self._prove(self._before)

    def _prove(self, deaths: int) -> None:
        if not self._proven:
            self._proven = True
            self._count.write(deaths)
