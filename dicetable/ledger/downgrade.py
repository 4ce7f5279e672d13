"""The inverses of the migrations: a ledger in the form that an earlier release reads, with all its rows.

A roll-back runs them before the earlier release starts. What that release does not know is left out: where
epochs begin, details of dice. Rows are numbered and chained anew; the ledger as it was stays beside it.
The note `ledger.rolled-back` lets the next upgrade go on with a higher epoch and with numbers never used.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dicetable.files.atomic_write import atomic_write, sync
from dicetable.ledger import database, epochs, head, players, stored_rows
from dicetable.ledger.rows import NO_ROW, checksum, columns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dicetable.ledger.rows import Row

FIELDS_OF_SCHEMA_1: Final = {
    "opened": ("game", "seats", "options", "seed", "draws", "places", "lying", "entry"),
    "decided": ("seat", "action", "by_table", "entry"),
    "thrown": ("dice", "lying", "by_hand", "by", "entry"),
    "revealed": ("seat", "dice", "lying", "entry"),
    "corrected": ("revision", "dice", "by", "entry"),
    "sat": ("place", "name", "how", "entry"),
    "closed": ("why", "entry"),
}
LYING_OF_SCHEMA_1: Final = ("kind", "value", "box")


def downgrade(connection: sqlite3.Connection, folder: Path, stamp: str, target: int) -> None:
    """Brings a sound ledger down to schema `target`, one transaction a step, after a copy was put beside it.

    Cut off at any instant, it has done a step or it has not. Raises OSError, sqlite3.Error or DamageError.
    """
    found = database.version(connection)
    path = folder / database.NAME
    if found > target:
        database.back_up(connection, path.with_name(f"{path.name}.schema{found}-{stamp}"))
    for step in range(found, target, -1):
        INVERSES[step - 2](connection, folder)


def to_schema_1(connection: sqlite3.Connection, folder: Path) -> None:
    """Puts names back into the rows, leaves out what schema 1 does not know, and chains the rows anew."""
    rows = list(stored_rows.rows(connection))
    losses = stored_rows.known_losses(connection).after_losses
    names = players.stored(connection)
    renumbered = list(rechained(rows, names))
    if rows:
        last = rows[-1]
        note = {"epoch": epochs.current(connection), "last": last.number, "checksum": last.checksum.hex()}
        atomic_write(folder / epochs.ROLLED_BACK, json.dumps(note).encode())
    (folder / head.NAME).unlink(missing_ok=True)  # neither version may miss the rows of the other
    sync(folder)
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("DELETE FROM entry")
        for old, new in renumbered:
            connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", columns(new))
            connection.execute("UPDATE evidence SET entry = ? WHERE entry = ?", (new.number, old))
        for table in ("player", "epoch", "loss"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute(database.GAP)
        gaps = [(new.number, new.at_utc) for old, new in renumbered if old in losses and new.begins]
        connection.executemany("INSERT INTO gap VALUES (?, ?)", gaps)
        connection.execute("PRAGMA user_version = 1")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if renumbered:
        first, final = renumbered[0][1], renumbered[-1][1]
        remembered = head.Head(first.number, final.number, final.checksum)
        atomic_write(folder / head.NAME, head.packed_for_schema_1(remembered))


def rechained(rows: Iterable[Row], names: players.Players) -> Iterator[tuple[int, Row]]:
    """Each row that schema 1 knows as it would have been written, after the number that it has now."""
    before: Row | None = None
    match = 0
    for row in rows:
        body = body_of_schema_1(names.to_names(row.body))
        if body is None:
            continue
        number = before.number + 1 if before else row.number
        match = number if row.opens else match if row.match else 0
        previous = before.checksum if before else NO_ROW
        summed = checksum(number, match, row.at_utc, body, row.evidence_sha256, previous)
        before = replace(row, number=number, match=match, body=body, previous=previous, checksum=summed)
        yield row.number, before


def body_of_schema_1(body: bytes) -> bytes | None:
    """The entry as version 0.1.0 reads it; None if it has none of the kind."""
    try:
        entry = json.loads(body)
        fields = FIELDS_OF_SCHEMA_1.get(entry["entry"])
    except (ValueError, TypeError, KeyError):
        return body
    if fields is None:
        return None
    kept: dict[str, Any] = {field: entry[field] for field in fields if field in entry}
    if kept.get("lying"):
        kept["lying"] = [{field: die.get(field) for field in LYING_OF_SCHEMA_1} for die in kept["lying"]]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


INVERSES: Final[tuple[Callable[[sqlite3.Connection, Path], None], ...]] = (to_schema_1,)
"""What leads from schema 2 to 1, from 3 to 2, and so on."""
