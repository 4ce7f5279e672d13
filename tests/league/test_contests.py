"""Brackets and arenas: who meets whom, with byes, late arrivals and leavers; results decide them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.__main__ import main
from league import contests, players, registry, results
from league.app import application
from league.database import Refusal
from league.tournaments import Arena, Bracket, TooLateError, seeds
from tests.dicetable.service.calling import called
from tests.league.sending import NOW_S, sent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from league.database import Database
    from tests.league.bars import Bar


def bracket(count: int) -> Bracket:
    found = Bracket()
    for player in range(1, count + 1):
        found = found.joined(player)
    return found.begun()


def played(found: Bracket, chance: Random, late: list[int]) -> tuple[Bracket, dict[int, int], int]:
    """A bracket to its end; how often each has lost, and how many matches were played."""
    losses: dict[int, int] = dict.fromkeys(found.entrants, 0)
    count = 0
    while found.champion is None:
        if late and chance.random() < 0.3:
            try:
                found = found.joined(late[0])
                losses[late[0]] = 0
            except TooLateError:
                pass
            late = late[1:]
        pairing = chance.choice(found.due)
        winner = chance.choice(pairing.players)
        loser = sum(pairing.players) - winner
        found = found.call(pairing.name).decided(pairing.name, (winner,))
        losses[loser] += 1
        count += 1
    return found, losses, count


def test_seeds_spread() -> None:
    assert seeds(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@given(st.integers(2, 33), st.randoms(use_true_random=False))
def test_everybody_but_the_champion_loses_twice(count: int, chance: Random) -> None:
    found, losses, matches = played(bracket(count), chance, [])
    assert found.champion is not None
    assert losses.pop(found.champion) <= 1
    assert set(losses.values()) == {2}
    assert matches in (2 * count - 2, 2 * count - 1)
    assert found.due == []


@given(st.integers(2, 20), st.integers(1, 8), st.randoms(use_true_random=False))
def test_a_late_arrival_changes_nothing_that_was_played(count: int, late: int, chance: Random) -> None:
    found, losses, _ = played(bracket(count), chance, list(range(100, 100 + late)))
    champion = found.champion
    assert champion in losses
    for player, lost in losses.items():
        came_late = player in found.late.values()
        assert lost <= (1 if came_late or player == champion else 2)
        assert player == champion or lost == (1 if came_late else 2)


def test_late_arrivals_take_byes_then_the_losers_side_then_nothing() -> None:
    found = bracket(5)  # three byes in eight places
    found = found.call("W1-1")  # the only match that is due is being played
    for player in (6, 7, 8):
        found = found.joined(player)
    assert 0 not in found.slots
    with pytest.raises(TooLateError):
        found.joined(9)
    begun = bracket(3).call("W1-1").decided("W1-1", (2,)).call("W2-0")
    late = begun.joined(9)
    assert late.late == {"W1-0": 9}
    assert late.pairings["L1-0"].players == (9, 3)
    with pytest.raises(TooLateError):
        late.joined(10)
    with pytest.raises(ValueError, match="already"):
        late.joined(9)


def test_who_leaves_loses_what_is_left() -> None:
    found = bracket(2).left(1)
    assert found.champion == 2
    four = bracket(4).call("W1-0").left(1)
    assert four.called == frozenset()
    assert four.pairings["W1-0"].winner == 4
    assert Bracket().joined(1).joined(2).left(1).entrants == (2,)


def test_what_cannot_be_is_refused() -> None:
    found = bracket(4)
    for wrong in (
        lambda: found.decided("W2-0", (1,)),
        lambda: found.decided("W1-0", (2,)),
        lambda: found.call("F1"),
        lambda: found.call("W1-0").call("W1-0"),
        lambda: found.left(9),
        found.begun,
        Bracket().joined(1).begun,
        lambda: Arena().joined(1).joined(1),
        lambda: Arena().left(1),
        lambda: Arena().joined(1).call("0", (1, 2)),
        lambda: Arena().decided("0", ()),
    ):
        with pytest.raises(ValueError, match=r"."):
            wrong()


@given(st.integers(2, 12), st.integers(2, 4), st.randoms(use_true_random=False))
def test_an_arena_pairs_whoever_is_free_and_avoids_the_same_again(
    count: int, seats: int, chance: Random
) -> None:
    arena = Arena(seats)
    for player in range(1, count + 1):
        arena = arena.joined(player)
    for _ in range(60):
        due = arena.next()
        assert (due is None) == (len(arena.waiting) < seats)
        if due is not None and (not arena.playing or chance.random() < 0.5):
            assert due[1][0] == arena.waiting[0]
            arena = arena.call(*due)
        elif arena.playing:
            match = chance.choice(list(arena.playing))
            arena = arena.decided(str(match), (chance.choice(arena.playing[match]),))
        assert not set(arena.waiting) & arena.busy
        assert len(arena.waiting) + len(arena.busy) == count
    assert sum(arena.points.values()) == (seats - 1) * (arena.matches - len(arena.playing))


def test_in_an_arena_everybody_meets_everybody_before_anybody_twice() -> None:
    arena = Arena()
    for player in range(1, 5):
        arena = arena.joined(player)
    for _ in range(6):
        due = arena.next()
        assert due is not None
        arena = arena.call(*due).decided(due[0], due[1][:1])
    assert set(arena.met.values()) == {1}


def test_who_leaves_an_arena_ends_the_match_first() -> None:
    arena = Arena().joined(1).joined(2).call("0", (1, 2)).left(1)
    assert arena.decided("0", (1,)).waiting == (2,)
    assert arena.joined(1).decided("0", (1,)).waiting == (1, 2)
    assert arena.decided("0", (1,)).points == {1: 1, 2: 0}


def mains(league: Database, table: Bar) -> dict[str, int]:
    """The league's players of a table's names, who have played there once."""
    secret = folded_secret(league)
    return {
        name: results.pseudonym(secret, table.table, table.ledger.players.id_of(name))
        for name in ("Ann", "Bob")
    }


def folded_secret(league: Database) -> str:
    from league.database import meta

    with league.reading() as session:
        return meta(session, "secret")


def send_all(league: Database, table: Bar, first: int) -> None:
    sent(league, table, table.batch(table.rows(first)))
    results.fold_waiting(league, NOW_S)
    contests.settle(league)


@pytest.mark.parametrize("kind", contests.KINDS)
def test_results_of_the_table_decide_what_it_was_called_to(
    league: Database, bar: Callable[..., Bar], kind: str
) -> None:
    table = bar()
    table.play("six_by_6", ("Ann", "Bob"))
    send_all(league, table, 1)
    ids = mains(league, table)
    number = contests.add(league, "Friday", kind, "six_by_6")
    assert contests.call(league, number, table.table) is None
    for player in ids.values():
        contests.add_event(league, number, {"event": "joined", "player": player})
    if kind == contests.BRACKET:
        contests.add_event(league, number, {"event": "begun"})
    called = contests.call(league, number, table.table)
    assert called is not None
    assert contests.call(league, number, table.table) == called
    assert contests.call(league, number, table.table + 1) is None
    for game, seats, early in (
        ("sixes", ("Ann", "Bob", "Cleo"), False),
        ("six_by_6", ("Ann", "Cleo"), False),
    ):
        first = table.rows()[-1].number + 1
        table.play(game, seats, ended_early=early)
        send_all(league, table, first)
        with league.reading() as session:
            assert contests.load(session, number).calls == {called.name: called}
    first = table.rows()[-1].number + 1
    table.play("six_by_6", ("Bob", "Ann"))
    send_all(league, table, first)
    with league.reading() as session:
        after = contests.load(session, number)
        assert after.calls == {}
        about = contests.contest_json(session, number)
    if isinstance(after.state, Arena):
        assert sorted(after.state.points.values()) in ([0, 1], [0, 0])
        assert [place["points"] for place in about["places"]] == sorted(after.state.points.values())[::-1]
    else:
        assert isinstance(after.state, Bracket)
        assert set(after.state.won) <= {called.name}
        assert about["champion"] is None
    assert contests.settle(league) == 0


def test_a_match_that_was_ended_early_is_called_again(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play("six_by_6", ("Ann", "Bob"))
    send_all(league, table, 1)
    number = contests.add(league, "Friday", "bracket", "six_by_6")
    for player in mains(league, table).values():
        contests.add_event(league, number, {"event": "joined", "player": player})
    contests.add_event(league, number, {"event": "begun"})
    called = contests.call(league, number, table.table)
    first = table.rows()[-1].number + 1
    table.play("six_by_6", ("Ann", "Bob"), ended_early=True)
    send_all(league, table, first)
    again = contests.call(league, number, table.table)
    assert called is not None
    assert again is not None
    assert (again.name, again.players) == (called.name, called.players)
    assert again.after > called.after


def begun(league: Database, kind: str, names: Sequence[str]) -> tuple[int, dict[str, int]]:
    """A contest that has begun, and its players by name."""
    number = contests.add(league, f"{kind} cup", kind, "six_by_6")
    contests.change_players(league, number, "joined", names)
    if kind == contests.BRACKET:
        contests.add_event(league, number, {"event": "begun"})
    with league.reading() as session:
        known = {name: player for player, name in players.Names(session).names.items() if name}
    return number, known


def seen(league: Database, number: int, table: int) -> tuple[set[str], set[str]]:
    """Who waits and who is called, by the news for a table."""
    with league.reading() as session:
        every = contests.news(session)
    (told,) = [each for each in contests.news_for(table, every) if each["contest"] == number]
    return {each["name"] for each in told["waiting"]}, {each["name"] for each in told["called"]}


@pytest.mark.parametrize("kind", contests.KINDS)
def test_a_table_has_one_match_of_a_contest_at_once(
    league: Database, bar: Callable[..., Bar], kind: str
) -> None:
    left, right = bar(), bar()
    number, known = begun(league, kind, ("Ann", "Bob", "Cleo", "Dan"))
    first = contests.call(league, number, left.table, known["Ann"])
    assert first is not None
    other = next(player for player in known.values() if player not in first.players)
    with pytest.raises(Refusal, match=r"first finish the match of .*Ann") as refused:
        contests.call(league, number, left.table, other)
    assert (refused.value.cause, refused.value.status) == ("conflict", 409)
    assert contests.call(league, number, left.table) == first
    second = contests.call(league, number, right.table, other)
    assert second is not None
    assert contests.call(league, number, left.table, first.players[1]) == first
    assert {*first.players, *second.players} == {*known.values()}


@pytest.mark.parametrize("kind", contests.KINDS)
def test_the_organiser_takes_a_match_back(
    url: str, league: Database, bar: Callable[..., Bar], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, other = bar(), bar()
    number, known = begun(league, kind, ("Ann", "Bob", "Cleo", "Dan"))
    called = contests.call(league, number, table.table)
    assert called is not None
    command = ["league", "uncall", str(number), f"{table.table:016x}", "--database", url]
    assert main(command) == 0
    assert capsys.readouterr().out == f"Taken back: {called.name}. The players are waiting again.\n"
    assert seen(league, number, table.table) == ({"Ann", "Bob", "Cleo", "Dan"}, set())
    assert main(command) == 1
    assert "no match in that contest" in capsys.readouterr().err
    again = contests.call(league, number, other.table, called.players[0])
    assert again is not None
    assert again.players == called.players
    assert known


def test_a_match_that_is_taken_back_counts_as_never_paired() -> None:
    arena = Arena()
    for player in range(1, 6):
        arena = arena.joined(player)
    assert arena.call("0", (1, 2)).uncalled("0").waiting == (1, 2, 3, 4, 5)
    assert arena.call("0", (1, 2)).uncalled("0").met == {}
    assert arena.call("0", (1, 2)).left(1).uncalled("0").waiting == (2, 3, 4, 5)
    with pytest.raises(ValueError, match="not played"):
        arena.uncalled("0")


def test_a_table_that_is_shut_out_gets_nothing_and_its_results_stay(
    url: str, league: Database, bar: Callable[..., Bar], capsys: pytest.CaptureFixture[str]
) -> None:
    table = bar()
    number, _ = begun(league, contests.ARENA, ("Ann", "Bob", "Cleo"))
    table.play("six_by_6", ("Ann", "Bob"))
    send_all(league, table, 1)
    assert contests.call(league, number, table.table) is not None
    now_s = 0.0
    tables = registry.Tables(league, lambda: now_s)
    found = tables.find(table.table)
    assert main(["league", "remove-table", f"{table.table:016x}", "--database", url]) == 0
    assert capsys.readouterr().out.startswith("table 1 is shut out.")
    assert seen(league, number, table.table) == ({"Ann", "Bob", "Cleo"}, set())
    with pytest.raises(Refusal, match="the organiser has removed this table") as refused:
        contests.call(league, number, table.table)
    assert (refused.value.cause, refused.value.status) == ("removed", 403)
    assert tables.find(table.table) == found
    now_s = registry.KNOWN_S
    for known in (tables, registry.Tables(league)):
        with pytest.raises(Refusal, match="has removed this table"):
            known.find(table.table)
    assert main(["league", "tables", "--database", url]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["removed"], each["matches"]) for each in told] == [(True, 1)]
    assert main(["league", "remove-table", "0" * 16, "--database", url]) == 1
    assert "no such table is registered" in capsys.readouterr().err


@pytest.mark.parametrize("post", ["rows", "next", "players"])
def test_what_a_table_posts_that_is_shut_out_is_refused(
    league: Database, bar: Callable[..., Bar], post: str
) -> None:
    table = bar()
    contests.remove_table(league, table.table, NOW_S)
    path = f"/v1/tables/{table.table:016x}/{post}"
    status, body = asyncio.run(called(application(league), "POST", path, b"{}"))
    assert status == 403
    assert json.loads(body)["error"] == "removed"


def test_a_player_whom_nobody_knows_costs_the_others_no_link(
    league: Database, bar: Callable[..., Bar]
) -> None:
    table = registry.Tables(league).find(bar().table)
    _, known = begun(league, contests.ARENA, ("Ann", "Bob"))
    players.erase(league, known["Bob"])
    given = {"1": "00000000000000ab", "2": "no", "3": players.player_name(known["Bob"])}
    given |= {"4": players.player_name(known["Ann"])}
    assert contests.link_players(league, table, {"players": given})["players"] == 1
    joined = results.pseudonym(folded_secret(league), table.table, "4")
    with league.reading() as session:
        assert players.Names(session).shown(joined) == "Ann"


def test_contests_are_checked(league: Database) -> None:
    contests.add(league, "Friday", "arena", "six_by_6", 4)
    for name, kind, game, seats in (
        ("Friday", "arena", "six_by_6", 2),
        ("", "arena", "six_by_6", 2),
        ("Cup", "ladder", "six_by_6", 2),
        ("Cup", "bracket", "six_by_6", 3),
        ("Cup", "arena", "chess", 2),
        ("Cup", "arena", "six_by_6", 99),
    ):
        with pytest.raises(ValueError, match=r"."):
            contests.add(league, name, kind, game, seats)
    assert players.player_name(1) == "0000000000000001"
