"""The ledger as its one writer has it. A row is on the disk when `append` returns."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from common import files
from common.statements import Row
from dicetable.ledger import database, players, stored_rows, unsent
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import Entry, Opened, dump, load
from dicetable.ledger.repair import NOTE, Repair, finish, repair, restore_copy
from dicetable.ledger.stored_rows import NO_EVIDENCE, chained, columns

LOCK: Final = "ledger.lock"
MOST_EVIDENCE_BYTES: Final = 256 * 1024
LONGEST_BODY_BYTES: Final = 128 * 1024
LONGEST_PAUSE: Final = timedelta(days=30)
"""The longest pause between two matches that makes older ones older. With a larger one, a clock that is set
wrong deletes matches too early; with a smaller one, a table that rests for weeks keeps its matches longer."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far the ledger may grow.

    Attributes:
        rows: of all matches; before a new match the oldest ones go, whole, unless they are young.
        days: a match that began within these is young, and stays whatever the number of rows is.
        pictures: the newest that are kept as evidence.
        most_bytes: of the file; beyond it nothing more is accepted.
    """

    rows: int = 50_000
    days: int = 365
    pictures: int = 1_500
    most_bytes: int = 256 * 2**20


DEFAULT_BOUNDS: Final = Bounds()


def wall_clock() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """The rows in one folder, for one writer at a time.

    `repaired` is the latest repair, when it was opened or since; None if there was none.
    """

    def __init__(
        self,
        folder: Path,
        bounds: Bounds = DEFAULT_BOUNDS,
        now: Callable[[], datetime] = wall_clock,
        before_pruning: Callable[[Path, Iterable[tuple[int, str, bytes]]], None] | None = None,
    ) -> None:
        """Opens the ledger, makes it if there is none, repairs it if it is damaged. Raises JournalError.

        `before_pruning` gets the folder and the rows that are about to be deleted (number, time, body), to
        keep what must outlive them; if it raises, they stay and nothing is appended.
        """
        self.folder = folder
        self.path = folder / database.NAME
        self.bounds = bounds
        self.now = now
        self.before_pruning = before_pruning
        self.repaired: Repair | None = None
        self.connection: sqlite3.Connection | None = None
        self.last: Row | None = None
        self.first = 1
        self.epoch = 1
        self.pictures = 0
        self.league_has = 0
        self.players = players.Players()
        self.lock = -1
        try:
            database.check_place(folder)
            folder.mkdir(parents=True, exist_ok=True)
            database.check_files(folder)
            self.lock = taken(folder / LOCK)
            self.open()
        except Exception as error:
            self.close()
            raise database.journal_error(self.path, error) from error

    def close(self) -> None:
        """Closes the files; every appended row stays."""
        self.disconnect()
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def disconnect(self) -> None:
        if self.connection is not None:
            with suppress(sqlite3.Error):
                self.connection.close()
            self.connection = None

    def open(self, upto: int | None = None, damaged: str = "") -> None:
        """Opens the database and checks every row; sets damaged files aside and goes on with the rest.

        A repair that was cut off by a power cut or a full disk is finished first: until then the sound rows
        lie under another name. A repair keeps no row after number `upto`. `damaged` is damage that is
        known already.
        """
        self.repaired = finish(self.folder) or self.repaired
        try:
            if damaged:
                raise DamageError(damaged)
            self.connect()
        except Exception as error:
            self.disconnect()
            if not database.is_damage(error):
                raise
            why = database.message(error)
            self.repaired = repair(self.folder, why, self.now(), self.bounds.most_bytes, upto)
            self.connect()

    def connect(self) -> None:
        """Opens the database as it is, or raises its fault."""
        head = self.folder / stored_rows.HEAD_NAME
        remembered = stored_rows.read_head(head)
        if remembered is None:
            if self.path.exists() or self.path.with_name(f"{database.NAME}-wal").exists():
                raise DamageError("ledger.head is gone")
            stored_rows.write_first_head(head)
            remembered = stored_rows.read_head(head)
        checked = self.path.exists() and self.checked_by_reader(remembered)
        self.connection = connection = database.connect(self.path, self.bounds.most_bytes)
        if not checked:
            if database.is_new(connection) and remembered is not None and not remembered.last:
                database.create(connection)
            database.check_schema(connection)
            self.last = stored_rows.check(connection, remembered)
        self.first, self.pictures = connection.execute(
            "SELECT (SELECT coalesce(min(number), 1) FROM entry), (SELECT count(*) FROM evidence)"
        ).fetchone()
        self.epoch = stored_rows.current_epoch(connection)
        self.players = players.stored(connection)
        self.remember()

    def checked_by_reader(self, remembered: stored_rows.Head | None) -> bool:
        """Checks the files without changing them: a writer would tidy away what a repair needs.

        Returns False for a file that must be checked after the writer has opened it: a new one, and one that
        a kill left half made, with a rollback journal that a reader cannot play back.
        """
        database.check_header(self.path)
        with closing(database.connect_to_read(self.path, database.WRITER_WAITS_S)) as connection:
            try:
                if database.is_new(connection):
                    return False
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                    raise
                return False
            database.check_schema(connection)
            self.last = stored_rows.check(connection, remembered)
            return True

    def remember(self) -> None:
        """Writes the head; if the disk refuses, the next check is only less sharp."""
        if self.last is not None:
            with suppress(OSError):
                remembered = stored_rows.Head(self.first, self.last.number, self.last.checksum, self.epoch)
                stored_rows.write_head(self.folder / stored_rows.HEAD_NAME, remembered)

    def append(self, entry: Entry, evidence: bytes = b"") -> int:
        """Appends an entry, as every Journal does: durable when this returns, or JournalError.

        Its row holds ids of players in place of names.
        """
        body = self.players.to_ids(dump(entry))
        return self.add(body, opens=isinstance(entry, Opened), evidence=evidence).number

    def add(self, body: bytes, *, opens: bool, evidence: bytes = b"") -> Row:
        """Appends a row; it is on the disk when this returns.

        Args:
            body: one line of JSON.
            opens: whether it opens a match.
            evidence: a JPEG to keep with it, while the ring has room; left out if it is too long.

        Raises:
            JournalError: nothing was appended; the same may be tried again.
        """
        if len(body) > LONGEST_BODY_BYTES:
            raise ValueError(f"an entry of {len(body)} bytes")
        if len(evidence) > MOST_EVIDENCE_BYTES:
            evidence = b""
        try:
            row = self.settle_and_commit(body, evidence, opens=opens)
        except Exception as error:
            self.disconnect()
            if not database.is_damage(error):
                try:
                    self.settle()  # takes back what the failed commit may have left
                except Exception:  # noqa: BLE001 - the same is met, and reported, before the next row
                    self.disconnect()
                raise database.journal_error(self.path, error) from error
            row = self.commit_repaired(body, evidence, database.message(error), opens=opens)
        self.last = row
        self.remember()
        with suppress(OSError):
            (self.folder / NOTE).unlink(missing_ok=True)  # a row was written since the repair
        return row

    def settle_and_commit(self, body: bytes, evidence: bytes, *, opens: bool) -> Row:
        self.settle()
        sha256 = hashlib.sha256(evidence).digest() if evidence else NO_EVIDENCE
        row = chained(self.last, opens, written(self.now()), body, sha256)
        self.commit(row, evidence)
        return row

    def commit_repaired(self, body: bytes, evidence: bytes, why: str, *, opens: bool) -> Row:
        """Repairs a ledger that proved damaged in writing, however it reads; then commits the row."""
        try:
            self.settle(why)
            return self.settle_and_commit(body, evidence, opens=opens)
        except Exception as error:
            self.disconnect()
            raise database.journal_error(self.path, error) from error

    def settle(self, damaged: str = "") -> None:
        """Opens the database again after a failure and takes back a row that was never acknowledged.

        A database that is known to be `damaged` is repaired.
        """
        if self.connection is not None:
            return
        acknowledged = self.last
        number = acknowledged.number if acknowledged else 0
        players = self.players
        try:
            self.open(upto=number, damaged=damaged)
            stored = self.last
        finally:
            self.last = acknowledged
        # Names that were given since the last row are in no file yet.
        self.players.add_missing(players)
        if stored == acknowledged or self.connection is None:
            return
        if acknowledged is not None and stored_rows.row(self.connection, number) != acknowledged:
            raise DamageError(f"row {number} was written, it is lost")
        with transaction(self.connection) as execute:
            execute(
                "DELETE FROM entry WHERE number > ? AND number NOT IN (SELECT first FROM epoch)", (number,)
            )
            execute("DELETE FROM evidence WHERE entry NOT IN (SELECT number FROM entry)")
        self.last = stored_rows.last(self.connection)
        self.remember()

    def commit(self, row: Row, evidence: bytes) -> None:
        """Writes the row, and deletes the rows and pictures beyond the bounds, in one transaction."""
        connection = self.connected()
        first, pictures = self.first, self.pictures
        with transaction(connection) as execute:
            execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", columns(row))
            players.insert(connection, self.players.added)
            if row.opens and row.number - first >= self.bounds.rows:
                first = self.prune()
                (pictures,) = execute("SELECT count(*) FROM evidence").fetchone()
            if evidence:
                execute("INSERT INTO evidence VALUES (?, ?)", (row.number, evidence))
                pictures += 1
            while pictures > self.bounds.pictures:
                execute("DELETE FROM evidence WHERE entry = (SELECT min(entry) FROM evidence)")
                pictures -= 1
        self.first, self.pictures = first, pictures
        self.players.added = []

    def prune(self) -> int:
        """Deletes the oldest matches to keep the bound of rows; returns the first row that stays.

        A young match stays, with all after it. First it notes which rows a league may still need.
        """
        execute = self.connected().execute
        oldest = execute(
            "SELECT number FROM entry ORDER BY number DESC LIMIT 1 OFFSET ?", (self.bounds.rows - 1,)
        ).fetchone()
        if oldest is None:
            return self.first  # an epoch left numbers out: there are fewer rows than numbers
        (first,) = execute(
            "SELECT min(number) FROM entry WHERE number >= ? AND number = match", oldest
        ).fetchone()
        first = min(int(first), self.first_young() or int(first))
        if first <= self.first:
            return self.first
        unsent.note_pruning(self.folder, first, self.league_has)
        if self.before_pruning is not None:
            sql = "SELECT number, at_utc, body FROM entry WHERE number < ? ORDER BY number"
            self.before_pruning(self.folder, execute(sql, (first,)))
        for table, column in (("evidence", "entry"), ("loss", "last"), ("entry", "number")):
            execute(f"DELETE FROM {table} WHERE {column} < ?", (first,))  # noqa: S608 - of constants
        return first

    def first_young(self) -> int | None:
        """The row that opens the oldest young match; None if there is none.

        Ages add up the pauses between matches. A pause beyond LONGEST_PAUSE, or back in time, adds nothing:
        it may be a clock that was set wrong, and a wrong clock makes no match old.
        """
        openings = self.connected().execute(
            "SELECT number, at_utc FROM entry WHERE number = match ORDER BY number DESC"
        )
        young = earliest = None
        age = timedelta()
        for number, at_utc in openings:
            opened = datetime.fromisoformat(at_utc)
            pause = (earliest or opened) - opened
            if timedelta() < pause <= LONGEST_PAUSE:
                age += pause
            if age >= timedelta(days=self.bounds.days):
                break
            young = int(number)
            earliest = min(earliest or opened, opened)
        return young

    def entries(self) -> list[Entry]:
        """The entries of the newest match, from its opening on: the table resumes from them.

        Raises BadEntry where a sound row holds no entry that this program knows.
        """
        match = self.last.match if self.last else 0
        return [load(self.players.to_names(row.body)) for row in self.rows(match)]

    def openings(self, most: int) -> list[Opened]:
        """The opening rows of the newest `most` matches, newest first."""
        openings: list[Opened] = []
        row = stored_rows.last(self.connected())
        while row is not None and row.match and len(openings) < most:
            opening = stored_rows.row(self.connected(), row.match)
            entry = load(self.players.to_names(opening.body)) if opening else None
            if isinstance(entry, Opened):
                openings.append(entry)
            row = stored_rows.row(self.connected(), row.match - 1)
        return openings

    def rows(self, match: int | None = None) -> Iterator[Row]:
        return stored_rows.rows(self.connected(), match)

    def connected(self) -> sqlite3.Connection:
        if self.connection is None:
            raise sqlite3.ProgrammingError("the ledger is closed")
        return self.connection


def erase_name(ledger: Ledger, name: str) -> None:
    """Erases a player's name from everything that the files hold.

    Raises LookupError if no player has it; JournalError if it cannot be erased, or if another program reads
    the ledger: the old files would stay until that ends.
    """
    if name not in ledger.players.ids:
        raise LookupError(name)
    try:
        connection = ledger.connected()
        for mode in ("DELETE", "WAL"):  # the first needs the ledger for itself
            connection.execute(f"PRAGMA journal_mode = {mode}")
        players.erase(connection, ledger.players.ids[name])
        connection.execute("VACUUM")  # nor in a part of the file that is free
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ledger.players = players.stored(connection)
    except Exception as error:
        raise database.journal_error(ledger.path, error) from error


def restore(ledger: Ledger, copy: Path) -> Repair:
    """Puts a copy of the ledger in its place, in a new epoch; what is there now is set aside.

    Raises DamageError if the copy holds no row of a ledger, JournalError if it cannot be put there.
    """
    ledger.disconnect()
    try:
        done = restore_copy(ledger.folder, copy, ledger.now(), ledger.bounds.most_bytes)
        ledger.connect()
        (ledger.folder / NOTE).unlink(missing_ok=True)  # the operator who ran it knows
    except DamageError:
        raise
    except Exception as error:
        raise database.journal_error(ledger.path, error) from error
    return done


def taken(path: Path) -> int:
    """Takes the lock of the one writer, until it is closed. Raises BlockingIOError if another has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | files.NO_LINK, 0o644)
    try:
        files.lock(descriptor, wait=False)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[Callable[..., sqlite3.Cursor]]:
    """Commits everything that is executed inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection.execute
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
