"""SQLite in one file, or PostgreSQL: the same SQL over both, in transactions that can be tried again.

SQL is written with `?` for values and without any other question mark or per cent sign.
"""

from __future__ import annotations

import os
import secrets
import select
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from common import texts

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

SCHEMA: Final = 2
PARTITIONS: Final = 16
GROWING: Final = {
    "stream": (
        "table_id BIGINT NOT NULL, epoch BIGINT NOT NULL, number BIGINT NOT NULL, checksum BYTES NOT NULL, "
        "seen_s BIGINT NOT NULL",
        "table_id",
    ),
    "entry": (
        "table_id BIGINT NOT NULL, epoch BIGINT NOT NULL, number BIGINT NOT NULL, match BIGINT NOT NULL, "
        "at_utc TEXT NOT NULL, body TEXT NOT NULL, evidence BYTES NOT NULL, previous BYTES NOT NULL, "
        "checksum BYTES NOT NULL",
        "table_id, number, epoch",
    ),
    "loss": (
        "table_id BIGINT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, why TEXT NOT NULL",
        "table_id, first",
    ),
    "begun_epoch": (
        "table_id BIGINT NOT NULL, epoch BIGINT NOT NULL, number BIGINT NOT NULL, body TEXT NOT NULL, "
        "told_s BIGINT NOT NULL",
        "table_id, epoch",
    ),
    "fork": (
        "table_id BIGINT NOT NULL, epoch BIGINT NOT NULL, number BIGINT NOT NULL, checksum BYTES NOT NULL, "
        "body TEXT NOT NULL, told_s BIGINT NOT NULL",
        "table_id, epoch, number, checksum",
    ),
    "pending": ("table_id BIGINT NOT NULL, number BIGINT NOT NULL", "table_id, number"),
    "result": (
        "table_id BIGINT NOT NULL, match BIGINT NOT NULL, number BIGINT NOT NULL, game TEXT NOT NULL, "
        "at_utc TEXT NOT NULL, at_s BIGINT NOT NULL, outcome TEXT NOT NULL, why TEXT NOT NULL",
        "table_id, match, number",
    ),
    "result_seat": (
        "table_id BIGINT NOT NULL, match BIGINT NOT NULL, number BIGINT NOT NULL, seat BIGINT NOT NULL, "
        "player_id BIGINT NOT NULL, points BIGINT NOT NULL, won BIGINT NOT NULL",
        "table_id, match, number, seat",
    ),
    "tally": (
        "table_id BIGINT NOT NULL, season_id BIGINT NOT NULL, player_id BIGINT NOT NULL, "
        "played BIGINT NOT NULL, won BIGINT NOT NULL, points BIGINT NOT NULL",
        "table_id, season_id, player_id",
    ),
}
"""Columns and key of each table that grows with play."""
INDEXES: Final = {
    "tally_season": "tally (season_id, player_id)",
    "result_seat_player": "result_seat (player_id)",
    "result_time": "result (table_id, at_s)",
}


REFERENCE: Final = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "code": "hash BYTES PRIMARY KEY, name TEXT NOT NULL, expires_s BIGINT NOT NULL, table_id BIGINT",
    "game_table": "table_id BIGINT PRIMARY KEY, name TEXT NOT NULL, public_key BYTES NOT NULL UNIQUE, "
    "registered_s BIGINT NOT NULL",
    "player": "player_id BIGINT PRIMARY KEY, main_id BIGINT NOT NULL, name TEXT, "
    "is_shown BIGINT NOT NULL, folded TEXT UNIQUE",
    "season": "season_id BIGINT PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL, "
    "starts_s BIGINT NOT NULL, ends_s BIGINT NOT NULL, folded TEXT NOT NULL UNIQUE",
    "contest": "contest_id BIGINT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, "
    "game TEXT NOT NULL, seats BIGINT NOT NULL, folded TEXT NOT NULL UNIQUE",
    "contest_event": "contest_id BIGINT NOT NULL, place BIGINT NOT NULL, event TEXT NOT NULL, "
    "PRIMARY KEY (contest_id, place)",
    "player_code": "hash BYTES PRIMARY KEY, player_id BIGINT NOT NULL, expires_s BIGINT NOT NULL",
    "visit": "hash BYTES PRIMARY KEY, player_id BIGINT NOT NULL, expires_s BIGINT NOT NULL",
    "organiser_visit": "hash BYTES PRIMARY KEY, expires_s BIGINT NOT NULL",
}
"""Small tables that every transaction may read. `season.game` is empty where all games count.

`folded` is what `fold_name` makes of the name, so that no two names look alike.
"""


def schema_sql(dialect: str, *, partitions: int = PARTITIONS) -> Iterator[str]:
    """The SQL for all tables in an empty database; with 0 partitions they are not partitioned."""
    for name, columns in REFERENCE.items():
        yield typed(f"CREATE TABLE {name} ({columns})", dialect)
    for name in GROWING:
        yield from growing(name, dialect, partitions)
    for name, on in INDEXES.items():
        yield f"CREATE INDEX {name} ON {on}"


def growing(name: str, dialect: str, partitions: int) -> Iterator[str]:
    columns, key = GROWING[name]
    made = f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}))"
    if dialect == "sqlite":
        yield typed(made, dialect) + " WITHOUT ROWID"
        return
    if not partitions:
        yield typed(made, dialect)
        return
    yield typed(made, dialect) + " PARTITION BY HASH (table_id)"
    for part in range(partitions):
        yield f"CREATE TABLE {name}_{part} PARTITION OF {name} {part_of(part, partitions)}"


def part_of(part: int, partitions: int) -> str:
    return f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part})"


def coordinator_sql(shards: Sequence[str]) -> Iterator[str]:
    """The SQL for a database whose growing tables lie on `shards`, by their names in `CREATE SERVER`.

    The shards hold the tables of `shard_sql`. Only those have a key, because PostgreSQL allows none over
    foreign partitions, and `ON CONFLICT DO NOTHING` keeps each row once.
    """
    for name, columns in REFERENCE.items():
        yield typed(f"CREATE TABLE {name} ({columns})", "postgresql")
    for name, (columns, _) in GROWING.items():
        yield typed(f"CREATE TABLE {name} ({columns}) PARTITION BY HASH (table_id)", "postgresql")
        for part, server in enumerate(shards):
            yield (
                f"CREATE FOREIGN TABLE {name}_{part} PARTITION OF {name} {part_of(part, len(shards))} "
                f"SERVER {server} OPTIONS (table_name '{name}')"
            )


def citus_sql() -> Iterator[str]:
    """The SQL for Citus: everything of a game table on one node, the reference data on each."""
    yield from schema_sql("postgresql", partitions=0)
    for name in REFERENCE:
        yield f"SELECT create_reference_table('{name}')"
    first, *others = GROWING
    yield f"SELECT create_distributed_table('{first}', 'table_id')"
    for name in others:
        yield f"SELECT create_distributed_table('{name}', 'table_id', colocate_with => '{first}')"


def shard_sql() -> Iterator[str]:
    for name in GROWING:
        yield from growing(name, "postgresql", 0)
    for name, on in INDEXES.items():
        yield f"CREATE INDEX {name} ON {on}"


@lru_cache(maxsize=64)
def column_types(name: str) -> tuple[str, ...]:
    columns = GROWING[name][0] if name in GROWING else REFERENCE[name].partition(", PRIMARY KEY")[0]
    return tuple(typed(column.split()[1], "postgresql") for column in columns.split(", "))


def typed(sql: str, dialect: str) -> str:
    if dialect == "sqlite":
        return sql.replace("BYTES", "BLOB").replace("BIGINT", "INTEGER")
    return sql.replace("BYTES", "BYTEA")


STATUS: Final = {
    "malformed": 400,
    "version": 400,
    "forged": 403,
    "late": 403,
    "code": 403,
    "removed": 403,
    "closed": 403,
    "unknown_table": 404,
    "not_found": 404,
    "gap": 409,
    "fork": 409,
    "withdrawn": 409,
    "reordered": 409,
    "epoch": 409,
    "conflict": 409,
    "too_large": 413,
    "often": 429,
    "away": 503,
}
"""Every cause of a refusal and its HTTP status."""


class Refusal(Exception):  # noqa: N818 - a refused batch is no fault of the server
    """A request is refused and nothing of it stored; `cause` is a key of STATUS, the text says more."""

    def __init__(self, cause: str, sentence: str) -> None:
        super().__init__(sentence)
        self.cause = cause
        self.status = STATUS[cause]


Values = tuple[Any, ...]
PATIENCE_S: Final = 10.0
"""How long to wait for a lock or a free connection."""
READERS_S: Final = 1.0
"""How long to wait for other programs that read the file before deleted data is cleaned out of it."""
CONNECTIONS: Final = 8
"""How many one server process has to PostgreSQL."""
SQLITE: Final = "sqlite:///"
POSTGRESQL: Final = ("postgresql://", "postgres://")


class AddressError(ValueError):
    """No database can be used at this address; the text says why, and what helps."""


class SqliteSession:
    """A transaction in a file of SQLite. `insert` adds whole rows, but none whose key is there already."""

    locking = ""
    """The end of a SELECT that locks its rows until the transaction ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, values: Values = ()) -> list[Values]:
        return self.connection.execute(sql, values).fetchall()

    def execute(self, sql: str, values: Values = ()) -> None:
        self.connection.execute(sql, values)

    def insert(self, table: str, rows: Sequence[Values], same: int = 0) -> None:  # noqa: ARG002 - for PostgreSQL
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self.connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - of constants


class SqliteDatabase:
    """One file; writers wait for one another. If it fails, that is a Refusal (away)."""

    dialect = "sqlite"
    holds_deleted = True
    """Whether the files still hold deleted data, because another program was reading them, or has ended."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file. Raises AddressError."""
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            path.chmod(0o600)  # SQLite gives its log the same mode
            self.writer, self.reader = (self.connected(path) for _ in range(2))
        except (OSError, sqlite3.Error) as error:
            raise AddressError(f"{path} cannot be used ({error}): name a file in a folder of yours") from None
        self.writing, self.looking = threading.Lock(), threading.Lock()

    @staticmethod
    def connected(path: Path) -> sqlite3.Connection:
        """A connection whose commits return when they are on the disk."""
        connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        with self.writing:
            yield from transacted(self.writer, "BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with self.looking:
            yield from transacted(self.reader, "BEGIN")

    def forget(self, patience_s: float = READERS_S) -> None:
        """Empties the log, which holds earlier versions of rows; in the file, deleted data is zeros."""
        with self.writing, self.looking:
            self.writer.execute(f"PRAGMA busy_timeout = {round(1000 * patience_s)}")
            ((busy, *_),) = self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.writer.execute(f"PRAGMA busy_timeout = {round(1000 * PATIENCE_S)}")
        self.holds_deleted = bool(busy)

    def close(self) -> None:
        self.writer.close()
        self.reader.close()


def transacted(connection: sqlite3.Connection, begin: str) -> Iterator[Session]:
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
    """A transaction in PostgreSQL, in pipeline mode: only queries and the end wait for the server."""

    locking = " FOR UPDATE"

    def __init__(self, connection: Connection[Values]) -> None:
        self.connection = connection

    def rows(self, sql: str, values: Values = ()) -> list[Values]:
        return self.connection.execute(sql.replace("?", "%b").encode(), values, binary=True).fetchall()

    def execute(self, sql: str, values: Values = ()) -> None:
        """Sends a statement; an error shows at the next query, or at the end."""
        self.connection.execute(sql.replace("?", "%b").encode(), values)

    def insert(self, table: str, rows: Sequence[Values], same: int = 0) -> None:
        """Sends the rows as one array for each column; the first `same` have the same value in all rows."""
        if rows:
            columns = [list(column) for column in zip(*(row[same:] for row in rows), strict=True)]
            self.connection.execute(inserting(table, same), [*rows[0][:same], *columns])


@lru_cache(maxsize=64)
def inserting(table: str, same: int) -> bytes:
    """The SQL for `insert`: the first `same` columns once, then an array for each other column."""
    types = column_types(table)
    once = "".join(f"%b::{column_type}, " for column_type in types[:same])
    arrays = ", ".join(f"%b::{column_type}[]" for column_type in types[same:])
    return f"INSERT INTO {table} SELECT {once}u.* FROM unnest({arrays}) u ON CONFLICT DO NOTHING".encode()  # noqa: S608 - of constants


class PostgresDatabase:
    """A PostgreSQL server; connections are opened when needed, and again when they break."""

    dialect = "postgresql"
    holds_deleted = False

    def __init__(self, url: str) -> None:
        """Doesn't connect yet. Raises AddressError if the extra is not installed."""
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
        """Leaves earlier versions of rows to PostgreSQL's vacuum."""

    def close(self) -> None:
        self.pool.close()


def check_open(connection: Connection[Values]) -> None:
    """Asks the server only if something came in, as it does when a server ends or is killed."""
    from psycopg_pool import ConnectionPool

    if select.select([connection], [], [], 0)[0]:
        ConnectionPool.check_connection(connection)


Session: TypeAlias = SqliteSession | PostgresSession
Database: TypeAlias = SqliteDatabase | PostgresDatabase


def connect(url: str) -> Database:
    """The database at an address. Raises AddressError."""
    if url.startswith(SQLITE):
        return SqliteDatabase(Path(url.removeprefix(SQLITE)))
    if url.startswith(POSTGRESQL):
        return PostgresDatabase(url)
    raise AddressError(
        f"{url!r} names no database: write {SQLITE}league.sqlite3 or postgresql://user@host/database"
    )


def prepare(database: Database, name: str = "League") -> None:
    """Makes the tables of a new league. Raises AddressError if another version made them, Refusal (away)."""
    with database.transaction() as session:
        if not has_tables(session, database.dialect):
            for sql in schema_sql(database.dialect):
                session.execute(sql)
        rows = session.rows("SELECT value FROM meta WHERE key = 'schema'")
        if not rows:
            secret = secrets.token_hex(32)  # pseudonyms are made with it
            session.insert("meta", [("schema", str(SCHEMA)), ("name", name), ("secret", secret)])
        elif int(rows[0][0]) != SCHEMA:
            raise AddressError(f"its schema is {rows[0][0]}, this program knows {SCHEMA}: upgrade it")


def has_tables(session: Session, dialect: str) -> bool:
    """Whether the tables of a league are there; until the transaction ends no other server makes them."""
    if dialect == "sqlite":
        return bool(session.rows("SELECT name FROM sqlite_schema WHERE name = 'meta'"))
    session.execute("SELECT pg_advisory_xact_lock(1684628325)")  # two servers may start at once
    return bool(session.rows("SELECT 1 WHERE to_regclass('meta') IS NOT NULL"))


def lock_names(session: Session) -> None:
    """Until the transaction ends, no other one that calls this goes on.

    A server that looks for a name and then adds it would otherwise add it although another one just did.
    """
    session.rows(f"SELECT value FROM meta WHERE key = 'secret'{session.locking}")  # noqa: S608 - of constants


def meta(session: Session, key: str) -> str:
    ((value,),) = session.rows("SELECT value FROM meta WHERE key = ?", (key,))
    return str(value)


def set_meta(session: Session, key: str, value: str) -> None:
    session.insert("meta", [(key, value)])
    session.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
