"""A bar is a die drawn out: it lies on its long sides, and its symbols are still on its faces."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS, SOLIDS, Solid
from training.dice_sets import bar, bases

EVERY = [solid for kind in KINDS for solid in SOLIDS[kind]]


@pytest.mark.parametrize("solid", EVERY, ids=lambda solid: f"{solid.kind} {solid.layout}")
def test_a_die_may_come_to_lie_on_every_face(solid: Solid) -> None:
    assert bases(solid) == list(range(len(solid.faces)))


@pytest.mark.parametrize("longer", [1.5, 2.5])
def test_a_bar_lies_on_its_long_sides(longer: float) -> None:
    drawn = bar(SOLIDS["d6"][0], longer)
    lying = bases(drawn)
    assert len(lying) == 4
    for i in lying:
        corners = np.array([drawn.vertices_mm[c] for c in drawn.faces[i].corners])
        sides = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1))
        assert sides[-1] == pytest.approx(longer * sides[0])


def test_the_symbols_of_a_bar_are_on_its_faces() -> None:
    drawn = bar(SOLIDS["d6"][0], 2.0)
    for face in drawn.faces:
        corners = np.array([drawn.vertices_mm[c] for c in face.corners])
        for symbol in face.symbols:
            assert np.array(symbol.centre) == pytest.approx(corners.mean(0))
