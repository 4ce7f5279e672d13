"""How often a find is looked at, and what is said of it then."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import vision.recognition.fusion
import vision.recognition.symbols
from games.dice import KINDS
from vision.recognition.crops import STORED
from vision.recognition.die_classifier import Mark, Turn, WholeDie
from vision.recognition.fusion import VIEWS, Opinion, Views, together
from vision.recognition.outputs import BODIES, BOX, VALUES

D8 = KINDS.index("d8")
CROP = np.zeros((STORED, STORED, 3), np.uint8)
LEFT, RIGHT = (Mark(x, 56, 20, 0.6, (Turn(90, 1.0),)) for x in (40, 70))


@dataclass
class Nets:
    """What the nets are made to say: how sure they are of a d8, and of each mark's value (by its x)."""

    kind: float = 0.999
    values: dict[float, int] = field(default_factory=lambda: {40: 3, 70: 3})
    looks: int = 0


@pytest.fixture
def nets(monkeypatch: pytest.MonkeyPatch) -> Nets:
    said = Nets()

    def look(_stored: object, _turn_deg: float, _zoom: float) -> WholeDie:
        said.looks += 1
        bodies = np.full(BODIES, (1 - said.kind) / (BODIES - 1))
        bodies[D8] = said.kind
        return WholeDie(bodies, np.zeros(BOX), (LEFT, RIGHT))

    def read(_stored: object, x: float, *_: float) -> np.ndarray:
        odds = np.full(VALUES, 1e-5)
        odds[said.values[x]] = 1
        return np.asarray(odds / odds.sum())

    monkeypatch.setattr(vision.recognition.fusion, "look", look)
    monkeypatch.setattr(vision.recognition.symbols, "read", read)
    return said


def test_a_clear_die_is_looked_at_once(nets: Nets) -> None:
    said = Views(CROP).opinion()
    assert (said.best, nets.looks) == ((D8, 3), 1)


def test_a_doubtful_one_again_and_a_hopeless_one_not(nets: Nets) -> None:
    nets.kind = 0.6
    Views(CROP).opinion()
    assert nets.looks == len(VIEWS)
    nets.kind, nets.looks = 1 / BODIES, 0
    Views(CROP).opinion()
    assert nets.looks == 1


def test_what_is_known_of_places_decides_between_marks_without_another_look(nets: Nets) -> None:
    nets.values = {40: 3, 70: 5}
    views = Views(CROP)
    assert views.opinion().confidence < 0.6
    looks = nets.looks
    said = views.opinion(lambda mark: -4.0 if mark == LEFT else 0.0)
    assert (said.best, said.mark) == ((D8, 5), RIGHT)
    assert said.confidence > 0.9
    assert nets.looks == looks


def opinion(best: float, kind: int = 1, value: int = 4) -> Opinion:
    joint = np.zeros((6, VALUES))
    joint[kind, value] = best
    return Opinion(joint, LEFT, 0.9, 0.8, 0.0, 0.01, 0.02, 0.03)


def test_views_that_agree_stay_as_sure() -> None:
    whole = together([opinion(1.0), opinion(1.0)])
    assert whole.best == (1, 4)
    assert whole.confidence == pytest.approx(1.0, abs=0.02)


def test_views_that_differ_leave_nothing_sure() -> None:
    assert together([opinion(1.0), opinion(1.0, value=5)]).confidence < 0.55
    assert together([opinion(1.0), opinion(1.0, kind=2)]).confidence < 0.55


def test_views_that_say_nothing_say_nothing_together() -> None:
    assert together([opinion(0.0), opinion(0.0)]).confidence == 0
