"""The tables of a league's database, for SQLite and PostgreSQL.

What grows with play has `table_id` in its key and is partitioned by its hash, so that everything of a game
table lies in one place and no transaction crosses two of them. The rest is small reference data.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERSION: Final = 1
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
    "player": "player_id BIGINT PRIMARY KEY, main_id BIGINT NOT NULL, name TEXT UNIQUE",
    "season": "season_id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, game TEXT NOT NULL, "
    "starts_s BIGINT NOT NULL, ends_s BIGINT NOT NULL",
    "contest": "contest_id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, "
    "game TEXT NOT NULL, seats BIGINT NOT NULL",
    "contest_event": "contest_id BIGINT NOT NULL, place BIGINT NOT NULL, event TEXT NOT NULL, "
    "PRIMARY KEY (contest_id, place)",
    "player_code": "hash BYTES PRIMARY KEY, player_id BIGINT NOT NULL, expires_s BIGINT NOT NULL",
    "visit": "hash BYTES PRIMARY KEY, player_id BIGINT NOT NULL, expires_s BIGINT NOT NULL",
}
"""Small tables that every transaction may read. `season.game` is empty where all games count."""


def statements(dialect: str, *, partitions: int = PARTITIONS) -> Iterator[str]:
    """The SQL that makes all tables in an empty database; with 0 partitions they are not partitioned."""
    for name, columns in REFERENCE.items():
        yield typed(f"CREATE TABLE {name} ({columns})", dialect)
    for name in GROWING:
        yield from growing(name, dialect, partitions)
    for name, on in INDEXES.items():
        yield f"CREATE INDEX {name} ON {on}"


def growing(name: str, dialect: str, partitions: int) -> Iterator[str]:
    """The SQL that makes one table that grows with play, and its partitions."""
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
    """Which rows lie in a partition."""
    return f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part})"


def coordinator(shards: Sequence[str]) -> Iterator[str]:
    """The SQL for a database whose growing tables lie on other servers, named as `CREATE SERVER` did.

    The shards hold `shard_statements`. The parent has no key: PostgreSQL has none over foreign partitions.
    The tables on the shards have it, and `ON CONFLICT DO NOTHING` keeps each row once.
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


def citus() -> Iterator[str]:
    """The SQL for Citus: everything of a game table on one node, the reference data on each."""
    yield from statements("postgresql", partitions=0)
    for name in REFERENCE:
        yield f"SELECT create_reference_table('{name}')"
    first, *others = GROWING
    yield f"SELECT create_distributed_table('{first}', 'table_id')"
    for name in others:
        yield f"SELECT create_distributed_table('{name}', 'table_id', colocate_with => '{first}')"


def shard_statements() -> Iterator[str]:
    """The SQL that makes the growing tables on one shard."""
    for name in GROWING:
        yield from growing(name, "postgresql", 0)
    for name, on in INDEXES.items():
        yield f"CREATE INDEX {name} ON {on}"


@lru_cache(maxsize=64)
def types(name: str) -> tuple[str, ...]:
    """PostgreSQL's types of a table's columns, in order."""
    columns = GROWING[name][0] if name in GROWING else REFERENCE[name].partition(", PRIMARY KEY")[0]
    return tuple(typed(column.split()[1], "postgresql") for column in columns.split(", "))


def typed(sql: str, dialect: str) -> str:
    """The SQL with the dialect's word for bytes; SQLite's tables take no other types than they say."""
    if dialect == "sqlite":
        return sql.replace("BYTES", "BLOB").replace("BIGINT", "INTEGER")
    return sql.replace("BYTES", "BYTEA")
