"""Reads any die by the two nets: one finds dice, the other reads each from several views. Knows one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.crops import CLASSES, COCKED, DICE, INPUT, NO_DIE, ROOM, STORED, Pixels, both, cut
from vision.training.finder import Candidate, find
from vision.training.model import load

if TYPE_CHECKING:
    from games.dice import Kind

Floats: TypeAlias = npt.NDArray[Any]

VIEWS: tuple[tuple[float, float], ...] = ((0.0, 1.0), (-14.0, 1.06), (14.0, 0.95), (-7.0, 0.92), (7.0, 1.12))
"""Turn in degrees and relative span of each view. Small turns: seen aslant, what is up tells the top."""
FIRST = 3
"""Views that every die gets; the others are for the doubtful."""
SURE = 0.99
"""Least confidence of a sure die, chosen for the wrong rate on whole frames of held-out sources."""
SURE_FOUND = 0.65
"""Least score of the finder for a sure die: dots and coins have passed for a d6 that shows 1."""
DOUBTFUL = 0.35
"""Under this confidence the rest of the views would change nothing."""
EMPTY = 0.5
"""A find that the reader calls no die with this probability is dropped."""
PLAIN = 0.6
"""A find scored under this is dropped rather than asked about when it cannot be read."""


@dataclass(frozen=True, slots=True)
class SeenDie:
    """One die of a frame; fields as `dicetable read --json` has them. `value` is None if not legible."""

    kind: Kind | None
    value: int | None
    confidence: float
    sure: bool
    box: tuple[int, int, int, int]
    cocked: bool = False


def views_of(frame: Pixels, candidate: Candidate, which: tuple[tuple[float, float], ...]) -> list[Pixels]:
    """The reader's inputs for a find, one for each turn and zoom: INPUT × 2 INPUT × 3, uint8."""
    middle = (candidate.x + candidate.width / 2, candidate.y + candidate.height / 2)
    stored = cut(frame, *middle, ROOM * max(candidate.width, candidate.height), STORED)
    return [both(stored, turn, zoom) for turn, zoom in which]


def read(crops: list[Pixels]) -> Floats:
    """Log-probabilities (n, 63), float32, of the classes of vision.training.crops for n crops."""
    net = load("reader", (INPUT, INPUT))
    scores = np.empty((len(crops), CLASSES), np.float32)
    for row, crop in zip(scores, crops, strict=True):  # one by one: a batch is no faster in OpenCV
        net.setInput(cv2.dnn.blobFromImage(crop, 1 / 255))
        row[:] = net.forward()[0]
    scores -= scores.max(1, keepdims=True, initial=-np.inf)
    return np.asarray(scores - np.log(np.exp(scores).sum(1, keepdims=True)), np.float32)


def agreed(views: Floats) -> Floats:
    """Probabilities (classes,) from the log-probabilities of several views (n, classes) of one die.

    Their geometric mean: a value that one view rules out is ruled out.
    """
    mean = views.mean(0)
    odds = np.exp(mean - mean.max())
    return np.asarray(odds / odds.sum())


def confident(views: Floats) -> float:
    """How sure the views are together: their agreed probability, or the root of the worst view's if less."""
    p = agreed(views)
    best = int(p.argmax())
    return float(min(p[best], np.sqrt(np.exp(views[:, best].min()))))


def read_dice(frame: Pixels) -> list[SeenDie]:
    """The dice of a BGR frame (uint8, H×W×3), sorted by y then x of their boxes."""
    candidates = find(frame)
    crops = [crop for c in candidates for crop in views_of(frame, c, VIEWS[:FIRST])]
    first = read(crops).reshape(len(candidates), FIRST, CLASSES)
    dice = []
    for candidate, views in zip(candidates, first, strict=True):
        if DOUBTFUL < confident(views) < SURE:
            more = read(views_of(frame, candidate, VIEWS[FIRST:]))
            die = judge(candidate, np.concatenate([views, more]), frame)
        else:
            die = judge(candidate, views, frame)
        if die is not None:
            dice.append(die)
    return sorted(dice, key=lambda d: (d.box[1], d.box[0]))


def judge(candidate: Candidate, views: Floats, frame: Pixels) -> SeenDie | None:
    """What the views (n, 63) of a find say of it; None if it is no die."""
    p = agreed(views)
    if p[NO_DIE] > EMPTY:
        return None
    x0, y0 = max(0, round(candidate.x)), max(0, round(candidate.y))
    x1 = min(frame.shape[1], round(candidate.x + candidate.width))
    y1 = min(frame.shape[0], round(candidate.y + candidate.height))
    box = (x0, y0, max(1, x1 - x0), max(1, y1 - y0))
    best = int(p.argmax())
    if best >= len(DICE):
        if candidate.score < PLAIN:
            return None
        return SeenDie(None, None, float(p[best]), sure=False, box=box, cocked=best == COCKED)
    kind, value = DICE[best]
    confidence = confident(views)
    sure = confidence >= SURE and candidate.score >= SURE_FOUND
    if not sure and candidate.score < PLAIN:
        return None
    return SeenDie(kind, value if sure else None, confidence, sure=sure, box=box)
