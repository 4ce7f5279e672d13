"""Draws a reading onto its frame, so that a person sees at a glance what was seen and what was doubted."""

import cv2
import numpy as np

from vision.reading import Box, DieReading, Image, Reading, intersection

SURE = (90, 200, 60)
DOUBTFUL = (40, 90, 245)
DARK = (20, 20, 20)
FONT = cv2.FONT_HERSHEY_SIMPLEX
SIZE = 0.42
"""Font scale of the captions in a picture 640 pixels wide."""


def annotate(frame: Image, reading: Reading) -> Image:
    """A copy of the frame (uint8, H×W×3 BGR) with a box and a caption for each die.

    Green: sure. Orange and dashed: doubtful, with a question mark.
    """
    picture = frame.copy()
    unit = max(1, round(max(frame.shape[:2]) / 640))
    taken = [die.box for die in reading.dice]
    for die in reading.dice:
        colour = SURE if die.sure else DOUBTFUL
        x, y, w, h = die.box
        if die.sure:
            cv2.rectangle(picture, (x, y), (x + w, y + h), colour, 2 * unit)
        else:
            dashed(picture, die, colour, unit)
        strip = freest(strips(die.box, text_size(caption(die), unit), frame.shape), taken)
        label(picture, caption(die), strip, colour, unit)
        taken.append(strip)
    return picture


def caption(die: DieReading) -> str:
    """The caption of a die: `d6 4 99%`, or with the doubt: `d6 4? 31% low confidence`."""
    value = "" if die.value is None else str(die.value)
    if die.doubt is None:
        return f"{die.kind} {value} {die.confidence:.0%}"
    return f"{die.kind or 'die'} {value}? {die.confidence:.0%} {die.doubt.replace('_', ' ')}"


def dashed(picture: Image, die: DieReading, colour: tuple[int, int, int], unit: int) -> None:
    x, y, w, h = die.box
    step = 6 * unit
    for left in range(x, x + w, 2 * step):
        for level in (y, y + h):
            cv2.line(picture, (left, level), (min(left + step, x + w), level), colour, 2 * unit)
    for top in range(y, y + h, 2 * step):
        for across in (x, x + w):
            cv2.line(picture, (across, top), (across, min(top + step, y + h)), colour, 2 * unit)


def text_size(text: str, unit: int) -> tuple[int, int]:
    """Width and height of the strip that the text takes, in pixels."""
    (width, height), below = cv2.getTextSize(text, FONT, SIZE * unit, unit)
    return width, height + below + unit


def strips(box: Box, size: tuple[int, int], shape: tuple[int, ...]) -> list[Box]:
    """Strips of this size about a box, the usual one first, each kept within a picture of this shape."""
    (x, y, w, h), (width, height) = box, size
    corners = [
        (x, y - height),
        (x + w - width, y - height),
        (x, y + h),
        (x + w - width, y + h),
        (x + w, y),
        (x + w, y + h - height),
        (x - width, y),
        (x - width, y + h - height),
    ]
    return [
        (
            int(np.clip(left, 0, max(0, shape[1] - width))),
            int(np.clip(top, 0, max(0, shape[0] - height))),
            width,
            height,
        )
        for left, top in corners
    ]


def freest(among: list[Box], taken: list[Box]) -> Box:
    """The first of the strips that cover least of what is taken."""
    return min(among, key=lambda strip: sum(intersection(strip, box) for box in taken))


def label(picture: Image, text: str, strip: Box, colour: tuple[int, int, int], unit: int) -> None:
    x, y, w, h = strip
    _, below = cv2.getTextSize(text, FONT, SIZE * unit, unit)
    cv2.rectangle(picture, (x, y), (x + w, y + h), DARK, -1)
    cv2.putText(picture, text, (x, y + h - below), FONT, SIZE * unit, colour, unit, cv2.LINE_AA)
