"""Who won, and what luck everybody had, from entries as the table writes them."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Closed, Corrected, Decided, Ending, Opened, Thrown
from dicetable.statistics import matches, players
from dicetable.statistics.matches import Played
from games import odds
from tests.dicetable.ledger.scripts import SEATS, script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.ledger.entries import Entry
    from games.dice import Die

NIGHT = "2026-11-21T23:30:00.000+00:00"


def played(entries: Sequence[Entry], at: str = NIGHT) -> list[Played]:
    return matches.played((at, entry) for entry in entries)


def d6(*faces: int) -> tuple[Die, ...]:
    return tuple(("d6", face) for face in faces)


def d12(face: int) -> Thrown:
    return Thrown((("d12", face),), ())


MONEY_SHOT = Opened("money_shot", ("ann", "bob", "cleo"), {"first": "ann", "rounds": 1}, 1, (), (1, 2, 3), ())
BET = Decided("ann", {"type": "bet", "amount": 1})
FADE = Decided("bob", {"type": "fade"})


def test_a_peak_is_expected_by_what_is_left_above_the_last() -> None:
    """Ann's 9 is above nothing; bob then needs 10, 11 or 12; cleo fades him."""
    bob = [Decided("bob", {"type": "bet", "amount": 1}), Decided("cleo", {"type": "fade"})]
    (match,) = played([MONEY_SHOT, BET, FADE, d12(9), *bob, d12(4)])
    ann, threw = match.chances
    assert (ann.seat, ann.expected, ann.actual) == ("ann", 1.0, 1.0)
    assert (threw.seat, threw.expected, threw.actual) == ("bob", 0.25, 0.0)
    assert threw.luck == -0.25
    assert match.winners == ()


def test_luck_is_that_of_the_corrected_throw() -> None:
    bob = [Decided("bob", {"type": "bet", "amount": 1}), Decided("cleo", {"type": "fade"})]
    (match,) = played([MONEY_SHOT, BET, FADE, d12(9), *bob, d12(4), Corrected(6, (("d12", 11),), (1,))])
    assert [chance.actual for chance in match.chances] == [1.0, 1.0]


def test_the_score_of_a_turn_stands_beside_the_mean() -> None:
    opened = Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())
    (match,) = played([opened, Thrown(d6(1, 2, 3, 4, 5, 6), ()), Thrown(d6(1, 2, 3, 4, 5, 6), ())])
    assert [chance.actual for chance in match.chances] == [47.0, 47.0]
    assert match.chances[0].expected == odds.turn_odds(0, 0).score
    assert match.winners == ("ann", "bob")


def test_a_bust_is_expected_by_what_is_left_to_the_target() -> None:
    options = {"first": "ann"}
    opened = Opened("six_shooter", ("ann", "bob"), options, 1, (), (1, 2), ())
    pair = Thrown((("d8", 8), ("d12", 10)), ())
    throws: list[Entry] = [pair, pair, Decided("ann", {"type": "buy"}), Thrown((("d20", 3),), ())]
    (match,) = played([opened, *throws])
    assert [chance.expected for chance in match.chances] == [1.0, 1.0, pytest.approx(3 / 20)]
    assert [chance.actual for chance in match.chances] == [1.0, 1.0, 1.0]


def test_a_challenge_is_luck_for_one_and_the_opposite_for_the_other() -> None:
    opened = Opened("liars_dice", ("ann", "bob"), {"first": "ann", "dice": 2}, 1, (), (1, 2), ())
    bid = Decided("ann", {"type": "bid", "quantity": 2, "face": 5})
    (match,) = played([opened, bid, Decided("bob", {"type": "challenge"}), Thrown(d6(5, 1, 2, 3), ())])
    holds = float(odds.bid_holds((2, 5), 4))
    assert [(chance.seat, chance.actual) for chance in match.chances] == [("ann", 1.0), ("bob", 0.0)]
    assert [chance.expected for chance in match.chances] == [holds, 1 - holds]


@pytest.mark.parametrize("game", ["six_shooter", "money_shot", "liars_dice", "six_by_6"])
def test_luck_comes_to_nothing_over_many_games(game: str) -> None:
    """Players who decide by chance have the odds of the books."""
    found = [chance for seed in range(12) for match in played(script(game, seed)) for chance in match.chances]
    if game == "six_by_6":
        assert sum(c.actual for c in found) / len(found) == pytest.approx(
            odds.turn_odds(0, 0).score, rel=0.05
        )
        return
    spread = sqrt(sum(chance.variance or 0 for chance in found))
    assert abs(sum(chance.luck for chance in found)) < 3 * spread
    assert len(found) > 100


def test_a_game_with_unknown_odds_has_no_luck() -> None:
    (match,) = played(script("sixes", 1))
    assert match.chances == ()
    assert match.winners


def test_wins_and_streaks_are_of_games_played_to_their_end() -> None:
    games = [
        Played(NIGHT, "sixes", ("ann", "bob"), winners, ())
        for winners in (("ann",), ("ann", "bob"), (), ("ann",), ("bob",))
    ]
    ann, bob = players.players(games)
    assert (ann.name, ann.won, ann.played) == ("ann", {"sixes": 3}, {"sixes": 4})
    assert (ann.longest, ann.streak, bob.longest, bob.streak) == (3, 0, 1, 1)


def test_a_game_that_was_ended_has_no_winner_and_one_with_lost_rows_is_marked() -> None:
    entries = script("money_shot", 3)[:20]
    (ended,) = played([*entries, Closed(Ending.ENDED)])
    (torn,) = played([entries[0], *entries[3:]])
    assert (ended.winners, ended.lost, torn.winners, torn.lost) == ((), False, (), True)


def test_an_evening_ends_in_the_morning() -> None:
    games = [
        Played(f"2026-11-{day}T{hour}:00:00.000+00:00", "sixes", SEATS, (), ())
        for day, hour in ((21, 12), (21, 23), (22, 12), (23, 12))
    ]
    assert [len(each) for each in players.evenings(games).values()] in ([2, 1, 1], [1, 2, 1])
    noon = [match for match in games if "T12" in match.at_utc]
    assert len(players.evenings(noon)) == 3


def test_names_can_be_left_out() -> None:
    found = played([*script("money_shot", 1), *script("sixes", 2)])
    shown = matches.renamed(found, matches.numbered(found))
    names = {f"player {number}" for number in range(1, 5)}
    assert {seat for match in shown for seat in match.seats} == names
    assert {chance.seat for match in shown for chance in match.chances} <= names
    assert [len(match.winners) for match in shown] == [len(match.winners) for match in found]


def test_records_name_who_and_when() -> None:
    found = played([*script("six_by_6", 1), *script("six_shooter", 10)])
    best = max(c.actual for match in found for c in match.chances if match.game == "six_by_6")
    lines = list(players.record_lines(found))
    assert any(f"{best:.0f} points in Six By 6, 2026-11-2" in line for line in lines)
    assert any(line.startswith("Least likely: ") and "Six Shooter" in line for line in lines)
    assert list(players.record_lines(played(script("sixes", 1)))) == []


def test_the_least_likely_is_what_came_true_against_the_odds() -> None:
    games = played(script("six_shooter", 10))
    found = players.least_likely(games)
    assert found is not None
    assert found[1].actual == 1
    assert found[1].expected == min(each.expected for each in games[0].chances if each.actual)
    assert players.least_likely(played(script("sixes", 1))) is None


def test_what_comes_more_often_than_once_in_ten_times_is_no_record() -> None:
    games = played(script("six_shooter", 8))
    came = [each.expected for match in games for each in match.chances if each.actual]
    assert min(came) == pytest.approx(1 / 6)
    assert players.least_likely(games) is None


def test_games_by_house_rules_are_counted_apart() -> None:
    """The same game three times: plain, and by two rules of the house."""
    turn: list[Entry] = [BET, FADE, d12(9)]
    found = [
        *played([MONEY_SHOT, *turn]),
        *played([replace(MONEY_SHOT, house_rules="The Anchor's"), *turn]),
        *played([replace(MONEY_SHOT, house_rules="The Ship's"), *turn]),
    ]
    (ann,) = [one for one in players.players(found) if one.name == "ann"]
    assert list(ann.luck) == ["money_shot", "money_shot/The Anchor's", "money_shot/The Ship's"]
    assert {luck.times for luck in ann.luck.values()} == {1}
    lines = list(players.player_lines(ann))
    assert [line.split("  ")[2] for line in lines[1:]] == ["Money Shot", "The Anchor's", "The Ship's"]
    assert [match.house_rules for match in found] == [None, "The Anchor's", "The Ship's"]
    assert players.match_line(found[1]).split("  ")[1].startswith("The Anchor's")


def test_the_recap_names_the_house_rules() -> None:
    found = played([replace(MONEY_SHOT, house_rules="The Anchor's"), BET])
    (match,) = players.recap_json(players.evening_of(found[0]), found)["matches"]
    assert (match["game"], match["house_rules"]) == ("money_shot", "The Anchor's")
