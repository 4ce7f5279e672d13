"""Takes batches of rows in: each row once, in order, or nothing of a batch and the cause.

A transaction locks the table's own line in `stream` and touches no other game table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dicetable.league import batches, statements
from dicetable.league.batches import Acknowledged, Batch
from dicetable.league.refusals import Refusal

if TYPE_CHECKING:
    from dicetable.league.database import Database, Session
    from dicetable.league.registry import GameTable
    from dicetable.ledger.rows import Row

MOST_FORKS: Final = 1000
"""Rows of one table in quarantine; more of them say nothing more."""
NOTHING: Final = b""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a batch: what is acknowledged now, how many rows were new, whether a match has ended."""

    acknowledged: Acknowledged
    new: int
    ended: bool

    def to_json(self) -> dict[str, object]:
        """The answer to the table."""
        return answer(self.acknowledged)


def answer(acknowledged: Acknowledged | None) -> dict[str, object]:
    """An acknowledgement as the protocol writes it; row 0 if nothing is stored."""
    epoch, row = (acknowledged.epoch, acknowledged.number) if acknowledged else (0, 0)
    return {"v": statements.PROTOCOL, "epoch": epoch, "row": row}


def take(database: Database, table: GameTable, data: bytes, now_s: int) -> Taken:
    """Stores what is new in a batch; Refusal if it is no good, and nothing is stored then.

    Of a fork, the rows go to quarantine: they are kept apart, for the organiser.
    """
    batch = batches.read(data)
    last = batch.last
    statement = statements.head(table.table, batch.epoch, batch.missing, last.number, last.checksum)
    batches.check_signature(statement, batch.signature, table.key)
    try:
        with database.transaction() as session:
            return stored(session, table.table, batch, now_s)
    except Refusal as refusal:
        if refusal.cause == "fork":
            with database.transaction() as session:
                quarantine(session, table.table, batch, now_s)
        raise


def stored(session: Session, table: int, batch: Batch, now_s: int) -> Taken:
    """Stores the new rows of a batch in one transaction."""
    acknowledged = locked(session, table)
    first, last = batch.rows[0].number, batch.last
    overlaps = acknowledged is not None and first <= acknowledged.number
    new = batches.new_rows(batch, acknowledged, known(session, table, batch) if overlaps else {})
    if not new:
        return Taken(acknowledged or Acknowledged(batch.epoch, 0, NOTHING), 0, ended=False)
    session.insert("entry", [columns(table, batch.epoch, row) for row in new], same=2)
    if acknowledged is None:
        session.insert("stream", [(table, batch.epoch, last.number, last.checksum, now_s)])
        if not session.rows(
            "SELECT 1 FROM stream WHERE table_id = ? AND checksum = ?", (table, last.checksum)
        ):
            raise Refusal("away", "another server took the first rows: send them again")
    else:
        session.execute(
            "UPDATE stream SET epoch = ?, number = ?, checksum = ?, seen_s = ? WHERE table_id = ?",
            (batch.epoch, last.number, last.checksum, now_s, table),
        )
    note_missing(session, table, batch, acknowledged.number if acknowledged else 0)
    if batches.begun_epoch(new[0]) == batch.epoch:
        session.insert("begun_epoch", [(table, batch.epoch, new[0].number, new[0].body.decode(), now_s)])
    ended = [(table, row.number) for row in new if batches.closes(row)]
    session.insert("pending", ended)
    return Taken(Acknowledged(batch.epoch, last.number, last.checksum), len(new), bool(ended))


def locked(session: Session, table: int) -> Acknowledged | None:
    """What is acknowledged of a table, locked until the transaction ends; None if nothing is stored."""
    found = session.rows(
        f"SELECT epoch, number, checksum FROM stream WHERE table_id = ?{session.locking}",  # noqa: S608
        (table,),
    )
    return Acknowledged(found[0][0], found[0][1], bytes(found[0][2])) if found else None


def acknowledged(database: Database, table: int) -> Acknowledged | None:
    """The same, to be told."""
    with database.reading() as session:
        found = session.rows("SELECT epoch, number, checksum FROM stream WHERE table_id = ?", (table,))
    return Acknowledged(found[0][0], found[0][1], bytes(found[0][2])) if found else None


def known(session: Session, table: int, batch: Batch) -> dict[int, tuple[int, bytes]]:
    """Epoch and checksum of the stored rows that have a number of the batch."""
    found = session.rows(
        "SELECT number, epoch, checksum FROM entry WHERE table_id = ? AND number BETWEEN ? AND ?",
        (table, batch.rows[0].number, batch.last.number),
    )
    return {number: (epoch, bytes(checksum)) for number, epoch, checksum in found}


def columns(table: int, epoch: int, row: Row) -> tuple[object, ...]:
    """A row as the table `entry` has it."""
    return (
        table,
        epoch,
        row.number,
        row.match,
        row.at_utc,
        row.body.decode(),
        row.evidence_sha256,
        row.previous,
        row.checksum,
    )


def note_missing(session: Session, table: int, batch: Batch, before: int) -> None:
    """Writes down which rows after number `before` will never come."""
    missing = batch.missing
    if missing is not None and missing.last > before:
        session.insert("loss", [(table, max(missing.first, before + 1), missing.last, missing.why)])


def quarantine(session: Session, table: int, batch: Batch, now_s: int) -> None:
    """Keeps the rows of a fork apart; they are merged with nothing."""
    ((held,),) = session.rows("SELECT count(*) FROM fork WHERE table_id = ?", (table,))
    stored_rows = known(session, table, batch)
    session.insert(
        "fork",
        [
            (table, batch.epoch, row.number, row.checksum, row.body.decode(), now_s)
            for row in batch.rows[: max(0, MOST_FORKS - held)]
            if stored_rows.get(row.number) != (batch.epoch, row.checksum)
        ],
    )
