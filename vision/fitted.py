"""What training fitted besides the nets: small sets of weights, kept in one JSON file beside them."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.recognition.cocked import COCKED_FEATURES

Floats: TypeAlias = npt.NDArray[Any]


def logistic(features: Floats, weights: Floats) -> Floats:
    """Probabilities of a logistic regression.

    Args:
        features: of one item (k,) or of several (n, k).
        weights: one for each feature, and the bias last (k + 1,).

    Returns:
        Probabilities 0 … 1, shape () or (n,).
    """
    return np.asarray(1 / (1 + np.exp(-np.clip(features @ weights[:-1] + weights[-1], -30, 30))))


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Of the logistic regression of `vision.recognition.evidence`: one for each feature, and the bias."""

    joint: float
    symbol: float
    detection: float
    size: float
    token: float
    token_no_die: float
    bias: float

    def probability(self, features: Floats) -> float:
        """Probability 0 … 1 that the prediction with these features, in their order, is right."""
        return float(logistic(features, np.array(astuple(self))))


@dataclass(frozen=True, slots=True)
class SymbolWeights:
    """Of `vision.recognition.fusion`, fitted to rendered crops that no net saw (docs/research/trials.md).

    Powers of the odds of a symbol's place, its orientation, its being legible, and its saying nothing.
    `agreeing` and `agreeing_bias` lead from a symbol's weight to the log odds that it is one of the three
    numerals on top of a d4; `agreement` is the power of the product of what those tell.
    """

    place: float
    orientation: float
    legible: float
    blank: float
    agreeing: float
    agreeing_bias: float
    agreement: float


@dataclass(frozen=True, slots=True)
class EnrolmentWeights:
    """Of a conditional logit over the enrolled faces (docs/research/trials.md).

    `read` weighs the logarithm of the nets' probability of a face (at least `floor`), `alike` its likeness,
    `plainly` that beyond `striking`; `own_alike` and `own_tint` weigh likeness and the logarithm of the
    colours' distance for whether it is an enrolled die at all.
    """

    read: float
    alike: float
    plainly: float
    striking: float
    floor: float
    own_alike: float
    own_tint: float


@dataclass(frozen=True, slots=True)
class LogisticWeights:
    """Of the logistic regression of `vision.recognition.cocked`: one for each feature, and the bias."""

    weights: tuple[float, ...]
    bias: float

    def probability(self, features: Floats) -> float:
        """Probability 0 … 1 that a die with these features is cocked."""
        return float(logistic(features, np.array((*self.weights, self.bias))))


@dataclass(frozen=True, slots=True)
class Fitted:
    """All of them."""

    confidence: ConfidenceWeights
    symbols: SymbolWeights
    enrolment: EnrolmentWeights
    cocked: LogisticWeights

    @classmethod
    def of(cls, text: str | bytes) -> Fitted:
        """The weights of a JSON file; ValueError, KeyError or TypeError if they do not stand there."""
        told = json.loads(text)
        cocked = numbers(told["cocked"]["weights"])
        if len(cocked) != len(COCKED_FEATURES):
            raise ValueError("cocked: there is one weight for each feature")
        return cls(
            ConfidenceWeights(**numbers(told["confidence"])),
            SymbolWeights(**numbers(told["symbols"])),
            EnrolmentWeights(**numbers(told["enrolment"])),
            LogisticWeights(tuple(cocked[name] for name in COCKED_FEATURES), float(told["cocked"]["bias"])),
        )


def numbers(told: dict[str, Any]) -> dict[str, float]:
    """The weights by name; ValueError or TypeError if one is no number."""
    return {name: float(weight) for name, weight in told.items()}
