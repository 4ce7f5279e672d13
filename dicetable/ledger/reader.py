"""The ledger as all but its writer have it: matches and entries, read beside a running table or alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.ledger import causes, database, epochs, head, players, stored_rows
from dicetable.ledger.entries import BadEntry, Closed, Entry, Epoch, Opened, load
from dicetable.ledger.repair import ASIDE, RESTORED
from dicetable.ledger.rows import NO_EVIDENCE, DamageError, Row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

ALL: Final = None


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One accepted entry with the names of its players, where it stands and when it was accepted."""

    row: Row
    entry: Entry


@dataclass(frozen=True, slots=True)
class Chapter:
    """A match in short: how it was opened, when, how many entries it has, and how it was closed."""

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
            raise causes.error(path, error) from error
        if (folder / RESTORED).exists():
            raise FileNotFoundError(f"a repair of the ledger in {folder} was cut off: start the table")
        if not path.is_file():
            raise FileNotFoundError(f"there is no ledger in {folder}")
        with causes.reading():
            self.connection: sqlite3.Connection = database.connect_to_read(path)

    def close(self) -> None:
        """Lets go of the file."""
        self.connection.close()

    def lines(self, match: int | None = ALL) -> Iterator[LedgerLine]:
        """The entries of one match, or all, in order."""
        names = players.stored(self.connection)
        return (
            LedgerLine(row, load(names.to_names(row.body)))
            for row in stored_rows.rows(self.connection, match)
        )

    @causes.reading()
    def snapshot(self) -> None:
        """Whatever is read from now on is as the ledger is now, also if the table goes on writing."""
        self.connection.execute("BEGIN")
        self.last_match()

    @causes.reading()
    def first(self) -> int:
        """The number of the first row; 1 if there is none."""
        (number,) = self.connection.execute("SELECT coalesce(min(number), 1) FROM entry").fetchone()
        return int(number)

    def bodies(self, after: int = 0) -> Iterator[tuple[str, bytes]]:
        """Of each row with a number above `after`: when it was accepted, and the entry as it is stored."""
        return stored_rows.bodies(self.connection, after)

    def chapters(self) -> list[Chapter]:
        """Every match, oldest first."""
        chapters: list[Chapter] = []
        for line in self.lines():
            if isinstance(line.entry, Opened):
                chapters.append(Chapter(line, 1, None))
            elif chapters and not isinstance(line.entry, Epoch):
                last = chapters[-1]
                closed = line.entry if isinstance(line.entry, Closed) else last.closed
                chapters[-1] = Chapter(last.opening, last.entries + 1, closed)
        return chapters

    @causes.reading()
    def last_match(self) -> int | None:
        """The number of the newest match; None if there is none yet."""
        (number,) = self.connection.execute("SELECT max(match) FROM entry").fetchone()
        return int(number) if number else None

    def evidence(self, number: int) -> bytes | None:
        """The picture kept with an entry, JPEG; None if there is none (any more)."""
        return stored_rows.evidence(self.connection, number)

    def verify(self) -> tuple[int, int, list[str]]:
        """Reads everything: how many entries and pictures are sound, and what is not."""
        faults: list[str] = []
        entries = pictures = 0
        try:
            with causes.reading():
                database.check_schema(self.connection)
            remembered = head.read(self.folder / head.NAME)
            if stored_rows.check(self.connection, remembered) is not None and remembered is None:
                faults.append(texts.ledger.NO_HEAD)
        except DamageError as error:
            faults.append(str(error))
        try:
            for line in self.lines():
                entries += 1
                pictures += self.picture_is_sound(line.row, faults)
        except (DamageError, BadEntry) as error:
            faults += [str(error)] if str(error) not in faults else []
        for known in (self.losses, self.reused):
            try:
                faults += known()
            except DamageError as error:
                faults += [str(error)] if str(error) not in faults else []
        return entries, pictures, faults

    def losses(self) -> list[str]:
        """Which rows are known to be lost, and since when."""
        return [
            texts.ledger.lost(first, last, row.number, row.at_utc[:10])
            for row, epoch in self.epochs()
            for first, last in epoch.lost
        ]

    @causes.reading()
    def reused(self) -> list[str]:
        """Which numbers two rows had: one that is in the ledger, and one that was written before a repair."""
        heads = [
            (epoch.head.number, bytes.fromhex(epoch.head.checksum), f"before row {row.number}")
            for row, epoch in self.epochs()
            if epoch.head is not None
        ]
        heads += [
            (old.last, old.checksum, f"and was set aside in {aside.name}")
            for aside in sorted(self.folder.glob(f"{ASIDE}*"))
            if (old := head.read(aside / head.NAME)) is not None
        ]
        faults = []
        sql = "SELECT checksum FROM entry WHERE number = ?"
        for number, checksum, where in heads:
            found = self.connection.execute(sql, (number,)).fetchone()
            if found is not None and found[0] != checksum:
                faults.append(texts.ledger.reused(number, where))
        return faults

    @causes.reading()
    def epochs(self) -> list[tuple[Row, Epoch]]:
        """The rows that begin an epoch, and what they say."""
        rows = [
            stored_rows.row(self.connection, first)
            for (first,) in self.connection.execute("SELECT first FROM epoch ORDER BY number")
        ]
        return [(row, epoch) for row in rows if row is not None and (epoch := epochs.of(row)) is not None]

    @causes.reading()
    def epoch_of(self, number: int) -> int:
        """The number of the epoch that a row belongs to."""
        sql = "SELECT coalesce(max(number), 1) FROM epoch WHERE first <= ?"
        (found,) = self.connection.execute(sql, (number,)).fetchone()
        return int(found)

    def picture_is_sound(self, row: Row, faults: list[str]) -> bool:
        """Whether the row has a picture as it was written; a changed one is added to the faults."""
        if row.evidence_sha256 == NO_EVIDENCE:
            return False
        try:
            return self.evidence(row.number) is not None
        except DamageError as error:
            faults.append(str(error))
            return False
