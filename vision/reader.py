"""Reads the dice in one frame. This is the only door from pixels to dice; every command goes through it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.detection.boxes import touch
from vision.detection.foreground import PART_CHANGED, find_objects, part_changed
from vision.reading import Box, DieReading, Image, Reading
from vision.recognition.doubts import read_any_dice
from vision.recognition.recognizer import ignore_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vision.recognition.enrolled import OwnDice

SIZE_MM = (7.0, 40.0)
"""Dice are sold from 7 to 40 mm; what measures less or more is not taken for one without a second look."""
PART_SAME = 0.03
"""Part of a doubtful die's box up to which nothing changed; of a die like its cloth the signs are more."""
DOUBT = 0.3
"""Confidence that is left of a value when something about its place or size contradicts it."""


def read_dice(
    frame: Image,
    empty: Image | None = None,
    tray_mm: float | None = None,
    own: OwnDice | None = None,
    progress: Callable[[], None] = ignore_progress,
) -> Reading:
    """The dice in a frame.

    Args:
        frame: uint8, H×W×3, BGR.
        empty: the same view without dice; what did not change since is no die, or a doubtful one if it is
            surely read (then it may be the picture that is wrong); what did change and is not read is
            reported as a doubtful die.
        tray_mm: the width of the scene that the frame spans; sizes that no die has are then doubted.
        own: the table's own dice; they are known again, and a stranger's die is not sure.
        progress: called between dice, for whoever must tell slow from stuck.

    Returns:
        Each die once, doubtful ones too. A value that is `sure` may be played.
    """
    dice = read_any_dice(frame, own, progress)
    things = find_objects(frame, empty) if empty is not None else []
    if empty is not None:
        dice = since(frame, empty, dice)
    if tray_mm is not None:
        mm = tray_mm / frame.shape[1]
        dice = [
            die if SIZE_MM[0] <= max(die.box[2:]) * mm <= 1.5 * SIZE_MM[1] else doubted(die) for die in dice
        ]
    dice += [unread(thing) for thing in things if not any(touch(thing, die.box) for die in dice)]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def since(frame: Image, empty: Image, dice: Iterable[DieReading]) -> list[DieReading]:
    """The dice as they are where the picture without them differs; elsewhere doubted, or left out."""
    kept = []
    for die in dice:
        part = part_changed(frame, empty, die.box)
        if part > PART_CHANGED:
            kept.append(die)
        elif die.sure or part > PART_SAME:
            kept.append(doubted(die))
    return kept


def doubted(die: DieReading) -> DieReading:
    """The die, no longer sure."""
    return replace(die, sure=False, confidence=min(die.confidence, DOUBT))


def unread(thing: Box) -> DieReading:
    """Something that may be a die of any kind."""
    return DieReading(kind=None, value=None, confidence=0.0, sure=False, box=thing)
