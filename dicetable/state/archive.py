"""The ledger, or a game's entries in memory, as an archive: rows and pictures by number."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from dicetable.ledger import stored_rows
from dicetable.ledger.entries import BadEntry, Opened, load
from dicetable.ledger.pictures import parts
from dicetable.ledger.rows import DamageError
from dicetable.state.outbox import StateOutbox

if TYPE_CHECKING:
    from dicetable.ledger.entries import Entry, MemoryJournal
    from dicetable.service.healing_ledger import HealingLedger

log = logging.getLogger(__name__)


class LedgerArchive:
    """The rows of the service's ledger; none while it is not open."""

    def __init__(self, ledger: HealingLedger) -> None:
        self.ledger = ledger
        self.outbox: StateOutbox | None = None

    @property
    def count(self) -> int:
        """The number of the newest row; 0 if there is none."""
        return self.ledger.count

    def row(self, number: int) -> tuple[int, Entry] | None:
        """The number of the row that opened its match, and the entry; None if there is no such row."""
        ledger = self.ledger.ledger
        if ledger is None or ledger.connection is None:
            return None
        try:
            found = stored_rows.row(ledger.connection, number)
            return (found.match, load(ledger.players.to_names(found.body))) if found else None
        except (sqlite3.Error, DamageError, BadEntry) as error:
            log.warning("row=%d error=%r", number, str(error))
            return None

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        """The picture stored with a row and the strip of its motion, JPEG; empty if there is none."""
        ledger = self.ledger.ledger
        if ledger is None or ledger.connection is None:
            return b"", b""
        try:
            return parts(stored_rows.evidence(ledger.connection, number) or b"")
        except (sqlite3.Error, DamageError) as error:
            log.warning("picture=%d error=%r", number, str(error))
            return b"", b""

    def outgoing(self, number: int) -> bytes:
        """Rows for the league from that number on; empty if the table is in none."""
        outbox = self.current_outbox()
        return outbox.answer(number) if outbox is not None else b""

    def current_outbox(self) -> StateOutbox | None:
        """The outbox of the open ledger; None while none is open."""
        ledger = self.ledger.ledger
        if ledger is not None and (self.outbox is None or self.outbox.ledger is not ledger):
            self.outbox = StateOutbox(ledger)
        return self.outbox if ledger is not None else None


class MemoryArchive:
    """The entries of a game that are not stored, with the pictures of the last throws."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.journal = journal

    @property
    def count(self) -> int:
        """The number of the newest entry; 0 if there is none."""
        return len(self.journal.entries)

    def row(self, number: int) -> tuple[int, Entry] | None:
        """The number of the entry that opened its match, and the entry; None if there is no such entry."""
        entries = self.journal.entries
        if not 1 <= number <= len(entries):
            return None
        opened = (at for at in range(number, 0, -1) if isinstance(entries[at - 1], Opened))
        return next(opened, 0), entries[number - 1]

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        """The picture kept with an entry and the strip of its motion; empty if there is none any more."""
        return parts(self.journal.evidence.get(number, b""))

    def outgoing(self, number: int) -> bytes:  # noqa: ARG002 - a game without a ledger is in no league
        """Always empty."""
        return b""
