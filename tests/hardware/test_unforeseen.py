"""Whatever a driver's library raises, wherever it does: the part is degraded and recovers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
import serial

from hardware import capture, usb_camera
from hardware.capture import CaptureCamera, Source
from hardware.gpio_panel import PinPanel
from hardware.gpio_pins import RpiPins
from hardware.phone_camera import PhoneSource
from hardware.photograph import FolderCamera
from hardware.pi_camera import PiSettings, PiSource
from hardware.ports import Camera, Lamp, LampMode, PanelView, SystemClock
from hardware.recordings import VideoCamera
from hardware.screen_panel import ScreenPanel
from hardware.serial_panel import SerialPanel
from hardware.simulated import clock
from hardware.stream_camera import StreamSource, stream_camera
from hardware.terminal_panel import TerminalPanel
from hardware.terminal_view import TerminalView
from hardware.usb_camera import UsbSettings, UsbSource
from hardware.web_panel import WebPanel
from tests.hardware import fake_picamera2
from tests.hardware.drivers import classes_with, panels
from tests.hardware.fake_picamera2 import SIZE, FakePicamera2, FakePicamera2Library
from tests.hardware.fake_rpi import FakePwm, FakeRpi
from tests.hardware.fakes import FakeClock
from tests.hardware.panels import PUSHED, PinBench, SerialBench

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hardware.ports import Degraded, Panel

HANGING_S = 300  # bounds what hangs; nothing here measures time


class StrangeError(Exception):
    """What nobody has heard of."""


ERRORS = {
    "ValueError": ValueError("numpy.dtype size changed, may indicate binary incompatibility"),
    "SystemError": SystemError("<built-in method> returned NULL without setting an exception"),
    "RuntimeError": RuntimeError(),
    "OSError": OSError(5, "Input/output error"),
    "StrangeError": StrangeError("one\ntwo\n" + 500 * "x"),
}


class Fault:
    """Something that is wrong until it is over."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.present = True
        self.met = 0

    def meet(self) -> None:
        if self.present:
            self.met += 1
            raise self.error

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which raises instead while the fault is present."""

        def faulty(*args: Any, **kwargs: Any) -> Any:
            self.meet()
            return function(*args, **kwargs)

        return faulty

    def put_into(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        """Lets a method, property or class method of a stand-in be faulty."""
        own = vars(owner).get(name, getattr(owner, name))
        if isinstance(own, property):
            assert own.fget is not None
            monkeypatch.setattr(owner, name, property(self.before(own.fget)))
        elif isinstance(own, classmethod):
            monkeypatch.setattr(owner, name, classmethod(self.before(own.__func__)))
        else:
            monkeypatch.setattr(owner, name, self.before(own))


@pytest.fixture(params=list(ERRORS.values()), ids=list(ERRORS))
def fault(request: pytest.FixtureRequest) -> Fault:
    return Fault(request.param)


RAISING = {PiSource, StreamSource, UsbSource, VideoCamera, RpiPins, SerialPanel}
"""Drivers over a library: each is asked here with faults in all that it uses of it."""
OURS = {FolderCamera, PhoneSource, PinPanel, ScreenPanel, TerminalPanel, TerminalView, WebPanel}
"""Those over the system alone, or over another driver; the simulated ones beside them."""


def test_every_driver_over_a_library_is_asked_here() -> None:
    cameras = classes_with("frame", "start", "stop") | classes_with("open", "read", "close")
    pins = classes_with("open", "pressed", "light", "listen", "close")
    drivers = cameras | pins | panels()
    simulated = {driver for driver in drivers if driver.__module__.startswith("hardware.simulated.")}
    assert drivers - simulated - {Camera, Source, CaptureCamera} == RAISING | OURS


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "FIRST_RETRY_S", 0.001)
    monkeypatch.setattr(capture, "MOST_RETRY_S", 0.002)


def told_well(degraded: Degraded | None) -> None:
    assert degraded is not None
    assert degraded.what
    assert degraded.remedy
    assert "\n" not in degraded.what
    assert len(degraded.what) < 400


def is_degraded_and_recovers(camera: Camera, fault: Fault) -> None:
    camera.start()
    for _ in range(100 * HANGING_S):
        assert camera.frame(0.01) is None
        if camera.degraded is not None:
            break
    assert fault.met
    told_well(camera.degraded)
    fault.present = False
    assert any(camera.frame(1) is not None for _ in range(HANGING_S))
    assert camera.degraded is None
    camera.stop()


PLACES: dict[str, type] = {
    **dict.fromkeys(("global_camera_info", "__init__", "sensor_modes"), FakePicamera2),
    **dict.fromkeys(("create_video_configuration", "configure", "start"), FakePicamera2),
    **dict.fromkeys(("set_controls", "capture_request"), FakePicamera2),
    "get_result": fake_picamera2.FakeJob,
    **dict.fromkeys(("make_array", "get_metadata", "release"), fake_picamera2.FakeRequest),
}


@pytest.mark.parametrize("place", ["import", *PLACES])
def test_pi_camera(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakePicamera2Library()
    if place != "import":
        fault.put_into(monkeypatch, PLACES[place], place)
    module = fault.before(lambda: library) if place == "import" else lambda: library
    camera = CaptureCamera("Pi camera 0", lambda: PiSource(0, PiSettings(*SIZE), module), SystemClock())
    is_degraded_and_recovers(camera, fault)
    assert library.opened == 0


@pytest.mark.parametrize("place", ["stop", "close"])
def test_pi_camera_that_cannot_be_closed(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakePicamera2Library()
    fault.put_into(monkeypatch, FakePicamera2, place)
    fault.put_into(monkeypatch, FakePicamera2, "capture_request")
    camera = CaptureCamera(
        "Pi camera 0", lambda: PiSource(0, PiSettings(*SIZE), lambda: library), SystemClock()
    )
    is_degraded_and_recovers(camera, fault)


class OneFrame:
    """What cv2.VideoCapture does for a camera that gives frames."""

    def __init__(self, *_: object) -> None:
        pass

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, _key: int, _value: float) -> bool:
        return True

    def get(self, _key: int) -> float:
        return 1.0

    def grab(self) -> bool:
        return True

    def retrieve(self) -> tuple[bool, object]:
        return True, np.random.default_rng(1).integers(0, 255, (48, 64, 3), np.uint8)

    def release(self) -> None:
        pass


@pytest.mark.parametrize(
    "place", ["__init__", "isOpened", "set", "get", "grab", "retrieve", "release", "check"]
)
def test_usb_camera(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        usb_camera, "check_camera", fault.before(lambda _: None) if place == "check" else lambda _: None
    )
    monkeypatch.setattr(cv2, "VideoCapture", OneFrame)
    if place != "check":
        fault.put_into(monkeypatch, OneFrame, place)
    if place == "release":
        fault.put_into(monkeypatch, OneFrame, "grab")
    camera = CaptureCamera("video9", lambda: UsbSource(tmp_path / "video9", UsbSettings()), SystemClock())
    is_degraded_and_recovers(camera, fault)


@pytest.mark.parametrize("place", ["__init__", "isOpened", "get", "grab", "retrieve", "release"])
def test_stream(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", OneFrame)
    fault.put_into(monkeypatch, OneFrame, place)
    if place == "release":
        fault.put_into(monkeypatch, OneFrame, "grab")
    is_degraded_and_recovers(stream_camera("http://127.0.0.1:9/", SystemClock()), fault)


@pytest.mark.parametrize("place", ["__init__", "isOpened", "get", "grab", "retrieve"])
def test_video(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", OneFrame)
    fault.put_into(monkeypatch, OneFrame, place)
    (tmp_path / "v.avi").touch()
    is_degraded_and_recovers(VideoCamera(tmp_path / "v.avi", FakeClock()), fault)


VIEW = PanelView({"seat1": Lamp(LampMode.ON), "seat2": Lamp(LampMode.PULSE)}, [])


async def until_degraded(panel: Panel) -> None:
    async with asyncio.timeout(HANGING_S):
        while panel.degraded is None or panel.degraded.remedy == "start it":
            await asyncio.sleep(0.05)
    told_well(panel.degraded)


async def until_well(panel: Panel) -> None:
    async with asyncio.timeout(HANGING_S):
        while panel.degraded is not None:
            await asyncio.sleep(0.05)


async def panel_is_degraded_and_recovers(panel: Panel, fault: Fault) -> None:
    """Fails from its start, or from its first use on."""
    panel.show(VIEW)
    panel.start(lambda: None)
    await until_degraded(panel)
    assert fault.met
    fault.present = False
    await until_well(panel)
    panel.stop()


GPIO_PLACES = ("import", "setwarnings", "setmode", "setup", "add_event_detect", "input", "output")


@pytest.mark.parametrize("place", GPIO_PLACES)
def test_rpi_pins(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = PinBench(PUSHED)
    if place == "import":
        bench.panel.pins.module = fault.before(lambda: bench.gpio)
    else:
        fault.put_into(monkeypatch, FakeRpi, place)
    clock.run(panel_is_degraded_and_recovers(bench.panel, fault))


@pytest.mark.parametrize("place", ["PWM", "start", "ChangeDutyCycle", "stop"])
def test_rpi_pins_that_cannot_dim(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = PinBench(PUSHED)
    fault.put_into(monkeypatch, FakeRpi if place == "PWM" else FakePwm, place)

    async def story() -> None:
        bench.panel.show(VIEW)
        bench.start()
        await asyncio.sleep(3)
        fault.present = False
        await until_well(bench.panel)
        bench.stop()

    clock.run(story())
    assert fault.met or place == "stop"


@pytest.mark.parametrize("place", ["cleanup", "remove_event_detect"])
def test_rpi_pins_that_cannot_be_closed(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = PinBench(PUSHED)
    fault.put_into(monkeypatch, FakeRpi, place)
    fault.put_into(monkeypatch, FakeRpi, "input")
    clock.run(panel_is_degraded_and_recovers(bench.panel, fault))


@pytest.mark.parametrize("place", ["open", "fileno"])
def test_serial_panel(place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def story() -> None:
        bench = SerialBench(tmp_path)
        fault.put_into(monkeypatch, serial.Serial, place)
        try:
            await panel_is_degraded_and_recovers(bench.panel, fault)
        finally:
            fault.present = False
            bench.close()

    asyncio.run(story())
