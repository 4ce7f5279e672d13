"""What the port says of cameras, asked of every driver. A driver without its entry here fails."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from hardware.capture import CaptureCamera, Source
from hardware.conformance import CAMERA_RULES, BrokenError, says_why_it_is_degraded, sentence
from hardware.phone_camera import PhoneSource, phone_camera
from hardware.photograph import FolderCamera
from hardware.pi_camera import PiSettings, PiSource
from hardware.ports import Camera, Clock, Frame, SystemClock
from hardware.recordings import VideoCamera
from hardware.simulated.camera import SharedCamera, SimulatedCamera
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import ActiveFaults
from hardware.simulated.picture import HEIGHT, WIDTH
from hardware.simulated.world import World
from hardware.stream_camera import StreamSource, stream_camera
from hardware.usb_camera import UsbSettings, UsbSource, usb_camera
from tests.hardware.drivers import classes_with
from tests.hardware.fake_picamera2 import SIZE, FakePicamera2Library
from tests.hardware.fakes import FakeClock
from tests.hardware.files import quarters, write
from tests.hardware.frame_boards import no_board, shared
from tests.hardware.mjpeg_server import serving
from tests.hardware.phone_frames import door_at, sending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Made = tuple[Camera, Clock]


@dataclass(frozen=True)
class Entry:
    """How to make one that works, with its clock, and one whose device is missing if that can be.

    One that is `proven_elsewhere` needs a real device: tests/rig asks the same rules of it.
    """

    driver: type
    working: Callable[[Path], Made] | None
    missing: Callable[[Path], Made] | None = None
    proven_elsewhere: str = ""


@cache
def one_world() -> Made:
    clock = VirtualClock()
    made = World(1, clock)
    made.throw(["d6"] * 2)
    return made.camera, clock


def world(_: Path) -> Made:
    """Always the same, for it takes seconds to draw; each rule leaves it stopped."""
    return one_world()


def folder(path: Path) -> Made:
    for number in range(1, 6):
        write(path / f"{number}.png", quarters())
    return no_folder(path)


def no_folder(path: Path) -> Made:
    clock = FakeClock()
    return FolderCamera(path if any(path.iterdir()) else path / "none", clock), clock


def video(path: Path) -> Made:
    writer = cv2.VideoWriter(str(path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30, (96, 64))
    for _ in range(60):
        writer.write(quarters())
    writer.release()
    return no_video(path)


def no_video(path: Path) -> Made:
    clock = FakeClock()
    return VideoCamera(path / "v.avi", clock), clock


def pi_camera(library: FakePicamera2Library) -> Made:
    clock = SystemClock()
    return CaptureCamera("Pi camera 0", lambda: PiSource(0, PiSettings(*SIZE), lambda: library), clock), clock


def pi(_: Path) -> Made:
    return pi_camera(FakePicamera2Library())


def no_pi(_: Path) -> Made:
    library = FakePicamera2Library()
    library.plugged = False
    return pi_camera(library)


def no_usb(path: Path) -> Made:
    clock = SystemClock()
    return usb_camera(path / "video9", UsbSettings(), clock), clock


STREAMS = ExitStack()


@pytest.fixture(autouse=True)
def streams() -> Iterator[None]:
    with STREAMS:
        yield


def stream(_: Path) -> Made:
    clock = SystemClock()
    return stream_camera(STREAMS.enter_context(serving()).address, clock), clock


def phone(path: Path) -> Made:
    clock = SystemClock()
    door = STREAMS.enter_context(door_at(path))
    STREAMS.enter_context(sending(door.path))
    return phone_camera(door, clock), clock


def no_phone(path: Path) -> Made:
    clock = SystemClock()
    return phone_camera(STREAMS.enter_context(door_at(path)), clock), clock


def no_stream(_: Path) -> Made:
    clock = SystemClock()
    with serving() as server:
        return stream_camera(server.address, clock), clock


ENTRIES = {
    "simulated world": Entry(SimulatedCamera, world),
    "frames of another process": Entry(SharedCamera, shared, no_board),
    "folder": Entry(FolderCamera, folder, no_folder),
    "video": Entry(VideoCamera, video, no_video),
    "Pi camera": Entry(PiSource, pi, no_pi),
    "stream": Entry(StreamSource, stream, no_stream),
    "phone": Entry(PhoneSource, phone, no_phone),
    "USB camera": Entry(UsbSource, None, no_usb, "tests/rig/inside/test_camera.py"),
}
WORKING = {name: entry for name, entry in ENTRIES.items() if entry.working}
MISSING = {name: entry for name, entry in ENTRIES.items() if entry.missing}


def test_every_driver_has_its_entry() -> None:
    cameras = classes_with("frame", "start", "stop") - {Camera}
    sources = classes_with("open", "read", "close") - {Source}
    # A source is a driver within the one camera that reads sources.
    assert cameras - {CaptureCamera} | sources == {entry.driver for entry in ENTRIES.values()}


def test_what_is_proven_elsewhere_is_there() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    for entry in ENTRIES.values():
        assert entry.working or (root / entry.proven_elsewhere).is_file()


@pytest.mark.parametrize("entry", WORKING.values(), ids=WORKING.keys())
@pytest.mark.parametrize("rule", CAMERA_RULES, ids=[rule.__name__ for rule in CAMERA_RULES])
def test_rule(entry: Entry, rule: Callable[[Camera, Clock], None], tmp_path: Path) -> None:
    assert entry.working is not None
    camera, clock = entry.working(tmp_path)
    rule(camera, clock)
    camera.stop()


@pytest.mark.parametrize("entry", MISSING.values(), ids=MISSING.keys())
def test_a_missing_device_degrades_the_camera_and_names_a_remedy(entry: Entry, tmp_path: Path) -> None:
    assert entry.missing is not None
    says_why_it_is_degraded(*entry.missing(tmp_path))


def test_every_rule_says_what_it_is_about() -> None:
    assert len({sentence(rule) for rule in CAMERA_RULES}) == len(CAMERA_RULES)


class Stale(SimulatedCamera):
    """Gives the same frame again and again, also when it is stopped, with a time that stands still."""

    kept: Frame | None = None

    def frame(self, timeout_s: float) -> Frame | None:
        self.kept = self.kept or super().frame(timeout_s)
        return self.kept


@pytest.mark.parametrize("rule", ["gives_no_frame_twice", "gives_nothing_unstarted", "starts_once"])
def test_a_driver_that_breaks_a_rule_is_found(rule: str) -> None:
    (check,) = [each for each in CAMERA_RULES if each.__name__ == rule]
    clock = FakeClock()
    stale = Stale(np.random.default_rng(1), clock, ActiveFaults(), lambda _: quarters(WIDTH, HEIGHT))
    with pytest.raises(BrokenError):
        check(stale, clock)
