"""Faults of a USB camera's path, in words; working cameras are tested in tests/rig."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from hardware import usb_camera as usb
from hardware.errors import BadFrameError, DeviceError
from hardware.ports import SystemClock
from hardware.usb_camera import CAPABILITY, UsbSettings, UsbSource, check_camera, usb_camera

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(path: Path) -> DeviceError:
    with pytest.raises(DeviceError) as error:
        check_camera(path)
    return error.value


def test_a_number_that_no_camera_has() -> None:
    camera = usb_camera(250, UsbSettings(), SystemClock())
    assert camera.name == "/dev/video250"
    assert told(Path(camera.name)).what == "there is no camera at /dev/video250"


def test_what_is_no_camera() -> None:
    assert told(Path("/dev/null")).what == "/dev/null is no camera"
    assert told(Path("/dev")).what.startswith("/dev: ")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "permission denied"),
        (errno.EBUSY, "is in use by another program"),
        (errno.ENODEV, "no camera"),
    ],
)
def test_what_the_kernel_says(monkeypatch: pytest.MonkeyPatch, number: int, said: str) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, "refused")

    monkeypatch.setattr(os, "open", refuse)
    assert said in told(Path("/dev/video0")).what


def test_the_node_of_a_camera_that_gives_only_data_about_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = CAPABILITY.pack(b"uvcvideo", b"C920", b"usb", 0, 0x84A00001, 0x04A00000)
    monkeypatch.setattr(fcntl, "ioctl", lambda *_: answer)
    assert told(Path("/dev/null")).what == "/dev/null (C920) gives no pictures, only data about them"


class FakeCapture:
    """What cv2.VideoCapture does for a camera that lacks a focus and gives its own size."""

    refused: tuple[int, ...] = (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS)
    has: Mapping[int, float] = {}
    """Settings that it has, with their values."""

    def __init__(self, _path: str, backend: int) -> None:
        assert backend == cv2.CAP_V4L2
        self.set_to: dict[int, float] = {}
        self.frames: list[object] = [np.zeros((480, 640, 3), np.uint8)]

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, key: int, value: float) -> bool:
        self.set_to[key] = value
        return key not in self.refused

    def get(self, key: int) -> float:
        size = {cv2.CAP_PROP_FRAME_WIDTH: 640.0, cv2.CAP_PROP_FRAME_HEIGHT: 480.0}
        return {**size, **self.has}.get(key, -1.0)

    def grab(self) -> bool:
        return bool(self.frames)

    def retrieve(self) -> tuple[bool, object]:
        frame = self.frames.pop()
        return frame is not None, frame

    def release(self) -> None:
        pass


def test_settings_are_locked_in_the_kernels_units_and_what_is_refused_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    source = UsbSource(Path("/dev/video0"), UsbSettings(exposure_ms=8, focus=30))
    assert source.open() == ["focus cannot be set", "it gives 640 by 480 pixels"]
    assert isinstance(source.capture, FakeCapture)
    assert source.capture.set_to[cv2.CAP_PROP_EXPOSURE] == 80  # tenths of a millisecond
    assert source.capture.set_to[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert source.capture.set_to[cv2.CAP_PROP_AUTO_WB] == 0
    pixels, _ = source.read()
    assert pixels.shape == (480, 640, 3)
    with pytest.raises(DeviceError, match=r"unplugged|gives no frames"):
        source.read()
    source.close()


def test_an_exposure_that_is_not_taken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    for units, notes in ((156, ["it exposes for 15.6 ms"]), (83, []), (84, [])):
        monkeypatch.setattr(FakeCapture, "has", {cv2.CAP_PROP_EXPOSURE: float(units)})
        assert UsbSource(Path("/dev/video0"), UsbSettings(640, 480, exposure_ms=1000 / 120)).open() == notes


class MovingLens(FakeCapture):
    """A camera that focuses by itself if it is let."""

    refused: tuple[int, ...] = ()
    has: Mapping[int, float] = {cv2.CAP_PROP_AUTOFOCUS: 1.0, cv2.CAP_PROP_FOCUS: 35.0}


class StubbornLens(MovingLens):
    """One that will not stop."""

    refused = (cv2.CAP_PROP_AUTOFOCUS,)


@pytest.mark.parametrize(
    ("kind", "focus", "notes"),
    [
        (MovingLens, None, ["focus is locked where it was, at 35: set camera.focus"]),
        (MovingLens, 40, []),
        (StubbornLens, 40, ["focus is not locked"]),
        (FakeCapture, None, []),
    ],
)
def test_the_focus_is_locked_though_nothing_is_said_of_it(
    monkeypatch: pytest.MonkeyPatch, kind: type[FakeCapture], focus: int | None, notes: list[str]
) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", kind)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, focus=focus))
    assert source.open() == notes
    assert isinstance(source.capture, FakeCapture)
    if kind is MovingLens:
        assert source.capture.set_to[cv2.CAP_PROP_AUTOFOCUS] == 0
        assert source.capture.set_to.get(cv2.CAP_PROP_FOCUS) == focus


class AutomaticCamera(FakeCapture):
    """A camera that measures its own light; its settings can be changed only while it does not."""

    FREED_BY: Mapping[int, tuple[int, float]] = {
        cv2.CAP_PROP_EXPOSURE: (cv2.CAP_PROP_AUTO_EXPOSURE, 1),
        cv2.CAP_PROP_WB_TEMPERATURE: (cv2.CAP_PROP_AUTO_WB, 0),
        cv2.CAP_PROP_FOCUS: (cv2.CAP_PROP_AUTOFOCUS, 0),
    }

    def __init__(self, path: str, backend: int) -> None:
        super().__init__(path, backend)
        self.now: dict[int, float] = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 1, cv2.CAP_PROP_EXPOSURE: 312,
            cv2.CAP_PROP_AUTO_WB: 1, cv2.CAP_PROP_WB_TEMPERATURE: 4000,
            cv2.CAP_PROP_AUTOFOCUS: 0, cv2.CAP_PROP_FOCUS: 10,
        }  # fmt: skip

    def set(self, key: int, value: float) -> bool:
        switch, locked = self.FREED_BY.get(key, (key, value))
        if key != switch and self.now[switch] != locked:
            return False
        self.now[key] = value
        return True

    def get(self, key: int) -> float:
        return self.now.get(key, super().get(key))

    def measure(self) -> None:
        """What it settles on by itself."""
        for key, (switch, locked) in self.FREED_BY.items():
            if self.now[switch] != locked:
                self.now[key] += 7

    def settings(self) -> dict[int, float]:
        return {key: self.now[key] for pair in self.FREED_BY.items() for key in (pair[0], pair[1][0])}


def test_an_automatic_camera_is_locked_once_it_has_settled_and_put_back_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", AutomaticCamera)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, exposure_ms=None))
    assert source.open() == []
    camera = source.capture
    assert isinstance(camera, AutomaticCamera)
    for _ in range(59):
        camera.frames = [np.zeros((480, 640, 3), np.uint8)]
        source.read()
    camera.measure()
    assert camera.now[cv2.CAP_PROP_EXPOSURE] == 319
    camera.frames = [np.zeros((480, 640, 3), np.uint8)]
    source.read()
    camera.measure()
    assert camera.settings() == {
        cv2.CAP_PROP_AUTO_EXPOSURE: 1, cv2.CAP_PROP_EXPOSURE: 319,
        cv2.CAP_PROP_AUTO_WB: 0, cv2.CAP_PROP_WB_TEMPERATURE: 4007,
        cv2.CAP_PROP_AUTOFOCUS: 0, cv2.CAP_PROP_FOCUS: 17,
    }  # fmt: skip
    source.close()
    assert camera.settings() == AutomaticCamera("", cv2.CAP_V4L2).settings()


def test_a_camera_that_refuses_to_be_automatic_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", StubbornLens)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, exposure_ms=None))
    assert source.open() == ["focus is not automatic"]


class NeverLocked(AutomaticCamera):
    """A camera whose exposure stays automatic."""

    def set(self, key: int, value: float) -> bool:
        return (key, value) != (cv2.CAP_PROP_AUTO_EXPOSURE, 1) and super().set(key, value)


def test_what_a_settled_camera_refuses_to_lock_is_told_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", NeverLocked)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, exposure_ms=None))
    notes = source.open()
    assert isinstance(source.capture, NeverLocked)
    for _ in range(60):
        assert "exposure is not locked" not in notes
        source.capture.frames = [np.zeros((480, 640, 3), np.uint8)]
        source.read()
    assert "exposure is not locked" in notes


def test_the_picture_is_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, rotate_deg=270))
    source.open()
    assert source.read()[0].shape == (640, 480, 3)


def noisy() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)


def jpeg(lost: slice, *, end: bytes = b"") -> object:
    """What OpenCV makes of the JPEG of a picture, of which only a part has come."""
    whole = cv2.imencode(".jpg", noisy())[1].tobytes()
    return cv2.imdecode(np.frombuffer(whole[lost] + end, np.uint8), cv2.IMREAD_COLOR)


@pytest.mark.parametrize(
    "damaged", [jpeg(slice(0, -2)), jpeg(slice(0, 60_000)), jpeg(slice(0, 60_000), end=b"\xff\xd9")]
)
def test_a_damaged_frame_is_skipped_and_the_camera_stays_open(
    monkeypatch: pytest.MonkeyPatch, damaged: object
) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480, rotate_deg=180))
    source.open()
    assert isinstance(source.capture, FakeCapture)
    source.capture.frames = [noisy(), damaged]
    with pytest.raises(BadFrameError, match="damaged"):
        source.read()
    assert source.read()[0].shape == (480, 640, 3)


@pytest.mark.parametrize("colour", [0, 128, 255])
def test_a_picture_of_one_colour_is_whole(monkeypatch: pytest.MonkeyPatch, colour: int) -> None:
    monkeypatch.setattr(usb, "check_camera", lambda _: None)
    monkeypatch.setattr(cv2, "VideoCapture", FakeCapture)
    source = UsbSource(Path("/dev/video0"), UsbSettings(640, 480))
    source.open()
    assert isinstance(source.capture, FakeCapture)
    source.capture.frames = [np.full((480, 640, 3), colour, np.uint8)]
    assert source.read()[0].max() == colour
