"""SQLite in one file, or PostgreSQL: the same SQL over both, in transactions that can be tried again.

SQL is written with `?` for values and without any other question mark or per cent sign.
"""

from __future__ import annotations

import os
import secrets
import select
import sqlite3
import threading
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from dicetable import texts
from dicetable.league import schema
from dicetable.league.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from psycopg import Connection
    from psycopg_pool import ConnectionPool

Values = tuple[Any, ...]

PATIENCE_S: Final = 10.0
"""How long to wait for a lock or a free connection."""
READERS_S: Final = 1.0
"""How long to wait for other programs that read the file, before what was deleted is cleaned out of it."""
CONNECTIONS: Final = 8
"""To PostgreSQL from one server process."""
SQLITE: Final = "sqlite:///"
POSTGRESQL: Final = ("postgresql://", "postgres://")


class AddressError(ValueError):
    """The address names no database that can be used; the text says why, and what helps."""


class Session(Protocol):
    """One transaction."""

    def rows(self, sql: str, values: Values = ()) -> list[Values]:
        """What a query finds."""

    def execute(self, sql: str, values: Values = ()) -> None:
        """Changes something."""

    def insert(self, table: str, rows: Sequence[Values], same: int = 0) -> None:
        """Adds whole rows; those whose key is there already are left out.

        The first `same` columns are the same in all of them.
        """

    @property
    def locking(self) -> str:
        """What a SELECT ends in that locks its rows until the transaction ends."""


class Database(Protocol):
    """A league's database. Everything that goes wrong with its server is a Refusal (`away`)."""

    dialect: str
    holds_deleted: bool
    """Whether the files still hold what was deleted: another program read them when they were cleaned."""

    def transaction(self) -> AbstractContextManager[Session]:
        """One transaction, which is committed when the block ends without an exception."""

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that changes nothing."""

    def forget(self, patience_s: float = READERS_S) -> None:
        """Removes what was deleted from the files, once no other program reads them; see docs/league.md."""

    def close(self) -> None:
        """Lets go of all connections."""


class SqliteSession:
    """A transaction in a file of SQLite."""

    locking = ""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, values: Values = ()) -> list[Values]:
        """What a query finds."""
        return self.connection.execute(sql, values).fetchall()

    def execute(self, sql: str, values: Values = ()) -> None:
        """Changes something."""
        self.connection.execute(sql, values)

    def insert(self, table: str, rows: Sequence[Values], same: int = 0) -> None:  # noqa: ARG002
        """Adds whole rows; those whose key is there already are left out."""
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self.connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608


class SqliteDatabase:
    """One file; writers wait for one another."""

    dialect = "sqlite"
    holds_deleted = True  # a program may have ended before it could clean them

    def __init__(self, path: Path) -> None:
        """Opens or makes the file; AddressError if that cannot be."""
        try:
            private(path)
            self.writer, self.reader = (self.connected(path) for _ in range(2))
        except (OSError, sqlite3.Error) as error:
            raise AddressError(f"{path} cannot be used ({error}): name a file in a folder of yours") from None
        self.writing, self.looking = threading.Lock(), threading.Lock()

    @staticmethod
    def connected(path: Path) -> sqlite3.Connection:
        """A connection; every commit is on the disk when it returns."""
        connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction."""
        with self.writing:
            yield from transacted(self.writer, "BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that changes nothing."""
        with self.looking:
            yield from transacted(self.reader, "BEGIN")

    def forget(self, patience_s: float = READERS_S) -> None:
        """Empties the log, which holds what rows were before; what was deleted in the file is zeros."""
        with self.writing, self.looking:
            self.writer.execute(f"PRAGMA busy_timeout = {round(1000 * patience_s)}")
            ((busy, *_),) = self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.writer.execute(f"PRAGMA busy_timeout = {round(1000 * PATIENCE_S)}")
        self.holds_deleted = bool(busy)

    def close(self) -> None:
        """Lets go of the file."""
        self.writer.close()
        self.reader.close()


def private(path: Path) -> None:
    """Makes a file that this user alone may read; SQLite gives its log the same mode. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def transacted(connection: sqlite3.Connection, begin: str) -> Iterator[Session]:
    """One transaction of SQLite."""
    try:
        connection.execute(begin)
        try:
            yield SqliteSession(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        raise Refusal("away", f"the database does not answer: {error}") from error


class PostgresSession:
    """A transaction in PostgreSQL, in pipeline mode: only queries wait for the server, and the end."""

    locking = " FOR UPDATE"

    def __init__(self, connection: Connection[Values]) -> None:
        self.connection = connection

    def rows(self, sql: str, values: Values = ()) -> list[Values]:
        """What a query finds."""
        return self.connection.execute(sql.replace("?", "%b").encode(), values, binary=True).fetchall()

    def execute(self, sql: str, values: Values = ()) -> None:
        """Changes something, or finds out later that it cannot: at the next query, or at the end."""
        self.connection.execute(sql.replace("?", "%b").encode(), values)

    def insert(self, table: str, rows: Sequence[Values], same: int = 0) -> None:
        """Adds whole rows, as one array for each column; those whose key is there already are left out."""
        if rows:
            columns = [list(column) for column in zip(*(row[same:] for row in rows), strict=True)]
            self.connection.execute(inserting(table, same), [*rows[0][:same], *columns])


@lru_cache(maxsize=64)
def inserting(table: str, same: int) -> bytes:
    """The SQL that adds rows whose first `same` columns are given once, and an array for each other one."""
    types = schema.types(table)
    once = "".join(f"%b::{each}, " for each in types[:same])
    arrays = ", ".join(f"%b::{each}[]" for each in types[same:])
    return f"INSERT INTO {table} SELECT {once}u.* FROM unnest({arrays}) u ON CONFLICT DO NOTHING".encode()  # noqa: S608


class PostgresDatabase:
    """A PostgreSQL server; connections are opened when they are needed, and again when they broke."""

    dialect = "postgresql"
    holds_deleted = False

    def __init__(self, url: str) -> None:
        """Does not connect yet; AddressError if the extra is not installed."""
        try:
            from psycopg_pool import ConnectionPool
        except ImportError:
            raise AddressError(texts.league.NOT_INSTALLED) from None
        self.pool: ConnectionPool[Connection[Values]] = ConnectionPool(
            url,
            min_size=0,
            max_size=CONNECTIONS,
            timeout=PATIENCE_S,
            open=True,
            check=check_open,
            kwargs={"prepare_threshold": 2, "connect_timeout": 5},
        )

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction."""
        from psycopg import OperationalError
        from psycopg_pool import PoolTimeout

        try:
            with self.pool.connection() as connection, connection.pipeline():
                yield PostgresSession(connection)
                connection.commit()
        except (OperationalError, PoolTimeout) as error:
            raise Refusal("away", f"the database does not answer: {error}") from error

    reading = transaction

    def forget(self, patience_s: float = READERS_S) -> None:
        """PostgreSQL's own vacuum removes what rows were before."""

    def close(self) -> None:
        """Lets go of all connections."""
        self.pool.close()


def check_open(connection: Connection[Values]) -> None:
    """Asks the server only where something came in: a server that ended, or was killed, said so."""
    from psycopg_pool import ConnectionPool

    if select.select([connection], [], [], 0)[0]:
        ConnectionPool.check_connection(connection)


def connect(url: str) -> Database:
    """The database at an address; AddressError if it is none."""
    if url.startswith(SQLITE):
        return SqliteDatabase(Path(url.removeprefix(SQLITE)))
    if url.startswith(POSTGRESQL):
        return PostgresDatabase(url)
    raise AddressError(
        f"{url!r} names no database: write {SQLITE}league.sqlite3 or postgresql://user@host/database"
    )


def prepare(database: Database, name: str = "League") -> None:
    """Makes what a new league lacks; AddressError if a newer program made it, or Refusal (`away`)."""
    with database.transaction() as session:
        if not has_tables(session, database.dialect):
            for sql in schema.statements(database.dialect):
                session.execute(sql)
        found = session.rows("SELECT value FROM meta WHERE key = 'schema'")
        if not found:
            begin(session, name)
        elif int(found[0][0]) != schema.VERSION:
            raise AddressError(
                f"its schema is {found[0][0]}, this program knows {schema.VERSION}: upgrade it"
            )


def begin(session: Session, name: str) -> None:
    """Writes down what a new league is called, and the secret from which pseudonyms are made."""
    session.insert(
        "meta", [("schema", str(schema.VERSION)), ("name", name), ("secret", secrets.token_hex(32))]
    )


def has_tables(session: Session, dialect: str) -> bool:
    """Whether the tables of a league are there; until the transaction ends nobody else makes them."""
    if dialect == "sqlite":
        return bool(session.rows("SELECT name FROM sqlite_schema WHERE name = 'meta'"))
    session.execute("SELECT pg_advisory_xact_lock(1684628325)")  # two servers may start at once
    return bool(session.rows("SELECT 1 WHERE to_regclass('meta') IS NOT NULL"))


def meta(session: Session, key: str) -> str:
    """What is written down of the league itself."""
    ((value,),) = session.rows("SELECT value FROM meta WHERE key = ?", (key,))
    return str(value)
