"""What a rendered die's label says of the face on top: its text, none for pips, or that it is a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.training.shrunk import families
from training import lettering
from training.dice_sets import inks, model
from training.lettering import SIDE
from training.scenes import Tilted, scene

if TYPE_CHECKING:
    from training import Rng
    from training.dice_sets import Model


@pytest.fixture(autouse=True)
def few_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lettering, "_families", families)


def test_a_picture_stands_in_place_of_its_value_alone() -> None:
    plain = model("d6", np.random.default_rng(4), pips=1.0)
    star = np.eye(SIDE, dtype=np.float32)
    die = replace(plain, pictures={6: star})
    for face in die.solid.faces:
        (_, ink, _), *_ = inks(die, face)
        assert (ink is star) == (face.value == 6)
    assert [die.text(value) for value in range(1, 7)] == ["", "", "", "", "", None]


def test_a_scene_s_labels_tell_what_is_written_on_top() -> None:
    tens = tuple(f"{value % 10}0" for value in range(1, 11))
    star = np.eye(SIDE, dtype=np.float32)

    def percentile(_: float, rng: Rng) -> Model:
        return replace(model("d10", rng), texts=tens)

    def emblem(_: float, rng: Rng) -> Model:
        return replace(model("d6", rng), pictures=dict.fromkeys(range(1, 7), star))

    for die_of in (percentile, emblem):
        dice = scene(np.random.default_rng(3), side=240, tilted=Tilted(0.0), die_of=die_of).dice
        assert dice
        for die in dice:
            assert die.text == (tens[die.value - 1] if die_of is percentile else None)
