"""What a reading may say at all."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from games.dice import FACES, KINDS
from vision.reading import DieReading, Reading

BOX = (1, 2, 30, 40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_face_of_a_kind_can_be_read_and_no_other(kind: Any) -> None:
    for value in range(1, FACES[kind] + 1):
        assert DieReading(kind, value, 1.0, sure=True, box=BOX).value == value
    for value in (0, -1, FACES[kind] + 1):
        with pytest.raises(ValueError, match=f"{kind} has no face {value}"):
            DieReading(kind, value, 1.0, sure=True, box=BOX)


def test_a_value_needs_a_kind() -> None:
    with pytest.raises(ValueError, match="unknown kind has no face 3"):
        DieReading(None, 3, 0.2, sure=False, box=BOX)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_confidence_lies_from_0_to_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        DieReading("d6", 3, confidence, sure=False, box=BOX)


def test_nothing_is_sure_without_a_value_or_leaning() -> None:
    with pytest.raises(ValueError, match="sure only with a value"):
        DieReading("d6", None, 0.9, sure=True, box=BOX)
    with pytest.raises(ValueError, match="lying flat"):
        DieReading("d6", 3, 0.9, sure=True, box=BOX, cocked=True)


def test_a_reading_is_sure_if_all_its_dice_are() -> None:
    sure = DieReading("d6", 3, 0.9, sure=True, box=BOX)
    doubtful = DieReading("d6", 3, 0.4, sure=False, box=BOX)
    assert Reading((sure, sure)).sure
    assert not Reading((sure, doubtful)).sure


def test_a_reading_cannot_be_changed() -> None:
    die = DieReading("d6", 3, 0.9, sure=True, box=BOX)
    with pytest.raises(FrozenInstanceError):
        die.value = 4  # type: ignore[misc]
