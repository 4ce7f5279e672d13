"""Rows for the league, signed by the table: the ledger is the outbox, and the gateway transports the batches.

Each batch is bounded, so that it fits into a turn of the table's loop. Matches that began before the table
joined are never sent.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from dicetable.ledger import database, stored_rows, unsent
from dicetable.ledger.rows import DamageError
from dicetable.network import RateLimit
from dicetable.state import membership
from league import statements
from league.statements import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacl.signing import SigningKey

    from dicetable.ledger.rows import Row
    from dicetable.ledger.store import Ledger
    from dicetable.state.membership import Member

MOST_ROWS: Final = 100
MOST_BYTES: Final = 160 * 1024
"""The most bytes of entries in one batch."""
NEVER: Final = 2**62
"""A number that no row has."""
OFTEN: Final = 100
"""The acknowledged row is stored on the disk after this many rows."""
WRITES: Final = (20, 5.0)
"""Of that: twenty at once, then one every five seconds, for the table's loop waits for the disk."""

log = logging.getLogger(__name__)


class StateOutbox:
    """The rows that a table in a league sends; looks for its membership until there is one."""

    def __init__(self, ledger: Ledger, now_s: Callable[[], float] = time.monotonic) -> None:
        self.ledger = ledger
        self.member: Member | None = None
        self.key: SigningKey | None = None
        self.remembered = -OFTEN
        self.writes = RateLimit(now_s, *WRITES)
        self.judged = (0, False)

    def answer(self, number: int) -> bytes:
        """The table's id, a line feed, and a signed batch of the rows from `number` on, if there are any.

        Empty if the table is in no league. `number` 0 requests only the id.
        """
        self.join()
        if self.member is None or self.key is None:
            return b""
        table = self.member.table.encode() + b"\n"
        try:
            with database.reading():
                return table + (self.batch(number, self.member, self.key) if number else b"")
        except (sqlite3.Error, DamageError, OSError) as error:
            log.warning("league=later row=%d error=%r", number, str(error))
            return table

    def join(self) -> None:
        """Loads a membership that was created, or ended, while the table runs."""
        found = membership.member(self.ledger.folder)
        if found != self.member:
            self.member = found
            self.key = membership.key(self.ledger.folder) if found else None
            self.judged = (0, False)

    def batch(self, number: int, member: Member, key: SigningKey) -> bytes:
        """The rows from `number` on; empty if there are none yet."""
        begins = number <= member.after + 1
        number = max(number, member.after + 1)
        self.remember(number - 1)
        rows = self.rows(number, member, begins=begins)
        if not rows:
            return b""
        first, last = rows[0], rows[-1]
        missing = None
        if first.number > number and (not begins or number < self.ledger.first):
            missing = Missing(number, first.number - 1, self.why_missing(number, first.number))
        epoch = self.epoch_of(first.number)
        statement = statements.head(int(member.table, 16), epoch, missing, last.number, last.checksum)
        batch = {
            "v": statements.PROTOCOL,
            "epoch": epoch,
            "missing": missing.to_json() if missing else None,
            "rows": [columns(row) for row in rows],
            "signature": key.sign(statement).signature.hex(),
        }
        return json.dumps(batch, ensure_ascii=False, separators=(",", ":")).encode()

    def remember(self, has: int) -> None:
        """Stores which rows the league has, because pruning needs that."""
        has = min(has, self.ledger.last.number if self.ledger.last else 0)
        self.ledger.league_has = max(self.ledger.league_has, has)
        if not 0 <= has - self.remembered < OFTEN and self.writes.allows(""):
            unsent.acknowledge(self.ledger.folder, has)
            self.remembered = has

    def rows(self, number: int, member: Member, *, begins: bool) -> Sequence[Row]:
        """The next rows of one epoch without a gap; the first row ever sent opens a match."""
        found: list[Row] = []
        size = 0
        while (row := self.next_row(number)) is not None:
            if not self.may_go(row, member) or (begins and not found and not row.opens):
                if found:
                    break
                number = self.next_opening(row.number)
                continue
            size += len(row.body)
            goes_on = not found or (row.number == found[-1].number + 1 and stored_rows.epoch_in(row) is None)
            if not goes_on or (found and (len(found) >= MOST_ROWS or size > MOST_BYTES)):
                break
            found.append(row)
            number = row.number + 1
        return found

    def next_row(self, number: int) -> Row | None:
        """The first row with at least that number that can be sent; None if there is none."""
        connection, last = self.ledger.connection, self.ledger.last
        if connection is None or last is None:
            return None
        (found,) = connection.execute(
            "SELECT min(number) FROM entry WHERE number BETWEEN ? AND ?", (number, last.number)
        ).fetchone()
        return stored_rows.row(connection, found) if found else None

    def next_opening(self, after: int) -> int:
        """The next row that opens a match or begins an epoch; NEVER if there is none."""
        if self.ledger.connection is None:
            return NEVER
        (found,) = self.ledger.connection.execute(
            "SELECT min(number) FROM entry WHERE number > ? "
            "AND (number = match OR number IN (SELECT first FROM epoch))",
            (after,),
        ).fetchone()
        return int(found) if found else NEVER

    def why_missing(self, number: int, first: int) -> str:
        """Why the rows from `number` up to the one before `first` are not sent."""
        if number < self.ledger.first:
            return "pruned"
        return "private" if (row := self.next_row(number)) is not None and row.number < first else "lost"

    def may_go(self, row: Row, member: Member) -> bool:
        """Whether a row may leave the table: its match began after the table joined."""
        if stored_rows.epoch_in(row) is not None:
            return True
        if row.match != self.judged[0]:
            opening = row if row.opens else self.next_row(row.match)
            self.judged = (row.match, opening is not None and opening.number == row.match > member.after)
        return self.judged[1]

    def epoch_of(self, number: int) -> int:
        """The epoch of a row."""
        if self.ledger.connection is None:
            return self.ledger.epoch
        (found,) = self.ledger.connection.execute(
            "SELECT coalesce(max(number), 1) FROM epoch WHERE first <= ?", (number,)
        ).fetchone()
        return int(found)


def columns(row: Row) -> list[object]:
    """A row as it appears in a batch."""
    return [
        row.number,
        row.match,
        row.at_utc,
        row.body.decode(),
        row.evidence_sha256.hex(),
        row.previous.hex(),
        row.checksum.hex(),
    ]
