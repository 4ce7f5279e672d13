"""A USB camera on the kernel's own test camera, vivid: the rules of the port, unplugging, replugging."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hardware.conformance import CAMERA_RULES, says_why_it_is_degraded
from hardware.ports import SystemClock
from hardware.usb_camera import UsbSettings, usb_camera

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardware.capture import CaptureCamera

DEVICE = Path("/dev/video0")
RULES = {rule.__name__: rule for rule in CAMERA_RULES}
HANGING_S = 300  # bounds what hangs; nothing here measures time


def plug() -> None:
    subprocess.run(["modprobe", "vivid", "n_devs=1", "node_types=0x1"], check=True)
    deadline_s = time.monotonic() + HANGING_S
    while not DEVICE.exists():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def unplug() -> None:
    """As a cable that is pulled: the device is gone though it is still open."""
    for driver in Path("/sys/bus/platform/drivers/vivid").glob("vivid.*"):
        (driver.parent / "unbind").write_text(driver.name)


def replug() -> None:
    (Path("/sys/bus/platform/drivers/vivid") / "bind").write_text("vivid.0")


@pytest.fixture
def camera() -> Iterator[CaptureCamera]:
    if not Path("/sys/module/vivid").exists():
        plug()
    made = usb_camera(DEVICE, UsbSettings(width_px=640, height_px=480), SystemClock())
    yield made
    made.stop()


@pytest.mark.parametrize("rule", RULES)
def test_rule(camera: CaptureCamera, rule: str) -> None:
    RULES[rule](camera, SystemClock())


def test_it_says_what_it_would_not_lock(camera: CaptureCamera) -> None:
    camera.start()
    assert camera.frame(HANGING_S)
    assert "exposure is not locked" in camera.notes
    assert not [note for note in camera.notes if "focus" in note]  # it has none that could be locked


def test_frames_have_the_kernels_time(camera: CaptureCamera) -> None:
    camera.start()
    frame = camera.frame(HANGING_S)
    assert frame is not None
    assert 0 <= time.monotonic() - frame.time_s < HANGING_S


def test_unplugged_it_is_named_and_replugged_it_heals(camera: CaptureCamera) -> None:
    camera.start()
    assert camera.frame(HANGING_S)
    for _ in range(2):
        unplug()
        deadline_s = time.monotonic() + HANGING_S
        while camera.degraded is None:
            camera.frame(0.1)
            assert time.monotonic() < deadline_s
        assert str(DEVICE) in camera.degraded.what
        assert camera.degraded.remedy
        replug()
        while camera.frame(1) is None:
            assert time.monotonic() < deadline_s
        assert camera.degraded is None


def test_a_number_that_no_camera_has() -> None:
    clock = SystemClock()
    says_why_it_is_degraded(usb_camera(9, UsbSettings(), clock), clock)


def test_another_camera_is_offered(camera: CaptureCamera) -> None:
    absent = usb_camera(9, UsbSettings(), SystemClock())
    camera.start()
    assert camera.frame(HANGING_S)
    absent.start()
    while absent.degraded is None:
        absent.frame(0.1)
    assert "/dev/video0" in absent.degraded.remedy
    absent.stop()
