"""The database file: how it is opened, what its tables are, and what an error of it or of the disk means."""

import errno
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from common import files, texts
from dicetable.ledger.entries import JournalError

NAME: Final = "ledger.sqlite3"
APPLICATION_ID: Final = 0x64696365  # "dice"
PAGE_BYTES: Final = 4096
MAGIC: Final = b"SQLite format 3\0"
HEADER_BYTES: Final = 100
LONGEST_VALUE_BYTES: Final = 2**20
"""Nothing longer is read out of the file, whatever it says of itself."""
WRITER_WAITS_S: Final = 0.1
"""How long to wait for a lock of another program. The table's loop stands still meanwhile, and tries again
later."""
READER_WAITS_S: Final = 2.0
CACHE_KB: Final = 512
"""How much of the file SQLite holds in memory: only the newest rows are needed, and its own 2 MB fill up."""
WAL_FORMAT: Final = b"\x02\x02"
"""Write and read version of a database in WAL mode, in its header; with others SQLite may refuse to write."""
VERSION: Final = 1
"""The version of the schema, for people and their tools; no code here depends on it."""
SCHEMA: Final = """
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    match INTEGER NOT NULL,
    at_utc TEXT NOT NULL,
    body BLOB NOT NULL,
    evidence_sha256 BLOB NOT NULL,
    previous BLOB NOT NULL,
    checksum BLOB NOT NULL
) STRICT;
CREATE TABLE evidence (entry INTEGER PRIMARY KEY, jpeg BLOB NOT NULL) STRICT;
CREATE TABLE player (id TEXT NOT NULL, name TEXT, checksum BLOB NOT NULL) STRICT;
CREATE TABLE epoch (number INTEGER PRIMARY KEY, first INTEGER NOT NULL) STRICT;
CREATE TABLE loss (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
"""Rows hold ids of players; `player.name` is NULL once it was erased. `epoch` and `loss` are what the epochs'
entries in the chain say: `epoch.first` is the row that begins an epoch, `loss` are the rows known to be lost.
The first epoch has no such row. There is no index: what is kept once cannot contradict itself.

Later versions only add tables, kinds of entries and optional fields of entries. This one ignores what it does
not know of these, so a roll-back needs no inverse.
"""
FULL: Final = {sqlite3.SQLITE_FULL}
READ_ONLY: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
LEAST_ROOM_BYTES: Final = 64 * 1024


class DamageError(Exception):
    """The stored data is not what was written; the text says where."""


class NotAFileError(Exception):
    """Something other than a plain file has the name of one of the ledger's files."""


class OnNetworkError(Exception):
    """Another machine keeps the folder, where SQLite's log is unsafe; the text is the kind of file system."""


NO_DAMAGE: Final = (
    OSError,
    MemoryError,
    JournalError,
    NotAFileError,
    OnNetworkError,
    sqlite3.ProgrammingError,
)
OUT_OF_REACH: Final = {
    *FULL,
    *READ_ONLY,
    *BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}


def check_place(folder: Path) -> None:
    """Raises OnNetworkError if another machine keeps the folder, see https://sqlite.org/wal.html."""
    if kind := files.network_kind(folder):
        raise OnNetworkError(kind)


def check_files(folder: Path) -> None:
    """Raises NotAFileError if a file of the ledger is a link, a pipe or the like: none of these is opened.

    A link would lead two writers with a lock each to one file; a pipe would be waited for without end.
    """
    for path in folder.glob("ledger.*"):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotAFileError(str(path))


def connect(path: Path, most_bytes: int) -> sqlite3.Connection:
    """Opens a connection for the one writer: every commit is on the disk when it returns."""
    connection = sqlite3.connect(path, timeout=WRITER_WAITS_S, isolation_level=None)
    try:
        distrust(connection)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_size_limit = 4194304")
        connection.execute(f"PRAGMA max_page_count = {most_bytes // PAGE_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path, waits_s: float = READER_WAITS_S) -> sqlite3.Connection:
    """Opens a connection that cannot write, beside a writer or alone."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=waits_s, uri=True)
    try:
        distrust(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def distrust(connection: sqlite3.Connection) -> None:
    """Makes SQLite wary of the file; text that is not UTF-8 is read so that no checksum fits it."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def is_new(connection: sqlite3.Connection) -> bool:
    return not described(connection)


def create(connection: sqlite3.Connection) -> None:
    header = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {header} COMMIT;")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check_header(path: Path) -> None:
    """Raises DamageError if the header of a database would make SQLite open it read-only, or not at all.

    https://sqlite.org/fileformat2.html, section 1.3. A file that is not in WAL mode yet is half made.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if header.startswith(MAGIC) and header[18:20] not in (WAL_FORMAT, b"\x01\x01"):
        raise DamageError("the file's header is not what was written")


def check_schema(connection: sqlite3.Connection) -> None:
    """Raises DamageError unless the file holds the ledger's tables; further tables may be of a later version.

    An unknown trigger or view would run with every row, so neither is let through.
    """
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(SCHEMA)
        expected = described(model)
    actual = described(connection)
    if not expected.items() <= actual.items():
        raise DamageError("the tables are not the ledger's")
    for name in actual.keys() - expected.keys():
        if not re.match(r"(CREATE TABLE|CREATE INDEX|None)\b", actual[name]):
            raise DamageError(f"{name!r} is not the ledger's")
    # SQLite would read another table's page as pictures, and write the next one over its rows.
    first = connection.execute("SELECT typeof(jpeg) FROM evidence ORDER BY entry LIMIT 1").fetchone()
    if first not in (None, ("blob",)):
        raise DamageError("the pictures are not where they were written")


def described(connection: sqlite3.Connection) -> dict[str, str]:
    rows = connection.execute("SELECT name, sql FROM sqlite_schema").fetchall()
    return {str(name): re.sub(r"\s+", " ", str(sql)) for name, sql in rows}


def primary(error: BaseException) -> int:
    """SQLite's primary result code; 0 if the error is not one of SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_damage(error: BaseException) -> bool:
    """Whether the stored data is broken, so that it must be set aside.

    It is, unless the error says that the files cannot be reached at the moment: a broken file can lead to any
    error.
    """
    if isinstance(error, NO_DAMAGE):
        return False
    return primary(error) not in OUT_OF_REACH


@contextmanager
def reading() -> Iterator[None]:
    """Turns any error inside into DamageError, unless the files cannot be reached at the moment."""
    try:
        yield
    except Exception as error:
        if isinstance(error, DamageError) or not is_damage(error):
            raise
        raise DamageError(message(error)) from error


def message(error: Exception) -> str:
    """The error's text, with its type where the text alone is for programmers."""
    return (
        str(error) if isinstance(error, DamageError | sqlite3.Error) else f"{type(error).__name__}: {error}"
    )


def journal_error(path: Path, error: Exception) -> JournalError:
    """Says in words for people at the table why nothing can be written, and what helps."""
    if isinstance(error, JournalError):
        return error
    if isinstance(error, OnNetworkError):
        remedy = texts.ledger.on_network_remedy(str(path.parent))
        return JournalError(texts.ledger.on_network(str(error)), remedy)
    if isinstance(error, NotAFileError):
        return JournalError(texts.ledger.not_a_file(str(error)), texts.ledger.NOT_A_FILE_REMEDY)
    number = error.errno if isinstance(error, OSError) else 0
    code = primary(error)
    failing = number == errno.EIO or code == sqlite3.SQLITE_IOERR
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or code in FULL or (failing and is_full(path)):
        return JournalError(texts.ledger.FULL, texts.ledger.full_remedy(str(path.parent)))
    if number in (errno.EACCES, errno.EPERM) and (foreign := foreign_folder(path.parent)):
        return foreign
    if number in (errno.EEXIST, errno.ENOTDIR):
        return JournalError(texts.ledger.not_a_folder(str(path.parent)), texts.ledger.NOT_A_FOLDER_REMEDY)
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or code in READ_ONLY:
        return JournalError(texts.ledger.READ_ONLY, texts.ledger.read_only_remedy(str(path.parent)))
    if number in (errno.EAGAIN, errno.EWOULDBLOCK) or code in BUSY:
        return JournalError(texts.ledger.IN_USE, texts.ledger.IN_USE_REMEDY)
    if failing:
        return JournalError(texts.ledger.FAILING, texts.ledger.FAILING_REMEDY)
    return JournalError(texts.ledger.failed(message(error)), texts.ledger.failed_remedy(str(path)))


def is_full(path: Path) -> bool:
    """Whether there is too little room for SQLite's index of the log: it calls that a failing disk."""
    try:
        return shutil.disk_usage(path.parent).free < LEAST_ROOM_BYTES
    except OSError:
        return False


def foreign_folder(folder: Path) -> JournalError | None:
    """Names the owner of the folder, or of the nearest one above that exists; None if that is this user."""
    if not hasattr(os, "geteuid"):  # on Windows a folder's rights say who may use it
        return None
    try:
        nearest = next((path for path in (folder, *folder.parents) if path.exists()), folder)
        user = nearest.stat().st_uid
    except OSError:
        return None
    if user == os.geteuid():
        return None
    try:
        owner = nearest.owner()
    except KeyError:
        owner = f"user {user}"
    if nearest != folder:
        return JournalError(texts.ledger.NOT_MADE, texts.ledger.not_made_remedy(str(nearest), owner))
    return JournalError(texts.ledger.FOREIGN, texts.ledger.foreign_remedy(str(nearest), owner))
