"""Hand-made readings for tests of their consumers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from games.dice import Kind
    from vision.reading import Box


def place(number: int) -> Box:
    """A box of its own for each number."""
    return (60 * (number % 10), 60 * (number // 10), 40, 40)


def die(
    value: int | None, at: int, *, kind: Kind | None = "d6", sure: bool = True, cocked: bool = False
) -> DieReading:
    """A die at a numbered place."""
    sure = sure and value is not None and not cocked
    doubt = None if sure else Doubt.COCKED if cocked else Doubt.LOW_CONFIDENCE
    return DieReading(kind, value, 0.9 if sure else 0.3, place(at), doubt)


def lie(*values: int, start: int = 0) -> Reading:
    """Sure d6 side by side, from the place `start` on."""
    return Reading(tuple(die(value, start + i) for i, value in enumerate(values)))


def unread(count: int, *others: Kind) -> Reading:
    """So many dice of unknown kind, then one sure die of each of the others that shows a 1."""
    things = [DieReading(None, None, 0.1, place(i), Doubt.NOT_READ) for i in range(count)]
    return Reading((*things, *(die(1, count + i, kind=kind) for i, kind in enumerate(others))))


def together(*readings: Reading) -> Reading:
    """All of their dice."""
    return Reading(tuple(die for reading in readings for die in reading.dice))
