"""A league over both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from league import database
from tests.league.bars import Bar
from tests.league.postgres import Cluster, programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from league.database import Database


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One PostgreSQL for all tests that do not kill it."""
    if programs() is None:
        pytest.skip("no PostgreSQL (apt install postgresql)")
    made = Cluster(("-c", "fsync=off"))
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'league.sqlite3'}"
    return emptied(request.getfixturevalue("cluster"))


def emptied(cluster: Cluster) -> str:
    """The cluster's database with empty tables, or with none."""
    import psycopg

    with psycopg.connect(cluster.url, autocommit=True) as connection:
        try:
            for name in ({*database.REFERENCE} - {"meta"}) | {*database.GROWING}:
                connection.execute(f"DELETE FROM {name}".encode())
        except psycopg.errors.UndefinedTable:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
    return cluster.url


@pytest.fixture
def league(url: str) -> Iterator[Database]:
    """A new league."""
    made = database.connect(url)
    database.prepare(made, "Test league")
    yield made
    made.close()


@pytest.fixture
def bar(league: Database, tmp_path: Path) -> Iterator[Callable[..., Bar]]:
    """Makes tables that are registered."""
    made: list[Bar] = []

    def new(**about: object) -> Bar:
        bar = Bar(tmp_path / f"bar{len(made)}", seed=len(made) + 1, **about)  # type: ignore[arg-type]
        bar.register(league)
        made.append(bar)
        return bar

    yield new
    for bar in made:
        bar.close()
