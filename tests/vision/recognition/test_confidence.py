"""Confidence rises with each feature that speaks for a prediction, and never leaves 0 … 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.fitted import Fitted
from vision.nets import FOLDER
from vision.recognition.confidence import FEATURES, features

PART = st.floats(0, 1)
WEIGHTS = Fitted.load(FOLDER / "fitted.json").confidence


@given(PART, PART, PART, st.floats(1, 4000))
def test_any_features_give_a_probability(best: float, symbol: float, found: float, longer_px: float) -> None:
    told = features(best, symbol=symbol, detection=found, longer_px=longer_px)
    assert told.shape == (len(FEATURES),)
    assert 0 <= WEIGHTS.probability(told) <= 1


@pytest.mark.parametrize("feature", FEATURES)
def test_what_speaks_for_a_prediction_raises_its_confidence(feature: str) -> None:
    assert getattr(WEIGHTS, feature) > 0


def test_a_plain_prediction_is_probable_and_a_faint_one_is_not() -> None:
    plain = features(0.99, symbol=0.9, detection=0.95, longer_px=60)
    faint = features(0.5, symbol=0.4, detection=0.5, longer_px=20)
    assert WEIGHTS.probability(plain) > 0.95
    assert WEIGHTS.probability(faint) < 0.5


def test_each_feature_has_its_weight_in_the_order_in_which_they_are_taken() -> None:
    assert (*FEATURES, "bias") == tuple(WEIGHTS.__dataclass_fields__)
