"""Takes batches of rows from tables: stores each row once and in order, or refuses the batch and says why.

A batch holds rows of one epoch, in order and without a gap; rows that the table can't send any more may be
named right before the first one. The signature covers the last row, and by the chain all of them. A
transaction locks the table's own line in `stream` and touches no other game table.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from common import statements, strict_json
from common.statements import REASONS, Missing, Row
from league.database import Database, Refusal, Session
from league.registry import GameTable, check_signature, digits

MOST_BYTES: Final = 512 * 1024
MOST_ROWS: Final = 1000
LONGEST_BODY_BYTES: Final = 128 * 1024
LONGEST_TIME: Final = 40
DEEPEST: Final = 32
"""How deep objects and lists of an entry may nest."""
HIGHEST: Final = 2**53 - 1
DIGEST_BYTES: Final = 32
COLUMNS: Final = 7
MOST_FORKS: Final = 1000
"""How many rows of one table are kept in quarantine."""
scan: Final = json.JSONDecoder().raw_decode
"""Parses one JSON value at a position of a text; returns it and its end. Raises ValueError."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one epoch, each chained to the one before.

    `missing` are rows right before the first one that will never come. The signature is over
    `statements.head`.
    """

    epoch: int
    missing: Missing | None
    rows: tuple[Row, ...]
    signature: bytes

    @property
    def last(self) -> Row:
        return self.rows[-1]


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The highest row of a table that is stored together with all rows before it, except missing ones."""

    epoch: int
    number: int
    checksum: bytes


def read_batch(data: bytes) -> Batch:
    """Reads and checks a request's body, except for the signature.

    Raises Refusal (too_large, malformed, version, reordered, forged).
    """
    if len(data) > MOST_BYTES:
        raise Refusal("too_large", f"a batch has {MOST_BYTES} bytes at most")
    try:
        batch = strict_json.parse_json(data)
    except ValueError:
        raise Refusal("malformed", "the batch is no JSON") from None
    match batch:
        case {"v": version} if version != statements.PROTOCOL or type(version) is not int:
            raise Refusal("version", f"this server speaks version {statements.PROTOCOL} of the protocol")
        case {
            "v": _,
            "epoch": epoch,
            "missing": missing,
            "rows": list(rows),
            "signature": signature,
            **rest,
        } if not rest:
            if not 1 <= len(rows) <= MOST_ROWS:
                raise Refusal("malformed", f"a batch has 1 to {MOST_ROWS} rows")
            read_rows = tuple(map(read_row, rows))
            check_chain(read_rows)
            gone = read_missing(missing, read_rows[0].number)
            return Batch(whole(epoch), gone, read_rows, digits(signature, statements.SIGNATURE_BYTES))
    raise Refusal("malformed", "a batch is an object of v, epoch, missing, rows and signature")


def read_row(value: object) -> Row:
    if type(value) is list and len(value) == COLUMNS:
        number, match, at_utc, body, evidence, previous, checksum = value
        is_text = type(at_utc) is type(body) is str
        # Any database can hold printable ASCII; PostgreSQL takes no NUL.
        if is_text and len(at_utc) <= LONGEST_TIME and at_utc.isascii() and at_utc.isprintable():
            evidence_sha256 = digits(evidence, DIGEST_BYTES) if evidence != "" else b""
            if whole(match, 0) <= whole(number):
                return Row(
                    number,
                    match,
                    at_utc,
                    entry_bytes(body),
                    evidence_sha256,
                    digits(previous, DIGEST_BYTES),
                    digits(checksum, DIGEST_BYTES),
                )
    raise Refusal("malformed", "a row is [number, match, time, entry, picture, previous, checksum]")


def entry_bytes(body: str) -> bytes:
    """Checks that an entry is a JSON object in one line; raises Refusal (malformed)."""
    try:
        data = body.encode()
        entry, end = scan(body, 0)
        if end == len(body) and type(entry) is dict and len(data) <= LONGEST_BODY_BYTES and "\n" not in body:
            if body.count("[") + body.count("{") > DEEPEST:
                strict_json.check_plain(entry, DEEPEST)
            return data
    except (ValueError, RecursionError):
        pass
    raise Refusal("malformed", f"an entry is no JSON object in one line, at most {DEEPEST} deep")


def whole(value: object, least: int = 1) -> int:
    """Checks that a value is a whole number from `least` to HIGHEST; raises Refusal (malformed)."""
    if type(value) is not int or not least <= value <= HIGHEST:
        raise Refusal("malformed", f"a number is not from {least} to {HIGHEST}")
    return value


def read_missing(value: object, first_row: int) -> Missing | None:
    match value:
        case None:
            return None
        case [int(first), int(last), str(why)] if (
            why in REASONS and 1 <= whole(first) <= whole(last) == first_row - 1
        ):
            return Missing(first, last, why)
    raise Refusal("malformed", "missing is null, or the rows right before the first one, and why")


def check_chain(rows: Sequence[Row]) -> None:
    """Raises Refusal (reordered, forged) unless each row is sound and follows the one before."""
    before: Row | None = None
    for row in rows:
        if before is not None and row.number != before.number + 1:
            raise Refusal("reordered", f"row {row.number} stands behind row {before.number}")
        if not row.sound:
            raise Refusal("forged", f"row {row.number} does not have its checksum")
        if before is not None and row.previous != before.checksum:
            raise Refusal("forged", f"row {row.number} is not chained to row {before.number}")
        before = row


def new_rows(
    batch: Batch, acknowledged: Acknowledged | None, stored_rows: Mapping[int, tuple[int, bytes]]
) -> tuple[Row, ...]:
    """Selects the rows that are not stored yet; none if the batch was sent before.

    `stored_rows` has epoch and checksum of the stored rows that have a number of the batch. Raises Refusal
    (fork) if one of them is different, (gap, withdrawn, epoch) if the rows don't follow the stored ones.
    """
    if acknowledged is None:
        first = batch.rows[0]
        if not first.opens and begun_epoch(first) != batch.epoch:
            raise Refusal("gap", "the first row of a table opens a match or begins an epoch")
        return batch.rows
    old = [row for row in batch.rows if row.number <= acknowledged.number]
    # A table sends a batch again if it lost the acknowledgement; it must not differ from the first.
    for row in old:
        stored = stored_rows.get(row.number)
        if stored is None:
            raise Refusal("withdrawn", f"row {row.number} was said to be gone")
        if stored != (batch.epoch, row.checksum):
            raise Refusal("fork", f"row {row.number} is known with another checksum")
    new = batch.rows[len(old) :]
    if new:
        check_follows(batch, new[0], acknowledged)
    return new


def check_follows(batch: Batch, first: Row, acknowledged: Acknowledged) -> None:
    """Raises Refusal (gap, epoch, fork) unless the first new row continues the stored ones."""
    expected = acknowledged.number + 1
    gone = batch.missing if first is batch.rows[0] else None
    begins = batch.epoch > acknowledged.epoch
    if batch.epoch < acknowledged.epoch or (begins and begun_epoch(first) != batch.epoch):
        raise Refusal("epoch", f"epoch {batch.epoch} does not begin with row {first.number}")
    if first.number != expected and (gone is None or gone.first > expected):
        raise Refusal("gap", f"row {expected} is next, not row {first.number}")
    if first.number == expected and not begins and first.previous != acknowledged.checksum:
        raise Refusal("fork", f"row {first.number} is not chained to row {acknowledged.number}")


def begun_epoch(row: Row) -> int | None:
    """The number of the epoch that begins with this row; None if none does."""
    entry = entry_of(row, b'"entry":"epoch"')
    number = entry.get("epoch") if entry else None
    return number if type(number) is int else None


def closes(row: Row) -> bool:
    return entry_of(row, b'"entry":"closed"') is not None


def entry_of(row: Row, mark: bytes) -> dict[str, Any] | None:
    """The entry, if it is of the kind in `mark`; None if not. Most rows are not parsed."""
    if mark not in row.body:
        return None
    entry = json.loads(row.body)
    kind = json.loads(b"{" + mark + b"}")["entry"]
    return entry if isinstance(entry, dict) and entry.get("entry") == kind else None


@dataclass(frozen=True, slots=True)
class Ingested:
    """The outcome of a batch: what is acknowledged now, how many rows were new, whether a match ended."""

    acknowledged: Acknowledged
    new: int
    ended: bool


def answer(acknowledged: Acknowledged | None) -> dict[str, object]:
    """The acknowledgement that a table gets; row 0 if nothing is stored."""
    epoch, row = (acknowledged.epoch, acknowledged.number) if acknowledged else (0, 0)
    return {"v": statements.PROTOCOL, "epoch": epoch, "row": row}


def ingest(database: Database, table: GameTable, data: bytes, now_s: int) -> Ingested:
    """Stores the new rows of a batch, or raises Refusal and stores none of them.

    The rows of a fork go to quarantine, where the organiser sees them.
    """
    batch = read_batch(data)
    last = batch.last
    statement = statements.head(table.table, batch.epoch, batch.missing, last.number, last.checksum)
    check_signature(statement, batch.signature, table.key)
    try:
        with database.transaction() as session:
            return store_rows(session, table.table, batch, now_s)
    except Refusal as refusal:
        if refusal.cause == "fork":
            with database.transaction() as session:
                quarantine(session, table.table, batch, now_s)
        raise


def store_rows(session: Session, table: int, batch: Batch, now_s: int) -> Ingested:
    acknowledged = lock_stream(session, table)
    first, last = batch.rows[0].number, batch.last
    overlaps = acknowledged is not None and first <= acknowledged.number
    new = new_rows(batch, acknowledged, stored_checksums(session, table, batch) if overlaps else {})
    if not new:
        return Ingested(acknowledged or Acknowledged(batch.epoch, 0, b""), 0, ended=False)
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
    before, missing = acknowledged.number if acknowledged else 0, batch.missing
    if missing is not None and missing.last > before:
        session.insert("loss", [(table, max(missing.first, before + 1), missing.last, missing.why)])
    if begun_epoch(new[0]) == batch.epoch:
        session.insert("begun_epoch", [(table, batch.epoch, new[0].number, new[0].body.decode(), now_s)])
    ended = [(table, row.number) for row in new if closes(row)]
    session.insert("pending", ended)
    return Ingested(Acknowledged(batch.epoch, last.number, last.checksum), len(new), bool(ended))


def lock_stream(session: Session, table: int) -> Acknowledged | None:
    """Locks a table's line until the transaction ends; returns what is acknowledged, None if nothing is."""
    return stream_of(session, table, session.locking)


def acknowledged(database: Database, table: int) -> Acknowledged | None:
    with database.reading() as session:
        return stream_of(session, table)


def stream_of(session: Session, table: int, locking: str = "") -> Acknowledged | None:
    rows = session.rows(
        f"SELECT epoch, number, checksum FROM stream WHERE table_id = ?{locking}",  # noqa: S608 - of constants
        (table,),
    )
    return Acknowledged(rows[0][0], rows[0][1], bytes(rows[0][2])) if rows else None


def stored_checksums(session: Session, table: int, batch: Batch) -> dict[int, tuple[int, bytes]]:
    """Epoch and checksum of the stored rows that have a number of the batch."""
    rows = session.rows(
        "SELECT number, epoch, checksum FROM entry WHERE table_id = ? AND number BETWEEN ? AND ?",
        (table, batch.rows[0].number, batch.last.number),
    )
    return {number: (epoch, bytes(checksum)) for number, epoch, checksum in rows}


def columns(table: int, epoch: int, row: Row) -> tuple[object, ...]:
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


def quarantine(session: Session, table: int, batch: Batch, now_s: int) -> None:
    """Stores the rows of a fork apart from all others."""
    ((held,),) = session.rows("SELECT count(*) FROM fork WHERE table_id = ?", (table,))
    stored_rows = stored_checksums(session, table, batch)
    session.insert(
        "fork",
        [
            (table, batch.epoch, row.number, row.checksum, row.body.decode(), now_s)
            for row in batch.rows[: max(0, MOST_FORKS - held)]
            if stored_rows.get(row.number) != (batch.epoch, row.checksum)
        ],
    )
