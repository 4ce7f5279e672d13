"""What is surely no die among the places that the finder points at in a labelled photograph."""

from __future__ import annotations

import pytest

from training.photos import is_no_die
from vision.reading import Detection

DICE = [Detection(20, 20, 60, 60, 1), Detection(120, 20, 60, 60, 1)]


@pytest.mark.parametrize(
    ("found", "none"),
    [
        (Detection(0, 0, 200, 110, 0.6), True),
        (Detection(60, 60, 14, 14, 0.7), True),
        (Detection(22, 18, 58, 61, 0.9), False),
        (Detection(35, 20, 30, 60, 0.4), False),
        (Detection(300, 20, 60, 60, 0.9), False),
    ],
    ids=["heap", "pip", "die", "half a die", "no label there"],
)
def test_heaps_and_parts_of_labelled_dice_are_none(found: Detection, none: bool) -> None:
    assert is_no_die(found, DICE) is none
