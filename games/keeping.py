"""Dice that a player sets aside and throws again, and games in rounds: what several games share.

A selection of d6 is written as one number: its faces from high to low are the digits, so 5, 1 and 1 make 511
and no dice at all make 0. That way a `PickOffer` can offer selections.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from games.dice import Die, Kind
from games.game import best

D6: tuple[Kind, ...] = ("d6",)
KEEP = "keep"
"""The type of a `PickOffer` whose values are selections of the dice that lie on the table."""
HAND = 5
"""The number of dice in a hand."""
Faces = tuple[int, ...]
"""Faces of d6 from high to low."""


def number_of(faces: Iterable[int]) -> int:
    """The number of a selection: 1, 5 and 1 make 511; no faces make 0."""
    return int("".join(map(str, sorted(faces, reverse=True))) or "0")


def faces_of(number: int) -> tuple[int, ...]:
    """The faces of a selection, from high to low; none for 0."""
    return tuple(map(int, str(number))) if number else ()


def without(faces: Iterable[int], taken: Iterable[int]) -> tuple[int, ...]:
    """The faces that are left after `taken` are removed, from high to low. `taken` must be among them."""
    return tuple(sorted((Counter(faces) - Counter(taken)).elements(), reverse=True))


def selections(faces: Iterable[int]) -> tuple[int, ...]:
    """The number of every selection of these dice, with none and all of them, ascending."""
    return _selections(tuple(sorted(faces)))


@cache
def _selections(faces: tuple[int, ...]) -> tuple[int, ...]:
    # Sets drop the doubles: equal faces give equal subsets.
    subsets: set[tuple[int, ...]] = {()}
    for face in faces:
        subsets |= {(*subset, face) for subset in subsets}
    return tuple(sorted(map(number_of, subsets)))


def as_dice(faces: Iterable[int]) -> tuple[Die, ...]:
    """The faces as d6."""
    return tuple(("d6", face) for face in faces)


@cache
def throws(count: int) -> tuple[tuple[Faces, float], ...]:
    """Every throw of so many d6 with its probability."""
    ways: Counter[Faces] = Counter({(): 1})
    for _ in range(count):
        further: Counter[Faces] = Counter()
        for faces, times in ways.items():
            for face in range(1, 7):
                further[tuple(sorted((*faces, face), reverse=True))] += times
        ways = further
    return tuple((faces, times / 6**count) for faces, times in ways.items())


@cache
def choices(hand: Faces) -> tuple[Faces, ...]:
    """Every selection of these dice as faces, with none and all of them."""
    return tuple(map(faces_of, selections(hand)))


@cache
def hands_after(faces: Faces) -> tuple[tuple[Faces, float], ...]:
    """Every hand that the throw of its other dice beside these may make, with its probability."""
    fresh = throws(HAND - len(faces))
    return tuple((tuple(sorted((*faces, *others), reverse=True)), chance) for others, chance in fresh)


def chance_after(goal: frozenset[Faces], faces: Faces, left: int) -> float:
    """The chance of a hand in `goal` if these dice are kept, with `left` throws of the others, at least one.

    The player keeps the best dice for this goal after each throw.
    """
    later = chances(goal, left - 1)
    return sum(chance * later[hand] for hand, chance in hands_after(faces))


@lru_cache(maxsize=256)
def chances(goal: frozenset[Faces], left: int) -> Mapping[Faces, float]:
    """The chance that each hand becomes one in `goal` after at most `left` further throws."""
    hands = [hand for hand, _ in throws(HAND)]
    if not left:
        return {hand: float(hand in goal) for hand in hands}
    after = {
        faces: chance_after(goal, faces, left) for count in range(HAND + 1) for faces, _ in throws(count)
    }
    return {hand: max(after[faces] for faces in choices(hand)) for hand in hands}


def award(seats: Sequence[str], scores: Sequence[int], stake: int) -> tuple[str | None, int]:
    """The winner of a round with the highest score, and the stake of the next round.

    If several seats share the highest score, nobody wins, and the next round is worth one point more.
    """
    ahead = best(seats, scores)
    return (ahead[0], 1) if len(ahead) == 1 else (None, stake + 1)
