"""Fuses the predictions of several views of one die."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.outputs import COCKED, NO_DIE, UNREADABLE, VALUES
from vision.recognition.symbols import DieSymbols, SymbolReader, no_prior

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import DieClassifier, DiePrediction, Symbol
    from vision.settings import RecognitionSettings

Floats: TypeAlias = npt.NDArray[Any]

D10 = KINDS.index("d10")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the views of a die predict together.

    Attributes:
        joint: probabilities (kinds, VALUES) of kind and value, of 1 in all or nothing.
        symbol: the one that shows most of the value; None if there is none.
        score: of the best symbol.
        upright: probability of its likeliest orientation.
        unreadable: probability that nothing legible is on top.
        cocked: probability that the die does not lie flat.
        no_die: probability that it is no die.
        up_deg: orientation in which the symbol is read.
        read_as: the value that is read there; 0 if there is no symbol.
        six_nine: probability that its 6 or 9 is not the other one; 1 for what is neither.
        beside: logarithm of how likely the numerals beside the top are for the likeliest value, against a die
            of which nothing is known; 0 where they tell nothing.
        upside_down: probability of another value by its numeral upside down, of a kind whose makers differ in
            that, or whose 6 or 9 may be worn.
        beside_differs: the numerals beside the top belong to another value than its own numeral.
    """

    joint: Floats
    symbol: Symbol | None
    score: float
    upright: float
    unreadable: float
    cocked: float
    no_die: float
    up_deg: float = 0.0
    read_as: int = 0
    six_nine: float = 1.0
    upside_down: float = 0.0
    beside: float = 0.0
    beside_differs: bool = False

    @property
    def best(self) -> tuple[int, int]:
        """Index of the likeliest kind, and value."""
        kind, value = np.unravel_index(int(self.joint.argmax()), self.joint.shape)
        return int(kind), int(value)

    @property
    def confidence(self) -> float:
        """Probability of the likeliest kind and value, before it is calibrated."""
        return float(self.joint.max())

    def likelier_a_die(self, times: float) -> Prediction:
        """The prediction after evidence from elsewhere that multiplies the odds of a die by `times`."""
        return replace(self, no_die=self.no_die / (self.no_die + times * (1 - self.no_die)))


class Classifiers(NamedTuple):
    """What predicts of a view: the die net, the symbol net, and the settings of both."""

    dice: DieClassifier
    symbols: SymbolReader
    settings: RecognitionSettings


class Views:
    """The views of one die; each is classified when it is first needed, but for a first that is given."""

    def __init__(self, classifiers: Classifiers, crop: Pixels, first: DiePrediction | None = None) -> None:
        self.classifiers = classifiers
        self.crop = crop
        self._seen: list[DieView] = []
        if first is not None:
            self._seen.append(self._view(first))

    def predict(self, prior: Callable[[Symbol], float] = no_prior) -> Prediction:
        """The fused prediction; `prior` is what each symbol's place adds to its weight."""
        settings = self.classifiers.settings
        first = predicted(self.view(0), settings, prior)
        if first.confidence >= settings.clear or first.confidence < settings.hopeless:
            return first
        others = [predicted(self.view(i), settings, prior) for i in range(1, len(settings.views))]
        return fused([first, *others], settings.floor)

    def view(self, number: int) -> DieView:
        """The view of that number, and those before it."""
        while len(self._seen) <= number:
            turn_deg, zoom = self.classifiers.settings.views[len(self._seen)]
            self._seen.append(self._view(self.classifiers.dice.predict(self.crop, turn_deg, zoom)))
        return self._seen[number]

    def _view(self, die: DiePrediction) -> DieView:
        return DieView(die, DieSymbols(self.classifiers.symbols, self.crop, die.symbols))


class DieView(NamedTuple):
    """One view of a die, and its symbols."""

    die: DiePrediction
    symbols: DieSymbols


def predicted(
    view: DieView, settings: RecognitionSettings, prior: Callable[[Symbol], float] = no_prior
) -> Prediction:
    """What one view predicts."""
    bodies = view.die.bodies
    joint = np.zeros((len(KINDS), VALUES))
    unreadable, cocked, no_die = (float(bodies[reason]) for reason in (UNREADABLE, COCKED, NO_DIE))
    read = view.symbols.predict(prior, either_way=bool(bodies[:UNREADABLE].argmax() == D10))
    if read is None:
        return Prediction(joint, None, 0.0, 0.0, unreadable, cocked, no_die)
    kinds = (bodies[:UNREADABLE] + settings.floor) ** settings.kind_power
    joint[:, 1:] = kinds[:, None] / kinds.sum() * read.values
    best = view.die.symbols[0]
    upright = best.orientations[0].probability if best.orientations else 0.0
    return Prediction(
        joint / joint.sum(),
        read.symbol,
        best.score,
        upright,
        unreadable,
        cocked,
        no_die,
        read.up_deg,
        read.read_as,
    )


def fused(views: Sequence[Prediction], floor: float) -> Prediction:
    """The geometric mean of several predictions."""
    joint = np.exp(np.log(np.array([one.joint for one in views]) + floor).mean(0)) - floor
    joint = joint / joint.sum() if joint.sum() > floor else np.zeros_like(joint)
    others = [[v.score, v.upright, v.unreadable, v.cocked, v.no_die] for v in views]
    score, upright, unreadable, cocked, no_die = np.exp(np.log(np.array(others) + floor).mean(0)) - floor
    return replace(
        views[0],
        joint=joint,
        score=float(score),
        upright=float(upright),
        unreadable=float(unreadable),
        cocked=float(cocked),
        no_die=float(no_die),
    )
