"""The database file: how it is opened, what its tables are, and how an older one is brought up to date."""

from __future__ import annotations

import re
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Final

from dicetable.files.atomic_write import sync
from dicetable.ledger.rows import DamageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

NAME: Final = "ledger.sqlite3"
APPLICATION_ID: Final = 0x64696365  # "dice"
PAGE_BYTES: Final = 4096
MAGIC: Final = b"SQLite format 3\0"
HEADER_BYTES: Final = 100
LONGEST_VALUE_BYTES: Final = 2**20
"""Nothing longer is read out of the file, whatever it says of itself."""
CACHE_KB: Final = 512
"""Of the file are held in memory: the newest rows are all that is needed, and SQLite's own 2 MB fill up."""
KEPT_BACKUPS: Final = 3

GAP = "CREATE TABLE gap (before INTEGER PRIMARY KEY, at_utc TEXT NOT NULL) STRICT;"
"""`before` is the first row after rows that were lost to damage."""

FIRST_SCHEMA = f"""
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
{GAP}
CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""

EPOCHS_AND_PLAYERS = """
CREATE TABLE player (id TEXT PRIMARY KEY, name TEXT UNIQUE) STRICT;
CREATE TABLE epoch (number INTEGER PRIMARY KEY, first INTEGER NOT NULL) STRICT;
CREATE TABLE loss (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
INSERT INTO loss
    SELECT coalesce((SELECT max(number) FROM entry WHERE number < before), 0) + 1, before - 1 FROM gap;
DROP TABLE gap;
"""
"""Rows hold ids of players; `player.name` is NULL once it was erased. `epoch` and `loss` are what the epochs'
entries in the chain say: `epoch.first` is the row that begins an epoch, `loss` are the rows known to be lost.
The first epoch has no such row.
"""

MIGRATIONS: Final[tuple[str, ...]] = (FIRST_SCHEMA, EPOCHS_AND_PLAYERS)
"""What leads from each schema version to the next; the version of a file is how many of them it has.

`service.sh roll-back` asks a release for their number; `dicetable.ledger.downgrade` has the inverses.
"""


class NewerSchemaError(Exception):
    """The file was written by a newer version of the program."""


class NotAFileError(Exception):
    """Something other than a plain file has the name of one of the ledger's files."""


def check_files(folder: Path) -> None:
    """Raises NotAFileError if a file of the ledger is a link, a pipe or the like: none of these is opened.

    A link would lead two writers with a lock each to one file; a pipe would be waited for without end.
    """
    for path in folder.glob("ledger.*"):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotAFileError(str(path))


def connect(path: Path, most_bytes: int) -> sqlite3.Connection:
    """A connection for the one writer: every commit is on the disk when it returns."""
    connection = sqlite3.connect(path, timeout=2.0, isolation_level=None)
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


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, beside a writer or alone.

    Raises NewerSchemaError where the file says that a newer version wrote it; not even a `-shm` is made then.
    """
    if path.exists() and (found := version_in_header(path)) > len(MIGRATIONS):
        raise newer(found)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=2.0, uri=True)
    distrust(connection)
    return connection


def distrust(connection: sqlite3.Connection) -> None:
    """Makes SQLite wary of what is in the file; text that is no UTF-8 is read as what no checksum fits."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def version(connection: sqlite3.Connection) -> int:
    """The schema version of the file; 0 if it is new."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def version_in_header(path: Path) -> int:
    """The schema version in a database file's first page, which is not opened; 0 if it is no database.

    https://sqlite.org/fileformat2.html, section 1.3.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    whole = len(header) == HEADER_BYTES and header.startswith(MAGIC)
    return int.from_bytes(header[60:64], "big", signed=True) if whole else 0


def check_schema(connection: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Raises DamageError unless the file holds exactly the tables that its version has."""
    with closing(sqlite3.connect(":memory:")) as model:
        for step in migrations[: version(connection)]:
            model.executescript(step)
        if described(connection) != described(model):
            raise DamageError("the tables are not the ledger's")


def described(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """What tables and triggers there are, in SQL."""
    found = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    return [(str(name), re.sub(r"\s+", " ", str(sql))) for name, sql in found]


def newer(found: int, migrations: Sequence[str] = MIGRATIONS) -> NewerSchemaError:
    """The error for a schema that this program does not know."""
    return NewerSchemaError(f"its schema is {found}, this program knows {len(migrations)}")


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    stamp: str,
    migrations: Sequence[str] = MIGRATIONS,
    then: Callable[[int], None] = lambda _: None,
) -> None:
    """Brings the file up to date in one transaction, after a copy of it has been put beside it.

    `then` is called in that transaction, with the version that was found. Raises NewerSchemaError, or
    DamageError if it is not a ledger at all.
    """
    found = version(connection)
    check_is_ledger(connection, migrations)
    if found == len(migrations):
        return
    if found:
        back_up(connection, path.with_name(f"{path.name}.schema{found}-{stamp}"))
    steps = "".join(migrations[found:])
    header = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(migrations)};"
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {steps} {header}")
        then(found)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check_is_ledger(connection: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Raises NewerSchemaError, or DamageError unless it is a ledger or a new file."""
    found = version(connection)
    if found > len(migrations):
        raise newer(found, migrations)
    if found:
        check_schema(connection, migrations)
    elif described(connection):
        raise DamageError("it is a database, but no ledger")


def back_up(connection: sqlite3.Connection, copy: Path) -> None:
    """Copies the database whole; of earlier copies the newest few stay."""
    with closing(sqlite3.connect(copy)) as target:
        connection.backup(target)
    sync(copy)
    sync(copy.parent)
    others = [path for path in copy.parent.glob(f"{NAME}.schema*") if path != copy]
    for old in sorted(others, key=stamp_of)[: -(KEPT_BACKUPS - 1)]:
        old.unlink()


def stamp_of(copy: Path) -> str:
    """When a copy was made: its name ends in a dash and the time."""
    return copy.name.partition("-")[2]
