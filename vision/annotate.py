"""Draws a reading onto its frame, so that a person sees at a glance what was seen and what was doubted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.reading import DieReading, Image, Reading

SURE = (90, 200, 60)
DOUBTFUL = (40, 90, 245)
DARK = (20, 20, 20)


def annotate(frame: Image, reading: Reading) -> Image:
    """A copy of the frame (uint8, H×W×3 BGR) with a box and a caption for each die.

    Green: sure. Orange and dashed: doubtful, with a question mark.
    """
    picture = frame.copy()
    unit = max(1, round(max(frame.shape[:2]) / 640))
    for die in reading.dice:
        colour = SURE if die.sure else DOUBTFUL
        x, y, w, h = die.box
        if die.sure:
            cv2.rectangle(picture, (x, y), (x + w, y + h), colour, 2 * unit)
        else:
            dashed(picture, die, colour, unit)
        label(picture, caption(die), (x, y), colour, unit)
    return picture


def caption(die: DieReading) -> str:
    """Such as `d6 4 99%`, or `d6 4? 31%` when it is doubtful."""
    value = "" if die.value is None else str(die.value)
    state = "cocked" if die.cocked else value + ("" if die.sure else "?")
    return f"{die.kind or 'die'} {state} {die.confidence:.0%}"


def dashed(picture: Image, die: DieReading, colour: tuple[int, int, int], unit: int) -> None:
    """The die's box in a broken line."""
    x, y, w, h = die.box
    step = 6 * unit
    for left in range(x, x + w, 2 * step):
        for level in (y, y + h):
            cv2.line(picture, (left, level), (min(left + step, x + w), level), colour, 2 * unit)
    for top in range(y, y + h, 2 * step):
        for across in (x, x + w):
            cv2.line(picture, (across, top), (across, min(top + step, y + h)), colour, 2 * unit)


def label(
    picture: Image, text: str, corner: tuple[int, int], colour: tuple[int, int, int], unit: int
) -> None:
    """The text on a dark strip above the corner, kept within the picture."""
    font, size = cv2.FONT_HERSHEY_SIMPLEX, 0.42 * unit
    (width, height), below = cv2.getTextSize(text, font, size, unit)
    x = int(np.clip(corner[0], 0, max(0, picture.shape[1] - width)))
    y = max(corner[1] - below - unit, height + unit)
    cv2.rectangle(picture, (x, y - height - unit), (x + width, y + below), DARK, -1)
    cv2.putText(picture, text, (x, y), font, size, colour, unit, cv2.LINE_AA)
