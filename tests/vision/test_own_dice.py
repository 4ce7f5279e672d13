"""Own dice are kept in a file as they were, and never mistaken for a damaged file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from vision.own_dice import NotDiceError, OwnDice

TINTS = np.array([[50, 0, 0], [50, 10, 0], [80, 0, 30], [50, 0, 3]], np.float32)


def own() -> OwnDice:
    """Four faces at right angles, two of them in two pictures of one die."""
    return OwnDice((("d6", 1), ("d6", 2), ("d20", 17), ("d6", 1)), np.eye(4, 1600, dtype=np.float32), TINTS)


def test_the_likest_picture_in_any_turn_and_the_nearest_colour_count() -> None:
    views = np.zeros((24, 1600), np.float32)
    views[7] = 0.8 * np.eye(1600)[3] + 0.6 * np.eye(1600)[2]
    found = own().likeness(views, np.array([50, 0, 0], np.float32))
    assert found.dice == (("d20", 17), ("d6", 1), ("d6", 2))
    assert found.alike == pytest.approx([0.6, 0.8, 0.0])
    assert found.tinted == pytest.approx([np.hypot(30, 30), 0, 10])


def test_saved_dice_are_the_same_again(tmp_path: Path) -> None:
    own().save(tmp_path / "own.npz")
    again = OwnDice.load(tmp_path / "own.npz")
    assert again.shows == own().shows
    assert (again.reliefs == own().reliefs).all()
    assert (again.tints == own().tints).all()
    assert [path.name for path in tmp_path.iterdir()] == ["own.npz"]


def refusal(path: Path) -> str:
    with pytest.raises(NotDiceError, match="dicetable enrol") as refused:
        OwnDice.load(path)
    return str(refused.value)


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    own().save(path)
    whole = path.read_bytes()
    array = tmp_path / "array.npy"
    np.save(array, np.eye(3))
    others = (b"these are no dice\n", b"\x89PNG\r\n\x1a\n" + bytes(90), array.read_bytes())
    for broken in (b"", whole[:100], whole[: len(whole) // 2], b"PK" + bytes(3000), *others):
        path.write_bytes(broken)
        assert "is no file that `dicetable enrol` wrote, or damaged: enrol the dice again" in refusal(path)


def test_what_is_no_file_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        assert f"{path} is no file: name the one" in refusal(path)
    assert "is not there: mend its name, or enrol" in refusal(tmp_path / "none.npz")
    (tmp_path / "file").touch()
    assert "cannot be read (Not a directory): " in refusal(tmp_path / "file" / "own.npz")
