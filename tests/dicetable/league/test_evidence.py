"""Pictures are shown when both sides have asked, to them and the organiser, and are forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.league import evidence, players, schema
from dicetable.league.database import connect, meta, prepare
from dicetable.league.refusals import Refusal
from tests.dicetable.league.conftest import emptied
from tests.dicetable.league.pictured import JPEG, played
from tests.dicetable.league.test_ingestion import NOW_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.league.database import Database
    from tests.dicetable.league.bars import Bar
    from tests.dicetable.league.postgres import Cluster

ORGANISER = None


def shown(league: Database, bar: Bar, row: int, player: int | None, now_s: int = NOW_S) -> bytes | None:
    with league.reading() as session:
        return evidence.shown(session, players.Names(session), bar.table, row, player, now_s)


def wanted(league: Database, bar: Bar) -> list[int]:
    with league.reading() as session:
        return evidence.wanted(session, bar.table)


def refused(league: Database, bar: Bar, row: int, data: bytes) -> str:
    with pytest.raises(Refusal) as error:
        evidence.deliver(league, bar.table, row, data, NOW_S)
    return error.value.cause


def test_one_side_alone_sees_nothing(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    row, (ann, bob) = played(league, table)
    for again in range(2):
        evidence.wish(league, ann, table.table, row, NOW_S + again)
        assert wanted(league, table) == []
        assert refused(league, table, row, JPEG) == "not_found"
        assert shown(league, table, row, ann) is None
    with pytest.raises(Refusal, match="no such picture of a match of yours"):
        evidence.wish(league, 12345, table.table, row, NOW_S)
    with pytest.raises(Refusal, match="no such picture of a match of yours"):
        evidence.wish(league, bob, table.table, 1, NOW_S)  # the opening has no picture
    assert wanted(league, table) == []


def test_both_sides_and_the_organiser_see_it_for_a_week(league: Database, bar: Callable[..., Bar]) -> None:
    table, other = bar(), bar()
    row, (ann, bob) = played(league, table)
    _, (stranger, _) = played(league, other)
    for player in (ann, bob):
        evidence.wish(league, player, table.table, row, NOW_S)
    assert wanted(league, table) == [row]
    assert wanted(league, other) == []
    assert refused(league, table, row, JPEG + b"painted over") == "forged"
    assert refused(league, table, row, b"") == "forged"
    assert refused(league, other, row, JPEG) == "not_found"
    evidence.deliver(league, table.table, row, JPEG, NOW_S)
    assert wanted(league, table) == []
    for side in (ann, bob, ORGANISER):
        assert shown(league, table, row, side) == JPEG
    assert shown(league, table, row, stranger) is None
    assert shown(league, table, row, ann, NOW_S + evidence.KEPT_S) is None
    evidence.forget(league, NOW_S + evidence.KEPT_S - 1)
    assert shown(league, table, row, ann) == JPEG
    evidence.forget(league, NOW_S + evidence.KEPT_S)
    with league.reading() as session:
        assert session.rows("SELECT * FROM picture") == session.rows("SELECT * FROM wish") == []


def test_who_is_joined_to_a_named_player_is_still_a_side(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    row, (ann, bob) = played(league, table)
    evidence.wish(league, ann, table.table, row, NOW_S)
    with league.transaction() as session:
        main = players.named(session, "Ann Example")
    players.name_player(league, ann, "Ann Example")
    evidence.wish(league, bob, table.table, row, NOW_S)
    assert wanted(league, table) == [row]
    evidence.deliver(league, table.table, row, JPEG, NOW_S)
    assert shown(league, table, row, main) == JPEG


def test_nobody_asks_for_everything(
    league: Database, bar: Callable[..., Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "MOST_WISHES", 1)
    table, other = bar(), bar()
    row, (ann, _) = played(league, table)
    second, (same, _) = played(league, other)
    players.name_player(league, ann, "Ann Example")
    players.name_player(league, same, "Ann Example")
    for _ in range(2):
        evidence.wish(league, ann, table.table, row, NOW_S)  # asked again, it costs nothing
    with pytest.raises(Refusal, match="that is all for a week"):
        evidence.wish(league, ann, other.table, second, NOW_S)


def test_the_week_begins_when_the_last_side_has_asked(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    row, (ann, bob) = played(league, table)
    late_s = NOW_S + evidence.KEPT_S - 60
    evidence.wish(league, ann, table.table, row, NOW_S)
    evidence.wish(league, bob, table.table, row, late_s)
    evidence.forget(league, NOW_S + evidence.KEPT_S)
    assert wanted(league, table) == [row]
    evidence.deliver(league, table.table, row, JPEG, late_s + evidence.KEPT_S - 60)
    evidence.forget(league, late_s + evidence.KEPT_S)
    assert shown(league, table, row, ann, late_s + evidence.KEPT_S) == JPEG


def of_schema_1(league: Database) -> None:
    """Makes an empty league what it was in schema 1."""
    with league.transaction() as session:
        for name in (*schema.ADDED, "entry"):
            session.execute(f"DROP TABLE {name}")
        columns, _ = schema.GROWING["entry"]
        key = "PRIMARY KEY (table_id, epoch, number)"
        session.execute(schema.typed(f"CREATE TABLE entry ({columns}, {key})", league.dialect))
        session.execute("CREATE INDEX entry_match ON entry (table_id, match)")
        session.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")


def emptied_schema(league: Database) -> None:
    """Leaves no table of an odd layout to other tests."""
    with league.transaction() as session:
        session.execute("DROP SCHEMA public CASCADE")
        session.execute("CREATE SCHEMA public")


def test_the_tables_that_citus_would_distribute_are_reference_tables(cluster: Cluster) -> None:
    """No Citus is here: two tables and a function stand for its catalogue."""
    league = connect(emptied(cluster))
    prepare(league)
    of_schema_1(league)
    with league.transaction() as session:
        session.execute("CREATE TABLE made (name TEXT)")
        session.execute("CREATE TABLE pg_dist_partition (logicalrelid REGCLASS)")
        session.execute("INSERT INTO pg_dist_partition VALUES ('player')")
        session.execute(
            "CREATE FUNCTION create_reference_table(name TEXT) RETURNS void LANGUAGE sql "
            "AS 'INSERT INTO made VALUES (name)'"
        )
    prepare(league)
    with league.reading() as session:
        made = [name for (name,) in session.rows("SELECT name FROM made")]
    emptied_schema(league)
    league.close()
    assert made == [*schema.ADDED]


def test_a_league_of_schema_1_gets_what_it_lacks(league: Database, bar: Callable[..., Bar]) -> None:
    of_schema_1(league)
    for _ in range(2):
        prepare(league)
    table = bar()
    row, (ann, _) = played(league, table)
    evidence.wish(league, ann, table.table, row, NOW_S)
    with league.reading() as session:
        assert meta(session, "schema") == "2"
    if league.dialect == "postgresql":
        emptied_schema(league)
