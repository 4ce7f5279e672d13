"""Safe mode: what the service does when it keeps dying as soon as it is up.

Three starts in a row that each died before they had been ready for 10 s, with no accepted request between
them, make the next start a safe one: it takes the defaults instead of what the config and an open match ask
for, says so on the panel and offers Resume. The config's part about the panel is kept if it is valid, for
without a panel nobody could resume. The service calls::

    starts = CrashLoop(CountFile(state_folder / "starts"))
    safe = starts.begin()         # first of all, before the config is read
    starts.ready(now_s)           # when systemd has READY
    starts.tick(now_s)            # each turn of the loop
    starts.accepted()             # a request was accepted and is in the ledger
    starts.resume()               # Resume was chosen: then end with exit code 0, and systemd starts it anew
    starts.stopped()              # last of all, at a clean end

Each start counts as dead until it has proved the contrary, so a death leaves no work to anybody. A safe
start that lives on allows one normal start after it: if that dies too, the next is safe again at once;
switching the power off and on is thus a way to try.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from dicetable import files
from dicetable.files import first_bytes

if TYPE_CHECKING:
    from pathlib import Path

DEATHS = 3
PROVEN_S = 10.0

log = logging.getLogger(__name__)


class StartCount(Protocol):
    """One small whole number that outlives the process."""

    def read(self) -> int:
        """The number; 0 if there is none."""

    def write(self, number: int) -> None:
        """Keeps the number."""


class CountFile:
    """The number in a file, replaced as a whole. A disk that fails is logged and never stops the start.

    Anything else in its place, such as a pipe, is neither read nor waited for.
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
        """Durable when it returns, unless the disk fails."""
        try:
            files(self._path, b"%d\n" % number)
        except OSError as error:
            log.warning("starts_file=%s error=%r", self._path, str(error))


class CrashLoop:
    """Counts starts that died young, over all of them, and says when one must be safe."""

    def __init__(self, count: StartCount) -> None:
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
        """The service is ready: its 10 s begin."""
        self._ready_s = now_s

    def tick(self, now_s: float) -> None:
        """Proves the start once it has been ready for 10 s."""
        if self._ready_s is not None and now_s - self._ready_s >= PROVEN_S:
            self._prove(DEATHS - 1 if self.safe else 0)

    def accepted(self) -> None:
        """Proves the start: it did what it is for."""
        self._prove(0)

    def resume(self) -> None:
        """Somebody wants the normal service back: all is forgotten."""
        self._proven = False
        self._prove(0)

    def stopped(self) -> None:
        """A clean end is no death: a start that it cut short is as if it had not been."""
        self._prove(self._before)

    def _prove(self, deaths: int) -> None:
        if not self._proven:
            self._proven = True
            self._count.write(deaths)
