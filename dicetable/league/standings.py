"""What pages and the protocol tell: standings, tables, the match that a table plays. Reads only."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from dicetable.league import folding, registry, replay, statements
from dicetable.league.database import meta
from dicetable.league.folding import row_of
from dicetable.league.players import Names, player_name
from dicetable.league.refusals import Refusal

if TYPE_CHECKING:
    from dicetable.league.database import Session
    from dicetable.league.folding import Season

MOST_PLACES: Final = 500
MOST_TABLES: Final = 500
MOST_INCIDENTS: Final = 50


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the standings. Players with the same points and wins in as many matches share a place."""

    place: int
    player: str
    name: str
    points: int
    won: int
    played: int


def season_of(session: Session, season: int) -> Season:
    """The season of that number; Refusal (not_found)."""
    for each in folding.seasons(session):
        if each.season == season:
            return each
    raise Refusal("not_found", "there is no such season")


RANKED: Final = """
SELECT coalesce(p.main_id, t.player_id) AS who,
    sum(t.points) AS points, sum(t.won) AS won, sum(t.played) AS played
FROM tally t LEFT JOIN player p ON p.player_id = t.player_id
WHERE t.season_id = ? GROUP BY 1
"""
"""What everybody has in a season, joined pseudonyms together.

More points come first, then more wins, then fewer matches.
"""


def standings(session: Session, season: int, most: int = MOST_PLACES) -> list[Place]:
    """The first of a season, best first."""
    names = Names(session)
    places: list[Place] = []
    for number, (who, *sums) in enumerate(
        session.rows(f"{RANKED} ORDER BY points DESC, won DESC, played, who LIMIT ?", (season, most)), 1
    ):
        points, won, played = map(int, sums)
        before = places[-1] if places else None
        shared = before is not None and (before.points, before.won, before.played) == (points, won, played)
        place = before.place if before is not None and shared else number
        places.append(Place(place, player_name(who), names.shown(who), points, won, played))
    return places


def place_of(session: Session, season: int, player: int) -> Place | None:
    """Where a player stands in a season; None if he has not played in it."""
    names = Names(session)
    who = names.main_of(player)
    found = session.rows(f"SELECT points, won, played FROM ({RANKED}) r WHERE who = ?", (season, who))  # noqa: S608
    if not found:
        return None
    points, won, played = map(int, found[0])
    ((better,),) = session.rows(
        f"SELECT count(*) FROM ({RANKED}) r WHERE points > ? "  # noqa: S608
        "OR (points = ? AND (won > ? OR (won = ? AND played < ?)))",
        (season, points, points, won, won, played),
    )
    return Place(better + 1, player_name(who), names.shown(who), points, won, played)


def standings_json_of(session: Session, season: int) -> dict[str, Any]:
    """The standings of a season, as the protocol tells them; Refusal (not_found)."""
    about = season_of(session, season)
    places = [asdict(place) for place in standings(session, season)]
    return {"v": statements.PROTOCOL, "season": asdict(about), "places": places}


def tables(session: Session) -> list[dict[str, Any]]:
    """The registered tables, with what an organiser should see of each."""
    found = session.rows(
        f"SELECT table_id, name, registered_s FROM game_table ORDER BY name, table_id LIMIT {MOST_TABLES}"  # noqa: S608 - of constants
    )
    return [
        {
            "table": statements.table_name(each[0]),
            "name": each[1],
            "removed": registry.removed(session, each[0]),
            **trust(session, each[0]),
        }
        for each in found
    ]


def trust(session: Session, table: int) -> dict[str, Any]:
    """How a table stands: its newest row, and what does not fit."""
    stream = session.rows("SELECT epoch, number, seen_s FROM stream WHERE table_id = ?", (table,))
    counts: dict[str, int] = dict(
        session.rows("SELECT outcome, count(*) FROM result WHERE table_id = ? GROUP BY outcome", (table,))
    )
    ((forks,),) = session.rows("SELECT count(*) FROM fork WHERE table_id = ?", (table,))
    ((lost,),) = session.rows("SELECT sum(last - first + 1) FROM loss WHERE table_id = ?", (table,))
    epoch, number, seen_s = stream[0] if stream else (0, 0, 0)
    return {
        "epoch": epoch,
        "row": number,
        "seen_s": seen_s,
        "matches": sum(counts.values()),
        "broken": counts.get(replay.BROKEN, 0),
        "again": counts.get(folding.AGAIN, 0),
        "forks": forks,
        "missing_rows": int(lost or 0),
    }


def incidents(session: Session, table: int) -> dict[str, list[dict[str, Any]]]:
    """What an organiser should look into at one table: epochs, forks, losses, matches that do not replay.

    The first MOST_INCIDENTS of each, with the first 300 characters of a row.
    """
    queries = {
        "epochs": (
            "SELECT epoch, number, substr(body, 1, 300) FROM begun_epoch "
            "WHERE table_id = ? ORDER BY epoch LIMIT ?",
            "epoch number body",
        ),
        "forks": (
            "SELECT epoch, number, substr(body, 1, 300) FROM fork WHERE table_id = ? ORDER BY number LIMIT ?",
            "epoch number body",
        ),
        "losses": (
            "SELECT first, last, why FROM loss WHERE table_id = ? ORDER BY first LIMIT ?",
            "first last why",
        ),
        "results": (
            "SELECT match, number, outcome, why FROM result WHERE table_id = ? "
            "AND outcome IN ('broken', 'again', 'incomplete') ORDER BY number LIMIT ?",
            "match number outcome why",
        ),
    }
    return {
        name: [
            dict(zip(keys.split(), each, strict=True)) for each in session.rows(sql, (table, MOST_INCIDENTS))
        ]
        for name, (sql, keys) in queries.items()
    }


def is_picture_of(session: Session, table: int, row: int, jpeg: bytes) -> bool:
    """Whether a picture is the one whose digest the table signed with a row; Refusal (not_found)."""
    found = session.rows("SELECT evidence FROM entry WHERE table_id = ? AND number = ?", (table, row))
    if not found:
        raise Refusal("not_found", "there is no such row")
    return bytes(found[0][0]) == hashlib.sha256(jpeg).digest()


def live(session: Session, matches: replay.LiveMatches, table: int) -> dict[str, Any]:
    """What is played at a table, as far as its rows have come: nothing that lies under a cup is in it."""
    found = session.rows(
        f"SELECT {folding.COLUMNS} FROM entry WHERE table_id = ? ORDER BY number DESC LIMIT 1",  # noqa: S608
        (table,),
    )
    if not found:
        return {"playing": False}
    last = row_of(found[0])
    rows = replay.chained_to(last, folding.match_rows(session, table, last))
    match = matches.current(rows) if rows[0].opens else None
    if match is None:
        return {"playing": False}
    secret, names = meta(session, "secret"), Names(session)
    shown = {seat: names.shown(folding.pseudonym(secret, table, seat)) for seat in match.seats}
    return {
        "playing": True,
        "game": match.game,
        "at_utc": last.at_utc,
        "seats": [shown[seat] for seat in match.seats],
        "cups": {shown[seat]: count for seat, count in match.cups.items()},
        "state": renamed(match.state(), shown),
        "prompt": renamed(match.prompt.to_json(), shown),
    }


def renamed(value: Any, shown: dict[str, str]) -> Any:
    """A JSON value with names in place of the table's ids, also as keys of objects."""
    if isinstance(value, dict):
        return {shown.get(key, key): renamed(each, shown) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(each, shown) for each in value]
    return shown.get(value, value) if isinstance(value, str) else value
