"""Trust rises with each cue that speaks for a reading, and never leaves 0 … 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.trust import CUES, Floats, cues, fitted

PART = st.floats(0, 1)


def joint(best: float) -> Floats:
    out = np.zeros((6, 21))
    out[1, 4] = best
    return out


def usual(best: float = 0.6, *, pips: float = 0.0) -> Floats:
    return cues(joint(best), mark=0.8, legible=0.95, found=0.7, longer_px=40, pips=pips)


@given(PART, PART, PART, PART, st.floats(1, 4000), st.sampled_from([-1.0, 0.0, 1.0]))
def test_any_cues_give_a_probability(
    best: float,
    mark: float,
    legible: float,
    found: float,
    longer_px: float,
    pips: float,
) -> None:
    told = cues(joint(best), mark=mark, legible=legible, found=found, longer_px=longer_px, pips=pips)
    assert told.shape == (len(CUES),)
    assert 0 <= fitted().of(told) <= 1


@pytest.mark.parametrize("cue", ["joint", "found", "pips"])
def test_what_speaks_for_a_reading_raises_the_trust(cue: str) -> None:
    assert fitted().weights[CUES.index(cue)] > 0


def test_agreeing_pips_raise_and_differing_pips_lower_the_trust() -> None:
    p = [fitted().of(usual(pips=pips)) for pips in (-1.0, 0.0, 1.0)]
    assert p[0] < p[1] < p[2]
