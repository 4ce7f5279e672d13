"""Reads the dice in one frame. This is the only door from pixels to dice; every command goes through it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.detection.boxes import touch
from vision.detection.foreground import find_objects, part_changed
from vision.reading import Box, DieReading, Doubt, Image, Reading
from vision.recognition import doubts
from vision.recognition.judgement import read_any_dice
from vision.recognition.recognizer import ignore_progress
from vision.settings import DoubtSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vision.recognition.enrolled import OwnDice


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
    settings = DoubtSettings()
    dice = read_any_dice(frame, settings, own, progress)
    things = find_objects(frame, empty) if empty is not None else []
    if empty is not None:
        dice = since(frame, empty, dice, settings)
    if tray_mm is not None:
        mm = tray_mm / frame.shape[1]
        dice = [
            contradicted(die, Doubt.ODD_SIZE, settings)
            if doubts.has_impossible_size(max(die.box[2:]) * mm, settings)
            else die
            for die in dice
        ]
    dice += [unread(thing) for thing in things if not any(touch(thing, die.box) for die in dice)]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def since(
    frame: Image, empty: Image, dice: Iterable[DieReading], settings: DoubtSettings
) -> list[DieReading]:
    """The dice as they are where the picture without them differs; elsewhere doubted, or left out."""
    kept = []
    for die in dice:
        part = part_changed(frame, empty, die.box)
        if not doubts.is_part_of_the_tray(part, settings):
            kept.append(die)
        elif die.sure or part > settings.same_part:
            kept.append(contradicted(die, Doubt.PART_OF_THE_TRAY, settings))
    return kept


def contradicted(die: DieReading, doubt: Doubt, settings: DoubtSettings) -> DieReading:
    """The die with a doubt, unless it has one, and little confidence."""
    confidence = min(die.confidence, settings.contradicted_confidence)
    return replace(die, doubt=die.doubt or doubt, confidence=confidence)


def unread(thing: Box) -> DieReading:
    """Something that may be a die of any kind."""
    return DieReading(kind=None, value=None, confidence=0.0, box=thing, doubt=Doubt.NOT_READ)
