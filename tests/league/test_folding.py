"""Results and tallies are folds of the rows: kept as matches end, the same from nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common.statements import Row
from dicetable.ledger import store
from games.match import Match
from league import ingestion, registry, replay, results
from league.results import pseudonym
from tests.league.bars import GAMES, entries
from tests.league.seasons import by_hand, folded, season, secret_of, tallies
from tests.league.sending import NOW_S, changed, sent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from league.database import Database
    from tests.league.bars import Bar


def test_standings_are_those_of_the_tables_own_fold(league: Database, bar: Callable[..., Bar]) -> None:
    season(league, 1)
    season(league, 2, "sixes")
    season(league, 3, "", (0, 10))
    bars = [bar(), bar()]
    for number in range(3):
        for table in bars:
            first = len(table.rows()) + 1
            table.play(GAMES[number])
            sent(league, table, table.batch(table.rows(first)))
        assert results.fold_waiting(league, NOW_S) == 2
    assert tallies(league) == by_hand(bars, secret_of(league))
    assert tallies(league, 2) == by_hand(bars, secret_of(league), "sixes")
    assert tallies(league, 3) == {}
    assert results.fold_waiting(league, NOW_S) == 0
    before = folded(league)
    assert before["pending"] == []
    assert results.rebuild(league, NOW_S) == 6
    assert folded(league) == before
    results.retally(league)
    assert folded(league) == before


@pytest.mark.parametrize("game", ["six_by_6", "liars_dice", "sixes", "money_shot", "six_shooter"])
def test_every_game_replays(game: str, tmp_path: Path) -> None:
    from tests.league.bars import Bar

    bar = Bar(tmp_path, names=("Ann", "Bob", "Cleo"))
    bar.play(game, ("Ann", "Bob", "Cleo"))
    rows = bar.rows()
    outcome = replay.outcome(replay.chained_to(rows[-1], rows))
    again = list(entries(game, ("Ann", "Bob", "Cleo"), 1))
    assert outcome.outcome == replay.WON
    assert outcome.game == game
    assert outcome.players == tuple(bar.ledger.players.id_of(name) for name in ("Ann", "Bob", "Cleo"))
    assert set(outcome.winners) <= set(outcome.players)
    assert again
    bar.close()


def test_a_game_that_was_ended_counts_for_nobody(league: Database, bar: Callable[..., Bar]) -> None:
    season(league, 1)
    table = bar()
    table.play("liars_dice", ended_early=True)
    sent(league, table, table.batch(table.rows()))
    results.fold_waiting(league, NOW_S)
    ((_, _, _, game, _, _, outcome, why),) = folded(league)["result"]
    assert (game, outcome, why) == ("liars_dice", "ended", "")
    assert folded(league)["tally"] == []
    assert folded(league)["result_seat"]


@pytest.mark.parametrize(
    "forge",
    [
        lambda body: body.replace(b'"seat":', b'"seats":'),
        lambda body: body.replace(b'"type":', b'"kind":'),
        lambda _: b'{"entry":"thrown","dice":[["d6",9]],"lying":null}',
        lambda _: b'{"entry":"eaten"}',
        lambda _: b"{}",
    ],
)
def test_rows_that_do_not_replay_are_flagged(
    league: Database, bar: Callable[..., Bar], forge: Callable[[bytes], bytes]
) -> None:
    season(league, 1)
    table = bar()
    table.play("liars_dice", ("Ann", "Bob"))
    rows = table.rows()
    decided = next(row.number for row in rows if b'"decided"' in row.body)
    forged = [rows[0]]
    for row in rows[1:]:
        body = forge(row.body) if row.number == decided else row.body
        forged.append(changed(row, body=body, previous=forged[-1].checksum))
    sent(league, table, table.batch(forged))
    results.fold_waiting(league, NOW_S)
    ((_, _, _, _, _, _, outcome, why),) = folded(league)["result"]
    assert outcome == "broken"
    missed = decided + (b"eaten" in forged[decided - 1].body)  # what is not known may be of a later version
    assert why.startswith(f"row {missed}: ")
    assert folded(league)["tally"] == []


def test_rows_that_are_missing_are_nobodys_fault(league: Database, bar: Callable[..., Bar]) -> None:
    from common.statements import Missing

    table = bar()
    table.play("six_by_6", ("Ann", "Bob"))
    first = len(table.rows()) + 1
    table.play("six_by_6", ("Ann", "Bob"))
    rows = table.rows()
    sent(league, table, table.batch(rows[: first - 1]))
    sent(league, table, table.batch(rows[first + 3 :], missing=Missing(first, first + 3, "lost")))
    results.fold_waiting(league, NOW_S)
    outcomes = [columns[6] for columns in folded(league)["result"]]
    assert sorted(outcomes) == ["incomplete", "won"]


def test_the_first_end_of_a_match_counts(league: Database, bar: Callable[..., Bar], tmp_path: Path) -> None:
    """Nobody can take back a lost match by restoring an old copy of the ledger."""
    season(league, 1)
    table = bar()
    every = list(entries("six_by_6", ("Ann", "Bob"), 3))
    for entry in every[:6]:
        table.ledger.append(entry)
    copy = tmp_path / "copy.sqlite3"
    assert table.ledger.connection is not None
    table.ledger.connection.execute("VACUUM INTO ?", (str(copy),))
    for entry in every[6:]:
        table.ledger.append(entry)
    sent(league, table, table.batch(table.rows()))
    results.fold_waiting(league, NOW_S)
    before = tallies(league)
    used = len(table.rows())
    store.restore(table.ledger, copy)
    for entry in every[6:]:
        table.ledger.append(entry)
    sent(league, table, table.batch(table.rows(used + 1), epoch=2))
    results.fold_waiting(league, NOW_S)
    assert [columns[6] for columns in folded(league)["result"]] == ["won", "again"]
    assert tallies(league) == before
    after = folded(league)
    results.rebuild(league, NOW_S)
    assert folded(league) == after


def test_a_restored_match_is_replayed_along_its_chain(
    league: Database, bar: Callable[..., Bar], tmp_path: Path
) -> None:
    """Rows of the league that the table lost with the restore are no part of the match that goes on."""
    season(league, 1)
    table = bar()
    every = list(entries("six_by_6", ("Ann", "Bob"), 3))
    for entry in every[:6]:
        table.ledger.append(entry)
    copy = tmp_path / "copy.sqlite3"
    assert table.ledger.connection is not None
    table.ledger.connection.execute("VACUUM INTO ?", (str(copy),))
    for entry in every[6:9]:
        table.ledger.append(entry)
    sent(league, table, table.batch(table.rows()))
    used = len(table.rows())
    store.restore(table.ledger, copy)
    for entry in every[6:]:
        table.ledger.append(entry)
    sent(league, table, table.batch(table.rows(used + 1), epoch=2))
    results.fold_waiting(league, NOW_S)
    assert [columns[6] for columns in folded(league)["result"]] == ["won"]
    assert tallies(league) == by_hand([table], secret_of(league))


@pytest.mark.parametrize(
    ("at_utc", "expected"),
    [
        ("2026-11-21T12:00:00.000+00:00", 1795262400),
        ("2026-11-21T13:00:00.000+01:00", 1795262400),
        ("2026-11-21T12:00:00", 0),
        ("9999-12-31T23:59:59+00:00", NOW_S),
        ("0001-01-01T00:00:00+23:59", 0),
        ("noon", 0),
        ("", 0),
    ],
)
def test_a_tables_clock_is_never_ahead_of_the_leagues(at_utc: str, expected: int) -> None:
    assert results.unix_s(at_utc, NOW_S) == expected


def test_a_pseudonym_tells_nothing_without_the_secret() -> None:
    one = pseudonym("00" * 32, 1, "3f9a0c5be1d2a477")
    assert one == pseudonym("00" * 32, 1, "3f9a0c5be1d2a477")
    assert one != pseudonym("01" * 32, 1, "3f9a0c5be1d2a477")
    assert one != pseudonym("00" * 32, 2, "3f9a0c5be1d2a477")
    assert 0 <= one < 2**62


def test_a_reveal_needs_its_dice_part_by_part() -> None:
    from league.replay import Playing, UnplayableError, replay_row

    match = Match.new("liars_dice", ("a", "b"), seed=1)

    def row(body: bytes) -> Row:
        return Row(3, 1, "", body, b"", bytes(32), bytes(32))

    with pytest.raises(UnplayableError, match="nothing is to be revealed"):
        replay_row(Playing(match), row(b'{"entry":"revealed","seat":"a","dice":[["d6",1]]}'))
    with pytest.raises(UnplayableError, match="no match is open"):
        replay_row(replace(Playing(match), closed=True), row(b'{"entry":"closed","why":"over"}'))
    with pytest.raises(UnplayableError, match="closed as over"):
        replay_row(Playing(match), row(b'{"entry":"closed","why":"over"}'))
    assert registry.hashed(" ab-cd ") == registry.hashed("ABCD")
    assert ingestion.answer(None)["row"] == 0
