"""`python -m dicetable.service.ledger_queries FOLDER WHAT HOW`: what pages look up in the ledger, as JSON.

For the operator WHAT is `search`, and HOW a query: words, the newest match to look at, or one whole match.
For guests it is `players` or `dice`, and HOW is `names`, or `numbers` in place of the players' names. All of
that comes from `dicetable.statistics`, as `dicetable stats` has it, and none of it says where the ledger is.
"""

import json
import logging
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from common import texts
from common.texts import statistics
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import BadEntry, Corrected, JournalError, Opened, Revealed, Thrown
from dicetable.ledger.reader import LedgerLine, MatchSummary, Reader, accepted_at, opened_title, sentence
from dicetable.ledger.stored_rows import NO_EVIDENCE
from dicetable.service.throws import thrower
from dicetable.statistics import matches, players, report
from dicetable.statistics.matches import Played
from dicetable.statistics.report import evidence_curve, reports
from dicetable.statistics.tapes import Tape
from dicetable.statistics.totals import stored_throws
from dicetable.table.table_state import TableState
from games.errors import RuleError

PAGE: Final = 25
MOST_ENTRIES: Final = 1500
NUMBERS: Final = "numbers"
MOST_PLAYERS: Final = 300
"""Most players in an answer, those with the most wins. That many take half of the bytes it may have."""
MOST_MATCHES: Final = 40
"""Most matches of an evening in an answer, the newest ones."""
MOST_DICE: Final = 40
MOST_POINTS: Final = 100
"""Most points of the curve of the e-value. More: a larger page."""

log = logging.getLogger(__name__)


def search(folder: Path, query: dict[str, Any]) -> dict[str, Any]:
    """The games that match a query, or one whole game; `error` says why there is none."""
    try:
        with closing(Reader(folder)) as reader:
            if query["match"]:
                return whole_game(reader, query["match"])
            return matching_games(reader, query["words"], query["before"])
    except (OSError, sqlite3.Error, DamageError, BadEntry, JournalError) as error:
        return {"error": str(error), "games": [], "more": False}


def matching_games(reader: Reader, wanted: str, before: int) -> dict[str, Any]:
    words = wanted.casefold().split()
    games = [
        summary
        for match in reversed(reader.matches())
        if (not before or match.opening.row.number < before)
        and (summary := summary_of(match))
        and all(word in summary["text"].casefold() for word in words)
    ]
    return {"games": games[:PAGE], "more": len(games) > PAGE}


def summary_of(match: MatchSummary) -> dict[str, Any]:
    line = match.opening
    opened = line.entry
    if not isinstance(opened, Opened):
        return {}
    state = texts.ledger.RUNNING if match.closed is None else texts.ledger.CLOSED[match.closed.why]
    summary = {
        "number": line.row.number,
        "at": accepted_at(line),
        "title": opened_title(opened),
        "state": state,
        "open": match.closed is None,
        "entries": match.entries,
        "seats": list(opened.seats),
    }
    words = (summary["number"], summary["at"], summary["title"], state, *opened.seats)
    return {**summary, "text": " ".join(map(str, words))}


def whole_game(reader: Reader, number: int) -> dict[str, Any]:
    lines = list(reader.lines(number))
    if not lines:
        return {"error": texts.operator.NOTHING, "entries": []}
    entries = [
        entry(line, revision, seat)
        for line, (revision, seat) in zip(lines, revisions_and_throwers(lines), strict=True)
    ]
    corrected = {line.entry.revision: line.entry.dice for line in lines if isinstance(line.entry, Corrected)}
    for entry_json in entries:
        if entry_json["dice"] and entry_json["revision"] in corrected and entry_json["throw"]:
            entry_json["corrected"] = [list(die) for die in corrected[entry_json["revision"]]]
    newest = reader.last_match() == number
    return {"number": number, "newest": newest, "entries": entries[-MOST_ENTRIES:]}


def revisions_and_throwers(lines: Sequence[LedgerLine]) -> list[tuple[int, str]]:
    """The revision of the match after each entry, and who threw; empty where no seat did, or it is unknown.

    From an entry on that does not fit the match, the revision stays the same.
    """
    state, revision = TableState(), 0
    rows: list[tuple[int, str]] = []
    fits = True
    for line in lines:
        seat = thrower(state) if fits and isinstance(line.entry, Thrown) else ""
        try:
            state = state.after(line.entry) if fits else state
        except RuleError:
            fits = False
        if fits and state.match is not None:
            revision = state.match.revision
        rows.append((revision, seat))
    return rows


def entry(line: LedgerLine, revision: int, seat: str) -> dict[str, Any]:
    dice = line.entry.dice if isinstance(line.entry, Thrown | Revealed | Corrected) else ()
    return {
        "number": line.row.number,
        "at": accepted_at(line),
        "revision": revision,
        "seat": seat,
        "text": sentence(line.entry),
        "throw": isinstance(line.entry, Thrown),
        "dice": [list(die) for die in dice],
        "picture": line.row.evidence_sha256 != NO_EVIDENCE,
        "corrected": None,
    }


def of_players(folder: Path, *, numbered: bool, unnamed: Sequence[str] = ()) -> dict[str, Any]:
    """Every player, the records, and the newest evening; `evening` is None if no game was started.

    Players who are `unnamed`, or all if `numbered`, have numbers in place of their names.
    """
    with closing(Reader(folder)) as reader:
        games = matches.played((line.row.at_utc, line.entry) for line in reader.lines())
    if numbered or unnamed:
        hidden = {name.casefold() for name in unnamed}
        names = {
            name: number if numbered or name.casefold() in hidden else name
            for name, number in matches.numbered(games).items()
        }
        games = matches.renamed(games, names)
    everybody = [player.to_json() for player in players.players(games)[:MOST_PLAYERS]]
    if not games:
        return {"players": everybody, "records": [], "best": [], "evening": None}
    return {
        "players": everybody,
        "records": list(players.record_lines(games)),
        "best": list(players.best_records(games)),
        "evening": of_evening(games),
    }


def of_evening(games: Sequence[Played]) -> dict[str, Any]:
    """The newest evening, by its row: the clock may have been wrong."""
    day = players.evening_of(games[-1])
    own = players.evenings(games)[day]
    people = players.players(own)
    return {
        "day": statistics.day_of(day),
        "counted": statistics.counted(len(own), len(people)),
        "players": [player.to_json() for player in people],
        "highlights": list(players.highlights(own)),
        "matches": [players.match_line(match) for match in own[-MOST_MATCHES:]],
    }


def of_dice(folder: Path) -> dict[str, Any]:
    """Every die that is known, and every kind: its report, the verdict in words, and the curve of E."""
    folded, _ = stored_throws(folder)
    tapes = folded.tapes
    names = tapes.all()
    dice = [die for die in reports(names) if die.name not in tapes.alone()]
    return {
        "dice": [
            {
                **die.to_json(),
                "words": report.verdict_line(die),
                "curve": curve(names[die.name]),
            }
            for die in dice[:MOST_DICE]
        ]
    }


def curve(tape: Tape) -> list[tuple[int, float]]:
    """Numbers of throws, and log10 of E after each."""
    throws, powers = evidence_curve(tape, MOST_POINTS)
    return [(int(count), round(float(power), 3)) for count, power in zip(throws, powers, strict=True)]


def main(folder: Path, query: str, how: str, *unnamed: str) -> dict[str, Any]:
    if query == "search":
        return search(folder, json.loads(how))
    try:
        if query == "players":
            return of_players(folder, numbered=how == NUMBERS, unnamed=unnamed)
        return of_dice(folder)
    except FileNotFoundError:  # nothing was written yet
        nothing: list[str] = []
        return {"players": nothing, "records": nothing, "best": nothing, "evening": None, "dice": nothing}
    except (OSError, sqlite3.Error, DamageError, BadEntry, JournalError) as error:
        log.warning("ledger_query=%s error=%r", query, str(error))
        return {"failed": True}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), *sys.argv[2:])))  # noqa: T201 - the answer to the table
