"""Confidence rises with each feature that speaks for a prediction, and never leaves 0 … 1."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.nets import FOLDER, Fitted
from vision.recognition.doubts import LEAST_CONFIDENCE
from vision.recognition.evidence import CONFIDENCE_FEATURES, confidence_features

PART = st.floats(0, 1)
FITTED = Fitted.of((FOLDER / "fitted.json").read_bytes())
WEIGHTS = FITTED.confidence
PLAIN: dict[str, Any] = {
    "symbol": 0.9, "detection": 0.9, "longer_px": 60, "no_die": 1e-4, "token": False,
}  # fmt: skip


def told(best: float = 0.99, **other: Any) -> float:
    """The confidence in a plain prediction but for what is said otherwise."""
    return WEIGHTS.probability(confidence_features(best, **(PLAIN | other)))


@given(PART, PART, PART, st.floats(1, 4000), PART, st.booleans())
def test_any_features_give_a_probability(
    best: float, symbol: float, found: float, longer_px: float, no_die: float, token: bool
) -> None:
    seen = confidence_features(
        best, symbol=symbol, detection=found, longer_px=longer_px, no_die=no_die, token=token
    )
    assert seen.shape == (len(CONFIDENCE_FEATURES),)
    assert 0 <= WEIGHTS.probability(seen) <= 1


@pytest.mark.parametrize("feature", ["joint", "symbol", "detection"])
def test_what_speaks_for_a_prediction_raises_its_confidence(feature: str) -> None:
    assert getattr(WEIGHTS, feature) > 0


def test_a_plain_prediction_is_probable_and_a_faint_one_is_not() -> None:
    assert told() > 0.95
    assert told(0.5, symbol=0.4, detection=0.5) < 0.5


def test_a_suspicion_counts_only_of_what_coins_and_tokens_show_too() -> None:
    assert told(no_die=0.1, token=True) < told(no_die=0.01, token=True) < told(no_die=1e-4, token=True)
    assert told(no_die=0.1) == told(no_die=1e-4)


def test_each_feature_has_its_weight_in_the_order_in_which_they_are_taken() -> None:
    assert (*CONFIDENCE_FEATURES, "bias") == tuple(WEIGHTS.__dataclass_fields__)


@given(PART)
def test_any_prediction_of_a_thrown_die_has_a_probability(best: float) -> None:
    assert 0 <= FITTED.thrown.probability(best) <= 1


def test_only_what_is_read_counts_for_a_thrown_die() -> None:
    assert FITTED.thrown.probability(0.5) < FITTED.thrown.probability(0.9) < LEAST_CONFIDENCE
    assert FITTED.thrown.probability(0.95) > LEAST_CONFIDENCE > told(0.95, symbol=0.4, detection=0.5)
