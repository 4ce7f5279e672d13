"""The same schema over three PostgreSQLs as shards, one of which is killed and comes back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import psycopg
import pytest

from league import database, results
from league.database import Refusal, connect
from tests.league.bars import Bar
from tests.league.postgres import Cluster, programs
from tests.league.seasons import by_hand, folded, season, secret_of, tallies
from tests.league.sending import NOW_S, expected, sent, stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHARDS = 3
TABLES = 12


@pytest.fixture(scope="module")
def clusters() -> Iterator[list[Cluster]]:
    """A coordinator and its shards."""
    if programs() is None:
        pytest.skip("no PostgreSQL (apt install postgresql)")
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: Cluster(("-c", "fsync=off")), range(1 + SHARDS)))
    yield made
    for each in made:
        each.close()


def sharded(clusters: list[Cluster]) -> str:
    """A league over the shards; the coordinator's address."""
    coordinator, *shards = clusters
    for shard in shards:
        with psycopg.connect(shard.url, autocommit=True) as connection:
            for sql in database.shard_sql():
                connection.execute(sql.encode())
    names = [f"shard{number}" for number in range(len(shards))]
    with psycopg.connect(coordinator.url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION postgres_fdw")
        connection.execute("ALTER DATABASE postgres SET enable_partitionwise_aggregate = on")
        for name, shard in zip(names, shards, strict=True):
            about = f"host '127.0.0.1', port '{shard.port}', dbname 'postgres', connect_timeout '5'"
            connection.execute(
                f"CREATE SERVER {name} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({about})".encode()
            )
            connection.execute(
                f"CREATE USER MAPPING FOR league SERVER {name} OPTIONS (user 'league')".encode()
            )
        for sql in database.coordinator_sql(names):
            connection.execute(sql.encode())
    league = connect(coordinator.url)
    database.prepare(league, "Sharded league")
    league.close()
    return coordinator.url


@pytest.mark.slow
def test_a_shard_is_killed_and_comes_back(clusters: list[Cluster], tmp_path: Path) -> None:
    league = connect(sharded(clusters))
    season(league, 1)
    bars = [Bar(tmp_path / f"bar{number}", seed=number) for number in range(TABLES)]
    half: dict[int, int] = {}
    for bar in bars:
        bar.register(league)
        bar.play("six_by_6")
        half[bar.table] = len(bar.rows()) // 2
        sent(league, bar, bar.batch(bar.rows()[: half[bar.table]]))
    where = shard_of(clusters, bars)
    assert set(where.values()) == set(range(1, SHARDS + 1))

    clusters[2].kill()
    away = []
    for bar in bars:
        rest = bar.batch(bar.rows()[half[bar.table] :])
        if where[bar.table] == 2:
            with pytest.raises(Refusal) as error:
                sent(league, bar, rest)
            away.append(error.value.cause)
        else:
            sent(league, bar, rest)
    assert set(away) == {"away"}

    clusters[2].start()
    for bar in bars:
        for _ in range(2):
            sent(league, bar, bar.batch(bar.rows()))
    for bar in bars:
        assert stored(league, bar) == expected(bar.rows())
    results.fold_waiting(league, NOW_S)
    assert tallies(league) == by_hand(bars, secret_of(league))
    before = folded(league)
    results.rebuild(league, NOW_S)
    assert folded(league) == before
    results.retally(league)
    assert folded(league) == before
    assert_pushed_down(clusters[0])
    assert_each_row_once_without_a_key_above(clusters[0], bars[0])
    league.close()
    for bar in bars:
        bar.close()


def shard_of(clusters: list[Cluster], bars: list[Bar]) -> dict[int, int]:
    """Which shard holds each table's rows; exactly one does."""
    found: dict[int, int] = {}
    for number, shard in enumerate(clusters[1:], 1):
        with psycopg.connect(shard.url) as connection:
            for (table,) in connection.execute("SELECT table_id FROM stream"):
                assert table not in found
                found[table] = number
    assert set(found) == {bar.table for bar in bars}
    return found


def assert_pushed_down(coordinator: Cluster) -> None:
    """Each shard counts its own rows; the coordinator only puts the counts together."""
    sql = b"EXPLAIN (VERBOSE, COSTS OFF) SELECT table_id, count(*) FROM entry GROUP BY table_id"
    with psycopg.connect(coordinator.url) as connection:
        plan = "\n".join(line for (line,) in connection.execute(sql))
    assert plan.count("Relations: Aggregate on (public.entry_") == SHARDS, plan


def assert_each_row_once_without_a_key_above(coordinator: Cluster, bar: Bar) -> None:
    """Inserting again changes nothing, though the parent has no unique constraint."""
    with psycopg.connect(coordinator.url) as connection:
        count = b"SELECT count(*) FROM entry"
        (before,) = connection.execute(count).fetchone() or (0,)
        again = b"INSERT INTO entry SELECT * FROM entry WHERE table_id = %s ON CONFLICT DO NOTHING"
        connection.execute(again, (bar.table,))
        (after,) = connection.execute(count).fetchone() or (0,)
        keys = connection.execute("SELECT 1 FROM pg_constraint WHERE conrelid = 'entry'::regclass").fetchall()
    assert (after, keys) == (before, [])
