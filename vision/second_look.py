"""A second opinion on a six-sided die: its pips, found and counted without any net."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.pip_dice import read_pip_dice

if TYPE_CHECKING:
    from vision.candidates import Candidate
    from vision.crops import Pixels
    from vision.finder import Floats
    from vision.reading import DieReading

ROOM = 1.7
"""The part of the frame that is looked at, along the die's box."""
LARGEST = 70
"""Pixels along a die, to which larger ones are reduced."""
MIDDLE = 0.35
"""The pips' middle lies within this part of the box's longer side from its middle."""
LEAST = 12
"""Pixels of a crop that is worth a look."""


def counted_pips(frame: Pixels, candidate: Candidate) -> int | None:
    """The value that the pips in the middle of a find make up; None if there are none in good order."""
    longer = max(candidate.width, candidate.height)
    x, y = candidate.x + candidate.width / 2, candidate.y + candidate.height / 2
    x0, y0 = (max(0, int(v - ROOM / 2 * longer)) for v in (x, y))
    crop = frame[y0 : int(y + ROOM / 2 * longer), x0 : int(x + ROOM / 2 * longer)]
    if min(crop.shape[:2]) < LEAST:
        return None
    scale = min(1.0, LARGEST / longer)
    if scale < 1:
        crop = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    middle = np.array([x - x0, y - y0]) * scale
    dice = [die for die in read_pip_dice(np.ascontiguousarray(crop)) if near(die, middle, longer * scale)]
    return max(dice, key=lambda die: die.confidence).value if dice else None


def near(die: DieReading, middle: Floats, longer: float) -> bool:
    """Whether the die's box has its middle there, and a value is told of it."""
    x, y, w, h = die.box
    apart = np.abs(np.array([x + w / 2, y + h / 2]) - middle).max()
    return die.value is not None and bool(apart < MIDDLE * longer)
