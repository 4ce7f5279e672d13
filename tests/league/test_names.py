"""Names that look alike have one owner, however many servers add them at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from league import contests, players, results
from league.database import Refusal, connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from league.database import Database

ALIKE = ("Ann Example", "ANN EXAMPLE", "Ánn Example", "Ａｎｎ Example", "Аnn Example", "ann  example")
NOW_S = 1_800_000_000


def at_once(url: str, add: Callable[[Database, str], object], names: tuple[str, ...]) -> int:
    """Adds all names at the same moment, each over a connection of its own; returns how many were added."""
    barrier = threading.Barrier(len(names), timeout=300)

    def one(name: str) -> int:
        league = connect(url)
        try:
            with league.reading() as session:
                session.rows("SELECT 1")
            barrier.wait()
            add(league, name)
        except (Refusal, ValueError):
            return 0
        finally:
            league.close()
        return 1

    with ThreadPoolExecutor(len(names)) as threads:
        return sum(threads.map(one, names))


def test_a_name_has_one_owner_though_all_sign_up_at_once(league: Database, url: str) -> None:
    for number in range(6):
        names = tuple(f"{name} {'abcdef'[number]}" for name in ALIKE)
        assert at_once(url, lambda made, name: players.sign_up(made, name, NOW_S, is_shown=True), names) == 1
    with league.reading() as session:
        ((count,),) = session.rows("SELECT count(*) FROM player")
    assert count == 6


def test_a_season_and_a_contest_have_one_name_though_all_add_it_at_once(league: Database, url: str) -> None:
    def season(made: Database, name: str) -> object:
        return results.add_season(made, name, "", "2026-11-01", "2027-02-28")

    def contest(made: Database, name: str) -> object:
        return contests.add(made, name, "arena", "six_by_6")

    for number in range(3):
        names = tuple(f"{name} {'abc'[number]}" for name in ALIKE)
        assert at_once(url, season, names) == 1
        assert at_once(url, contest, names) == 1
    others = ("Spring", "Summer", "Autumn", "Winter")
    assert at_once(url, season, others) == len(others), "each gets a number of its own"
    assert at_once(url, contest, others) == len(others)
    with league.reading() as session:
        for table in ("season", "contest"):
            assert session.rows(f"SELECT count(*) FROM {table}") == [(7,)]


def test_the_organiser_names_no_two_players_alike(league: Database) -> None:
    with league.transaction() as session:
        ann = players.named(session, "Ann")
        assert players.named(session, "Ann") == ann
        bob = players.named(session, "Bob")
    with pytest.raises(ValueError, match="looks like 'Ann'"), league.transaction() as session:
        players.named(session, "ÁNN")
    with pytest.raises(ValueError, match="looks like 'Ann'"):
        players.name_player(league, bob, "ANN")
    players.name_player(league, ann, "Ann Example")
    players.name_player(league, ann, "Ann")
    with pytest.raises(Refusal, match="taken"):
        players.sign_up(league, "Аnn", NOW_S, is_shown=False)
    players.erase(league, ann)
    assert players.sign_up(league, "ANN", NOW_S, is_shown=False)
