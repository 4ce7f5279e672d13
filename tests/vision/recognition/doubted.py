"""Evidence of a plain die, and what makes it doubtful."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from games.dice import KINDS
from tests.vision.recognition.tables import PERCENT, WEIGHTS, Shown, Table
from vision.reading import Detection, Doubt
from vision.recognition.classifiers import (
    BODIES,
    BOX,
    CROP_PX,
    PICTURE,
    VALUES,
    DieClassifier,
    DiePrediction,
    FaceClassifier,
    Pixels,
    Symbol,
)
from vision.recognition.evidence import Evidence
from vision.recognition.fusion import Classifiers, Prediction, SymbolReader, Views

SYMBOL = Symbol(56, 56, 30, 0.9, ())


def prediction(kind: str = "d8", value: int = 4, best: float = 1.0, **said: Any) -> Prediction:
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), value] = best
    return replace(Prediction(joint, SYMBOL, 0.9, 0.8, 0.01, 0.02, 0.001), **said)


def pips(value: int, best: float = 1.0, **said: Any) -> Prediction:
    return prediction("d6", value, best, upright=0.3, **said)


class Turned(DieClassifier):
    """Holds every die for one of this kind with this probability among the kinds."""

    def __init__(self, kind: int, share: Callable[[], float]) -> None:
        self.kind = kind
        self.share = share

    def predict_all(
        self, crops: Sequence[Pixels], _turn_deg: float = 0.0, _zoom: float = 1.0
    ) -> list[DiePrediction]:
        share = self.share()
        bodies = np.zeros(BODIES)
        bodies[: len(KINDS)] = (1 - share) / (len(KINDS) - 1)
        bodies[self.kind] = share
        return [DiePrediction(bodies, np.zeros(BOX), tuple) for _ in crops]


def die(
    said: Prediction | None = None,
    score: float = 0.9,
    x: float = 100,
    kind_share: Callable[[], float] = lambda: 1.0,
    *,
    bare_middle: bool = True,
    shown: FaceClassifier | None = None,
    **known: Any,
) -> Evidence:
    """A flat, whole, legible die of which all but the named is well."""
    said = said or prediction()
    crop = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
    if not bare_middle:
        cv2.circle(crop, (round(SYMBOL.x), round(SYMBOL.y)), 6, (255, 255, 255), cv2.FILLED)
    dice, symbols = Turned(said.best[0], kind_share), SymbolReader(Table(), WEIGHTS)
    views = Views(Classifiers(dice, symbols, shown or Shown()), crop)
    flat = Evidence(Detection(x, 80, 40, 40, score), views, said, (200, 300), confidence=0.99)
    return flat._replace(**known)


DOUBTED = {
    Doubt.COCKED: die(tilted=True),
    Doubt.CUT_BY_FRAME: die(x=-10),
    Doubt.COVERED: die(prediction(unreadable=0.33)),
    Doubt.PILE: die(holds_others=True),
    Doubt.PRINT_OR_TOKEN: die(prediction(no_die=0.22)),
    Doubt.NOT_READ: die(prediction(best=0.0)),
    Doubt.SIX_OR_NINE: die(prediction("d20", 9, six_nine=0.99)),
    Doubt.UPSIDE_DOWN: die(prediction("d10", 8, upside_down=0.84)),
    Doubt.OTHER_BESIDE: die(prediction("d20", 3, beside_differs=True)),
    Doubt.LOW_CONFIDENCE: die(confidence=0.84),
    Doubt.HIDDEN_PIP: die(pips(4, 0.99), bare_middle=False),
    Doubt.PICTURE: die(shown=Shown(PICTURE, 0.99)),
    Doubt.PERCENTILE: die(prediction("d10", 10), shown=Shown(PERCENT[10], 0.35)),
    Doubt.KIND_NOT_STABLE: die(kind_share=lambda: 0.63),
}
