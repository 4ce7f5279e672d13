"""The file of fitted weights: named, in any order, and whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from vision.nets import FOLDER, Fitted

WHOLE: dict[str, Any] = json.loads((FOLDER / "fitted.json").read_bytes())


def with_cocked(weights: dict[str, float]) -> str:
    return json.dumps(WHOLE | {"cocked": WHOLE["cocked"] | {"weights": weights}})


def test_the_order_of_the_weights_means_nothing() -> None:
    weights: dict[str, float] = WHOLE["cocked"]["weights"]
    turned = dict(reversed(weights.items()))
    assert Fitted.of(with_cocked(turned)) == Fitted.of(json.dumps(WHOLE))


@pytest.mark.parametrize("change", [{"d6": None}, {"d7": 1.0}])
def test_a_weight_that_is_missing_or_surplus_is_a_mistake(change: dict[str, float | None]) -> None:
    changed = WHOLE["cocked"]["weights"] | change
    with pytest.raises((KeyError, ValueError)):
        Fitted.of(with_cocked({name: value for name, value in changed.items() if value is not None}))
