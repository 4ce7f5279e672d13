"""Seats in a ring, by index in list order: "left" is the next index, wrapping around."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence


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
    """The tuple with one value replaced."""
    items = list(values)
    items[index] = value
    return tuple(items)
