"""The ranks of two d6 in Mexico and Mia: 21 is highest, then the doubles, then 65 down to 31."""

from collections.abc import Iterable
from fractions import Fraction

TOP = 21
"""A 2 and a 1: Mexico, or Mia."""
DOUBLES = (11, 22, 33, 44, 55, 66)
SINGLES = (31, 32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65)
RANKS = (*SINGLES, *DOUBLES, TOP)
"""Every reading of two dice, from the lowest rank to the highest."""
RANK = {reading: rank for rank, reading in enumerate(RANKS)}


def reading(faces: Iterable[int]) -> int:
    """Two faces as a number, the higher one first: 3 and 5 read 53."""
    high, low = sorted(faces, reverse=True)
    return 10 * high + low


def chance_of_at_least(call: int) -> Fraction:
    """The probability that two fresh dice rank as high as the call, or higher."""
    ways = {rank: 1 if rank in DOUBLES else 2 for rank in RANKS}
    return Fraction(sum(ways[rank] for rank in RANKS[RANK[call] :]), 36)


def chance_above(shown: int) -> Fraction:
    """The probability that two fresh dice rank higher than this reading."""
    return chance_of_at_least(RANKS[RANK[shown] + 1]) if shown != TOP else Fraction(0)
