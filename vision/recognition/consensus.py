"""Combines the readings of the same dice in several frames by their evidence; a faint one is no veto."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vision.detection.boxes import iou
from vision.reading import DieReading, Doubt, Reading
from vision.recognition.confidence import logit
from vision.recognition.doubts import differs_between_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind

OF_ONE_FRAME = (None, Doubt.LOW_CONFIDENCE)
"""Doubts that other frames may settle: all others are of the die and not of the frame."""


def consensus(readings: Sequence[Reading], same_iou: float, least_confidence: float) -> Reading:
    """One reading out of readings of the same still dice.

    A die has the value that is likeliest over all readings, with the mean of its logits. It is sure if that
    makes its confidence `least_confidence`, each frame shows it, none has another doubt of it, and none holds
    another value for likelier than not. What only some of them saw is doubtful. A die that is cocked has no
    value if one of them shows that plainly.

    Raises:
        ValueError: there is no reading.
    """
    if not readings:
        raise ValueError("there is nothing to agree on")
    first, *others = readings
    dice = [
        over_frames(die, [same_die(die, other, same_iou) for other in others], least_confidence)
        for die in first.dice
    ]
    for number, other in enumerate(others):
        before = readings[: number + 1]
        dice += [
            die if die.doubt else replace(die, doubt=Doubt.FRAMES_DISAGREE)
            for die in other.dice
            if all(same_die(die, earlier, same_iou) is None for earlier in before)
        ]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def over_frames(die: DieReading, again: Sequence[DieReading | None], least_confidence: float) -> DieReading:
    """The die by all readings of it."""
    if not again:
        return die
    readings = [die, *(reading for reading in again if reading is not None)]
    doubt = next((reading.doubt for reading in readings if reading.doubt not in OF_ONE_FRAME), None)
    best, confidence = likeliest(readings)
    if doubt is None and differs_between_frames(best, [die, *again]):
        doubt = Doubt.FRAMES_DISAGREE
    if doubt is None and (best.value is None or confidence < least_confidence):
        doubt = Doubt.LOW_CONFIDENCE
    plainly_cocked = doubt is Doubt.COCKED and any(one.cocked and one.value is None for one in readings)
    value = None if plainly_cocked else best.value
    return replace(best, value=value, box=die.box, doubt=doubt, confidence=confidence)


def likeliest(readings: Sequence[DieReading]) -> tuple[DieReading, float]:
    """The reading that is surest of the likeliest value, and the confidence in that over all readings.

    A reading of another value leaves this one half of what it is not sure of.
    """
    by_value: dict[tuple[Kind | None, int | None], list[DieReading]] = defaultdict(list)
    for reading in readings:
        by_value[reading.kind, reading.value].append(reading)

    def mean(value: tuple[Kind | None, int | None]) -> float:
        logits = [
            logit(one.confidence if (one.kind, one.value) == value else (1 - one.confidence) / 2)
            for one in readings
        ]
        return float(np.mean(logits))

    value = max(by_value, key=lambda one: (one[1] is not None, mean(one)))
    best = max(by_value[value], key=lambda reading: reading.confidence)
    return best, float(1 / (1 + np.exp(-mean(value))))


def same_die(die: DieReading, reading: Reading, same_iou: float) -> DieReading | None:
    """The die of the reading that lies where this one does, if any."""
    best = max(reading.dice, key=lambda other: iou(die.box, other.box), default=None)
    return best if best is not None and iou(die.box, best.box) >= same_iou else None
