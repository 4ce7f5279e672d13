"""The journal of the service, and its rows by number: the ledger, opened as soon as that is possible."""

import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from dicetable.ledger import stored_rows
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import BadEntry, Entry, JournalError, MemoryJournal, Opened, load
from dicetable.ledger.pictures import parts
from dicetable.ledger.repair import Repair
from dicetable.ledger.store import Ledger
from dicetable.service.league import LeagueOutbox
from dicetable.statistics.totals import count_pruned

RETRY_S: Final = 5.0
LAST_GAMES: Final = 200
"""How many games the order of the list goes by: half a year of Fridays. More make the start take longer."""

log = logging.getLogger(__name__)


class HealingLedger:
    """A `Journal` and an `Archive` over the ledger in a folder, which is opened as soon as that is possible.

    `degraded` is why it could not be opened so far. `accepted` is called after each entry that is durable.
    `saved_s` is how long the last one took. Each is logged.
    """

    def __init__(self, folder: Path, accepted: Callable[[], None]) -> None:
        self.folder = folder
        self.accepted = accepted
        self.ledger: Ledger | None = None
        self.outbox: LeagueOutbox | None = None
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
                "ledger=repaired why=%r aside=%s kept=%d lost=%s",
                self.repaired.why,
                self.repaired.aside,
                self.repaired.kept,
                "unknown" if self.repaired.last_lost is None else self.repaired.last_lost,
            )
        return True

    @property
    def count(self) -> int:
        last = self.ledger.last if self.ledger else None
        return last.number if last else 0

    @property
    def repaired(self) -> Repair | None:
        return self.ledger.repaired if self.ledger else None

    def entries(self) -> Sequence[Entry]:
        """The entries of the newest match, from which the table resumes; none if it cannot be read."""
        if self.ledger is None:
            return []
        try:
            return self.ledger.entries()
        except (BadEntry, DamageError, sqlite3.Error) as error:
            log.error("ledger=unreadable error=%r", str(error))
            return []

    def last_games(self) -> Sequence[Opened]:
        """How the last games began, newest first; none if that cannot be read."""
        if self.ledger is None:
            return []
        try:
            return self.ledger.openings(LAST_GAMES)
        except (BadEntry, DamageError, sqlite3.Error) as error:
            log.warning("games=unknown error=%r", str(error))
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

    def row(self, number: int) -> tuple[int, Entry] | None:
        connection = self.ledger.connection if self.ledger else None
        if self.ledger is None or connection is None:
            return None
        try:
            row = stored_rows.row(connection, number)
            return (row.match, load(self.ledger.players.to_names(row.body))) if row else None
        except (sqlite3.Error, DamageError, BadEntry) as error:
            log.warning("row=%d error=%r", number, str(error))
            return None

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        connection = self.ledger.connection if self.ledger else None
        if connection is None:
            return b"", b""
        try:
            return parts(stored_rows.evidence(connection, number) or b"")
        except (sqlite3.Error, DamageError) as error:
            log.warning("picture=%d error=%r", number, str(error))
            return b"", b""

    def outgoing(self, number: int) -> bytes:
        """Rows for the league from that number on; empty if the table is in none."""
        if self.ledger is None:
            return b""
        if self.outbox is None or self.outbox.ledger is not self.ledger:
            self.outbox = LeagueOutbox(self.ledger)
        return self.outbox.answer(number)

    def close(self) -> None:
        if self.ledger is not None:
            self.ledger.close()
            self.ledger = None


class MemoryArchive:
    """The entries of a game that are not stored, with the pictures of the last throws."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.journal = journal

    @property
    def count(self) -> int:
        return len(self.journal.entries)

    def row(self, number: int) -> tuple[int, Entry] | None:
        entries = self.journal.entries
        if not 1 <= number <= len(entries):
            return None
        opened = (place for place in range(number, 0, -1) if isinstance(entries[place - 1], Opened))
        return next(opened, 0), entries[number - 1]

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        return parts(self.journal.evidence.get(number, b""))

    def outgoing(self, number: int) -> bytes:  # noqa: ARG002 - a game without a ledger is in no league
        return b""
