"""The ledger as all but its writer have it: matches and entries, read beside a running table or alone.

The second half puts them into words, one line for each match, entry and event, whatever a name in it holds.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from common import texts
from common.statements import Row
from common.texts.plain import plain
from dicetable.ledger import database, players, stored_rows
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import (
    BadEntry,
    Closed,
    Corrected,
    Decided,
    Entry,
    Epoch,
    Later,
    Opened,
    Revealed,
    Sat,
    Thrown,
    load,
)
from dicetable.ledger.repair import ASIDE, RESTORED
from dicetable.ledger.stored_rows import NO_EVIDENCE
from games import words
from games.dice import Die
from games.game import Event

NO_LEDGER: Final = "`dicetable roll` and games at a table begin one; --folder names another folder"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One accepted entry with the names of its players, and its row."""

    row: Row
    entry: Entry


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """One match: its opening, how many entries it has, and how it was closed."""

    opening: LedgerLine
    entries: int
    closed: Closed | None


class Reader:
    """Reads the ledger in a folder; changes nothing. Close it after use.

    Raises FileNotFoundError if there is none, sqlite3.Error or OSError if it cannot be reached, DamageError
    and `BadEntry` where what is stored is not what was written, JournalError where it is not a plain file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / database.NAME
        try:
            database.check_files(folder)
        except database.NotAFileError as error:
            raise database.journal_error(path, error) from error
        if (folder / RESTORED).exists():
            raise FileNotFoundError(f"a repair of the ledger in {folder} was cut off: start the table")
        if not path.is_file():
            raise FileNotFoundError(f"there is no ledger in {folder}: {NO_LEDGER}")
        with database.reading():
            self.connection: sqlite3.Connection = database.connect_to_read(path)

    def close(self) -> None:
        self.connection.close()

    def lines(self, match: int | None = None) -> Iterator[LedgerLine]:
        """The entries of one match, or all, in order."""
        names = players.stored(self.connection)
        return (
            LedgerLine(row, load(names.to_names(row.body)))
            for row in stored_rows.rows(self.connection, match)
        )

    @database.reading()
    def snapshot(self) -> None:
        """Fixes what is read from now on, while the table goes on writing."""
        self.connection.execute("BEGIN")
        self.last_match()

    @database.reading()
    def first(self) -> int:
        """The number of the first row; 1 if there is none."""
        (number,) = self.connection.execute("SELECT coalesce(min(number), 1) FROM entry").fetchone()
        return int(number)

    def bodies(self, after: int = 0) -> Iterator[tuple[str, bytes]]:
        """The time and the stored entry of each row with a number above `after`."""
        return stored_rows.bodies(self.connection, after)

    def matches(self) -> list[MatchSummary]:
        """Every match, oldest first."""
        matches: list[MatchSummary] = []
        for line in self.lines():
            if isinstance(line.entry, Opened):
                matches.append(MatchSummary(line, 1, None))
            elif matches and not isinstance(line.entry, Epoch):
                last = matches[-1]
                closed = line.entry if isinstance(line.entry, Closed) else last.closed
                matches[-1] = MatchSummary(last.opening, last.entries + 1, closed)
        return matches

    @database.reading()
    def last_match(self) -> int | None:
        """The number of the newest match; None if there is none yet."""
        (number,) = self.connection.execute("SELECT max(match) FROM entry").fetchone()
        return int(number) if number else None

    def evidence(self, number: int) -> bytes | None:
        """The picture kept with an entry, JPEG; None if there is none (any more)."""
        return stored_rows.evidence(self.connection, number)

    def verify(self) -> tuple[int, int, list[str]]:
        """Reads everything: how many entries and pictures are sound, and the faults."""
        faults: list[str] = []
        entries = pictures = 0
        try:
            with database.reading():
                database.check_schema(self.connection)
            remembered = stored_rows.sound_head(self.folder / stored_rows.HEAD_NAME)
            if remembered is None:
                faults.append(texts.ledger.NO_HEAD)
            stored_rows.check(self.connection, remembered)
        except DamageError as error:
            faults.append(str(error))
        try:
            for line in self.lines():
                entries += 1
                if line.row.evidence_sha256 == NO_EVIDENCE:
                    continue
                try:
                    pictures += self.evidence(line.row.number) is not None
                except DamageError as error:
                    faults.append(str(error))
        except (DamageError, BadEntry) as error:
            faults.append(str(error))
        for find_faults in (self.losses, self.reused):
            try:
                faults += find_faults()
            except DamageError as error:
                faults.append(str(error))
        return entries, pictures, list(dict.fromkeys(faults))

    def losses(self) -> list[str]:
        return [
            texts.ledger.lost(first, last, row.number, row.at_utc[:10])
            for row, epoch in self.epochs()
            for first, last in epoch.lost
        ]

    @database.reading()
    def reused(self) -> list[str]:
        """The numbers that two rows had: one in the ledger, and one written before a repair."""
        heads = [
            (epoch.head.number, bytes.fromhex(epoch.head.checksum), f"before row {row.number}")
            for row, epoch in self.epochs()
            if epoch.head is not None
        ]
        heads += [
            (old.last, old.checksum, f"and was set aside in {aside.name}")
            for aside in sorted(self.folder.glob(f"{ASIDE}*"))
            if (old := stored_rows.sound_head(aside / stored_rows.HEAD_NAME)) is not None
        ]
        faults = []
        sql = "SELECT checksum FROM entry WHERE number = ?"
        for number, checksum, where in heads:
            stored = self.connection.execute(sql, (number,)).fetchone()
            if stored is not None and stored[0] != checksum:
                faults.append(texts.ledger.reused(number, where))
        return faults

    @database.reading()
    def epochs(self) -> list[tuple[Row, Epoch]]:
        rows = [
            stored_rows.row(self.connection, first)
            for (first,) in self.connection.execute("SELECT first FROM epoch ORDER BY number")
        ]
        return [
            (row, epoch)
            for row in rows
            if row is not None and (epoch := stored_rows.epoch_in(row)) is not None
        ]

    @database.reading()
    def epoch_of(self, number: int) -> int:
        """The number of the epoch that a row belongs to."""
        sql = "SELECT coalesce(max(number), 1) FROM epoch WHERE first <= ?"
        (epoch,) = self.connection.execute(sql, (number,)).fetchone()
        return int(epoch)


def summary_line(match: MatchSummary) -> str:
    line = match.opening
    opened = line.entry
    if not isinstance(opened, Opened):
        raise TypeError(f"row {line.row.number} opens no match")
    state = texts.ledger.RUNNING if match.closed is None else texts.ledger.CLOSED[match.closed.why]
    names = ", ".join(opened.seats)
    game = texts.games.title(texts.games.variant(opened.game, opened.house_rules))
    return plain(
        f"{line.row.number:6}  {accepted_at(line)}  {game:12} {state:8} {match.entries:5} entries  {names}"
    )


def entry_line(line: LedgerLine, revision: int) -> str:
    """An entry: its number, when it was accepted, the revision that it led to, and its sentence."""
    picture = "" if line.row.evidence_sha256 == NO_EVIDENCE else f"  [{texts.ledger.PICTURE}]"
    return plain(f"{line.row.number:6}  {accepted_at(line)}  r{revision:<4} {sentence(line.entry)}{picture}")


def accepted_at(line: LedgerLine) -> str:
    """The time of acceptance to the second, UTC."""
    return line.row.at_utc[:19].replace("T", " ")


def sentence(entry: Entry) -> str:
    match entry:
        case Opened(seats=seats, options=options, frames_by=frames_by):
            sentence = texts.ledger.opened(opened_title(entry), seats, options, entry.house_by_name)
            return f"{sentence}; {texts.ledger.THROUGH_GATEWAY}" if frames_by else sentence
        case Decided(seat=seat, action=action, by_table=by_table):
            return texts.ledger.decided(seat, fields_text(action), by_table=by_table)
        case Thrown(dice=dice, by_hand=by_hand):
            return texts.ledger.thrown(words.dice(dice), by_hand=by_hand) + confirmed(entry) + vouched(entry)
        case Revealed(seat=seat, dice=dice):
            return texts.ledger.revealed(seat, words.dice(dice)) + confirmed(entry)
        case Corrected(revision=revision, dice=dice):
            return texts.ledger.corrected(revision, words.dice(dice))
        case Sat(name=name, how=how):
            return texts.ledger.sat(name, how)
        case Closed(why=why):
            return texts.ledger.CLOSED[why]
        case Epoch(epoch=number, why=why, lost=lost):
            return texts.ledger.epoch(number, why, lost)
        case Later(entry=kind):
            return texts.ledger.later(kind)


def opened_title(opened: Opened) -> str:
    """The game's title, after the name of its house rules if it has any."""
    game = texts.games.title(opened.game)
    return f"{opened.house_rules} ({game})" if opened.house_rules else game


def confirmed(entry: Thrown | Revealed) -> str:
    return "".join(
        texts.ledger.confirmed(words.dice([die]), details.confirmed_by, details.proposed)
        for die, details in zip(entry.dice, entry.details, strict=False)
        if details.confirmed_by is not None
    )


def vouched(entry: Thrown) -> str:
    by: dict[int | str, list[Die]] = {}
    for die, details in zip(entry.dice, entry.details, strict=False):
        if details.vouched_by is not None:
            by.setdefault(details.vouched_by, []).append(die)
    return "".join(texts.ledger.vouched(words.dice(dice), who) for who, dice in by.items())


def event_line(event: Event) -> str:
    fields = {key: value for key, value in event.items() if key != "event"}
    return plain(f"{event['event']}: {fields_text(fields)}")


def fields_text(fields: dict[str, Any]) -> str:
    """`bet amount 3`: the values of an object, each with its name but the type's and the seat's."""
    bare = ("type", "seat")
    return " ".join(str(value) if key in bare else f"{key} {value}" for key, value in fields.items())
