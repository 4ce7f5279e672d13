"""A 6 or 9 that nothing tells from the other one is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from games.dice import KINDS
from vision.recognition.die_classifier import Mark, Turn
from vision.recognition.fusion import Opinion
from vision.recognition.outputs import VALUES
from vision.recognition.six_nine import TURNED, may_be_turned

UPRIGHT = (Turn(80.0, 0.97),)
EITHER_WAY = (Turn(80.0, 0.9), Turn(-95.0, 0.07))
ACROSS = (Turn(80.0, 0.9), Turn(200.0, 0.07))


def said(kind: str, value: int, turns: tuple[Turn, ...], turned: float) -> Opinion:
    joint = np.zeros((len(KINDS), VALUES))
    joint[KINDS.index(kind), value] = 1.0
    return Opinion(joint, Mark(56, 56, 30, 0.9, turns), 0.9, 0.9, turned, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", ["d10", "d12", "d20"])
@pytest.mark.parametrize("value", [6, 9])
def test_one_that_is_illegible_upside_down_is_what_it_seems(kind: str, value: int) -> None:
    assert not may_be_turned(said(kind, value, EITHER_WAY, 0.9 * TURNED))


@pytest.mark.parametrize(
    ("kind", "turns", "doubt"),
    [
        ("d20", EITHER_WAY, True),
        ("d20", UPRIGHT, False),
        ("d20", ACROSS, False),
        ("d12", UPRIGHT, False),
        ("d12", (), True),
        ("d10", EITHER_WAY, True),
        ("d10", UPRIGHT, False),
        ("d8", EITHER_WAY, False),
        ("d6", EITHER_WAY, False),
    ],
)
def test_the_die_tells_which_way_up_where_all_makers_print_alike(
    kind: str, turns: tuple[Turn, ...], doubt: bool
) -> None:
    assert may_be_turned(said(kind, 9, turns, 1.1 * TURNED)) is doubt


def test_no_other_value_is_doubted() -> None:
    assert not may_be_turned(said("d20", 8, EITHER_WAY, 0.9))
