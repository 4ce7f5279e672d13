"""Symbols are found in photographs, and believed where what is read there is what the label says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.drawing import one_die
from training.packs import found_symbols, only_found
from vision.reader import DiceReader
from vision.recognition.classifiers import CROP_PX, NO_DIE, crop_of

if TYPE_CHECKING:
    from pathlib import Path

D6 = 1
READER = DiceReader()


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A five and a four that is labelled as a one, both turned, and a place without a die."""
    frames = [one_die(shown, degrees=20) for shown in (5, 4)]
    crops = [crop_of(frame, READER.detector.detect(frame)[0]) for frame in frames]
    np.savez(
        tmp_path / "photo.npz",
        crops=np.array([*crops, np.full_like(crops[0], 80)]),
        bodies=[D6, D6, NO_DIE],
        values=[5, 1, 0],
        symbols=np.full((3, 3, 4), np.nan, np.float32),
    )
    return tmp_path / "photo.npz"


def test_a_mark_is_found_where_it_says_what_the_label_says(pack: Path) -> None:
    found = found_symbols(pack, READER)
    assert found["bodies"].tolist() == [D6, D6, NO_DIE]
    assert np.isnan(found["symbols"][1:]).all()
    x, y, up_deg, span = found["symbols"][0, 0]
    assert (x, y) == pytest.approx((CROP_PX / 2, CROP_PX / 2), abs=0.1 * CROP_PX)
    assert 0.3 * CROP_PX < span < 0.8 * CROP_PX
    assert abs((up_deg + 20 + 45) % 90 - 45) < 15
    assert found["pips"].tolist() == [True, False, False]


def test_only_those_of_which_a_mark_was_found_stay(pack: Path) -> None:
    found = only_found(found_symbols(pack, READER))
    assert found["values"].tolist() == [5]
    assert found["crops"].shape == (1, CROP_PX, CROP_PX, 3)
