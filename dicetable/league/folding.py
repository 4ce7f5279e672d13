"""Results and tallies: folds of the stored rows, kept as matches end, and computed again from nothing.

The results of a table are folded in the order of the rows that end its matches, under the lock of the table's
line in `stream`. Where a restored table plays a match to its end again, the first end counts.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dicetable.league import batches, replay
from dicetable.league.database import meta
from dicetable.league.ingestion import locked
from dicetable.league.replay import BROKEN, WON, MatchOutcome
from dicetable.ledger.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dicetable.league.database import Database, Session, Values

AGAIN: Final = "again"
"""The outcome of a match that had ended before."""
MOST_TABLES: Final = 50
"""How many tables one query looks for."""
COLUMNS: Final = "number, match, at_utc, body, evidence, previous, checksum"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Season:
    """When results count: from `starts_s` up to `ends_s`, Unix time; in one game or, if it is empty, all."""

    season: int
    name: str
    game: str
    starts_s: int
    ends_s: int

    def counts(self, game: str, at_s: int) -> bool:
        """Whether a result belongs to it."""
        return self.starts_s <= at_s < self.ends_s and self.game in ("", game)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What a match was for one player: a point for each opponent beaten, nothing but places counts."""

    player: int
    points: int
    won: int


def pseudonym(secret: str, table: int, player: str) -> int:
    """The league's id of a table's player. Without the league's secret nobody can tell whose it is."""
    digest = hmac.digest(bytes.fromhex(secret), f"{table} {player}".encode(), hashlib.sha256)
    return int.from_bytes(digest[:8], "big") >> 2


def seat_results(outcome: MatchOutcome, table: int, secret: str) -> list[SeatResult]:
    """What a match was for each player; a winner has beaten everybody who did not win."""
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
    """When a row was accepted; no later than the server's own clock, and 0 where a table's time is none."""
    try:
        at = datetime.fromisoformat(at_utc)
        return max(0, min(int(at.timestamp()), latest_s)) if at.tzinfo else 0
    except (ValueError, OverflowError):
        return 0


def seasons(session: Session) -> list[Season]:
    """All seasons."""
    found = session.rows(
        "SELECT season_id, name, game, starts_s, ends_s FROM season ORDER BY starts_s, season_id"
    )
    return [Season(*columns) for columns in found]


def row_of(columns: Values) -> Row:
    """A row with the columns that COLUMNS names."""
    number, match, at_utc, body, *digests = columns
    return Row(number, match, at_utc, body.encode(), *map(bytes, digests))


def match_rows(session: Session, table: int, last: Row) -> list[Row]:
    """The rows of a match up to `last`, in order; none of them comes before the row that opens it."""
    found = session.rows(
        f"SELECT {COLUMNS} FROM entry WHERE table_id = ? AND match = ? AND number BETWEEN ? AND ? "  # noqa: S608
        "ORDER BY number",
        (table, last.match, last.match, last.number),
    )
    return [row_of(columns) for columns in found]


def waiting(database: Database) -> list[int]:
    """Tables with matches that have ended and are not folded yet."""
    with database.reading() as session:
        found = session.rows(f"SELECT DISTINCT table_id FROM pending LIMIT {MOST_TABLES}")  # noqa: S608
    return [table for (table,) in found]


def fold_waiting(database: Database, now_s: int) -> int:
    """Folds what is waiting; how many matches that were. Any number of servers may do so at once."""
    folded = 0
    while tables := waiting(database):
        for table in tables:
            with database.transaction() as session:
                folded += fold_table(session, table, now_s)
    return folded


def fold_table(session: Session, table: int, now_s: int) -> int:
    """Folds the waiting matches of one table; how many."""
    locked(session, table)
    ended = session.rows("SELECT number FROM pending WHERE table_id = ? ORDER BY number", (table,))
    if not ended:
        return 0
    secret, every = meta(session, "secret"), seasons(session)
    for (number,) in ended:
        fold_match(session, table, number, (secret, every, now_s))
    session.execute("DELETE FROM pending WHERE table_id = ? AND number <= ?", (table, ended[-1][0]))
    return len(ended)


def fold_match(session: Session, table: int, number: int, about: tuple[str, list[Season], int]) -> None:
    """Writes the result of the match that row `number` ends, and adds it to the tallies."""
    secret, every, now_s = about
    found = session.rows(
        f"SELECT {COLUMNS} FROM entry WHERE table_id = ? AND number = ?",  # noqa: S608
        (table, number),
    )
    last = row_of(found[0])
    rows = replay.chained_to(last, match_rows(session, table, last))
    outcome, seats = judged(rows, table, secret)
    earlier = session.rows(
        "SELECT 1 FROM result WHERE table_id = ? AND match = ? AND number < ?", (table, last.match, number)
    )
    told = AGAIN if earlier else outcome.outcome
    at_s = unix_s(last.at_utc, now_s)
    session.insert(
        "result", [(table, last.match, number, outcome.game, last.at_utc, at_s, told, outcome.why)]
    )
    if told == BROKEN or not seats:
        return
    session.insert(
        "result_seat",
        [
            (table, last.match, number, place, each.player, each.points, each.won)
            for place, each in enumerate(seats)
        ],
    )
    if told == WON:
        for season in every:
            if season.counts(outcome.game, at_s):
                add(session, table, season.season, seats)


def judged(rows: Sequence[Row], table: int, secret: str) -> tuple[MatchOutcome, list[SeatResult]]:
    """What came of the match of these chained rows, and for whom; BROKEN where nobody foresaw it."""
    try:
        outcome = replay.outcome(rows)
        return outcome, seat_results(outcome, table, secret)
    except Exception as error:
        log.exception("fold=broken table=%016x row=%d", table, rows[-1].number)
        return MatchOutcome(BROKEN, why=type(error).__name__), []


def add(session: Session, table: int, season: int, seats: Iterable[SeatResult]) -> None:
    """Adds a result to the tallies of a season."""
    new = []
    for each in seats:
        changed = session.rows(
            "UPDATE tally SET played = played + 1, won = won + ?, points = points + ? "
            "WHERE table_id = ? AND season_id = ? AND player_id = ? RETURNING played",
            (each.won, each.points, table, season, each.player),
        )
        if not changed:
            new.append((table, season, each.player, 1, each.won, each.points))
    session.insert("tally", new)


def tables_with_rows(database: Database) -> list[int]:
    """Every table that has sent rows."""
    with database.reading() as session:
        return [table for (table,) in session.rows("SELECT table_id FROM stream ORDER BY table_id")]


def rebuild(database: Database, now_s: int) -> int:
    """Computes all results and tallies again from the rows, table by table; how many matches that were."""
    return sum(rebuild_table(database, table, now_s) for table in tables_with_rows(database))


def rebuild_table(database: Database, table: int, now_s: int) -> int:
    """Computes the results and tallies of one table again."""
    with database.transaction() as session:
        locked(session, table)
        for name in ("result", "result_seat", "tally", "pending"):
            session.execute(f"DELETE FROM {name} WHERE table_id = ?", (table,))  # noqa: S608
        session.insert("pending", [(table, row.number) for row in endings(session, table)])
        return fold_table(session, table, now_s)


def endings(session: Session, table: int) -> list[Row]:
    """The rows of a table that end a match."""
    found = session.rows(
        f"SELECT {COLUMNS} FROM entry WHERE table_id = ? AND position(? in body) > 0"  # noqa: S608
        if session.locking
        else f"SELECT {COLUMNS} FROM entry WHERE table_id = ? AND instr(body, ?) > 0",  # noqa: S608
        (table, '"entry":"closed"'),
    )
    return [row for row in map(row_of, found) if batches.closes(row)]


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
    """Computes the tallies again from the results, table by table, as when a season was added."""
    for table in tables_with_rows(database):
        with database.transaction() as session:
            locked(session, table)
            session.execute("DELETE FROM tally WHERE table_id = ?", (table,))
            for each in seasons(session):
                span = (each.starts_s, each.ends_s, each.game, each.game)
                session.execute(TALLIES, (each.season, table, table, WON, *span))
