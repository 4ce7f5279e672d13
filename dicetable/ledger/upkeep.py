"""What an operator does to a ledger while no table runs: erase a name, restore a copy, go back a schema."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from dicetable.ledger import causes, downgrade, players, repair
from dicetable.ledger.rows import DamageError
from dicetable.ledger.store import FAILURES, Ledger

if TYPE_CHECKING:
    from pathlib import Path


def erase_name(ledger: Ledger, name: str) -> int:
    """Erases a player's name; returns how many rows of earlier releases hold it and keep it.

    Raises LookupError if no row and no player has it, JournalError if it cannot be erased.
    """
    connection = connected(ledger)
    kept = sum(name in players.plain_names(row.body) for row in ledger.rows())
    if name not in ledger.players.ids and not kept:
        raise LookupError(name)
    try:
        connection.execute("UPDATE player SET name = NULL WHERE name = ?", (name,))
        connection.execute("VACUUM")  # nor in a part of the file that is free
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ledger.players = players.stored(connection)
    except FAILURES as error:
        raise causes.error(ledger.path, error) from error
    return kept


def restore(ledger: Ledger, copy: Path) -> repair.Repair:
    """Puts a copy of the ledger in its place, in a new epoch; what is there now is set aside.

    Raises DamageError if the copy holds no row of a ledger, JournalError if it cannot be put there.
    """
    ledger.disconnect()
    try:
        done = repair.restore(ledger.folder, copy, ledger.now(), ledger.bounds.most_bytes)
        ledger.connect(remembers=False)
        repair.forget(ledger.folder)  # whoever asked for it knows
    except DamageError:
        raise
    except FAILURES as error:
        raise causes.error(ledger.path, error) from error
    return done


def go_back(ledger: Ledger, schema: int) -> None:
    """Brings the file down to an earlier schema and closes the ledger; JournalError if it cannot be."""
    try:
        downgrade.downgrade(connected(ledger), ledger.folder, ledger.stamp(), schema)
    except FAILURES as error:
        raise causes.error(ledger.path, error) from error
    finally:
        ledger.close()


def connected(ledger: Ledger) -> sqlite3.Connection:
    """The open database of the ledger."""
    if ledger.connection is None:
        raise sqlite3.ProgrammingError("the ledger is closed")
    return ledger.connection
