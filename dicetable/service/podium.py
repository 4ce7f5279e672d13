"""The end of a game: who came where, its best throw, and a line about the dice."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import factorial, prod, sqrt
from statistics import mean, pvariance
from typing import Final

from common import texts
from common.snapshot import Podium
from dicetable.service.throws import ListedThrow
from games.dice import VALUES, Die, Kind
from games.game import no_cups
from games.match import Match
from games.words import amount

MOST_LIKELY: Final = 0.1
"""The most likely throw that can be the best of a game."""
MOST_DICE: Final = 20
"""Most dice of a combination: people don't remember larger ones, and counting them takes long."""
LEAST_THROWS: Final = 3
"""Fewer throws of a seat say nothing about its luck."""


def podium(
    match: Match,
    winners: Sequence[str],
    scores: Mapping[str, str],
    throws: Sequence[ListedThrow],
    lasted: Mapping[str, int],
) -> Podium:
    """The seats with their rank from 1, best first, the best throw of the game, and a line about it.

    `scores` are the scores of the seats as people read them, `throws` those of the whole game, `lasted` is
    that of `MatchThrows`. `best` is the least likely throw of one seat: of those that add up to much where
    that is good, else the rarest combination (`rare`). It is None if none is rarer than MOST_LIKELY. `chance`
    is how many throws of these dice it takes to see as much, or as rare a combination, once.
    """
    rare = not match.rules.words.more_is_better
    of = rarity if rare else chance
    ranked_throws = [(of(throw.dice), throw) for throw in throws if throw.seat]
    likely, best = min(ranked_throws, key=lambda pair: pair[0], default=(1.0, None))
    if likely > MOST_LIKELY:
        best = None
    return {
        "places": [{"name": seat, "rank": rank} for seat, rank in ranked(winners, scores, lasted)],
        "best": best.to_json() if best is not None else None,
        "chance": round(1 / likely) if best is not None else 0,
        "rare": rare,
        "line": line(match, winners, throws),
    }


def ranked(
    winners: Sequence[str], scores: Mapping[str, str], lasted: Mapping[str, int]
) -> list[tuple[str, int]]:
    """The seats and their ranks: winners first, and those with equal scores share a rank.

    Whether more or less is better shows in the winners' scores; if neither, all others come second. Where
    more is better, those who have lost all that they began with are ranked by how long they `lasted`.
    """
    values = {seat: amount(score) for seat, score in scores.items()}
    others = [values[seat] for seat in values if seat not in winners]
    won = [values[seat] for seat in winners]
    sign = 0
    if others and won:
        sign = 1 if min(won) >= max(others) else -1 if max(won) <= min(others) else 0
    keys = {
        seat: (
            seat not in winners,
            -sign * values[seat],
            -lasted.get(seat, 0) if sign > 0 and not values[seat] else 0,
        )
        for seat in values
    }
    order = sorted(keys, key=lambda seat: keys[seat])
    return [(seat, 1 + sum(keys[rival] < keys[seat] for rival in keys)) for seat in order]


@lru_cache(maxsize=1024)
def chance(dice: tuple[Die, ...]) -> float:
    """The chance that fair dice of these kinds add up to as much or more."""
    sums = {0: 1.0}
    for kind, _ in dice:
        after: defaultdict[int, float] = defaultdict(float)
        for total, part in sums.items():
            for face in VALUES[kind]:
                after[total + face] += part / len(VALUES[kind])
        sums = after
    least = sum(face for _, face in dice)
    return sum(part for total, part in sums.items() if total >= least)


@lru_cache(maxsize=1024)
def rarity(dice: tuple[Die, ...]) -> float:
    """The chance that fair dice of these kinds show as rare a combination of faces; 1 if all are as rare."""
    if len(dice) > MOST_DICE:
        return 1.0
    by_kind: defaultdict[Kind, Counter[int]] = defaultdict(Counter)
    for kind, face in dice:
        by_kind[kind][face] += 1
    shown = prod(orders(tuple(faces.values())) for faces in by_kind.values())
    every = {1: 1.0}
    for kind, faces in by_kind.items():
        after: defaultdict[int, float] = defaultdict(float)
        for ways, part in every.items():
            for count, share in ways_of(faces.total(), len(VALUES[kind])).items():
                after[ways * count] += part * share
        every = after
    return sum(share for ways, share in every.items() if ways <= shown)


def ways_of(count: int, faces: int) -> dict[int, float]:
    """The shares of throws of equal dice, by the number of orders that give the same combination."""
    shares: defaultdict[int, float] = defaultdict(float)
    for groups in partitions(count, faces):
        alike = [*Counter(groups).values(), faces - len(groups)]
        shares[orders(groups)] += orders(groups) * orders(tuple(alike)) / faces**count
    return shares


def partitions(count: int, most: int, largest: int = 0) -> Iterator[tuple[int, ...]]:
    """The ways to split `count` dice into at most `most` groups of the same face, the largest first."""
    if not count:
        yield ()
    elif most:
        for size in range(min(count, largest or count), 0, -1):
            for others in partitions(count - size, most - 1, size):
                yield (size, *others)


def orders(groups: Sequence[int]) -> int:
    """The number of orders of dice of which so many show the same face, for each group of equal faces."""
    return factorial(sum(groups)) // prod(map(factorial, groups))


def line(match: Match, winners: Sequence[str], throws: Sequence[ListedThrow]) -> str:
    """A line about the dice and the winner; empty if several won, or one played alone."""
    if len(winners) != 1 or len(match.seats) < 2:
        return ""
    if match.rules.cups is not no_cups:
        return texts.gateway.lies_best(winners[0])
    if not match.rules.words.more_is_better:
        return ""
    thrown = defaultdict(list)
    for throw in throws:
        thrown[throw.seat].append(throw)
    luck = {
        seat: luck_of(own_throws) for seat, own_throws in thrown.items() if len(own_throws) >= LEAST_THROWS
    }
    if winners[0] not in luck or len(luck) < 2:
        return ""
    luckiest = max(luck, key=lambda seat: luck[seat])
    return texts.gateway.luckiest(luckiest, winners[0])


def luck_of(throws: Sequence[ListedThrow]) -> float:
    """How far these throws add up to more than fair dice do on average, in standard deviations."""
    dice = [(VALUES[kind], face) for throw in throws for kind, face in throw.dice]
    more = sum(face - mean(values) for values, face in dice)
    return more / sqrt(sum(pvariance(values) for values, _ in dice))
