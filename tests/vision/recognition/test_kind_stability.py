"""A die is looked at turned, and its kind must hold."""

from __future__ import annotations

import numpy as np
import pytest

import vision.recognition.kind_stability
from vision.recognition.crops import STORED, Pixels
from vision.recognition.die_classifier import WholeDie
from vision.recognition.kind_stability import HOLDS, TURN_DEG, holds_turned
from vision.recognition.outputs import BODIES, BOX, COCKED

STILL = np.zeros((STORED, STORED, 3), np.uint8)


@pytest.mark.parametrize("more", [0.02, -0.02])
@pytest.mark.parametrize("reasons", [0.0, 0.6])
def test_the_share_among_the_kinds_counts_whatever_else_the_net_sees(
    more: float, reasons: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = HOLDS + more
    bodies = np.zeros(BODIES)
    bodies[[1, 2, COCKED]] = (1 - reasons) * (1 - share), (1 - reasons) * share, reasons

    def look(_stored: Pixels, turn_deg: float) -> WholeDie:
        assert turn_deg == TURN_DEG
        return WholeDie(bodies, np.zeros(BOX), ())

    monkeypatch.setattr(vision.recognition.kind_stability, "look", look)
    assert holds_turned(STILL, 2) is (more > 0)
    assert not holds_turned(STILL, 1)
