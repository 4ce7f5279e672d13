"""`python -m dicetable.service.ledger_search FOLDER QUERY`: games in the ledger, or one game, as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.ledger import narration
from dicetable.ledger.entries import BadEntry, Corrected, JournalError, Opened, Revealed, Thrown
from dicetable.ledger.reader import Reader
from dicetable.ledger.rows import NO_EVIDENCE, DamageError
from dicetable.service.throws import thrower
from dicetable.table.table_state import TableState
from games.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.ledger.reader import Chapter, LedgerLine

PAGE: Final = 25
MOST_ENTRIES: Final = 1500


def search(folder: Path, query: dict[str, Any]) -> dict[str, Any]:
    """The answer; `error` says why there is none."""
    try:
        with closing(Reader(folder)) as reader:
            if query["match"]:
                return one(reader, query["match"])
            return some(reader, query["words"], query["before"])
    except (OSError, sqlite3.Error, DamageError, BadEntry, JournalError) as error:
        return {"error": str(error), "games": [], "more": False}


def some(reader: Reader, wanted: str, before: int) -> dict[str, Any]:
    """The newest games that contain all these words, newest first."""
    each = wanted.casefold().split()
    found = [
        summary
        for chapter in reversed(reader.chapters())
        if (not before or chapter.opening.row.number < before)
        and (summary := summary_of(chapter))
        and all(word in summary["text"].casefold() for word in each)
    ]
    return {"games": found[:PAGE], "more": len(found) > PAGE}


def summary_of(chapter: Chapter) -> dict[str, Any]:
    """A game in the list."""
    line = chapter.opening
    opened = line.entry
    if not isinstance(opened, Opened):
        return {}
    state = texts.ledger.RUNNING if chapter.closed is None else texts.ledger.CLOSED[chapter.closed.why]
    summary = {
        "number": line.row.number,
        "at": narration.at(line),
        "title": texts.games.title(opened.game),
        "state": state,
        "open": chapter.closed is None,
        "entries": chapter.entries,
        "seats": list(opened.seats),
    }
    text = f"{summary['number']} {summary['at']} {summary['title']} {state} {' '.join(opened.seats)}"
    return {**summary, "text": text}


def one(reader: Reader, number: int) -> dict[str, Any]:
    """The entries of a game."""
    lines = list(reader.lines(number))
    if not lines:
        return {"error": texts.operator.NOTHING, "entries": []}
    entries = [
        entry(line, revision, seat)
        for line, (revision, seat) in zip(lines, revisions_and_throwers(lines), strict=True)
    ]
    corrected = {line.entry.revision: line.entry.dice for line in lines if isinstance(line.entry, Corrected)}
    for each in entries:
        if each["dice"] and each["revision"] in corrected and each["throw"]:
            each["corrected"] = [list(die) for die in corrected[each["revision"]]]
    newest = reader.last_match() == number
    return {"number": number, "newest": newest, "entries": entries[-MOST_ENTRIES:]}


def revisions_and_throwers(lines: Sequence[LedgerLine]) -> list[tuple[int, str]]:
    """The revision of the match after each entry, and who threw; empty where no seat did, or it is unknown.

    From an entry on that does not fit the match, the revision stays the same.
    """
    state, revision = TableState(), 0
    found: list[tuple[int, str]] = []
    fits = True
    for line in lines:
        seat = thrower(state) if fits and isinstance(line.entry, Thrown) else ""
        try:
            state = state.after(line.entry) if fits else state
        except RuleError:
            fits = False
        if fits and state.match is not None:
            revision = state.match.revision
        found.append((revision, seat))
    return found


def entry(line: LedgerLine, revision: int, seat: str) -> dict[str, Any]:
    """One entry as the page shows it; `seat` threw."""
    dice = line.entry.dice if isinstance(line.entry, Thrown | Revealed | Corrected) else ()
    return {
        "number": line.row.number,
        "at": narration.at(line),
        "revision": revision,
        "seat": seat,
        "text": narration.sentence(line.entry),
        "throw": isinstance(line.entry, Thrown),
        "dice": [list(die) for die in dice],
        "picture": line.row.evidence_sha256 != NO_EVIDENCE,
        "corrected": None,
    }


if __name__ == "__main__":
    print(json.dumps(search(Path(sys.argv[1]), json.loads(sys.argv[2]))))  # noqa: T201
