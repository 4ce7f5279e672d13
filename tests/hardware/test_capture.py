"""A camera read by a thread: only the newest frame; hanging and dying devices are reported; recovery."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hardware import capture
from hardware.capture import CaptureCamera
from hardware.errors import BadFrameError, DeviceError
from hardware.ports import Degraded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hardware.ports import Pixels

HANGING_S = 300  # bounds what hangs; nothing here measures time


class HandClock:
    """Goes on when the test says so."""

    def __init__(self) -> None:
        self.time_s = 1000.0

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        self.time_s += seconds


class Device:
    """A source that gives what the test hands to it, and waits until it does."""

    def __init__(self) -> None:
        self.next: list[Any] = []
        self.news = threading.Condition()
        self.opened = 0
        self.closed = 0
        self.waiting = 0

    def give(self, *things: Any) -> None:
        with self.news:
            self.next += things
            self.news.notify_all()

    def until(self, reached: Callable[[], bool]) -> None:
        with self.news:
            assert self.news.wait_for(reached, HANGING_S)

    def until_closed(self) -> None:
        self.until(lambda: self.closed == 1)

    def open(self) -> Sequence[str]:
        with self.news:
            self.opened += 1
            self.news.notify_all()
        return ["focus is not locked"]

    def read(self) -> tuple[Pixels, float]:
        with self.news:
            self.waiting += 1
            self.news.notify_all()
            self.news.wait_for(lambda: self.next)
            self.waiting -= 1
            thing = self.next.pop(0)
            self.news.notify_all()
        if isinstance(thing, Exception):
            raise thing
        pixels, time_s = thing
        return pixels, time_s

    def close(self) -> None:
        with self.news:
            self.closed += 1
            self.news.notify_all()


def picture(value: int) -> Pixels:
    return np.full((4, 6, 3), value, np.uint8)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def camera(device: Device, clock: HandClock) -> Iterator[CaptureCamera]:
    made = CaptureCamera("/dev/video7", lambda: device, clock)
    made.start()
    yield made
    device.give(DeviceError("the test is over", "none"))
    made.stop()


def test_only_the_newest_frame_is_given(camera: CaptureCamera, device: Device) -> None:
    device.give((picture(1), 990.0), (picture(2), 991.0), (picture(3), 992.0))
    device.until(lambda: not device.next and device.waiting == 1)
    frame = camera.frame(HANGING_S)
    assert frame is not None
    assert (frame.pixels[0, 0, 0], frame.time_s) == (3, 992.0)
    assert camera.frame(0) is None


def test_times_never_go_back_nor_ahead(camera: CaptureCamera, device: Device, clock: HandClock) -> None:
    times = []
    for time_s in (995.0, 990.0, 2000.0):
        device.give((picture(1), time_s))
        frame = camera.frame(HANGING_S)
        assert frame is not None
        times.append(frame.time_s)
    assert times == [995.0, 995.0, clock.time_s]


def test_a_device_that_dies_is_named_and_opened_again(camera: CaptureCamera, device: Device) -> None:
    device.give((picture(1), 990.0))
    assert camera.frame(HANGING_S)
    device.give(DeviceError("/dev/video7 is unplugged", "plug it in again"))
    device.until(lambda: device.opened == 2)
    assert camera.degraded == Degraded("/dev/video7 is unplugged", "plug it in again")
    assert camera.frame(0) is None
    device.give((picture(2), 991.0))
    assert camera.frame(HANGING_S)
    assert camera.degraded is None
    assert device.closed == 1


def test_a_device_that_hangs_is_named_and_when_it_goes_on_all_is_well(
    camera: CaptureCamera, device: Device, clock: HandClock
) -> None:
    device.give((picture(1), 990.0))
    assert camera.frame(HANGING_S)
    clock.time_s += 4.0
    assert camera.degraded is not None
    assert camera.degraded.what == "/dev/video7 has given no frames for 4 s"
    assert camera.degraded.remedy.endswith("if that does not help, pull its plug")
    device.give((picture(2), 1003.0))
    assert camera.frame(HANGING_S)
    assert camera.degraded is None
    assert device.opened == 1


def test_one_that_never_goes_on_is_left_to_itself_and_another_opened(clock: HandClock) -> None:
    devices: list[Device] = []

    def another() -> Device:
        devices.append(Device())
        return devices[-1]

    camera = CaptureCamera("/dev/video7", another, clock)
    camera.start()
    for number in range(6):
        devices[-1].until(lambda: devices[-1].waiting == 1)
        clock.time_s += 16.0
        assert camera.frame(0) is None
        assert camera.degraded is not None
        assert len(devices) == min(number + 2, 4)  # at most three threads are left behind
    devices[-1].give((picture(9), clock.time_s))
    assert camera.frame(HANGING_S)
    assert camera.degraded is None
    for device in devices[:-1]:  # one that answers after all is closed, and its frame is not given
        device.give((picture(1), clock.time_s))
        device.until_closed()
    assert camera.frame(0) is None
    devices[-1].give(DeviceError("the test is over", "none"))
    camera.stop()


def test_a_device_that_hangs_does_not_keep_the_camera_from_stopping_and_starting(
    clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "STOP_S", 0.02)
    devices = [Device(), Device()]
    left = list(devices)
    camera = CaptureCamera("/dev/video7", lambda: left.pop(0), clock)
    camera.start()
    devices[0].until(lambda: devices[0].waiting == 1)
    camera.stop()
    assert camera.frame(0) is None
    camera.start()
    devices[1].give((picture(5), 1000.0))
    frame = camera.frame(HANGING_S)
    assert frame is not None
    devices[0].give((picture(1), 1000.0))
    devices[0].until(lambda: devices[0].closed == 1)
    assert camera.frame(0) is None
    devices[1].give(DeviceError("the test is over", "none"))
    camera.stop()


@pytest.mark.parametrize(
    "strange", [np.zeros((4, 6), np.uint8), np.zeros((4, 6, 4), np.uint8), np.zeros((4, 6, 3), np.float64)]
)
def test_pictures_of_another_kind_are_refused(camera: CaptureCamera, device: Device, strange: Any) -> None:
    device.give((strange, 990.0))
    device.until(lambda: device.closed == 1)
    assert camera.degraded is not None
    assert "pictures of" in camera.degraded.what
    assert camera.frame(0) is None


def test_what_the_device_would_not_do_can_be_asked(camera: CaptureCamera, device: Device) -> None:
    device.give((picture(1), 990.0))
    assert camera.frame(HANGING_S)
    assert camera.notes == ["focus is not locked"]


BAD = BadFrameError("/dev/video7 sends damaged pictures", "try another USB port or cable")


def test_damaged_frames_are_skipped_and_counted(
    camera: CaptureCamera, device: Device, clock: HandClock
) -> None:
    for number in range(10):  # one in three for a second
        device.give((picture(number), clock.time_s), (picture(number), clock.time_s), BAD)
        device.until(lambda: not device.next and device.waiting == 1)
        assert camera.frame(HANGING_S)
        clock.time_s += 0.1
    assert camera.bad_frames == 10
    assert camera.degraded is None
    assert device.opened == 1


def test_a_camera_that_sends_only_damaged_frames_is_named_and_opened_again(
    camera: CaptureCamera, device: Device, clock: HandClock
) -> None:
    device.give((picture(1), clock.time_s))
    assert camera.frame(HANGING_S)
    device.give(BAD)
    device.until(lambda: not device.next and device.waiting == 1)
    assert camera.degraded is None
    clock.time_s += 0.6
    device.give(BAD)
    device.until(lambda: device.opened == 2)
    assert camera.degraded == Degraded(BAD.what, BAD.remedy)
    assert camera.bad_frames == 2
