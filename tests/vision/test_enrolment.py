"""Own dice are kept in a file, known again, and never mistaken for a damaged file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.enrolment import NotDiceError, OwnDice

if TYPE_CHECKING:
    from pathlib import Path


def own() -> OwnDice:
    """Three faces at right angles."""
    return OwnDice((("d6", 1), ("d6", 2), ("d20", 17)), np.eye(3, 1600, dtype=np.float32))


def test_the_likest_face_of_any_turn_counts() -> None:
    views = np.zeros((24, 1600), np.float32)
    views[:, 40] = 1
    views[7] = 0.8 * np.eye(1600)[2] + 0.6 * np.eye(1600)[1]
    found = own().likeness(views)
    assert found.die == ("d20", 17)
    assert found.same == pytest.approx(0.8)
    assert found.other == pytest.approx(0.6)


def test_saved_dice_are_the_same_again(tmp_path: Path) -> None:
    own().save(tmp_path / "own.npz")
    again = OwnDice.load(tmp_path / "own.npz")
    assert again.shows == own().shows
    assert (again.faces == own().faces).all()
    assert [path.name for path in tmp_path.iterdir()] == ["own.npz"]


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    own().save(path)
    whole = path.read_bytes()
    for broken in (b"", whole[:100], whole[: len(whole) // 2], b"PK" + bytes(3000)):
        path.write_bytes(broken)
        with pytest.raises(NotDiceError, match="dicetable enrol"):
            OwnDice.load(path)
    with pytest.raises(NotDiceError, match="dicetable enrol"):
        OwnDice.load(tmp_path / "none.npz")
