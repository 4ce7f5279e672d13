"""Each cause of a driver's failure is a class of its own, and says what is wrong and what would help."""

from __future__ import annotations

import asyncio
import errno
import sys
from pathlib import Path

import pytest

from hardware.errors import (
    DeviceError,
    InUseError,
    NoDeviceError,
    NoPermissionError,
    NotInstalledError,
    PinInUseError,
    WrongDeviceError,
)
from hardware.gpio_pins import RpiPins, rpi_gpio
from hardware.pi_camera import PiSettings, PiSource, picamera2
from hardware.usb_camera import cannot_open, check_camera
from tests.hardware.fake_picamera2 import SIZE, FakePicamera2Library
from tests.hardware.fake_rpi import FakeRpi
from tests.hardware.panels import PUSHED

PATH = Path("/dev/video7")


@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (errno.ENOENT, NoDeviceError),
        (errno.ENXIO, NoDeviceError),
        (errno.EACCES, NoPermissionError),
        (errno.EBUSY, InUseError),
        (errno.EIO, DeviceError),
    ],
)
def test_a_usb_camera_that_cannot_be_opened(number: int, cause: type[DeviceError]) -> None:
    error = cannot_open(PATH, OSError(number, "as the system says"))
    assert type(error) is cause
    assert str(PATH) in error.what
    assert error.remedy


def test_what_is_no_camera_is_the_wrong_device(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WrongDeviceError):
        check_camera(tmp_path / "file")


def test_a_pin_that_another_program_has() -> None:
    gpio = FakeRpi()
    gpio.taken.add(PUSHED.outputs[0])

    async def opened() -> None:
        RpiPins(PUSHED, lambda: gpio).open(lambda *_: None)

    with pytest.raises(PinInUseError, match=r"gpio:20 \(seat1\): GPIO busy"):
        asyncio.run(opened())
    assert issubclass(PinInUseError, InUseError)


def test_libraries_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, load in (("RPi.GPIO", rpi_gpio), ("picamera2", picamera2)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(NotInstalledError):
            load()


def test_a_camera_that_is_not_there() -> None:
    library = FakePicamera2Library()
    with pytest.raises(NoDeviceError):
        PiSource(7, PiSettings(*SIZE), lambda: library).open()
