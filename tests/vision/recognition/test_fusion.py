"""How many views of a die are classified, and what they predict together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import KINDS
from tests.vision.recognition.tables import CROP, WEIGHTS, Shown, Table
from vision.recognition.classifiers import (
    BODIES,
    BOX,
    VALUES,
    DieClassifier,
    DiePrediction,
    Orientation,
    Symbol,
)
from vision.recognition.fusion import VIEWS, Classifiers, Prediction, SymbolReader, Views, fused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.recognition.classifiers import Pixels

D8, D10 = (KINDS.index(kind) for kind in ("d8", "d10"))
LEFT, RIGHT = (Symbol(x, 56, 20, 0.6, (Orientation(90, 1.0),)) for x in (40, 70))


class Dice(DieClassifier):
    """Holds every die for one of this index with this probability; two symbols of it are seen."""

    def __init__(self, kind: float = 0.999, index: int = D8) -> None:
        self.kind = kind
        self.index = index
        self.looks = 0

    def predict_all(
        self, crops: Sequence[Pixels], _turn_deg: float = 0.0, _zoom: float = 1.0
    ) -> list[DiePrediction]:
        self.looks += len(crops)
        bodies = np.full(BODIES, (1 - self.kind) / (BODIES - 1))
        bodies[self.index] = self.kind
        return [DiePrediction(bodies, np.zeros(BOX), lambda: (LEFT, RIGHT)) for _ in crops]


def views(dice: Dice, left: int = 3, right: int = 3) -> Views:
    table = Table()
    table.says = {(40, 90): (left, 0.9998), (70, 90): (right, 0.9998)}
    return Views(Classifiers(dice, SymbolReader(table, WEIGHTS), Shown()), CROP)


def test_a_clear_die_is_classified_once() -> None:
    dice = Dice()
    said = views(dice).predict()
    assert (said.best, dice.looks) == ((D8, 3), 1)


def test_a_die_that_looks_the_same_is_predicted_by_itself_once() -> None:
    seen = views(Dice())
    assert seen.predict() is seen.predict()
    assert seen.predict(lambda _: 1.0) is not seen.predict()


@pytest.mark.parametrize(("kind", "read"), [(D10, True), (D8, False)])
def test_a_d10_alone_is_read_upside_down(kind: int, read: bool) -> None:
    table = Table()
    table.says = {(40, 270): (7, 0.9998), (70, 270): (7, 0.9998)}
    classifiers = Classifiers(Dice(index=kind), SymbolReader(table, WEIGHTS), Shown())
    said = Views(classifiers, CROP).predict()
    assert (said.best == (kind, 7) and said.confidence > 0.9) is read


def test_a_doubtful_one_again_and_a_hopeless_one_not() -> None:
    doubtful, hopeless = Dice(0.6), Dice(1 / BODIES)
    views(doubtful).predict()
    assert doubtful.looks == len(VIEWS)
    views(hopeless).predict()
    assert hopeless.looks == 1


def test_what_is_known_of_places_decides_between_symbols_without_another_view() -> None:
    dice = Dice()
    seen = views(dice, right=5)
    assert seen.predict().confidence < 0.6
    looks = dice.looks
    said = seen.predict(lambda symbol: -4.0 if symbol == LEFT else 0.0)
    assert (said.best, said.symbol) == ((D8, 5), RIGHT)
    assert said.confidence > 0.9
    assert dice.looks == looks


def prediction(best: float, kind: int = 1, value: int = 4) -> Prediction:
    joint = np.zeros((6, VALUES))
    joint[kind, value] = best
    return Prediction(joint, LEFT, 0.9, 0.8, 0.01, 0.02, 0.03)


def test_views_that_agree_stay_as_sure() -> None:
    whole = fused([prediction(1.0), prediction(1.0)])
    assert whole.best == (1, 4)
    assert whole.confidence == pytest.approx(1.0, abs=0.02)


def test_views_that_differ_leave_nothing_sure() -> None:
    assert fused([prediction(1.0), prediction(1.0, value=5)]).confidence < 0.55
    assert fused([prediction(1.0), prediction(1.0, kind=2)]).confidence < 0.55


def test_views_that_say_nothing_say_nothing_together() -> None:
    assert fused([prediction(0.0), prediction(0.0)]).confidence == 0
