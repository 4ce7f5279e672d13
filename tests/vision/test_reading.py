"""What a reading may say at all."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from games.dice import FACES, KINDS
from vision.reading import DieReading, Doubt, Reading

BOX = (1, 2, 30, 40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_face_of_a_kind_can_be_read_and_no_other(kind: Any) -> None:
    for value in range(1, FACES[kind] + 1):
        assert DieReading(kind, value, 1.0, BOX).value == value
    for value in (0, -1, FACES[kind] + 1):
        with pytest.raises(ValueError, match=f"{kind} has no face {value}"):
            DieReading(kind, value, 1.0, BOX)


def test_a_value_needs_a_kind() -> None:
    with pytest.raises(ValueError, match="unknown kind has no face 3"):
        DieReading(None, 3, 0.2, BOX, Doubt.LOW_CONFIDENCE)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_confidence_lies_from_0_to_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        DieReading("d6", 3, confidence, BOX, Doubt.LOW_CONFIDENCE)


def test_nothing_is_sure_without_a_value() -> None:
    with pytest.raises(ValueError, match="cannot be sure"):
        DieReading("d6", None, 0.9, BOX)


@pytest.mark.parametrize("doubt", Doubt)
def test_a_die_is_sure_exactly_without_a_doubt(doubt: Doubt) -> None:
    die = DieReading("d6", 3, 0.9, BOX, doubt)
    assert not die.sure
    assert die.cocked == (doubt is Doubt.COCKED)
    assert replace(die, doubt=None).sure


def test_a_reading_is_sure_if_all_its_dice_are() -> None:
    sure = DieReading("d6", 3, 0.9, BOX)
    doubtful = DieReading("d6", 3, 0.4, BOX, Doubt.SIX_OR_NINE)
    assert Reading((sure, sure)).sure
    assert not Reading((sure, doubtful)).sure
    assert Reading((sure, doubtful, doubtful)).doubts == {Doubt.SIX_OR_NINE: 2}


def test_a_reading_cannot_be_changed() -> None:
    die = DieReading("d6", 3, 0.9, BOX)
    with pytest.raises(FrozenInstanceError):
        die.value = 4  # type: ignore[misc]
