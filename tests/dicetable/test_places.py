from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.calibration import Calibration
from dicetable.journal import LyingDie
from dicetable.places import UNMOVED_MM, by_millimetres, by_overlap
from dicetable.service.build import places
from dicetable.session import Session, places_of
from dicetable.tray_file import TRAY_FILE, load_tray
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from vision.reading import DieReading
from vision.tray.markers import find_markers
from vision.tray.pose import Tray, learn

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reading import Box


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tray, Path]:
    """A calibrated rig, whose camera hangs askew."""
    world = World(3, VirtualClock())
    world.camera.start()
    frame = world.camera.frame(1.0)
    assert frame is not None
    tray = learn(find_markers(frame.pixels))
    assert tray is not None
    folder = tmp_path_factory.mktemp("calibration")
    Calibration(tray, frame.pixels).save(folder)
    return tray, folder


def box_at(tray: Tray, x_mm: float, y_mm: float, side_px: int = 70) -> Box:
    middle = tray.pixels(np.array([[x_mm, y_mm]]))[0]
    x, y = np.rint(middle - side_px / 2).astype(int).tolist()
    return x, y, side_px, side_px


@pytest.mark.parametrize("side_px", [20, 70, 200])
@pytest.mark.parametrize("corner", [(-90.0, -40.0), (90.0, 40.0), (0.0, 0.0)])
def test_a_calibrated_rig_tells_by_millimetres_however_large_the_die(
    rig: tuple[Tray, Path], corner: tuple[float, float], side_px: int
) -> None:
    tray, folder = rig
    same_place = places(folder)
    here = box_at(tray, *corner, side_px)
    near = box_at(tray, corner[0] + UNMOVED_MM - 0.5, corner[1], side_px)
    far = box_at(tray, corner[0], corner[1] + UNMOVED_MM + 0.5, side_px)
    assert same_place(here, near) >= 1 > same_place(here, far)
    assert same_place(here, here) > same_place(here, near)


def test_millimetres_are_those_of_the_markers(rig: tuple[Tray, Path]) -> None:
    tray, folder = rig
    told = load_tray(folder)
    assert told is not None
    same_place = by_millimetres(told)
    one, other = box_at(tray, -80.0, 30.0), box_at(tray, 50.0, -20.0, 40)
    apart_mm = np.hypot(*np.subtract(tray.at_mm(one), tray.at_mm(other)))
    assert UNMOVED_MM / same_place(one, other) == pytest.approx(apart_mm, abs=0.05)


def test_without_a_calibration_the_overlap_tells(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert places(tmp_path) is by_overlap
    assert (
        by_overlap((0, 0, 100, 100), (17, 0, 100, 100)) >= 1 > by_overlap((0, 0, 100, 100), (18, 0, 100, 100))
    )
    (tmp_path / TRAY_FILE).write_text("{}")
    assert places(tmp_path) is by_overlap
    assert "calibration=unusable" in caplog.text


def test_the_nearest_of_several_is_the_die(rig: tuple[Tray, Path]) -> None:
    tray, folder = rig
    lying = [LyingDie("d6", 3, box_at(tray, 2.5, 0.0)), LyingDie("d6", 3, box_at(tray, 1.0, 0.0))]
    die = DieReading("d6", 3, 1.0, box_at(tray, 0.0, 0.0))
    assert places_of([die], lying, places(folder)) == [1]
    assert Session(lying, places(folder)).same_place is not by_overlap
