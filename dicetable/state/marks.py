"""Where the dice of a throw are in its picture, and how to play the strip of its motion.

The boxes are those of the ledger's row, in pixels of the frame; the picture itself stores which part of the
frame it shows. Both belong to the same row for good, so a mark cannot be displaced from its die.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dicetable.ledger.pictures import note_of
from dicetable.table.baseline import closeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dicetable.ledger.entries import DiceInTray, LyingDie
    from games.dice import Die
    from games.requests import JsonObject
    from vision.reading import Box


def boxes_of(dice: Sequence[Die], lying: DiceInTray, before: DiceInTray) -> tuple[Box, ...]:
    """The box of each die of a throw, in pixels of the frame; empty if the match is ambiguous.

    Args:
        dice: the dice that count, in the order in which they appear in `lying`.
        lying: all dice in the tray; one that was confirmed has no kind and no value there.
        before: the dice that lay there at the last accepted throw; those still there were not thrown. None if
            that is unknown.
    """
    there = list(before or ())
    fresh: list[LyingDie] = []
    for die in lying or ():
        same = [old for old in there if unmoved(die, old)]
        if same:
            there.remove(max(same, key=partial(closeness, die)))
        else:
            fresh.append(die)
    first = found_in_order(dice, fresh)
    last = found_in_order(dice[::-1], fresh[::-1])[::-1]
    return tuple(die.box for die in first) if len(first) == len(dice) and first == last else ()


def unmoved(die: LyingDie, old: LyingDie) -> bool:
    """Whether it is the same die, at the same position with the same face up."""
    known = die.value is not None and old.value is not None
    return closeness(die, old) >= 1 and (not known or (die.kind, die.value) == (old.kind, old.value))


def found_in_order(dice: Iterable[Die], lying: Sequence[LyingDie]) -> list[LyingDie]:
    """For each of the dice, the first of those in the tray that it can be, one after the other."""
    left = iter(lying)
    found: list[LyingDie] = []
    for wanted in dice:
        die = next((die for die in left if die.value is None or (die.kind, die.value) == wanted), None)
        if die is not None:
            found.append(die)
    return found


def marks(boxes: Iterable[Box], picture: bytes, motion: bytes) -> JsonObject:
    """The data to show a picture with: the boxes as fractions of it, and the frames of the strip.

    Returns:
        `boxes`: left, top, width and height of each die of the throw, in order, as fractions of the picture's
        width and height; empty if they are not known. `motion`: `columns` and `seconds` of the strip, each
        frame's time before the dice came to rest; None if there is no strip.
    """
    shows = numbers(note_of(picture).get("shows"))
    placed: list[list[float]] = []
    if len(shows) == 4 and shows[2] > 0 and shows[3] > 0:
        left, top, wide, high = shows
        placed = [
            [round(part, 4) for part in ((x - left) / wide, (y - top) / high, w / wide, h / high)]
            for x, y, w, h in boxes
        ]
    note = note_of(motion)
    columns, seconds = note.get("columns"), numbers(note.get("seconds"))
    known = type(columns) is int and columns > 0 and seconds
    return {"boxes": placed, "motion": {"columns": columns, "seconds": seconds} if known else None}


def numbers(value: Any) -> list[float]:
    """The list of numbers; empty if it is not one."""
    known = isinstance(value, list) and all(type(each) in (int, float) for each in value)
    return list(value) if known else []
