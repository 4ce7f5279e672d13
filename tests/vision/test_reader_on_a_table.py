"""The reader on simulated frames: perspective, shading, shadows and noise, judged by the table's truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hardware.simulated.table import SimulatedTable
from tests.hardware.fakes import FakeClock
from tests.vision.drawing import sure_values
from tests.vision.truth import at, judge
from vision.reader import read_dice

if TYPE_CHECKING:
    from hardware.simulated.throw import Resting
    from vision.reading import Image


def table(seed: int, count: int = 6) -> SimulatedTable:
    made = SimulatedTable(seed, FakeClock())
    made.start()
    made.throw(["d6"] * count)
    return made


def pixels(made: SimulatedTable) -> Image:
    frame = made.frame(0)
    assert frame is not None
    return frame.pixels


def tilted(die: Resting, degrees: float, toward: float) -> Resting:
    """The die as it leans on something that is not seen."""
    axis = np.array([np.cos(toward), np.sin(toward), 0.0])
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    angle = np.deg2rad(degrees)
    turn = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    return replace(die, turn=turn @ die.turn)


@pytest.mark.parametrize("seed", range(8))
def test_a_throw_is_read_without_a_wrong_die(seed: int) -> None:
    made = table(seed)
    verdict = judge(made, made.lying, read_dice(pixels(made)))
    assert verdict.wrong == 0
    assert verdict.right >= 5


@pytest.mark.parametrize("seed", [0, 2])
def test_a_camera_mounted_aside_or_upside_down_reads_the_same(seed: int) -> None:
    frame = pixels(table(seed))
    upright = Counter(sure_values(read_dice(frame).dice))
    assert upright.total() >= 5
    for quarters in (1, 2, 3):
        turned = Counter(sure_values(read_dice(np.ascontiguousarray(np.rot90(frame, quarters))).dice))
        assert (turned - upright).total() + (upright - turned).total() <= 2


@pytest.mark.parametrize("seed", range(3))
def test_a_table_without_dice_holds_nothing_sure(seed: int) -> None:
    assert sure_values(read_dice(pixels(table(seed, 0))).dice) == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("degrees", [15.0, 25.0])
def test_a_die_that_leans_a_little_is_never_sure_with_another_value(seed: int, degrees: float) -> None:
    made = table(seed)
    made.lying = [tilted(die, degrees, 1.3 * i) for i, die in enumerate(made.lying)]
    reading = read_dice(pixels(made))
    for die in made.lying:
        seen = at(made, die, reading.dice)
        assert seen is None or not seen.sure or seen.value == die.value


@pytest.mark.xfail(reason="a die on its edge is read by the side that the camera sees best")
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_die_on_its_edge_is_never_sure(seed: int) -> None:
    made = table(seed)
    made.lying = [tilted(die, 45.0, 0.65 * i) for i, die in enumerate(made.lying)]
    assert sure_values(read_dice(pixels(made)).dice) == []


@pytest.mark.parametrize("seed", range(2))
def test_the_width_of_the_scene_takes_nothing_away(seed: int) -> None:
    frame = pixels(table(seed))
    assert read_dice(frame, tray_mm=275.0) == read_dice(frame)


@pytest.mark.parametrize("seed", range(3))
def test_a_picture_of_the_empty_table_adds_nothing_wrong(seed: int) -> None:
    made = table(seed)
    reading = read_dice(pixels(made), empty=made.floor)
    assert judge(made, made.lying, reading).wrong == 0


def test_a_picture_of_the_empty_table_takes_nothing_away() -> None:
    made = table(0)
    frame = pixels(made)
    assert sure_values(read_dice(frame, empty=made.floor).dice) == sure_values(read_dice(frame).dice)
