"""Classifies one whole die: its kind, and where on it and in which orientation its symbols are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.crops import DIE_PX, Pixels, die_view, warp
from vision.recognition.outputs import BODIES, BOX, MAPS, SPAN, STRIDE, TURNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vision.recognition.outputs import Net
    from vision.settings import RecognitionSettings

Floats: TypeAlias = npt.NDArray[Any]

CELLS = DIE_PX // STRIDE
A_DIE = 0.5
"""A crop shows a legible die if the kinds are together as probable."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """An orientation that a symbol may have: its up in degrees counter-clockwise from the right."""

    up_deg: float
    probability: float


@dataclass(frozen=True, slots=True)
class Symbol:
    """A numeral or a face of pips on a die: middle and side of its square in pixels of the crop."""

    x: float
    y: float
    span: float
    score: float
    orientations: tuple[Orientation, ...]


@dataclass(frozen=True)
class DiePrediction:
    """What the die net predicts of one view.

    Attributes:
        bodies: the probability of each body class, (BODIES,).
        off: how the box is off in which the die was seen, (BOX,); it means nothing in a turned view.
        find: finds the symbols, best first; `symbols` asks it once, when they are first needed.
    """

    bodies: Floats
    off: Floats
    find: Callable[[], tuple[Symbol, ...]]

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that were found, best first."""
        return self.find()


class DieClassifier:
    """The die net and its settings."""

    def __init__(self, net: Net, settings: RecognitionSettings) -> None:
        self.net = net
        self.settings = settings

    def predict(self, crop: Pixels, turn_deg: float = 0.0, zoom: float = 1.0) -> DiePrediction:
        """What the net predicts of a crop, seen turned and nearer or farther."""
        return self.predict_all([crop], turn_deg, zoom)[0]

    def predict_all(
        self, crops: Sequence[Pixels], turn_deg: float = 0.0, zoom: float = 1.0
    ) -> list[DiePrediction]:
        """The same of several crops, in one batch."""
        if not crops:
            return []
        matrix = die_view(turn_deg, zoom)
        back = cv2.invertAffineTransform(matrix)
        views = cv2.dnn.blobFromImages([warp(crop, matrix, DIE_PX) for crop in crops], 1 / 255)
        return [self._prediction(logits, back, turn_deg) for logits in self.net(views)]

    def is_die(self, crop: Pixels) -> bool:
        """Whether a crop shows a die that could be read, and not a fingertip."""
        return float(self.predict(crop).bodies[: len(KINDS)].sum()) >= A_DIE

    def _prediction(self, logits: Floats, back: Floats, turn_deg: float) -> DiePrediction:
        maps = logits[BODIES + BOX :].reshape(MAPS, CELLS, CELLS)
        most = self.settings.most_box_off
        off = np.clip(logits[BODIES : BODIES + BOX], -most, most)
        find = partial(symbols, maps, back, turn_deg, self.settings)
        return DiePrediction(softmax(logits[:BODIES]), off, find)


def softmax(logits: Floats) -> Floats:
    """Probabilities, over the last axis."""
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def symbols(maps: Floats, back: Floats, turn_deg: float, settings: RecognitionSettings) -> tuple[Symbol, ...]:
    """The symbols in the net's maps, best first; `back` (2×3) leads from the view to the crop."""
    score = 1 / (1 + np.exp(-maps[0]))
    side = 2 * settings.symbol_cells + 1
    around = cv2.dilate(score, np.ones((side, side), np.uint8))
    places = np.argwhere((score >= settings.symbol_score) & (score >= around))
    found = []
    for i, j in sorted(places.tolist(), key=lambda at: -score[at[0], at[1]])[: settings.most_symbols]:
        right, down, size = (float(v) for v in maps[1:4, i, j])
        at = back @ np.array([(j + right) * STRIDE, (i + down) * STRIDE, 1.0])
        span = SPAN * float(np.exp(np.clip(size, -2, 2))) * float(np.hypot(*back[0, :2]))
        ups = orientations(softmax(maps[4:, i, j]), turn_deg, settings.orientation)
        found.append(Symbol(float(at[0]), float(at[1]), span, float(score[i, j]), ups))
    return tuple(found)


def orientations(directions: Floats, turn_deg: float, least: float) -> tuple[Orientation, ...]:
    """The likely orientations, best first, from probabilities (TURNS,) of directions in a turned view."""
    before, after = np.roll(directions, 1), np.roll(directions, -1)
    mass = before + directions + after
    found = []
    for k in np.flatnonzero((directions >= before) & (directions > after) & (mass >= least)):
        offset = float((after[k] - before[k]) / mass[k])
        found.append(Orientation((k + offset) * 360 / TURNS - turn_deg, float(min(1.0, mass[k]))))
    return tuple(sorted(found, key=lambda up: -up.probability))
