"""Results, seasons and standings: folds of the stored rows.

Matches are folded as they end, in the order of the rows that end them, under the lock of the table's line in
`stream`; everything can be computed again from the rows. If a restored table plays a match to its end again,
the first end counts.
"""

import hashlib
import hmac
import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any, Final

from common import statements
from common.statements import Row
from common.texts.plain import fold_name
from games.errors import UnknownGame
from games.registry import find
from league import ingestion, registry, replay
from league.database import Database, Refusal, Session, Values, lock_names, meta
from league.ingestion import lock_stream
from league.players import Names, player_name
from league.registry import check_name
from league.replay import BROKEN, WON, MatchOutcome

AGAIN: Final = "again"
"""The outcome of a match that had ended before."""
TABLES_AT_ONCE: Final = 50
"""How many tables with waiting matches one query finds."""
ROW_COLUMNS: Final = "number, match, at_utc, body, evidence, previous, checksum"
MOST_PLACES: Final = 500
MOST_TABLES: Final = 500
MOST_INCIDENTS: Final = 50
DAY_S: Final = 24 * 3600

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Season:
    """Results count from `starts_s` and before `ends_s`, Unix time; an empty `game` means all games."""

    season: int
    name: str
    game: str
    starts_s: int
    ends_s: int

    def counts(self, game: str, at_s: int) -> bool:
        return self.starts_s <= at_s < self.ends_s and self.game in ("", game)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One player's result: a point for each opponent beaten."""

    player: int
    points: int
    won: int


def pseudonym(secret: str, table: int, player: str) -> int:
    """The league's id of a table's player; only the league's secret links the two."""
    digest = hmac.digest(bytes.fromhex(secret), f"{table} {player}".encode(), hashlib.sha256)
    return int.from_bytes(digest[:8], "big") >> 2


def seat_results(outcome: MatchOutcome, table: int, secret: str) -> list[SeatResult]:
    """Each player's result; a winner has beaten everyone who did not win."""
    beaten = len(outcome.players) - len(outcome.winners)
    return [
        SeatResult(
            pseudonym(secret, table, player),
            beaten if player in outcome.winners else 0,
            int(player in outcome.winners),
        )
        for player in outcome.players
    ]


def unix_s(at_utc: str, latest_s: int) -> int:
    """When a row was accepted, Unix time, no later than the server's clock; 0 if the table sent no time."""
    try:
        accepted = datetime.fromisoformat(at_utc)
        return max(0, min(int(accepted.timestamp()), latest_s)) if accepted.tzinfo else 0
    except (ValueError, OverflowError):
        return 0


def seasons(session: Session) -> list[Season]:
    rows = session.rows(
        "SELECT season_id, name, game, starts_s, ends_s FROM season ORDER BY starts_s, season_id"
    )
    return [Season(*columns) for columns in rows]


def row_of(columns: Values) -> Row:
    number, match, at_utc, body, *digests = columns
    return Row(number, match, at_utc, body.encode(), *map(bytes, digests))


def match_rows(session: Session, table: int, last: Row) -> list[Row]:
    """The rows of a match up to `last`, in order."""
    rows = session.rows(
        f"SELECT {ROW_COLUMNS} FROM entry WHERE table_id = ? AND match = ? AND number BETWEEN ? AND ? "  # noqa: S608 - of constants
        "ORDER BY number",
        (table, last.match, last.match, last.number),
    )
    return [row_of(columns) for columns in rows]


def fold_waiting(database: Database, now_s: int) -> int:
    """Folds the matches that have ended; returns how many. Any number of servers may do so at once."""
    folded = 0
    while True:
        with database.reading() as session:
            pending = session.rows(f"SELECT DISTINCT table_id FROM pending LIMIT {TABLES_AT_ONCE}")  # noqa: S608 - of constants
        if not pending:
            return folded
        for (table,) in pending:
            with database.transaction() as session:
                folded += fold_table(session, table, now_s)


def fold_table(session: Session, table: int, now_s: int) -> int:
    """Folds the waiting matches of one table; returns how many."""
    lock_stream(session, table)
    ended = session.rows("SELECT number FROM pending WHERE table_id = ? ORDER BY number", (table,))
    if not ended:
        return 0
    secret, every = meta(session, "secret"), seasons(session)
    for (number,) in ended:
        fold_match(session, table, number, secret, every, now_s)
    session.execute("DELETE FROM pending WHERE table_id = ? AND number <= ?", (table, ended[-1][0]))
    return len(ended)


def fold_match(
    session: Session, table: int, number: int, secret: str, every: Sequence[Season], now_s: int
) -> None:
    """Stores the result of the match that row `number` ends, and adds it to the tallies of its seasons."""
    ending = session.rows(
        f"SELECT {ROW_COLUMNS} FROM entry WHERE table_id = ? AND number = ?",  # noqa: S608 - of constants
        (table, number),
    )
    last = row_of(ending[0])
    rows = replay.chained_to(last, match_rows(session, table, last))
    outcome, seats = judge(rows, table, secret)
    earlier = session.rows(
        "SELECT 1 FROM result WHERE table_id = ? AND match = ? AND number < ?", (table, last.match, number)
    )
    kind = AGAIN if earlier else outcome.outcome
    at_s = unix_s(last.at_utc, now_s)
    session.insert(
        "result", [(table, last.match, number, outcome.game, last.at_utc, at_s, kind, outcome.why)]
    )
    if kind == BROKEN or not seats:
        return
    session.insert(
        "result_seat",
        [
            (table, last.match, number, place, seat.player, seat.points, seat.won)
            for place, seat in enumerate(seats)
        ],
    )
    if kind == WON:
        for season in every:
            if season.counts(outcome.game, at_s):
                add_to_tallies(session, table, season.season, seats)


def judge(rows: Sequence[Row], table: int, secret: str) -> tuple[MatchOutcome, list[SeatResult]]:
    """The outcome of the match of these chained rows, and each player's result; BROKEN after any error."""
    try:
        outcome = replay.outcome(rows)
        return outcome, seat_results(outcome, table, secret)
    except Exception as error:
        log.exception("fold=broken table=%016x row=%d", table, rows[-1].number)
        return MatchOutcome(BROKEN, why=type(error).__name__), []


def add_to_tallies(session: Session, table: int, season: int, seats: Iterable[SeatResult]) -> None:
    new = []
    for seat in seats:
        changed = session.rows(
            "UPDATE tally SET played = played + 1, won = won + ?, points = points + ? "
            "WHERE table_id = ? AND season_id = ? AND player_id = ? RETURNING played",
            (seat.won, seat.points, table, season, seat.player),
        )
        if not changed:
            new.append((table, season, seat.player, 1, seat.won, seat.points))
    session.insert("tally", new)


def tables_with_rows(database: Database) -> list[int]:
    with database.reading() as session:
        return [table for (table,) in session.rows("SELECT table_id FROM stream ORDER BY table_id")]


def rebuild(database: Database, now_s: int) -> int:
    """Computes all results and tallies again from the rows, table by table; returns the number of matches."""
    folded = 0
    for table in tables_with_rows(database):
        with database.transaction() as session:
            lock_stream(session, table)
            for name in ("result", "result_seat", "tally", "pending"):
                session.execute(f"DELETE FROM {name} WHERE table_id = ?", (table,))  # noqa: S608 - of constants
            session.insert("pending", [(table, row.number) for row in endings(session, table)])
            folded += fold_table(session, table, now_s)
    return folded


def endings(session: Session, table: int) -> list[Row]:
    rows = session.rows(
        f"SELECT {ROW_COLUMNS} FROM entry WHERE table_id = ? AND position(? in body) > 0"  # noqa: S608 - of constants
        if session.locking
        else f"SELECT {ROW_COLUMNS} FROM entry WHERE table_id = ? AND instr(body, ?) > 0",  # noqa: S608 - of constants
        (table, '"entry":"closed"'),
    )
    return [row for row in map(row_of, rows) if ingestion.closes(row)]


TALLIES: Final = """
INSERT INTO tally
SELECT s.table_id, ?, s.player_id, count(*), sum(s.won), sum(s.points)
FROM result_seat s
JOIN result r ON r.table_id = s.table_id AND r.match = s.match AND r.number = s.number
WHERE s.table_id = ? AND r.table_id = ? AND r.outcome = ? AND r.at_s >= ? AND r.at_s < ?
    AND (? = '' OR r.game = ?)
GROUP BY s.table_id, s.player_id
"""


def retally(database: Database) -> None:
    """Computes all tallies again from the results, table by table."""
    for table in tables_with_rows(database):
        with database.transaction() as session:
            lock_stream(session, table)
            session.execute("DELETE FROM tally WHERE table_id = ?", (table,))
            for season in seasons(session):
                span = (season.starts_s, season.ends_s, season.game, season.game)
                session.execute(TALLIES, (season.season, table, table, WON, *span))


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date: write it as 2027-01-31") from None


def midnight_s(when: date) -> int:
    return int(datetime(when.year, when.month, when.day, tzinfo=UTC).timestamp())


def add_season(database: Database, name: str, game: str, first: str, last: str) -> int:
    """Adds a season from its first to its last day; returns its number. Results already stored count too.

    Raises ValueError for a name that is taken, an unknown game, or days in the wrong order.
    """
    name = check_name(name)
    try:
        starts, ends = day(first), day(last)
        if game:
            find(game)
    except UnknownGame as error:
        raise ValueError(str(error)) from None
    if ends < starts:
        raise ValueError(f"a season from {first} to {last} has no day")
    with database.transaction() as session:
        lock_names(session)
        for (taken,) in session.rows("SELECT name FROM season WHERE folded = ?", (fold_name(name),)):
            raise ValueError(f"there is already a season {taken!r}")
        ((number,),) = session.rows("SELECT coalesce(max(season_id), 0) + 1 FROM season")
        span = (midnight_s(starts), midnight_s(ends) + DAY_S)  # the calendar ends with the year 9999
        session.insert("season", [(number, name, game, *span, fold_name(name))])
    retally(database)
    return int(number)


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the standings. Players with the same points, wins and matches share a place."""

    place: int
    player: str
    name: str
    points: int
    won: int
    played: int


def season_of(session: Session, season: int) -> Season:
    """A season by its number. Raises Refusal (not_found)."""
    for candidate in seasons(session):
        if candidate.season == season:
            return candidate
    raise Refusal("not_found", "there is no such season")


RANKED: Final = """
SELECT coalesce(p.main_id, t.player_id) AS who,
    sum(t.points) AS points, sum(t.won) AS won, sum(t.played) AS played
FROM tally t LEFT JOIN player p ON p.player_id = t.player_id
WHERE t.season_id = ? GROUP BY 1
"""
"""Everyone's points, wins and matches in a season, joined pseudonyms together."""


def standings(session: Session, season: int) -> list[Place]:
    """The first of a season: more points first, then more wins, then fewer matches."""
    names = Names(session)
    places: list[Place] = []
    sql = f"{RANKED} ORDER BY points DESC, won DESC, played, who LIMIT ?"
    for number, (who, *sums) in enumerate(session.rows(sql, (season, MOST_PLACES)), 1):
        points, won, played = map(int, sums)
        before = places[-1] if places else None
        shared = before is not None and (before.points, before.won, before.played) == (points, won, played)
        place = before.place if before is not None and shared else number
        places.append(Place(place, player_name(who), names.shown(who), points, won, played))
    return places


def place_of(session: Session, season: int, player: int) -> Place | None:
    """A player's place in a season; None if the player has not played in it."""
    names = Names(session)
    who = names.main_of(player)
    rows = session.rows(f"SELECT points, won, played FROM ({RANKED}) r WHERE who = ?", (season, who))  # noqa: S608 - of constants
    if not rows:
        return None
    points, won, played = map(int, rows[0])
    ((better,),) = session.rows(
        f"SELECT count(*) FROM ({RANKED}) r WHERE points > ? "  # noqa: S608 - of constants
        "OR (points = ? AND (won > ? OR (won = ? AND played < ?)))",
        (season, points, points, won, won, played),
    )
    return Place(better + 1, player_name(who), names.shown(who), points, won, played)


def standings_json_of(session: Session, season: int) -> dict[str, Any]:
    about = season_of(session, season)
    places = [asdict(place) for place in standings(session, season)]
    return {"v": statements.PROTOCOL, "season": asdict(about), "places": places}


def tables(session: Session) -> list[dict[str, Any]]:
    rows = session.rows(
        f"SELECT table_id, name, registered_s FROM game_table ORDER BY name, table_id LIMIT {MOST_TABLES}"  # noqa: S608 - of constants
    )
    return [
        {
            "table": statements.table_name(row[0]),
            "name": row[1],
            "removed": registry.removed(session, row[0]),
            **trust(session, row[0]),
        }
        for row in rows
    ]


def trust(session: Session, table: int) -> dict[str, Any]:
    """How far a table has sent its rows, and how many of its rows and matches have problems."""
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
        "again": counts.get(AGAIN, 0),
        "forks": forks,
        "missing_rows": int(lost or 0),
    }


def incidents(session: Session, table: int) -> dict[str, list[dict[str, Any]]]:
    """A table's problems: epochs, forks, losses, matches that don't count.

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
            dict(zip(keys.split(), row, strict=True)) for row in session.rows(sql, (table, MOST_INCIDENTS))
        ]
        for name, (sql, keys) in queries.items()
    }


def is_picture_of(session: Session, table: int, row: int, jpeg: bytes) -> bool:
    """Whether the table signed the digest of this picture with the row. Raises Refusal (not_found)."""
    rows = session.rows("SELECT evidence FROM entry WHERE table_id = ? AND number = ?", (table, row))
    if not rows:
        raise Refusal("not_found", "there is no such row")
    return bytes(rows[0][0]) == hashlib.sha256(jpeg).digest()


def live(session: Session, matches: replay.LiveMatches, table: int) -> dict[str, Any]:
    """The match at a table, up to its newest row. Dice under a cup are not in the rows."""
    newest = session.rows(
        f"SELECT {ROW_COLUMNS} FROM entry WHERE table_id = ? ORDER BY number DESC LIMIT 1",  # noqa: S608 - of constants
        (table,),
    )
    if not newest:
        return {"playing": False}
    last = row_of(newest[0])
    rows = replay.chained_to(last, match_rows(session, table, last))
    match = matches.current(rows) if rows[0].opens else None
    if match is None:
        return {"playing": False}
    secret, names = meta(session, "secret"), Names(session)
    shown = {seat: names.shown(pseudonym(secret, table, seat)) for seat in match.seats}
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
    """A JSON value with names in place of the table's ids, in values and keys."""
    if isinstance(value, dict):
        return {shown.get(key, key): renamed(part, shown) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(part, shown) for part in value]
    return shown.get(value, value) if isinstance(value, str) else value
