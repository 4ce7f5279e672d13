"""The journal of the service: the ledger, or the reason why there is none yet. What is accepted is logged."""

from __future__ import annotations

import logging
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from dicetable.ledger.entries import BadEntry, JournalError
from dicetable.ledger.rows import DamageError
from dicetable.ledger.store import Ledger
from dicetable.statistics.totals import count_pruned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dicetable.ledger.entries import Entry
    from dicetable.ledger.repair import Repair

RETRY_S: Final = 5.0

log = logging.getLogger(__name__)


class HealingLedger:
    """A `Journal` over the ledger in a folder, which is opened as soon as that is possible.

    `degraded` is why it could not be opened so far. `accepted` is called after each entry that is durable.
    `saved_s` is how long the last one took.
    """

    def __init__(self, folder: Path, accepted: Callable[[], None]) -> None:
        self.folder = folder
        self.accepted = accepted
        self.ledger: Ledger | None = None
        self.degraded: JournalError | None = None
        self.tried_s = float("-inf")
        self.saved_s = 0.0

    def open(self, now_s: float) -> bool:
        """Opens the ledger if it is closed and a retry is due; returns whether it was opened now."""
        if self.ledger is not None or now_s - self.tried_s < RETRY_S:
            return False
        self.tried_s = now_s
        try:
            self.ledger = Ledger(self.folder, before_pruning=count_pruned)
        except JournalError as degraded:
            if self.degraded is None or self.degraded.what != degraded.what:
                log.error(
                    "ledger=closed folder=%s what=%r remedy=%r", self.folder, degraded.what, degraded.remedy
                )
            self.degraded = degraded
            return False
        self.degraded = None
        log.info("ledger=open folder=%s entries=%d", self.folder, self.count)
        if self.repaired is not None:
            log.error(
                "ledger=repaired why=%r aside=%s kept=%d lost=%d",
                self.repaired.why,
                self.repaired.aside,
                self.repaired.kept,
                self.repaired.last_lost,
            )
        return True

    @property
    def count(self) -> int:
        """The number of the last entry."""
        last = self.ledger.last if self.ledger else None
        return last.number if last else 0

    @property
    def repaired(self) -> Repair | None:
        """What was found damaged and saved, if anything was."""
        return self.ledger.repaired if self.ledger else None

    def entries(self) -> Sequence[Entry]:
        """What the table goes on from: the newest match; nothing if it cannot be read."""
        if self.ledger is None:
            return []
        try:
            return self.ledger.entries()
        except (BadEntry, DamageError, sqlite3.Error) as error:
            log.error("ledger=unreadable error=%r", str(error))
            return []

    def append(self, entry: Entry, evidence: bytes = b"") -> int:
        """Makes the entry durable and returns its number; JournalError."""
        if self.ledger is None:
            raise self.degraded or JournalError("The ledger is not open yet.", "wait a moment")
        started_s = time.perf_counter()
        try:
            number = self.ledger.append(entry, evidence)
        except JournalError as degraded:
            log.error("entry=refused kind=%s what=%r remedy=%r", entry.entry, degraded.what, degraded.remedy)
            raise
        self.saved_s = time.perf_counter() - started_s
        self.accepted()
        log.info("entry=%s number=%d", entry.entry, number)
        return number

    def close(self) -> None:
        """Lets go of the ledger."""
        if self.ledger is not None:
            self.ledger.close()
            self.ledger = None
