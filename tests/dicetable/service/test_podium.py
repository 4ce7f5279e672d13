"""The podium: ranks, the best throw and the line about the dice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from common.snapshot import Podium
from dicetable.service.podium import chance, podium, ranked, rarity
from dicetable.service.throws import ListedThrow
from games.game import no_cups
from games.words import Words

if TYPE_CHECKING:
    from games.dice import Die


def thrown(number: int, seat: str, *dice: Die) -> ListedThrow:
    return ListedThrow(number, number, "yacht", seat, dice, by_hand=False)


def test_more_or_less_is_better_as_the_winner_shows_and_equals_share_a_rank() -> None:
    points = {"Ann": "12 points", "Bob": "30 points", "Cleo": "12 points", "Dan": "9 points"}
    assert ranked(["Bob"], points, {}) == [("Bob", 1), ("Ann", 2), ("Cleo", 2), ("Dan", 4)]
    losses = {"Ann": "lost 4", "Bob": "lost 1", "Cleo": "lost 2"}
    assert ranked(["Bob"], losses, {}) == [("Bob", 1), ("Cleo", 2), ("Ann", 3)]
    neither = {"Ann": "4", "Bob": "2", "Cleo": "1"}
    assert ranked(["Bob"], neither, {}) == [("Bob", 1), ("Ann", 2), ("Cleo", 2)]
    assert ranked(["Bob"], {"Ann": "117+30", "Bob": "200"}, {}) == [("Bob", 1), ("Ann", 2)]


def test_of_seats_with_nothing_left_the_one_that_held_out_longer_comes_first() -> None:
    lives = {"Ann": "0 lives", "Bob": "2 lives", "Cleo": "0 lives", "Dan": "0 lives"}
    lasted = {"Ann": 12, "Bob": 40, "Cleo": 31}
    assert ranked(["Bob"], lives, lasted) == [("Bob", 1), ("Cleo", 2), ("Ann", 3), ("Dan", 4)]
    points = {"Ann": "12", "Bob": "30", "Cleo": "12"}
    assert ranked(["Bob"], points, lasted) == [("Bob", 1), ("Ann", 2), ("Cleo", 2)]


def test_the_chance_of_a_throw_is_that_of_as_much_or_more() -> None:
    assert chance((("d12", 12),)) == pytest.approx(1 / 12)
    assert chance((("d6", 6), ("d6", 6))) == pytest.approx(1 / 36)
    assert chance((("d6", 5), ("d6", 6))) == pytest.approx(3 / 36)
    assert chance((("d4", 1), ("d20", 1))) == pytest.approx(1)


def test_a_combination_is_as_rare_as_all_that_come_as_seldom() -> None:
    assert rarity((("d12", 6), ("d8", 1))) == pytest.approx(1)
    assert rarity((("d6", 6), ("d6", 6))) == pytest.approx(1 / 6)
    assert rarity(5 * (("d6", 2),)) == pytest.approx(6 / 6**5)
    assert rarity((*4 * (("d6", 2),), ("d6", 1))) == pytest.approx((6 + 6 * 5 * 5) / 6**5)
    assert rarity(21 * (("d6", 2),)) == 1


def ended(
    winners: list[str], throws: list[ListedThrow], *, cups: Any = no_cups, more_is_better: bool = True
) -> Podium:
    rules = SimpleNamespace(cups=cups, words=Words(more_is_better=more_is_better))
    match: Any = SimpleNamespace(seats=("Ann", "Bob"), rules=rules)
    return podium(match, winners, {"Ann": "3", "Bob": "5"}, throws, {})


def test_the_best_throw_is_the_least_likely_one_of_a_seat() -> None:
    throws = [thrown(1, "Ann", ("d6", 6)), thrown(2, "Bob", ("d12", 12)), thrown(3, "", ("d20", 20))]
    found = ended(["Bob"], throws)
    assert found["best"] is not None
    assert found["best"]["number"] == 2
    assert found["chance"] == 12
    assert ended(["Bob"], [])["best"] is None


def test_a_throw_that_comes_often_is_not_the_best_of_a_game() -> None:
    assert ended(["Bob"], [thrown(1, "Ann", ("d6", 6))])["best"] is None


def test_the_rarest_throw_counts_where_more_is_not_better() -> None:
    alike, mixed = thrown(1, "Ann", *3 * (("d6", 2),)), thrown(2, "Bob", ("d12", 6), ("d8", 1))
    found = ended(["Bob"], [mixed, alike, thrown(3, "Bob", ("d20", 20))], more_is_better=False)
    assert found["best"] is not None
    assert (found["best"]["number"], found["chance"], found["rare"]) == (1, 36, True)
    assert ended(["Bob"], [mixed], more_is_better=False)["best"] is None
    low = [thrown(at, seat, ("d6", 1)) for at in range(3) for seat in ("Ann", "Bob")]
    assert ended(["Ann"], low, more_is_better=False)["line"] == ""


def test_the_line_says_whom_the_dice_loved() -> None:
    low: Die = ("d6", 1)
    high: Die = ("d6", 6)
    throws = [thrown(at, seat, die) for at in range(3) for seat, die in (("Ann", high), ("Bob", low))]
    assert ended(["Bob"], throws)["line"] == "Ann had the dice. Bob won anyway."
    assert ended(["Ann"], throws)["line"] == "The dice loved Ann."
    assert ended(["Ann"], throws[:4])["line"] == ""
    assert ended(["Ann", "Bob"], throws)["line"] == ""
    assert ended(["Ann"], throws, cups=lambda _: (1, 1))["line"] == "Nobody lies like Ann."
