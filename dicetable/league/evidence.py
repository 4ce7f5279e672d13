"""Pictures of throws, shown on request of both sides of a match, and forgotten again.

A picture stays at its table until every player of the match has asked for it. Then the table's gateway is
asked for it, and it has to be the one whose digest the table signed with the row. Those players and the
organiser may see it for KEPT_S.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from dicetable.league.players import Names
from dicetable.league.refusals import Refusal
from dicetable.ledger.rows import NO_EVIDENCE

if TYPE_CHECKING:
    from dicetable.league.database import Database, Session

MOST_BYTES: Final = 512 * 1024
KEPT_S: Final = 7 * 24 * 3600
"""How long a request waits for the other sides, how long the request of all sides waits for the picture, and
how long the picture is kept."""
MOST_WANTED: Final = 50
"""Pictures that one table is asked for at once."""
MOST_WISHES: Final = 50
"""Requests of one player that wait."""


def sides(session: Session, names: Names, table: int, number: int) -> frozenset[int]:
    """The players of the finished match that a row belongs to; nobody if there is no such match."""
    found = session.rows(
        "SELECT s.player_id FROM result_seat s JOIN entry e ON e.table_id = s.table_id AND e.match = s.match "
        "WHERE s.table_id = ? AND e.table_id = ? AND e.number = ?",
        (table, table, number),
    )
    return frozenset(names.main_of(player) for (player,) in found)


def pictured(session: Session, table: int, match: int) -> list[tuple[int, str]]:
    """The rows of a match with a picture at the table, and their entries."""
    found = session.rows(
        "SELECT number, body, evidence FROM entry WHERE table_id = ? AND match = ? ORDER BY number",
        (table, match),
    )
    return [(number, body) for number, body, evidence in found if bytes(evidence) != NO_EVIDENCE]


def wish(database: Database, player: int, table: int, number: int, now_s: int) -> None:
    """A player asks for a picture; Refusal (not_found, too_large): it is none of his, or he asks too much."""
    with database.transaction() as session:
        names = Names(session)
        digest = session.rows("SELECT evidence FROM entry WHERE table_id = ? AND number = ?", (table, number))
        if player not in sides(session, names, table, number) or bytes(digest[0][0]) == NO_EVIDENCE:
            raise Refusal("not_found", "there is no such picture of a match of yours")
        if player in asked(session, names, table, number):
            return
        ((waiting,),) = session.rows("SELECT count(*) FROM wish WHERE player_id = ?", (player,))
        if waiting >= MOST_WISHES:
            raise Refusal("too_large", f"you have asked for {MOST_WISHES} pictures: that is all for a week")
        session.insert("wish", [(table, number, player, now_s)])
        if agreed(session, names, table, number):
            session.execute(
                "UPDATE wish SET asked_s = ? WHERE table_id = ? AND number = ?", (now_s, table, number)
            )


def asked(session: Session, names: Names, table: int, number: int) -> frozenset[int]:
    """Who has asked for a picture."""
    found = session.rows("SELECT player_id FROM wish WHERE table_id = ? AND number = ?", (table, number))
    return frozenset(names.main_of(player) for (player,) in found)


def agreed(session: Session, names: Names, table: int, number: int) -> bool:
    """Whether all sides have asked for it."""
    every = sides(session, names, table, number)
    return bool(every) and every <= asked(session, names, table, number)


def wanted(session: Session, table: int) -> list[int]:
    """The rows whose pictures the table is asked for."""
    found = session.rows(
        "SELECT DISTINCT w.number FROM wish w LEFT JOIN picture p ON p.table_id = w.table_id "
        "AND p.number = w.number WHERE w.table_id = ? AND p.number IS NULL ORDER BY w.number",
        (table,),
    )
    names = Names(session)
    return [number for (number,) in found if agreed(session, names, table, number)][:MOST_WANTED]


def deliver(database: Database, table: int, number: int, data: bytes, now_s: int) -> None:
    """Takes the picture that all sides have asked for.

    Refusal (not_found, forged): not all have asked, or it is another picture than the table signed.
    """
    with database.reading() as session:
        kept = session.rows("SELECT 1 FROM picture WHERE table_id = ? AND number = ?", (table, number))
        if kept or not agreed(session, Names(session), table, number):
            raise Refusal("not_found", "nobody has asked for this picture")
        digest = session.rows("SELECT evidence FROM entry WHERE table_id = ? AND number = ?", (table, number))
        if hashlib.sha256(data).digest() != bytes(digest[0][0]):
            raise Refusal("forged", "this is not the picture that the table signed")
    with database.transaction() as session:
        session.insert("picture", [(table, number, data, now_s)])


def shown(
    session: Session, names: Names, table: int, number: int, player: int | None, now_s: int
) -> bytes | None:
    """The picture for one of the sides, or for the organiser (None); None if there is none to be shown."""
    if player is not None and player not in sides(session, names, table, number):
        return None
    found = session.rows(
        "SELECT jpeg FROM picture WHERE table_id = ? AND number = ? AND came_s > ?",
        (table, number, now_s - KEPT_S),
    )
    return bytes(found[0][0]) if found and agreed(session, names, table, number) else None


def forget(database: Database, now_s: int) -> None:
    """Drops pictures and requests that are too old."""
    with database.transaction() as session:
        session.execute("DELETE FROM picture WHERE came_s <= ?", (now_s - KEPT_S,))
        session.execute(
            "DELETE FROM wish WHERE asked_s <= ? AND NOT EXISTS "
            "(SELECT 1 FROM picture p WHERE p.table_id = wish.table_id AND p.number = wish.number)",
            (now_s - KEPT_S,),
        )
