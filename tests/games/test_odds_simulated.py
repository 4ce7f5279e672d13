"""The odds of the old games beside two million simulated throws or turns of each, within 0.1 %."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from games import bar_dice, midnight, ship_captain_crew, shut_the_box, ten_thousand, two_dice, yacht
from games.keeping import HAND, chance_after, chances, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Faces = tuple[int, ...]

pytestmark = pytest.mark.slow

MILLION = 1_000_000
MILLIONS = 2
"""A chance of one half then has a standard deviation of 0.035 %."""
WITHIN = 0.001
SEED = 58


def rates(million: Callable[[np.random.Generator], Flags]) -> float:
    """How often something comes, in all the millions."""
    chance = np.random.default_rng(SEED)
    return float(np.mean([million(chance).mean() for _ in range(MILLIONS)]))


def thrown(chance: np.random.Generator, dice: int) -> NDArray[np.int8]:
    """A million throws of so many dice."""
    return chance.integers(1, 7, size=(MILLION, dice), dtype=np.int8)


@pytest.mark.parametrize(("straight", "three_pairs"), [(1500, 1500), (0, 0)])
@pytest.mark.parametrize("dice", range(1, 7))
def test_ten_thousand_busts_as_often_as_it_says(dice: int, straight: int, three_pairs: int) -> None:
    def busts(chance: np.random.Generator) -> Flags:
        faces = thrown(chance, dice)
        counts = np.stack([(faces == face).sum(axis=1) for face in range(1, 7)], axis=1)
        scores = (counts[:, 0] > 0) | (counts[:, 4] > 0) | (counts >= 3).any(axis=1)
        if three_pairs:
            scores |= (counts == 2).sum(axis=1) == 3
        return ~scores

    assert rates(busts) == pytest.approx(ten_thousand.bust(dice, straight, three_pairs), abs=WITHIN)


ORDERED = list(product(range(1, 7), repeat=HAND))
PLACES = 6 ** np.arange(HAND)[::-1]


def hands() -> Iterator[tuple[Faces, Faces]]:
    """Every throw of five dice as it lies, and as a hand from high to low."""
    return ((faces, tuple(sorted(faces, reverse=True))) for faces in ORDERED)


def keeps(goal: frozenset[Faces], left: int) -> Flags:
    """For each throw of five dice, which are kept for the goal with so many further throws."""
    table = np.zeros((len(ORDERED), HAND), dtype=np.bool_)
    best_of: dict[Faces, Faces] = {}
    for row, (faces, hand) in enumerate(hands()):
        if hand not in best_of:
            best_of[hand] = max((chance_after(goal, kept, left), kept) for kept in choices(hand))[1]
        best = list(best_of[hand])
        for place, face in enumerate(faces):
            if face in best:
                best.remove(face)
                table[row, place] = True
    return table


def reached(goal: frozenset[Faces], throws: int) -> float:
    """How often a turn of so many throws ends in the goal, if the dice are kept that the odds advise."""
    made = np.array([hand in goal for _, hand in hands()])
    tables = [keeps(goal, left) for left in range(throws - 1, 0, -1)]

    def ends_well(chance: np.random.Generator) -> Flags:
        dice = thrown(chance, HAND)
        for table in tables:
            kept = table[(dice - 1) @ PLACES] | made[(dice - 1) @ PLACES][:, None]
            dice = np.where(kept, dice, thrown(chance, HAND))
        found: Flags = made[(dice - 1) @ PLACES]
        return found

    return rates(ends_well)


@pytest.mark.parametrize("box", [3, *range(yacht.FULL_HOUSE, yacht.CHOICE), yacht.YACHT])
def test_yacht_makes_a_box_as_often_as_it_says(box: int) -> None:
    goal = yacht.goal(box, joker=False)
    assert reached(goal, 3) == pytest.approx(chance_after(goal, (), 3), abs=WITHIN)


@pytest.mark.parametrize("throws", [1, 3])
def test_bar_dice_beat_a_hand_as_often_as_they_say(throws: int) -> None:
    goal = bar_dice.better_than((3, 5))
    assert reached(goal, throws) == pytest.approx(chance_after(goal, (), throws), abs=WITHIN)


@pytest.mark.parametrize("one_die", [False, True])
def test_shut_the_box_is_shut_as_often_as_it_says(one_die: bool) -> None:
    """A million boxes at a time; bit n of a box is set while tile n + 1 is open."""
    dice_for = np.full(512, 2)
    after = np.full((512, 13), -1)
    for box in range(1, 512):
        tiles = tuple(tile for tile in shut_the_box.TILES if box >> (tile - 1) & 1)
        dice_for[box] = max(
            shut_the_box.counts(tiles, one_die=one_die),
            key=lambda dice, tiles=tiles: shut_the_box.shuts(tiles, dice, one_die=one_die),  # type: ignore[misc]
        )
        for total in range(1, 13):
            left = [shut_the_box.left_open(tiles, value) for value in shut_the_box.ways(tiles, total)]
            if left:
                best = max(left, key=lambda tiles: shut_the_box.shuts_best(tiles, one_die=one_die))
                after[box, total] = sum(1 << (tile - 1) for tile in best)

    def shuts(chance: np.random.Generator) -> Flags:
        boxes = np.full(MILLION, 511)
        while True:
            playing = boxes > 0
            if not playing.any():
                found: Flags = boxes == 0
                return found
            faces = thrown(chance, 2)
            totals = faces[:, 0] + np.where(dice_for[boxes] == 2, faces[:, 1], 0)
            boxes[playing] = after[boxes[playing], totals[playing]]

    expected = shut_the_box.shuts(shut_the_box.TILES, 2, one_die=one_die)
    assert rates(shuts) == pytest.approx(expected, abs=WITHIN)


@pytest.mark.parametrize(("tiles", "dice"), [((1, 2, 9), 2), ((2, 5, 6), 1)])
def test_a_throw_fits_the_tiles_as_often_as_it_says(tiles: Faces, dice: int) -> None:
    sums = {0}
    for tile in tiles:
        sums |= {one + tile for one in sums}

    def fits(chance: np.random.Generator) -> Flags:
        found: Flags = np.isin(thrown(chance, dice).sum(axis=1), list(sums))
        return found

    assert rates(fits) == pytest.approx(shut_the_box.fits(tiles, dice), abs=WITHIN)


@pytest.mark.parametrize("throws", [1, 3])
def test_the_crew_is_found_as_often_as_it_says(throws: int) -> None:
    def found(chance: np.random.Generator) -> Flags:
        kept = np.zeros(MILLION, dtype=np.int8)
        for _ in range(throws):
            faces, before = thrown(chance, 5), kept.copy()
            for at, needed in enumerate((6, 5, 4)):
                # Those that were kept before are not thrown: the first of the five stand for them.
                there = (faces == needed) & (np.arange(5) >= before[:, None])
                kept[(kept == at) & there.any(axis=1)] += 1
        found: Flags = kept == 3
        return found

    assert rates(found) == pytest.approx(ship_captain_crew.crew_chance(0, throws), abs=WITHIN)


@pytest.mark.parametrize("to_beat", [2, 6, 9])
def test_a_cargo_is_beaten_as_often_as_it_says(to_beat: int) -> None:
    share = rates(lambda chance: thrown(chance, 2).sum(axis=1) > to_beat)
    assert share == pytest.approx(ship_captain_crew.cargo_chance(to_beat), abs=WITHIN)


@pytest.mark.parametrize("shown", [54, 11, 66])
def test_two_dice_beat_a_reading_as_often_as_it_says(shown: int) -> None:
    def ranks(high: NDArray[np.int8], low: NDArray[np.int8]) -> NDArray[np.int_]:
        rank = 10 * high.astype(int) + low + 100 * (high == low)
        return np.where((high == 2) & (low == 1), 1000, rank)

    def beats(chance: np.random.Generator) -> Flags:
        faces = np.sort(thrown(chance, 2), axis=1)
        mark = ranks(np.array([shown // 10], dtype=np.int8), np.array([shown % 10], dtype=np.int8))
        return np.asarray(ranks(faces[:, 1], faces[:, 0]) > mark, dtype=np.bool_)

    assert rates(beats) == pytest.approx(two_dice.chance_above(shown), abs=WITHIN)


@pytest.mark.parametrize("dice", [2, 4, 6])
def test_a_one_and_a_four_come_as_often_as_midnight_says(dice: int) -> None:
    def comes(chance: np.random.Generator) -> Flags:
        left = np.full(MILLION, dice)
        has = np.zeros((MILLION, 2), dtype=np.bool_)
        for _ in range(dice):
            faces = thrown(chance, dice)
            lies = np.arange(dice) < left[:, None]
            seen = np.stack([((faces == face) & lies).any(axis=1) for face in (1, 4)], axis=1) & ~has
            # Each needed die that was thrown is kept, or else any one.
            left -= np.maximum(1, seen.sum(axis=1))
            has |= seen
        return has[:, 0] & has[:, 1]

    assert rates(comes) == pytest.approx(midnight.qualifies(2, dice), abs=WITHIN)


def test_every_chance_of_a_hand_is_one_of_a_best_choice() -> None:
    goal = yacht.goal(yacht.YACHT, joker=False)
    for _, hand in list(hands())[::500]:
        best = max(chance_after(goal, kept, 2) for kept in choices(hand))
        assert chances(goal, 2)[hand] == best
