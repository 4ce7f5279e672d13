"""Dice of one kind differ from maker to maker, and a fourth of each range is kept for judging."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS, SOLIDS
from training.dice_sets import HELD, POLE, inradius, make, stretched, within

D10 = SOLIDS["d10"][0]


@pytest.mark.parametrize("tall", POLE)
def test_a_taller_d10_has_flat_kites_with_its_numerals_on_them(tall: float) -> None:
    die = stretched(D10, (1.0, 1.0, tall))
    corners = np.array(die.vertices_mm)
    for face in die.faces:
        normal, (symbol,) = np.array(face.normal), face.symbols
        heights = corners[list(face.corners)] @ normal
        assert heights == pytest.approx(inradius(die), abs=1e-6)
        assert np.array(symbol.centre) @ normal == pytest.approx(inradius(die), abs=1e-6)
        assert np.array(symbol.up) @ normal == pytest.approx(0, abs=1e-9)
        assert (corners @ normal).max() == pytest.approx(inradius(die), abs=1e-6)


def test_the_poles_of_d10_run_from_085_to_12_of_the_girdle() -> None:
    poles = []
    for tall in POLE:
        corners = np.array(stretched(D10, (1.0, 1.0, tall)).vertices_mm)
        girdle = np.linalg.norm(corners[:10, :2], axis=1).mean()
        poles.append(corners[:, 2].max() / girdle)
    assert poles == pytest.approx([0.85, 1.2], abs=0.01)


def test_what_is_held_out_is_drawn_for_judging_alone() -> None:
    rng = np.random.default_rng(1)
    seen = np.array([within((2.0, 6.0), rng, held=False) for _ in range(2000)])
    held = np.array([within((2.0, 6.0), rng, held=True) for _ in range(500)])
    low, high = (2 + 4 * part for part in HELD)
    assert not ((seen > low) & (seen < high)).any()
    assert seen.min() < 2.1
    assert seen.max() > 5.9
    assert ((held >= low) & (held <= high)).all()


def test_a_make_keeps_the_numbering() -> None:
    rng = np.random.default_rng(2)
    for kind in KINDS:
        usual = SOLIDS[kind][0]
        made = make(usual, rng)
        assert [face.value for face in made.solid.faces] == [face.value for face in usual.faces]
        assert made.solid.opposite(0) == usual.opposite(0)
