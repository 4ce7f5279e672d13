"""Dice that a player sets aside, and games in rounds: what several games share.

A selection of d6 is written as one number: its faces from high to low are the digits, so 5, 1 and 1 make 511
and no dice at all make 0. That way a `PickOffer` can offer selections.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from games.dice import Die, Kind
from games.game import best

D6: tuple[Kind, ...] = ("d6",)
KEEP = "keep"
"""The type of a `PickOffer` whose values are selections of the dice that lie on the table."""


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
    kept: set[tuple[int, ...]] = {()}
    for face in faces:
        kept |= {(*others, face) for others in kept}
    return tuple(sorted(map(number_of, kept)))


def as_dice(faces: Iterable[int]) -> tuple[Die, ...]:
    """The faces as d6."""
    return tuple(("d6", face) for face in faces)


def award(seats: Sequence[str], scores: Sequence[int], stake: int) -> tuple[str | None, int]:
    """The winner of a round with the highest score, and the stake of the next round.

    If several seats share the highest score, nobody wins, and the next round is worth one point more.
    """
    ahead = best(seats, scores)
    return (ahead[0], 1) if len(ahead) == 1 else (None, stake + 1)
