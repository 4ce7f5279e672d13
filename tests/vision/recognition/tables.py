"""A symbol net that says what a table tells it to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.nets import FOLDER, Fitted
from vision.recognition.classifiers import (
    BODIES,
    BOX,
    CROP_PX,
    FACES_SHOWN,
    PICTURE,
    PLAIN,
    VALUES,
    DiePrediction,
    FaceClassifier,
    Floats,
    Symbol,
    SymbolClassifier,
)
from vision.recognition.fusion import DieView, SymbolReader, Upright, no_prior

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vision.recognition.classifiers import Pixels


CROP = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)


WEIGHTS = Fitted.of((FOLDER / "fitted.json").read_bytes()).symbols


class Table(SymbolClassifier):
    """Says of the symbol at x, along an orientation, what is filled in; elsewhere there is nothing."""

    def __init__(self) -> None:
        self.says: dict[tuple[float, float], tuple[int, float]] = {}
        self.batches: list[int] = []

    def predict_all(self, _crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        self.batches.append(len(symbols))
        return np.stack([one(*self.says.get((s.x, up_deg % 360), (0, 0.98))) for s, up_deg in symbols])


PERCENT: Final = {0: 2, 10: 3, 30: 5, 70: 9}
"""The answers of a face classifier that mean these numerals of a percentile die."""


class Shown(FaceClassifier):
    """Says of every face that it shows this with this probability, and upside down a picture."""

    def __init__(self, shows: int = PLAIN, sure: float = 1.0) -> None:
        self.shows, self.sure = shows, sure

    def predict(self, _crop: Pixels, _symbol: Symbol, _up_deg: float) -> Floats:
        upright, reverse = np.full(FACES_SHOWN, 0.0), np.full(FACES_SHOWN, 0.0)
        upright[PLAIN if self.shows != PLAIN else PICTURE] = 1 - self.sure
        upright[self.shows] = self.sure
        reverse[PICTURE] = 1.0
        return np.stack([upright, reverse])


def one(value: int, sure: float = 0.98) -> Floats:
    odds = np.full(VALUES, (1 - sure) / (VALUES - 1))
    odds[value] = sure
    return odds


def of(table: Table, *symbols: Symbol) -> DieView:
    die = DiePrediction(np.zeros(BODIES), np.zeros(BOX), lambda: symbols)
    return DieView(SymbolReader(table, WEIGHTS), CROP, die)


def predicted(
    table: Table, *symbols: Symbol, prior: Callable[[Symbol], float] = no_prior
) -> tuple[Floats, Upright]:
    told = of(table, *symbols).predict(prior)
    assert told is not None
    return told


def value(table: Table, kind: int, *symbols: Symbol) -> tuple[int, float]:
    """The likeliest value on such a die, and its probability."""
    values, _ = predicted(table, *symbols)
    return int(values[kind].argmax()) + 1, float(values[kind].max())
