"""Pips are counted in the middle of a find, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.drawing import one_die, put_d6, soft, tray
from vision.candidates import Candidate
from vision.second_look import counted_pips


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("side", [40.0, 130.0])
def test_the_pips_of_a_clear_die_are_counted(value: int, side: float) -> None:
    frame = one_die(value, side, 25.0)
    place = Candidate(320 - side * 0.7, 240 - side * 0.7, 1.4 * side, 1.4 * side, 0.9)
    assert counted_pips(frame, place) == value


def test_pips_beside_the_find_do_not_count() -> None:
    frame = tray()
    put_d6(frame, 5, (250.0, 240.0), 50.0, 10.0)
    assert counted_pips(soft(frame), Candidate(300, 215, 50, 50, 0.9)) is None


@pytest.mark.parametrize("place", [Candidate(-30, -30, 20, 20, 0.5), Candidate(630, 470, 50, 50, 0.5)])
def test_a_find_at_the_edge_is_no_fault(place: Candidate) -> None:
    assert counted_pips(tray(), place) is None


def test_a_tiny_find_holds_nothing() -> None:
    assert counted_pips(np.zeros((10, 10, 3), np.uint8), Candidate(0, 0, 5, 5, 0.5)) is None
