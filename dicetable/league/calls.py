"""What a table asks of a contest: who plays here now, and which of its players are players of the league.

Such a request is signed as a whole and holds its time, so that an old one cannot be sent again much later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from dicetable import network
from dicetable.league import contests, folding, statements
from dicetable.league.batches import check_signature, digits
from dicetable.league.database import Database, meta
from dicetable.league.players import Names, UnknownPlayer, player_name, player_of
from dicetable.league.refusals import Refusal
from dicetable.league.registry import GameTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dicetable.league.database import Session

MOST_BYTES: Final = 64 * 1024
MOST_PLAYERS: Final = 500
CLOCKS_S: Final = 600
"""So far the clocks of table and server may differ."""

Answer = Callable[[Database, GameTable, "Mapping[str, Any]"], dict[str, Any]]


def read(table: GameTable, path: str, data: bytes, now_s: int) -> Mapping[str, Any]:
    """What a table asks, its signature and its time checked; Refusal (malformed, forged, late)."""
    try:
        outer = network.parse_json(data)
        asked = network.parse_json(outer["asked"])
    except (ValueError, KeyError, TypeError):
        asked = outer = None
    match outer, asked:
        case {"v": version, "asked": _, "signature": _}, {"at": int()} if version == statements.PROTOCOL:
            signature = digits(outer["signature"], statements.SIGNATURE_BYTES)
            check_signature(statements.request(table.table, path, outer["asked"]), signature, table.key)
            if abs(asked["at"] - now_s) > CLOCKS_S:
                raise Refusal("late", "the table's clock and the server's differ: set both")
            found: Mapping[str, Any] = asked
            return found
    raise Refusal("malformed", "a request is an object of v, asked and signature")


def next_match(database: Database, table: GameTable, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The match that a contest has for this table, or for a player there; `match` is null without one."""
    contest = asked.get("contest")
    if type(contest) is not int:
        raise Refusal("malformed", "contest is a whole number")
    with database.reading() as session:
        names = Names(session)
        about = contests.load(session, contest)
    player = asked.get("player")
    try:
        chosen = None if player is None else names.main_of(player_of(str(player)))
    except UnknownPlayer as error:
        raise Refusal("not_found", str(error)) from None
    called = contests.call(database, contest, table.table, chosen)
    players = called.players if called else ()
    return {
        "v": statements.PROTOCOL,
        "contest": about.name,
        "game": about.game,
        "match": called.name if called else None,
        "players": [{"player": player_name(each), "name": names.shown(each)} for each in players],
    }


def link(database: Database, table: GameTable, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Joins players of this table to players of the league; whoever is joined already stays so.

    `players` of the answer is how many the league knows; the others are left out.
    """
    given = asked.get("players")
    if not isinstance(given, dict) or len(given) > MOST_PLAYERS:
        raise Refusal("malformed", f"players are an object of at most {MOST_PLAYERS}")
    with database.transaction() as session:
        secret = meta(session, "secret")
        names = Names(session)
        known = [
            join(session, names, folding.pseudonym(secret, table.table, str(local)), str(player))
            for local, player in given.items()
        ]
    return {"v": statements.PROTOCOL, "players": sum(known)}


def join(session: Session, names: Names, pseudonym: int, player: str) -> bool:
    """Joins a pseudonym of a table to a player of the league; False if no player with a name has that id."""
    try:
        main = names.main_of(player_of(player))
    except UnknownPlayer:
        return False
    if names.names.get(main) is None:
        return False
    if pseudonym not in names.main:
        session.insert("player", [(pseudonym, main, None)])
    return True
