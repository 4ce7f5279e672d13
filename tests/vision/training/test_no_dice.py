"""What is surely no die among the places that the finder points at in a labelled photograph."""

from __future__ import annotations

import pytest

from vision.detection.detections import Candidate
from vision.training.no_dice import is_no_die

DICE = [Candidate(20, 20, 60, 60, 1), Candidate(120, 20, 60, 60, 1)]


@pytest.mark.parametrize(
    ("found", "none"),
    [
        (Candidate(0, 0, 200, 110, 0.6), True),
        (Candidate(60, 60, 14, 14, 0.7), True),
        (Candidate(22, 18, 58, 61, 0.9), False),
        (Candidate(35, 20, 30, 60, 0.4), False),
        (Candidate(300, 20, 60, 60, 0.9), False),
    ],
    ids=["heap", "pip", "die", "half a die", "no label there"],
)
def test_heaps_and_parts_of_labelled_dice_are_none(found: Candidate, none: bool) -> None:
    assert is_no_die(found, DICE) is none
