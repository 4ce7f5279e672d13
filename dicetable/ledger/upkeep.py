"""What an operator does to a ledger while no table runs: erase a name, restore a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.ledger import causes, players, repair
from dicetable.ledger.rows import DamageError

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.ledger.store import Ledger


def erase_name(ledger: Ledger, name: str) -> None:
    """Erases a player's name, from all that the files hold.

    Raises LookupError if no player has it; JournalError if it cannot be erased, or if another program reads
    the ledger: the old files would stay until that ends.
    """
    if name not in ledger.players.ids:
        raise LookupError(name)
    try:
        connection = ledger.connected()
        for mode in ("DELETE", "WAL"):  # the first needs the ledger for itself
            connection.execute(f"PRAGMA journal_mode = {mode}")
        players.erase(connection, ledger.players.ids[name])
        connection.execute("VACUUM")  # nor in a part of the file that is free
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ledger.players = players.stored(connection)
    except Exception as error:
        raise causes.error(ledger.path, error) from error


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
    except Exception as error:
        raise causes.error(ledger.path, error) from error
    return done
