"""The odds by which the sharp players of the old games decide, each compared with counting every case."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import pytest

from games import shut_the_box, ten_thousand, yacht
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
