"""Agrees over several still frames: a die counts as sure only if every frame says the same of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.detection.boxes import iou
from vision.reading import DieReading, Doubt, Reading
from vision.recognition.doubts import differs_between_frames

if TYPE_CHECKING:
    from collections.abc import Sequence


def consensus(readings: Sequence[Reading], same_iou: float) -> Reading:
    """One reading out of readings of the same still dice.

    A die is sure if it is sure, with the same kind and value, in each of them; its confidence is the lowest.
    What only some of them saw is doubtful.

    Raises:
        ValueError: there is no reading.
    """
    if not readings:
        raise ValueError("there is nothing to agree on")
    first, *others = readings
    dice = [over_frames(die, [same_die(die, other, same_iou) for other in others]) for die in first.dice]
    for number, other in enumerate(others):
        before = readings[: number + 1]
        dice += [
            die if die.doubt else replace(die, doubt=Doubt.FRAMES_DISAGREE)
            for die in other.dice
            if all(same_die(die, earlier, same_iou) is None for earlier in before)
        ]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def over_frames(die: DieReading, again: Sequence[DieReading | None]) -> DieReading:
    """The die as all looks at it have it; not sure where they differ."""
    seen = [look for look in again if look is not None]
    confidence = min([die.confidence, *(look.confidence for look in seen)])
    doubt = next((look.doubt for look in (die, *seen) if look.doubt is not None), None)
    if doubt is None and differs_between_frames(die, again):
        doubt = Doubt.FRAMES_DISAGREE
    return replace(die, doubt=doubt, confidence=confidence)


def same_die(die: DieReading, reading: Reading, same_iou: float) -> DieReading | None:
    """The die of the reading that lies where this one does, if any."""
    best = max(reading.dice, key=lambda other: iou(die.box, other.box), default=None)
    return best if best is not None and iou(die.box, best.box) >= same_iou else None
