"""Players in the rows: random ids, so that a name can be erased without breaking the chain.

The names stand in a table beside the chain, each with a checksum of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable
from typing import Final

from common import texts
from dicetable.ledger.database import DamageError, reading

ID_BYTES: Final = 8
SHORT: Final = 6
"""Digits of an id that stand for a name that was erased; no two ids of a ledger begin with the same."""
MARK: Final = b'{"player":'
IN_BODY: Final = re.compile(rb'\{"player":"([0-9a-f]{16})"\}')
ALONE: Final = ("seat", "name")
LISTED: Final = ("seats",)
OPTION: Final = "first"
"""The option of games that names a seat."""


class Players:
    """Names and ids. `added` are the ids that are not in the table yet."""

    def __init__(self, players: Iterable[tuple[str, str | None]] = ()) -> None:
        self.names: dict[str, str | None] = dict(players)
        self.ids = {name: player for player, name in self.names.items() if name is not None}
        self.added: list[tuple[str, str]] = []

    def id_of(self, name: str) -> str:
        """The player's id; a new one for a new name."""
        if name not in self.ids:
            taken = {player[:SHORT] for player in self.names}
            # Its first digits stand for a player whose name was erased, so no two players may share them.
            while (new := secrets.token_hex(ID_BYTES))[:SHORT] in taken:
                pass
            self.names[new] = name
            self.ids[name] = new
            self.added.append((new, name))
        return self.ids[name]

    def add_missing(self, others: Players) -> None:
        """Adds the players of `others` that are missing here; they get into the table with the next row."""
        for player, name in others.names.items():
            if name is not None and player not in self.names:
                self.names[player] = name
                self.ids[name] = player
                self.added.append((player, name))

    def shown(self, player: str) -> str:
        """The player's name, or a substitute once it was erased or lost."""
        return self.names.get(player) or texts.ledger.nameless(player[:SHORT])

    def to_ids(self, body: bytes) -> bytes:
        """Puts ids in place of the names in an entry."""
        return replaced(body, lambda name: {"player": self.id_of(name)} if isinstance(name, str) else name)

    def to_names(self, body: bytes) -> bytes:
        """Puts names in place of the ids in an entry."""

        def named(value: object) -> object:
            match value:
                case {"player": str(player)}:
                    return self.shown(player)
            return value

        return replaced(body, named) if MARK in body else body


@reading()
def stored(connection: sqlite3.Connection) -> Players:
    """Reads the players of a ledger. Raises DamageError."""
    players: dict[str, str | None] = {}
    for player, name, summed in connection.execute("SELECT id, name, checksum FROM player"):
        written = isinstance(player, str) and isinstance(name, str | None)
        if not written or player in players or summed != checksum(player, name):
            raise DamageError(f"player {player} is not what was written")
        players[player] = name
    return Players(players.items())


def insert(connection: sqlite3.Connection, named: Iterable[tuple[str, str | None]]) -> None:
    rows = [(player, name, checksum(player, name)) for player, name in named]
    connection.executemany("INSERT INTO player VALUES (?, ?, ?)", rows)


def erase(connection: sqlite3.Connection, player: str) -> None:
    """Erases the player's name, except from free parts of the file."""
    sql = "UPDATE player SET name = NULL, checksum = ? WHERE id = ?"
    connection.execute(sql, (checksum(player, None), player))


def checksum(player: str, name: str | None) -> bytes:
    named = b"" if name is None else b"=" + name.encode("utf-8", "surrogatepass")
    return hashlib.sha256(player.encode("utf-8", "surrogatepass") + named).digest()


def named_in(body: bytes) -> set[str]:
    return {player.decode() for player in IN_BODY.findall(body)}


def replaced(body: bytes, change: Callable[[object], object]) -> bytes:
    """The entry with each player changed; anything but a JSON object stays as it is."""
    try:
        entry = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(entry, dict) or not entry:
        return body
    for key in ALONE:
        if key in entry:
            entry[key] = change(entry[key])
    for key in LISTED:
        if isinstance(entry.get(key), list):
            entry[key] = [change(player) for player in entry[key]]
    options = entry.get("options")
    if isinstance(options, dict) and options.get(OPTION) is not None:
        options[OPTION] = change(options[OPTION])
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
