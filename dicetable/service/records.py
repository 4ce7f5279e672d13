"""`python -m dicetable.service.records FOLDER WHAT NAMES`: what guests may look up in the ledger, as JSON.

WHAT is `players` or `dice`. With NAMES `numbers` the players are numbered. All of it comes from
`dicetable.statistics`, as `dicetable stats` has it, and none of it says where the ledger is.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dicetable.ledger.entries import BadEntry, JournalError
from dicetable.ledger.reader import Reader
from dicetable.ledger.rows import DamageError
from dicetable.statistics import die_text, matches, players, players_text
from dicetable.statistics.report import evidence_curve, reports
from dicetable.statistics.stored_throws import stored_throws
from dicetable.texts import statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dicetable.statistics.matches import Played
    from dicetable.statistics.tapes import Tape

NUMBERS: Final = "numbers"
MOST_PLAYERS: Final = 300
"""Those with most wins; with so many the answer has half of the bytes that it may have."""
MOST_MATCHES: Final = 40
"""The newest of an evening."""
MOST_DICE: Final = 40
MOST_POINTS: Final = 100
"""Of the curve of E."""

log = logging.getLogger(__name__)


def of_players(folder: Path, *, numbered: bool) -> dict[str, Any]:
    """Every player, the records, and the newest evening; `evening` is None if no game was started."""
    with closing(Reader(folder)) as reader:
        found = matches.played((line.row.at_utc, line.entry) for line in reader.lines())
    if numbered:
        found = matches.renamed(found, matches.numbered(found))
    everybody = [one.to_json() for one in players.players(found)[:MOST_PLAYERS]]
    if not found:
        return {"players": everybody, "records": [], "best": [], "evening": None}
    return {
        "players": everybody,
        "records": list(players_text.records(found)),
        "best": list(players_text.best(found)),
        "evening": of_evening(found),
    }


def of_evening(found: Sequence[Played]) -> dict[str, Any]:
    """The newest evening, by its row: the clock may have been wrong."""
    day = players.evening_of(found[-1])
    own = players.evenings(found)[day]
    people = players.players(own)
    return {
        "day": statistics.day_of(day),
        "counted": statistics.counted(len(own), len(people)),
        "players": [one.to_json() for one in people],
        "highlights": list(players_text.highlights(own)),
        "matches": [players_text.match_line(match) for match in own[-MOST_MATCHES:]],
    }


def of_dice(folder: Path) -> dict[str, Any]:
    """Every die that is known, and every kind: its report, the verdict in words, and the curve of E."""
    folded, _ = stored_throws(folder)
    tapes = folded.tapes
    names = tapes.all()
    known = [die for die in reports(names) if die.name not in tapes.alone()]
    return {
        "dice": [
            {
                **die.to_json(),
                "words": die_text.verdict(die),
                "curve": curve(names[die.name]),
            }
            for die in known[:MOST_DICE]
        ]
    }


def curve(tape: Tape) -> list[tuple[int, float]]:
    """Numbers of throws, and log10 of E after each."""
    throws, powers = evidence_curve(tape, MOST_POINTS)
    return [(int(at), round(float(power), 3)) for at, power in zip(throws, powers, strict=True)]


def main(arguments: Sequence[str]) -> dict[str, Any]:
    """The answer; `failed` if the ledger cannot be read."""
    folder, what, names = arguments
    answers: Mapping[str, Callable[[], dict[str, Any]]] = {
        "players": lambda: of_players(Path(folder), numbered=names == NUMBERS),
        "dice": lambda: of_dice(Path(folder)),
    }
    try:
        return answers[what]()
    except FileNotFoundError:
        return {
            "players": [],
            "records": [],
            "best": [],
            "evening": None,
            "dice": [],
        }  # nothing was written yet
    except (OSError, sqlite3.Error, DamageError, BadEntry, JournalError) as error:
        log.warning("records=%s error=%r", what, str(error))
        return {"failed": True}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))  # noqa: T201
