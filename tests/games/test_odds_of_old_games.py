"""The odds by which the sharp players of the old games decide, each compared with counting every case."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from games import bar_dice, midnight, ship_captain_crew, shut_the_box, ten_thousand, two_dice, yacht
from games.keeping import chance_after, chances
from games.match import Match
from games.requests import Act, Dice
from games.words import TableView
from tests.games.oracle_old_games import box_points, points_of_all


@cache
def most_points(faces: tuple[int, ...], straight: int, three_pairs: int) -> int:
    options = {"straight": straight, "three_pairs": three_pairs}
    parts = {part for size in range(len(faces) + 1) for part in combinations(faces, size)}
    return max(points_of_all(part, options) or 0 for part in parts)


@pytest.mark.parametrize(("straight", "three_pairs"), [(1500, 1500), (0, 0), (100, 2500)])
@pytest.mark.parametrize("dice", range(1, 7))
def test_ten_thousand_bust_and_mean_count_every_throw(dice: int, straight: int, three_pairs: int) -> None:
    points = [
        most_points(tuple(sorted(faces)), straight, three_pairs)
        for faces in product(range(1, 7), repeat=dice)
    ]
    share = points.count(0) / len(points)
    assert ten_thousand.bust(dice, straight, three_pairs) == pytest.approx(share, rel=1e-9)
    mean = sum(points) / len(points)
    assert ten_thousand.mean_points(dice, straight, three_pairs) == pytest.approx(mean, rel=1e-9)


THROWN = {count: list(product(range(1, 7), repeat=count)) for count in range(6)}


@pytest.mark.parametrize("box", yacht.BOXES)
def test_yacht_mean_of_a_box_counts_every_throw_after_every_choice(box: int) -> None:
    hands = list({tuple(sorted(faces)) for faces in THROWN[5]})
    value = {hand: float(box_points(box, list(hand), jokers=False)) for hand in hands}
    for throws in (1, 2, 3):
        after = {
            kept: sum(value[tuple(sorted(kept + fresh))] for fresh in THROWN[5 - size]) / 6 ** (5 - size)
            for size in range(6)
            for kept in {tuple(sorted(faces)) for faces in THROWN[size]}
        }
        value = {
            hand: max(after[kept] for size in range(6) for kept in combinations(hand, size)) for hand in hands
        }
        assert yacht.mean_after(box, (), throws) == pytest.approx(after[()], rel=1e-9)
        for hand in hands[::25]:
            shown = tuple(sorted(hand, reverse=True))
            assert yacht.mean_worth(box, shown, throws) == pytest.approx(value[hand], rel=1e-9)


def test_yacht_mean_of_a_face_is_that_of_rethrowing_all_others_twice() -> None:
    for face in range(1, 7):
        mean = 5 * face * (1 - (5 / 6) ** 3)
        assert yacht.mean_after(face, (), 3) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("one_die", [False, True])
def test_shut_the_box_mean_is_that_of_the_best_play_from_every_position(one_die: bool) -> None:
    # By growing sum: what stays open after a choice always has a smaller sum than before it.
    boxes = [tiles for size in range(10) for tiles in combinations(range(1, 10), size)]
    mean: dict[tuple[int, ...], float] = {}
    for tiles in sorted(boxes, key=sum):
        after = {}
        for total in range(1, 13):
            left = [
                mean[tuple(tile for tile in tiles if tile not in chosen)]
                for size in range(1, len(tiles) + 1)
                for chosen in combinations(tiles, size)
                if sum(chosen) == total
            ]
            after[total] = min(left, default=float(sum(tiles)))
        two = sum(after[one + other] for one in range(1, 7) for other in range(1, 7)) / 36
        single = sum(after[face] for face in range(1, 7)) / 6
        free = one_die and not {7, 8, 9} & set(tiles)
        mean[tiles] = 0.0 if not tiles else min(single, two) if free else two
        assert shut_the_box.expected(tiles, one_die=one_die) == pytest.approx(mean[tiles], abs=1e-9)


def made(box: int, hand: tuple[int, ...]) -> bool:
    """Whether a hand makes a box: three of a face, or any points."""
    return hand.count(box) >= 3 if box <= 6 else box_points(box, list(hand), jokers=False) > 0


@pytest.mark.parametrize("box", [box for box in yacht.BOXES if box != yacht.CHOICE])
def test_yacht_chance_of_a_box_counts_every_throw_after_every_choice(box: int) -> None:
    hands = list({tuple(sorted(faces)) for faces in THROWN[5]})
    value = {hand: float(made(box, hand)) for hand in hands}
    goal = yacht.goal(box, joker=False)
    for throws in (1, 2):
        after = {
            kept: sum(value[tuple(sorted(kept + fresh))] for fresh in THROWN[5 - size]) / 6 ** (5 - size)
            for size in range(6)
            for kept in {tuple(sorted(faces)) for faces in THROWN[size]}
        }
        value = {
            hand: max(after[kept] for size in range(6) for kept in combinations(hand, size)) for hand in hands
        }
        for kept in list(after)[::5]:
            shown = tuple(sorted(kept, reverse=True))
            assert chance_after(goal, shown, throws) == pytest.approx(after[kept], abs=1e-9)
        for hand in hands:
            shown = tuple(sorted(hand, reverse=True))
            assert chances(goal, throws)[shown] == pytest.approx(value[hand], abs=1e-9)


@pytest.mark.parametrize("one_die", [False, True])
def test_shut_the_box_is_shut_with_the_best_play_from_every_position(one_die: bool) -> None:
    boxes = [tiles for size in range(1, 10) for tiles in combinations(range(1, 10), size)]
    shut: dict[tuple[int, ...], float] = {(): 1.0}
    for tiles in sorted(boxes, key=sum):
        after = {
            total: max(
                (
                    shut[tuple(tile for tile in tiles if tile not in chosen)]
                    for size in range(1, len(tiles) + 1)
                    for chosen in combinations(tiles, size)
                    if sum(chosen) == total
                ),
                default=0.0,
            )
            for total in range(1, 13)
        }
        two = sum(after[one + other] for one in range(1, 7) for other in range(1, 7)) / 36
        single = sum(after[face] for face in range(1, 7)) / 6
        shut[tiles] = max(single, two) if one_die and not {7, 8, 9} & set(tiles) else two
        assert shut_the_box.shuts_best(tiles, one_die=one_die) == pytest.approx(shut[tiles], abs=1e-12)


GAMES_AND_ODDS = [
    ("ten_thousand", [], ["Bust with 6 dice: 2.3 %"]),
    ("ten_thousand", [(1, 1, 5, 2, 3, 4)], [
        "Bust with 5 dice: 7.7 %", "Bust with 4 dice: 15.7 %", "Bust with 3 dice: 27.8 %",
    ]),
    ("ten_thousand", [(1, 1, 1, 5, 5, 5)], [
        *("Bust with 6 dice: 2.3 %", "Bust with 5 dice: 7.7 %", "Bust with 4 dice: 15.7 %"),
        *("Bust with 3 dice: 27.8 %", "Bust with 2 dice: 44.4 %", "Bust with one die: 66.7 %"),
    ]),
    ("yacht", [(6, 6, 6, 6, 6)], [
        *("Full house: 28.2 %", "At least 3 ones: 17.1 %", "At least 3 twos: 17.1 %"),
        *("At least 3 threes: 17.1 %", "At least 3 fours: 17.1 %", "At least 3 fives: 17.1 %"),
        *("High straight: 9.6 %", "Low straight: 8.9 %"),
    ]),
    ("shut_the_box", [], ["A throw of 2 dice fits: 100 %", "All tiles are shut: 9.8 %"]),
    ("shut_the_box", [(1, 2)], [
        "After 3: the next throw fits: 100 %", "After 2 1: the next throw fits: 97.2 %",
    ]),
    ("ship_captain_crew", [], ["The whole crew in this turn: 54.0 %"]),
    ("ship_captain_crew", [(6, 5, 4, 4, 4)], ["A throw beats 8: 27.8 %"]),
    ("mexico", [], []),
    ("mexico", [(3, 5)], ["Two dice beat 53: 55.6 %"]),
    ("mia", [], []),
    ("mia", [{"type": "call", "value": 66}], ["Two dice read 66 or more: 8.3 %", "Two dice beat 66: 5.6 %"]),
    ("midnight", [], ["A 1 and a 4 in the end: 95.7 %"]),
    ("bar_dice", [(6, 6, 2, 3, 4)], ["Better than 2 sixes: 92.3 %"]),
]  # fmt: skip


@pytest.mark.parametrize(("game", "requests", "told"), GAMES_AND_ODDS)
def test_a_game_tells_its_odds(game: str, requests: list[Any], told: list[str]) -> None:
    match = Match.new(game, ["ann", "bob"], {}, seed=1)
    for request in requests:
        if isinstance(request, dict):
            match = match.apply(Act("ann", request))
        else:
            match = match.apply(Dice(tuple(("d6", face) for face in request)))
    seat = match.prompt.to_json()["seat"]
    found = match.rules.words.odds(TableView(match.state(), seat, match.current.options))
    assert [f"{what}: {chance}" for what, chance in found] == told


def test_a_chance_is_that_of_counting_every_case() -> None:
    assert ship_captain_crew.crew_chance(0, 1) == pytest.approx(205 / 1296)
    assert ship_captain_crew.crew_chance(1, 2) == pytest.approx(48851 / 104976)
    assert ship_captain_crew.crew_chance(2, 1) == pytest.approx(91 / 216)
    assert ship_captain_crew.cargo_chance(6) == pytest.approx(7 / 12)
    assert ship_captain_crew.cargo_chance(9) == pytest.approx(1 / 6)
    assert two_dice.chance_above(54) == Fraction(1, 2)
    assert two_dice.chance_above(11) == Fraction(7, 36)
    assert midnight.qualifies(2, 2) == pytest.approx(5 / 36)
    assert midnight.qualifies(1, 2) == pytest.approx(91 / 216)
    assert midnight.qualifies(2, 4) == pytest.approx(20991751 / 30233088)
    assert shut_the_box.fits((1, 2, 9), 2) == pytest.approx(13 / 36)
    assert shut_the_box.fits((2, 5, 6), 1) == pytest.approx(1 / 2)
    assert chance_after(bar_dice.better_than((3, 5)), (), 1) == pytest.approx(307 / 972)
