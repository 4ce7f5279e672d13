"""Looks at one whole die: what body it is, and where on it and which way up its value is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision import nets
from vision.recognition.crops import WHOLE, Pixels, warp, whole_view
from vision.recognition.outputs import BODIES, BOX, MAPS, SPAN, STRIDE, TURNS

Floats: TypeAlias = npt.NDArray[Any]

CELLS = WHOLE // STRIDE
FAINTEST = 0.15
"""Score under which a place is no mark."""
MOST_MARKS = 3
LEAST_TURN = 0.04
"""Probability under which a way up is not looked at."""
FARTHEST_OFF = 0.5
"""How far a box is mended at most, in each of its numbers: farther than any that the net has learnt."""
NEAR = 2
"""Cells within which a mark is found once."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A way up that a mark may have: degrees counter-clockwise from the right, and how likely it is."""

    up_deg: float
    probability: float


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value may be written: middle and side of its square in the stored crop's pixels."""

    x: float
    y: float
    span: float
    score: float
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class WholeDie:
    """What a die looks like: the probability of each body class (BODIES,), and its marks, best first.

    `off` (BOX,) says how the box is off that it was looked at in; in a turned view it means nothing.
    """

    bodies: Floats
    off: Floats
    marks: tuple[Mark, ...]


def look(stored: Pixels, turn_deg: float = 0.0, zoom: float = 1.0) -> WholeDie:
    """What the net says of a stored crop (vision.recognition.crops), seen turned and nearer or farther."""
    matrix = whole_view(turn_deg, zoom)
    said: Floats = nets.run("tops", cv2.dnn.blobFromImage(warp(stored, matrix, WHOLE), 1 / 255))[0]
    back = cv2.invertAffineTransform(matrix)
    odds = softmax(said[:BODIES])
    maps = said[BODIES + BOX :].reshape(MAPS, CELLS, CELLS)
    off = np.clip(said[BODIES : BODIES + BOX], -FARTHEST_OFF, FARTHEST_OFF)
    return WholeDie(odds, off, marks(maps, back, turn_deg))


def softmax(scores: Floats) -> Floats:
    """Probabilities of scores, over the last axis."""
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def marks(maps: Floats, back: Floats, turn_deg: float) -> tuple[Mark, ...]:
    """The marks in the net's maps, best first; `back` (2×3) leads from the view to the stored crop."""
    score = 1 / (1 + np.exp(-maps[0]))
    around = cv2.dilate(score, np.ones((2 * NEAR + 1, 2 * NEAR + 1), np.uint8))
    places = np.argwhere((score >= FAINTEST) & (score >= around))
    found = []
    for i, j in sorted(places.tolist(), key=lambda at: -score[at[0], at[1]])[:MOST_MARKS]:
        right, down, size = (float(v) for v in maps[1:4, i, j])
        at = back @ np.array([(j + right) * STRIDE, (i + down) * STRIDE, 1.0])
        span = SPAN * float(np.exp(np.clip(size, -2, 2))) * float(np.hypot(*back[0, :2]))
        ways = turns(softmax(maps[4:, i, j]), turn_deg)
        found.append(Mark(float(at[0]), float(at[1]), span, float(score[i, j]), ways))
    return tuple(found)


def turns(odds: Floats, turn_deg: float) -> tuple[Turn, ...]:
    """The likely ways up, best first, from the probabilities (TURNS,) of the directions in a turned view."""
    before, after = np.roll(odds, 1), np.roll(odds, -1)
    mass = before + odds + after
    found = []
    for k in np.flatnonzero((odds >= before) & (odds > after) & (mass >= LEAST_TURN)):
        offset = float((after[k] - before[k]) / mass[k])
        found.append(Turn((k + offset) * 360 / TURNS - turn_deg, float(min(1.0, mass[k]))))
    return tuple(sorted(found, key=lambda turn: -turn.probability))
