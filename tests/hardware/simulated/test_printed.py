"""What is printed on simulated dice: the value is what a camera straight above reads on top."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from games.dice import SOLIDS, VALUES, Kind
from hardware.simulated import die_rendering
from hardware.simulated.die import Appearance, Die, on_table, turn_showing
from hardware.simulated.die_rendering import render
from hardware.simulated.picture import Light, Projection

LOOK = Appearance((0.1, 0.1, 0.1), (0.9, 0.9, 0.9), 0.0, 0.0, 0.05, 0.15, 0.0, 0.18)
LIGHT = Light(np.array([[0.0, 0.0, 1.0]]), np.array([0.5]), 0.5, 0.5, np.ones((1, 3)))
ABOVE = Projection(np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]]), np.array([0.0, 0, 400]), 400 * 5.0)
SIDE = 48
NUMERALS: list[Kind] = ["d8", "d10", "d12", "d20", "d100"]


def top(die: Die, value: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The upper face as the camera sees it, turned so that its numeral should stand upright."""
    pose = on_table(die, turn_showing(np.random.default_rng(value), die, value), 0, 0)
    layer = render(die, pose, ABOVE, LIGHT)
    assert layer is not None
    face = max(die.solid.faces, key=lambda f: float((pose.turn @ f.normal)[2]))
    symbol = face.symbols[0]
    at = pose.turn @ np.array(symbol.centre) * die.scale + pose.at_mm
    up = pose.turn @ np.array(symbol.up)
    ends = ABOVE.project(np.array([at, at + 5 * up])) - (layer.x, layer.y)
    down = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])
    right = np.array([down[1], -down[0]])
    onto = np.stack([right, down, ends[0] - (right + down) * (SIDE - 1) / 2], axis=1)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(cv2.cvtColor(layer.pixels, cv2.COLOR_BGR2GRAY), onto, (SIDE, SIDE), flags=flags)
    return np.asarray(seen, np.float32)


def numeral(kind: Kind, value: int, tall_px: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    ink = np.zeros((SIDE, SIDE), np.uint8)
    middle = (SIDE - 1) / 2
    line = die_rendering.underlined(kind, value)
    paths = die_rendering.strokes(die_rendering.text_of(kind, value), line=line, slant=0.0)
    onto = np.array([[tall_px, 0, middle], [0, -tall_px, middle]])
    die_rendering.draw_strokes(ink, paths, onto, 0.15 * tall_px)
    return np.asarray(ink, np.float32)


def likeness(a: np.ndarray[tuple[int, ...], np.dtype[np.float32]], kind: Kind, value: int) -> float:
    """The best correlation of what is seen with the numeral, whatever its size."""
    return max(
        float(np.corrcoef(a.ravel(), numeral(kind, value, px).ravel())[0, 1]) for px in range(13, 34, 3)
    )


@pytest.mark.parametrize("kind", NUMERALS)
@pytest.mark.parametrize("layout", [0, 1])
def test_the_upper_numeral_is_the_value_and_stands_upright(kind: Kind, layout: int) -> None:
    if layout >= len(SOLIDS[kind]):
        return
    die = Die(0, kind, layout, 1.0, LOOK)
    for value in VALUES[kind]:
        seen = top(die, value)
        seen[np.hypot(*np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]) > 0.8] = seen.min()
        likest = max(VALUES[kind], key=lambda v: likeness(seen, kind, v))
        assert likest == value
        assert likeness(seen, kind, value) > 0.5


@pytest.mark.parametrize("layout", [0, 1])
def test_a_d6_shows_so_many_pips(layout: int) -> None:
    die = Die(0, "d6", layout, 1.0, LOOK)
    for value in range(1, 7):
        pips, _ = cv2.connectedComponents(np.asarray(from_above(die, value) > 120, np.uint8))
        assert pips - 1 == value


def from_above(die: Die, value: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The whole die from straight above."""
    pose = on_table(die, turn_showing(np.random.default_rng(value), die, value), 0, 0)
    layer = render(die, pose, ABOVE, LIGHT)
    assert layer is not None
    return np.asarray(cv2.cvtColor(layer.pixels, cv2.COLOR_BGR2GRAY), np.uint8)


def test_a_d4_shows_its_value_three_times_upright_round_the_corner_on_top() -> None:
    die = Die(0, "d4", 0, 1.0, LOOK)
    for value in range(1, 5):
        pose = on_table(die, turn_showing(np.random.default_rng(0), die, value), 0, 0)
        up = [
            (symbol.value, float((pose.turn @ np.array(symbol.centre))[2]))
            for face in die.solid.faces
            for symbol in face.symbols
        ]
        highest = sorted(up, key=lambda mark: -mark[1])[:3]
        assert [v for v, _ in highest] == [value] * 3


def test_every_look_has_marks_that_stand_out() -> None:
    die = Die(0, "d20", 0, 1.0, replace(LOOK, body=(0.9, 0.9, 0.9), ink=(0.1, 0.1, 0.1)))
    light, dark = top(die, 8), top(Die(0, "d20", 0, 1.0, LOOK), 8)
    assert float(np.corrcoef(light.ravel(), dark.ravel())[0, 1]) < -0.8
