"""A die is looked at turned, and the share of its kind among the kinds is told."""

from __future__ import annotations

import numpy as np
import pytest

import vision.recognition.kind_stability
from vision.recognition.crops import STORED, Pixels
from vision.recognition.die_classifier import WholeDie
from vision.recognition.kind_stability import kind_share
from vision.recognition.outputs import BODIES, BOX, COCKED

STILL = np.zeros((STORED, STORED, 3), np.uint8)


@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("reasons", [0.0, 0.6])
def test_the_share_among_the_kinds_counts_whatever_else_the_net_sees(
    share: float, reasons: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = np.zeros(BODIES)
    bodies[[1, 2, COCKED]] = (1 - reasons) * (1 - share), (1 - reasons) * share, reasons

    def look(_stored: Pixels, turn_deg: float) -> WholeDie:
        assert turn_deg == 45.0
        return WholeDie(bodies, np.zeros(BOX), ())

    monkeypatch.setattr(vision.recognition.kind_stability, "look", look)
    assert kind_share(STILL, 2, 45.0) == pytest.approx(share)
