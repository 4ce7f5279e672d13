"""Seats in a ring, by index in list order: "left" is the next index, wrapping around. And who goes first."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass


def clockwise(start: int, seats: int) -> list[int]:
    """Every seat once, beginning with `start`."""
    return [*range(start, seats), *range(start)]


def next_left(seat: int, seats: int, among: Container[int]) -> int:
    """The first of `among` to the left of `seat`, `seat` itself last. Raises ValueError if there is none."""
    for other in clockwise((seat + 1) % seats, seats):
        if other in among:
            return other
    raise ValueError("no seat to choose from")


def best(seats: Sequence[str], scores: Sequence[int]) -> tuple[str, ...]:
    """The seats with the highest score, in seat order."""
    top = max(scores)
    return tuple(seat for seat, score in zip(seats, scores, strict=True) if score == top)


def with_item(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    items = list(values)
    items[index] = value
    return tuple(items)


@dataclass(frozen=True, slots=True)
class RollOff:
    """Seats still to throw, the next one first, and the (score, seat) of those that have thrown."""

    waiting: tuple[int, ...]
    thrown: tuple[tuple[int, int], ...] = ()

    @property
    def thrower(self) -> int:
        return self.waiting[0]

    def after(self, score: int) -> RollOff | int:
        """The roll-off after the next seat threw `score`, or the seat that won it."""
        thrown = (*self.thrown, (score, self.thrower))
        if len(self.waiting) > 1:
            return RollOff(self.waiting[1:], thrown)
        top = max(thrown)[0]
        tied = tuple(seat for score, seat in thrown if score == top)
        return tied[0] if len(tied) == 1 else RollOff(tied)
