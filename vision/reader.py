"""Reads the dice in one frame. This is the only door from pixels to dice; every command goes through it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.any_dice import read_any_dice
from vision.boxes import touch
from vision.objects import changed, find_objects
from vision.reading import Box, DieReading, Image, Reading

if TYPE_CHECKING:
    from vision.enrolment import OwnDice

SIZE_MM = (7.0, 40.0)
"""Dice are sold from 7 to 40 mm; what measures less or more is not taken for one without a second look."""
DOUBT = 0.3
"""Confidence that is left of a value when something about its place or size contradicts it."""


def read_dice(
    frame: Image, empty: Image | None = None, tray_mm: float | None = None, own: OwnDice | None = None
) -> Reading:
    """The dice in a frame.

    Args:
        frame: uint8, H×W×3, BGR.
        empty: the same view without dice; what did not change since is not taken for a die, what did
            change and is not read is reported as a doubtful die.
        tray_mm: the width of the scene that the frame spans; sizes that no die has are then doubted.
        own: the table's own dice; they are known again, and a stranger's die is not sure.

    Returns:
        Each die once, doubtful ones too. A value that is `sure` may be played.
    """
    dice = read_any_dice(frame, own)
    things = find_objects(frame, empty) if empty is not None else []
    if empty is not None:
        dice = [die if changed(frame, empty, die.box) else doubted(die) for die in dice]
    if tray_mm is not None:
        mm = tray_mm / frame.shape[1]
        dice = [
            die if SIZE_MM[0] <= max(die.box[2:]) * mm <= 1.5 * SIZE_MM[1] else doubted(die) for die in dice
        ]
    dice += [unread(thing) for thing in things if not any(touch(thing, die.box) for die in dice)]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def doubted(die: DieReading) -> DieReading:
    """The die, no longer sure."""
    return replace(die, sure=False, confidence=min(die.confidence, DOUBT))


def unread(thing: Box) -> DieReading:
    """Something that may be a die of any kind."""
    return DieReading(kind=None, value=None, confidence=0.0, sure=False, box=thing)
