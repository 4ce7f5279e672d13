"""The eye's process starts with the enrolled dice, or without them if their file is damaged."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from dicetable.eye.child import own_dice
from vision.recognition.classifiers import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_tables_own_dice_are_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "own.npz"
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None))
    assert own_dice(None, eye) is None
    own = EnrolledDice(
        (("d20", 17),), np.ones((1, SYMBOL_PX * SYMBOL_PX), np.float32), np.zeros((1, 3), np.float32)
    )
    file.write_bytes(own.packed())
    known = own_dice(file, eye)
    assert known is not None
    assert known.degraded is None
    assert eye.observer.enrolled.shows == (("d20", 17),)
    assert caplog.text == ""
    file.write_bytes(b"PK")
    with caplog.at_level(logging.WARNING):
        damaged = own_dice(file, eye)
    assert damaged is not None
    assert damaged.degraded is not None
    assert "own.npz" in damaged.degraded.remedy
    assert eye.observer.enrolled is None
    assert "dice=unusable" in caplog.text
