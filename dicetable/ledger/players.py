"""Players in the rows: random ids, so that a name can be erased without breaking the chain.

The names stand in a table beside the chain. Rows that version 0.1.0 wrote hold the names themselves, and
openings that 0.2.0 wrote may hold one, of who begins.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

ID_BYTES: Final = 8
SHORT: Final = 6
"""Digits of an id that stand for a name that was erased; no two ids of a ledger begin with the same."""
MARK: Final = b'{"player":'
ALONE: Final = ("seat", "name")
LISTED: Final = ("seats",)
OPTION: Final = "first"
"""The option of games that names a seat."""


class Players:
    """Who has which id. `added` are the ids that are not in the table yet."""

    def __init__(self, known: Iterable[tuple[str, str | None]] = ()) -> None:
        self.names: dict[str, str | None] = dict(known)
        self.ids = {name: each for each, name in self.names.items() if name is not None}
        self.added: list[tuple[str, str]] = []

    def id_of(self, name: str) -> str:
        """The player's id, a new one if the name is new."""
        if name not in self.ids:
            taken = {each[:SHORT] for each in self.names}
            while (new := secrets.token_hex(ID_BYTES))[:SHORT] in taken:
                pass
            self.names[new] = name
            self.ids[name] = new
            self.added.append((new, name))
        return self.ids[name]

    def add_missing(self, known: Players) -> None:
        """Adds the players of `known` that are lacking, so that they get into the table with the next row."""
        for each, name in known.names.items():
            if name is not None and each not in self.names:
                self.names[each] = name
                self.ids[name] = each
                self.added.append((each, name))

    def shown(self, player: str) -> str:
        """The player's name, or what stands for it once it was erased or lost."""
        return self.names.get(player) or texts.ledger.nameless(player[:SHORT])

    def to_ids(self, body: bytes, plain: frozenset[str] = frozenset()) -> bytes:
        """The entry with an id for each name but those in `plain`."""

        def hidden(name: object) -> object:
            return name if name in plain or not isinstance(name, str) else {"player": self.id_of(name)}

        return replaced(body, hidden)

    def to_names(self, body: bytes) -> bytes:
        """The entry with the name for each id.

        Version 0.2.0 wrote who begins by name. Where that name was erased from the seats since, it stands for
        the one seat without a name.
        """
        seats: list[str] = []
        nameless: list[str] = []

        def named(value: object) -> object:
            match value:
                case {"player": str(player)}:
                    seats.append(self.shown(player))
                    nameless.extend([] if self.names.get(player) else seats[-1:])
                    return seats[-1]
            return nameless[0] if len(nameless) == 1 and value not in seats else value

        return replaced(body, named) if MARK in body else body


def stored(connection: sqlite3.Connection) -> Players:
    """The players of a ledger of schema 2; nobody in one of schema 1."""
    (exists,) = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'player'").fetchone()
    return Players(connection.execute("SELECT id, name FROM player") if exists else ())


def plain_seats(body: bytes) -> frozenset[str]:
    """The names that an opening itself holds for its seats, as version 0.1.0 wrote them."""
    match parsed(body).get("seats"):
        case [*seats]:
            return frozenset(seat for seat in seats if isinstance(seat, str))
    return frozenset()


def plain_names(body: bytes) -> frozenset[str]:
    """The names that the entry itself holds, of seats and of who begins; nobody can erase these."""
    names: list[str] = []

    def noted(value: object) -> object:
        if isinstance(value, str):
            names.append(value)
        return value

    replaced(body, noted)
    return frozenset(names)


def parsed(body: bytes) -> dict[str, Any]:
    """The entry; empty if it is no JSON object."""
    try:
        entry = json.loads(body)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def replaced(body: bytes, change: Callable[[object], object]) -> bytes:
    """The entry with each player changed; what is no JSON object stays as it is."""
    entry = parsed(body)
    if not entry:
        return body
    for key in ALONE:
        if key in entry:
            entry[key] = change(entry[key])
    for key in LISTED:
        if isinstance(entry.get(key), list):
            entry[key] = [change(each) for each in entry[key]]
    options = entry.get("options")
    if isinstance(options, dict) and options.get(OPTION) is not None:
        options[OPTION] = change(options[OPTION])
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
