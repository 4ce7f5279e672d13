"""The value of a die: its symbols are read in several views and orientations, and all of that is fused."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from games.dice import FACES, KINDS
from vision.recognition.classifiers import (
    COCKED,
    NO_DIE,
    UNREADABLE,
    VALUES,
    DieClassifier,
    DiePrediction,
    FaceClassifier,
    Floats,
    Orientation,
    Pixels,
    Symbol,
    SymbolClassifier,
    logistic,
)

VIEWS: Final = ((0.0, 1.0), (-14.0, 1.07))
"""Turn in degrees and zoom of each view of the die. Each costs a run of the die net."""
CLEAR: Final = 0.98
"""Confidence of the first view from which the others are not needed."""
HOPELESS: Final = 0.2
"""Confidence under which they would not help."""
KIND_POWER: Final = 1.25
"""Power of the probabilities of the kinds in the joint one."""
JOINT_FLOOR: Final = 1e-4
"""Added to each probability before its logarithm is taken."""
SLIGHT: Final = 0.01
"""Odds, against the best symbol of the die, under which another one is not read."""
SYMBOL_FLOOR: Final = 1e-5
"""Added to each probability before its logarithm is taken."""
ALIKE: Final = 3
"""Orientations from which a symbol may be a face of pips. Lower: numerals are taken for pips."""
PIPS: Final = 0.45
"""A symbol with `ALIKE` orientations is a face of pips, and read once, if the likeliest is less probable than
this."""
REVERSIBLE: Final = 0.1
"""Probability of a 6 or 9 from which a symbol is read upside down too."""
MUTE: Final = 0.5
"""Probability that a symbol of a d10 says nothing as it seems to stand, from which it is read upside down
instead."""
TURNED: Final = 0.04
"""Probability of such an orientation."""
SIX, NINE = 6, 9
TWO_WAYS = tuple(KINDS.index(kind) for kind in ("d10", "d12", "d20"))
"""Kinds on which both a 6 and a 9 are found."""
ALLOWED = np.array([np.arange(1, VALUES) <= FACES[kind] for kind in KINDS])
"""Whether a kind has a face of that value, (kinds, VALUES - 1)."""


class Upright(NamedTuple):
    """One symbol in one orientation.

    Its orientation, how much it weighs (a logarithm), its probabilities (VALUES,), and those upside down if
    it may be a 6 or a 9.
    """

    symbol: Symbol
    up_deg: float
    weight: float
    values: Floats
    reversed: Floats | None

    @property
    def read_as(self) -> int:
        """The likeliest value."""
        return 1 + int(self.values[1:].argmax())


class SymbolReader(NamedTuple):
    """The net for symbols, with what weighs its answers."""

    classifier: SymbolClassifier
    weights: SymbolWeights


def no_prior(_symbol: Symbol) -> float:
    """What a symbol's place adds to its weight where nothing is known of the camera."""
    return 0.0


@dataclass(frozen=True, slots=True)
class DieView:
    """One view of a die in its `crop`; each of its symbols is read when it first counts."""

    reader: SymbolReader
    crop: Pixels
    die: DiePrediction
    _read: dict[Symbol, list[Upright]] = field(default_factory=dict)
    _turned: dict[Symbol, list[Upright]] = field(default_factory=dict)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Its symbols, best first."""
        return self.die.symbols

    def predict(
        self, prior: Callable[[Symbol], float] = no_prior, *, either_way: bool = False
    ) -> tuple[Floats, Upright] | None:
        """The values by its symbols, and the symbol that counts most; None without any symbols.

        The values are probabilities (kinds, VALUES - 1), for each kind that the die may be: kinds are weighed
        later. `prior` is added to the weight of each symbol.

        `either_way` reads upside down what says nothing as it seems to stand: makers differ in the way up of
        a d10's numerals.
        """
        upright = self.uprights(prior, either_way=either_way)
        if not upright:
            return None
        share = shares(upright)
        values = mixed(upright, share)
        either = values
        if any(view.reversed is not None for view in upright):
            both = upright + [
                view._replace(
                    weight=view.weight - self._clarity(view.values) + self._clarity(view.reversed),
                    values=view.reversed,
                )
                for view in upright
                if view.reversed is not None
            ]
            either = mixed(both, shares(both))
        by_kind = np.where(IS_TWO_WAYS[:, None], values, either) * ALLOWED
        by_kind[D4] = self._agreed(upright, by_kind[D4].sum())
        most = dict.fromkeys(self.symbols, 0.0)
        for part, view in zip(share, upright, strict=True):
            most[view.symbol] += part
        symbol = max(self.symbols, key=lambda candidate: most[candidate])
        own = [(part, view) for part, view in zip(share, upright, strict=True) if view.symbol is symbol]
        return by_kind, max(own, key=lambda pair: pair[0])[1]

    def _agreed(self, upright: Sequence[Upright], mass: float) -> Floats:
        """Probabilities (VALUES - 1,), of `mass` in all, of the values of a d4, whose top has three numerals.

        Each symbol is one of them with a probability by its weight, or else says nothing, so that those
        that agree bear one another out.
        """
        weights, values = self.reader.weights, np.zeros(VALUES - 1)
        for symbol in self.symbols:
            own = [view for view in upright if view.symbol is symbol]
            if not own:
                continue
            weight = np.logaddexp.reduce([view.weight for view in own])
            counts = logistic(weight[None], np.array([weights.agreeing, weights.agreeing_bias]))
            likely = mixed(own, shares(own))
            values += np.log(counts * likely + (1 - counts) / FACES["d4"])
        likely = np.exp(weights.agreement * values) * ALLOWED[D4]
        return np.asarray(mass * likely / likely.sum())

    def uprights(self, prior: Callable[[Symbol], float], *, either_way: bool = False) -> list[Upright]:
        """The symbols in their likely orientations, but for those in places that hardly count."""
        place = self.reader.weights.place
        weights = {
            symbol: place * float(np.log(odds(symbol.score))) + prior(symbol) for symbol in self.symbols
        }
        least = max(weights.values(), default=0.0) + float(np.log(SLIGHT))
        counted = [symbol for symbol in self.symbols if weights[symbol] >= least]
        self._read_all([symbol for symbol in counted if symbol not in self._read])
        if either_way:
            self._turn_all([symbol for symbol in counted if symbol not in self._turned])
        ways = (self._read, self._turned) if either_way else (self._read,)
        return [
            view._replace(weight=view.weight + weights[symbol])
            for symbol in counted
            for way in ways
            for view in way[symbol]
        ]

    def _turn_all(self, symbols: Sequence[Symbol]) -> None:
        """Reads upside down, in one batch, the symbols that say nothing in an orientation that they have."""
        for symbol in symbols:
            self._turned[symbol] = []
        mute = [(symbol, view) for symbol in symbols for view in self._read[symbol] if view.values[0] >= MUTE]
        if not mute:
            return
        views = [(symbol, view.up_deg + 180) for symbol, view in mute]
        values = self.reader.classifier.predict_all(self.crop, views)
        unlikely = self.reader.weights.orientation * float(np.log(TURNED))
        for (symbol, view), read in zip(mute, values, strict=True):
            weight = unlikely + self._clarity(read)
            self._turned[symbol].append(Upright(symbol, view.up_deg + 180, weight, read, None))

    def _read_all(self, symbols: Sequence[Symbol]) -> None:
        """Reads symbols in their orientations, in one batch; upside down too where that may matter."""
        ups = [(symbol, up) for symbol in symbols for up in orientations_read(symbol)]
        for symbol in symbols:
            self._read[symbol] = []
        if not ups:
            return
        predict = self.reader.classifier.predict_all
        values = predict(self.crop, [(symbol, up.up_deg) for symbol, up in ups])
        turned = np.flatnonzero(values[:, SIX] + values[:, NINE] >= REVERSIBLE).tolist()
        reverse: dict[int, Floats] = {}
        if turned:
            views = [(ups[i][0], ups[i][1].up_deg + 180) for i in turned]
            reverse = dict(zip(turned, predict(self.crop, views), strict=True))
        for i, (symbol, up) in enumerate(ups):
            weight = self.reader.weights.orientation * float(np.log(up.probability))
            weight += self._clarity(values[i])
            self._read[symbol].append(Upright(symbol, up.up_deg, weight, values[i], reverse.get(i)))

    def _clarity(self, values: Floats) -> float:
        """What it adds to a symbol's weight that it is legible."""
        nothing = float(np.clip(values[0], 1e-4, 1 - 1e-4))
        weights = self.reader.weights
        return weights.legible * float(np.log(1 - nothing)) + weights.blank * float(np.log(nothing))


D4 = KINDS.index("d4")
IS_TWO_WAYS = np.isin(np.arange(len(KINDS)), TWO_WAYS)


def orientations_read(symbol: Symbol) -> tuple[Orientation, ...]:
    """The orientations in which a symbol is read: of a face of pips one is enough."""
    ups = symbol.orientations
    pips = len(ups) >= ALIKE and ups[0].probability < PIPS
    return ups[:1] if pips else ups


def odds(p: float) -> float:
    """The odds p : 1 - p, of a p that is kept off 0 and 1."""
    p = min(max(p, 1e-3), 1 - 1e-3)
    return p / (1 - p)


def shares(of: Sequence[Upright]) -> Floats:
    """The shares (n,) of symbols by their weights, of 1 in all."""
    weights = np.array([view.weight for view in of])
    parts = np.exp(weights - weights.max())
    return np.asarray(parts / parts.sum())


def mixed(of: Sequence[Upright], share: Floats) -> Floats:
    """Probabilities (VALUES - 1,) of the values from 1 by these symbols in these shares."""
    values = np.array([view.values[1:] for view in of]) + SYMBOL_FLOOR
    values /= values.sum(1, keepdims=True)
    return np.asarray(share @ values)


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
            of which nothing is known; 0 where they say nothing.
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


class Classifiers(NamedTuple):
    """What predicts of a view: the die net, the symbol net and the net of what a face bears."""

    dice: DieClassifier
    symbols: SymbolReader
    faces: FaceClassifier


Said = TypeVar("Said")


class Looks(dict[Hashable, Any]):
    """What the nets said of one crop, by question: each looks at it once, in the readings to come too."""

    def once(self, question: Hashable, look: Callable[[], Said]) -> Said:
        """The answer to a question about the crop; from `look` if it was not asked before."""
        if question not in self:
            self[question] = look()
        answer: Said = self[question]
        return answer


class Views:
    """The views of one die; each is classified when it is first needed, but for a first that is given."""

    def __init__(self, classifiers: Classifiers, crop: Pixels, first: DiePrediction | None = None) -> None:
        self.classifiers = classifiers
        self.crop = crop
        self.looks = Looks()
        self._seen: list[DieView] = []
        if first is not None:
            self._seen.append(self._view(first))

    def predict(self, prior: Callable[[Symbol], float] = no_prior) -> Prediction:
        """The fused prediction; `prior` is what each symbol's place adds to its weight."""
        if prior is no_prior:  # the same in each frame in which the die looks the same
            return self.looks.once("alone", lambda: self._fused(no_prior))
        return self._fused(prior)

    def _fused(self, prior: Callable[[Symbol], float]) -> Prediction:
        first = predicted(self.view(0), prior)
        if first.confidence >= CLEAR or first.confidence < HOPELESS:
            return first
        others = [predicted(self.view(i), prior) for i in range(1, len(VIEWS))]
        return fused([first, *others])

    def view(self, number: int) -> DieView:
        """The view of that number, and those before it."""
        while len(self._seen) <= number:
            turn_deg, zoom = VIEWS[len(self._seen)]
            self._seen.append(self._view(self.classifiers.dice.predict(self.crop, turn_deg, zoom)))
        return self._seen[number]

    def face(self, symbol: Symbol, up_deg: float) -> Floats:
        """What a symbol's face bears, see `FaceClassifier`."""
        faces = self.classifiers.faces
        return self.looks.once(("face", symbol, up_deg), lambda: faces.predict(self.crop, symbol, up_deg))

    def _view(self, die: DiePrediction) -> DieView:
        return DieView(self.classifiers.symbols, self.crop, die)


def predicted(view: DieView, prior: Callable[[Symbol], float] = no_prior) -> Prediction:
    bodies = view.die.bodies
    joint = np.zeros((len(KINDS), VALUES))
    unreadable, cocked, no_die = (float(bodies[reason]) for reason in (UNREADABLE, COCKED, NO_DIE))
    read = view.predict(prior, either_way=bool(bodies[:UNREADABLE].argmax() == D10))
    if read is None:
        return Prediction(joint, None, 0.0, 0.0, unreadable, cocked, no_die)
    values, top = read
    kinds = (bodies[:UNREADABLE] + JOINT_FLOOR) ** KIND_POWER
    joint[:, 1:] = kinds[:, None] / kinds.sum() * values
    best = view.symbols[0]
    upright = best.orientations[0].probability if best.orientations else 0.0
    return Prediction(
        joint / joint.sum(),
        top.symbol,
        best.score,
        upright,
        unreadable,
        cocked,
        no_die,
        top.up_deg,
        top.read_as,
    )


def fused(views: Sequence[Prediction]) -> Prediction:
    """The geometric mean of several predictions."""
    joint = (
        np.exp(np.log(np.array([prediction.joint for prediction in views]) + JOINT_FLOOR).mean(0))
        - JOINT_FLOOR
    )
    joint = joint / joint.sum() if joint.sum() > JOINT_FLOOR else np.zeros_like(joint)
    others = [[v.score, v.upright, v.unreadable, v.cocked, v.no_die] for v in views]
    score, upright, unreadable, cocked, no_die = (
        np.exp(np.log(np.array(others) + JOINT_FLOOR).mean(0)) - JOINT_FLOOR
    )
    return replace(
        views[0],
        joint=joint,
        score=float(score),
        upright=float(upright),
        unreadable=float(unreadable),
        cocked=float(cocked),
        no_die=float(no_die),
    )


@dataclass(frozen=True, slots=True)
class SymbolWeights:
    """Weights of this module, fitted to rendered crops that no net saw (docs/research/trials.md).

    Powers of the odds of a symbol's place, its orientation, its being legible, and its saying nothing.
    `agreeing` and `agreeing_bias` lead from a symbol's weight to the log odds that it is one of the three
    numerals on top of a d4; `agreement` is the power of the product of their probabilities.
    """

    place: float
    orientation: float
    legible: float
    blank: float
    agreeing: float
    agreeing_bias: float
    agreement: float
