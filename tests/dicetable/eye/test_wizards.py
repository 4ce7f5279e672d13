"""What the wizards of the operator page keep."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dicetable.eye.wizards import Wizards
from vision.recognition.crops import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice, Prototype

if TYPE_CHECKING:
    from pathlib import Path

    from games.dice import Die


@pytest.fixture
def wizards(tmp_path: Path) -> Wizards:
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None), learns=None)
    return Wizards(eye, None, tmp_path / "own.npz")


def shown(*dice: Die) -> list[tuple[Die, Prototype]]:
    return [(die, Prototype(np.ones(SYMBOL_PX**2, np.float32), np.zeros(3, np.float32))) for die in dice]


def test_dice_that_were_shown_are_kept_and_used_at_once(wizards: Wizards, tmp_path: Path) -> None:
    wizards.shown = shown(("d6", 1), ("d6", 2))
    told, _ = wizards.keep_dice({})
    assert told == {"kept": str(tmp_path / "own.npz"), "faces": 2, "configured": True}
    assert wizards.eye.observer.enrolled is not None
    assert wizards.eye.observer.enrolled.shows == (("d6", 1), ("d6", 2))
    assert "error" in wizards.keep_dice({})[0]  # they are kept once


def test_a_second_die_is_kept_beside_the_first_or_instead_of_it(wizards: Wizards, tmp_path: Path) -> None:
    for value, add, faces in ((1, True, 1), (2, True, 2), (3, False, 1)):
        wizards.shown = shown(("d6", value))
        assert wizards.keep_dice({"add": add})[0]["faces"] == faces
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 3),)


def test_a_damaged_file_is_not_added_to_and_not_lost(wizards: Wizards, tmp_path: Path) -> None:
    (tmp_path / "own.npz").write_bytes(b"PK")
    wizards.shown = shown(("d6", 1))
    assert "own.npz" in wizards.keep_dice({"add": True})[0]["error"]
    assert (tmp_path / "own.npz").read_bytes() == b"PK"
    assert wizards.keep_dice({"add": False})[0]["faces"] == 1
