"""What a registered table may write into its rows: it harms its own matches, and nobody else's."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from league import app, contests, ingestion, replay, results
from league.database import Refusal
from tests.league.seasons import folded
from tests.league.sending import NOW_S, changed, refused, sent, with_bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from league.database import Database
    from league.replay import MatchOutcome
    from tests.league.bars import Bar

DEEP = 60_000
"""Deeper than any parser of JSON goes that calls itself; it fits into a body."""


def nested(depth: int) -> bytes:
    """An entry with so many lists and objects in one another."""
    return b'{"entry":"sat","x":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def outcomes(league: Database) -> dict[int, tuple[str, str]]:
    """Outcome and why of each table's only match."""
    return {columns[0]: (columns[6], columns[7]) for columns in folded(league)["result"]}


def test_how_deep_an_entry_may_be() -> None:
    row = [1, 0, "", "", "", "00" * 32, "00" * 32]
    assert ingestion.read_row([*row[:3], nested(32).decode(), *row[4:]]).number == 1
    wide = '{"entry":"sat","x":[' + ",".join(["[]"] * 100) + "]}"
    assert ingestion.read_row([*row[:3], wide, *row[4:]]).number == 1
    for depth in (33, 988, DEEP):
        with pytest.raises(Refusal, match="at most 32 deep"):
            ingestion.read_row([*row[:3], nested(depth).decode(), *row[4:]])
    with pytest.raises(Refusal, match="a row is"):
        ingestion.read_row([1, 0, "\0", "{}", *row[4:]])


def test_no_row_keeps_other_matches_from_being_folded(
    league: Database,
    bar: Callable[..., Bar],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mal, ann = bar(), bar()
    for table in (mal, ann):
        table.play("six_by_6", ("Ann", "Bob"))
    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "entry_bytes", str.encode)  # rows may be older than the bound
        sent(league, mal, mal.batch(with_bodies(mal.rows(), {1: nested(DEEP)})))
    sent(league, ann, ann.batch(ann.rows()))
    assert results.fold_waiting(league, NOW_S) == 2
    assert outcomes(league)[mal.table][0] == "broken"
    assert outcomes(league)[mal.table][1].startswith("row ")
    assert outcomes(league)[ann.table] == ("won", "")
    assert folded(league)["pending"] == []
    with league.reading() as session:
        assert "playing" in results.live(session, replay.LiveMatches(), mal.table)
    assert results.rebuild(league, NOW_S) == 2
    assert refused(league, mal, mal.batch([changed(mal.rows()[1], body=nested(DEEP))])) == "malformed"


def test_a_match_that_nobody_foresaw_is_broken_and_others_count(
    league: Database, bar: Callable[..., Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    mal, ann = bar(), bar()
    for table in (mal, ann):
        table.play("six_by_6", ("Ann", "Bob"))
        sent(league, table, table.batch(table.rows()))
    of_seats = results.seat_results

    def failing(outcome: MatchOutcome, table: int, secret: str) -> list[results.SeatResult]:
        if table == mal.table:
            raise ZeroDivisionError
        return of_seats(outcome, table, secret)

    monkeypatch.setattr(results, "seat_results", failing)
    assert results.fold_waiting(league, NOW_S) == 2
    assert outcomes(league) == {mal.table: ("broken", "ZeroDivisionError"), ann.table: ("won", "")}


def test_what_the_folder_does_besides_goes_on(league: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    settled = threading.Event()

    def failing(*_: object) -> int:
        raise ZeroDivisionError

    def settling(_: object) -> int:
        settled.set()
        return failing()

    monkeypatch.setattr(results, "fold_waiting", failing)
    monkeypatch.setattr(contests, "settle", settling)
    folder = app.Folder(league, lambda: NOW_S)
    folder.thread.start()
    assert settled.wait(300)
    folder.stop()


def test_a_match_of_endless_corrections_is_broken(
    league: Database, bar: Callable[..., Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MOST_STEPS", 60)
    mal = bar()
    mal.play("six_by_6", ("Ann", "Bob"))
    rows = mal.rows()
    assert replay.outcome(rows).outcome == "won"
    thrown = next(row for row in rows if b'"thrown"' in row.body)
    dice = json.loads(thrown.body)["dice"]
    correction = json.dumps({"entry": "corrected", "revision": 1, "dice": dice, "seats": []}).encode()
    middle = len(rows) // 2
    bodies = dict.fromkeys(range(middle, len(rows) - 1), correction)
    sent(league, mal, mal.batch(with_bodies(rows, bodies)))
    results.fold_waiting(league, NOW_S)
    assert outcomes(league)[mal.table][0] == "broken"
    assert "more than 60 steps" in outcomes(league)[mal.table][1]
