"""Trust rises with each cue that speaks for a reading, and never leaves 0 … 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.recognition.confidence import CUES, cues, fitted

PART = st.floats(0, 1)


@given(PART, PART, PART, st.floats(1, 4000))
def test_any_cues_give_a_probability(best: float, mark: float, found: float, longer_px: float) -> None:
    told = cues(best, mark=mark, found=found, longer_px=longer_px)
    assert told.shape == (len(CUES),)
    assert 0 <= fitted().of(told) <= 1


@pytest.mark.parametrize("cue", CUES)
def test_what_speaks_for_a_reading_raises_the_trust(cue: str) -> None:
    assert fitted().weights[CUES.index(cue)] > 0


def test_a_plain_reading_is_trusted_and_a_faint_one_is_not() -> None:
    assert fitted().of(cues(0.99, mark=0.9, found=0.95, longer_px=60)) > 0.95
    assert fitted().of(cues(0.5, mark=0.4, found=0.5, longer_px=20)) < 0.5
