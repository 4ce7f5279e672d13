"""What the port says of cameras, asked of every driver. A driver without its entry here fails."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hardware
from hardware.folder_camera import FolderCamera
from hardware.ports import Camera, Frame
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.clock import VirtualClock
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from tests.hardware.fakes import FakeClock
from tests.hardware.files import quarters, write

if TYPE_CHECKING:
    from collections.abc import Callable


def simulated(_: Path) -> Camera:
    camera = SimulatedTable(1, FakeClock())
    camera.throw(["d6"] * 2)
    return camera


def world(_: Path) -> Camera:
    made = World(1, VirtualClock())
    made.throw(["d6"] * 2)
    return made.camera


def folder(path: Path) -> Camera:
    for number in range(1, 6):
        write(path / f"{number}.png", quarters())
    return FolderCamera(path, FakeClock())


def folder_missing(path: Path) -> Camera:
    return FolderCamera(path / "none", FakeClock())


@dataclass(frozen=True)
class Entry:
    """How to make one that works, and one whose device is missing if that can be."""

    working: Callable[[Path], Camera]
    missing: Callable[[Path], Camera] | None = None


DRIVERS: dict[type, Entry] = {
    SimulatedTable: Entry(simulated),
    SimulatedCamera: Entry(world),
    FolderCamera: Entry(folder, folder_missing),
}

PARTS = ("trouble", "start", "frame", "stop")


def found() -> set[type]:
    """Every class of hardware/ that has the parts of a camera."""
    root = Path(hardware.__file__).parent
    classes = set()
    for path in root.rglob("*.py"):
        name = ".".join(("hardware", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        module = importlib.import_module(name)
        classes |= {
            made
            for _, made in inspect.getmembers(module, inspect.isclass)
            if made.__module__ == name and "frame" in vars(made) and "stop" in vars(made)
        }
    return classes - {Camera}


@pytest.fixture(params=DRIVERS.values(), ids=[driver.__name__ for driver in DRIVERS])
def entry(request: pytest.FixtureRequest) -> Entry:
    chosen: Entry = request.param
    return chosen


@pytest.fixture
def camera(entry: Entry, tmp_path: Path) -> Camera:
    return entry.working(tmp_path)


def frame(camera: Camera) -> Frame:
    taken = camera.frame(30)
    assert taken is not None
    return taken


def test_every_driver_has_its_entry() -> None:
    assert found() == set(DRIVERS)


def test_a_driver_has_every_part_of_the_port(camera: Camera) -> None:
    for part in PARTS:
        assert hasattr(camera, part)
    assert list(inspect.signature(camera.frame).parameters) == ["timeout_s"]


def test_frames_are_pixels_in_bgr(camera: Camera) -> None:
    camera.start()
    pixels = frame(camera).pixels
    assert pixels.dtype == np.uint8
    assert pixels.ndim == 3
    assert pixels.shape[2] == 3
    assert camera.trouble is None


def test_time_never_decreases(camera: Camera) -> None:
    camera.start()
    times = [frame(camera).time_s for _ in range(4)]
    assert times == sorted(times)
    camera.stop()
    camera.start()
    assert frame(camera).time_s >= times[-1]


def test_no_frame_is_given_twice(camera: Camera) -> None:
    camera.start()
    one, other = frame(camera), frame(camera)
    assert one is not other
    assert one.pixels is not other.pixels
    one.pixels[:] = 0  # the driver keeps nothing that a reader could spoil
    assert frame(camera).pixels.any()


def test_before_the_start_and_after_the_stop_no_frames_come(camera: Camera) -> None:
    assert camera.frame(0) is None
    camera.start()
    frame(camera)
    camera.stop()
    assert camera.frame(0) is None


def test_starting_twice_is_starting_once(camera: Camera) -> None:
    camera.start()
    first = frame(camera)
    camera.start()
    assert frame(camera).time_s > first.time_s
    assert camera.trouble is None


def test_stopping_twice_or_unstarted_does_nothing(camera: Camera) -> None:
    camera.stop()
    camera.start()
    camera.stop()
    camera.stop()
    assert camera.frame(0) is None


def test_it_can_be_started_again(camera: Camera) -> None:
    for _ in range(3):
        camera.start()
        assert frame(camera).pixels.size
        camera.stop()


def test_a_missing_device_is_a_trouble_with_a_remedy_and_raises_nothing(entry: Entry, tmp_path: Path) -> None:
    camera = (entry.missing or entry.working)(tmp_path)
    camera.start()
    if entry.missing is None:
        assert camera.trouble is None
        return
    assert camera.trouble is not None
    assert camera.trouble.what
    assert camera.trouble.remedy
    assert camera.frame(0) is None
    camera.stop()
