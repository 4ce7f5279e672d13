"""A stand-in for the module picamera2, with the parts of it that the driver uses."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any

import numpy as np

FRAME_S = 0.002
SIZE = (64, 48)


class FakeJob:
    """A frame that will be there; only with a deadline may it be waited for."""

    def __init__(self, library: FakePicamera2Library, camera: FakePicamera2) -> None:
        self.result: Future[FakeRequest] = Future()
        if not library.hangs:
            timer = threading.Timer(FRAME_S, lambda: self.result.set_result(FakeRequest(library, camera)))
            timer.daemon = True
            timer.start()

    def get_result(self, timeout: float) -> FakeRequest:
        assert timeout > 0, "a wait without a deadline"
        return self.result.result(min(timeout, 0.05))


class FakeRequest:
    def __init__(self, library: FakePicamera2Library, camera: FakePicamera2) -> None:
        self.library = library
        self.camera = camera
        library.unreleased += 1

    def make_array(self, stream: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        assert stream == "main"
        if self.library.breaks:
            raise RuntimeError("failed to find buffer")
        width, height = self.camera.configuration["main"]["size"]
        return np.full((height, width, 3), 200, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 20_000_000}

    def release(self) -> None:
        self.library.unreleased -= 1


class FakePicamera2:
    """One camera; the library that it belongs to knows what is wrong with it."""

    library: FakePicamera2Library

    def __init__(self, number: int) -> None:
        if self.library.busy:
            raise RuntimeError("Camera __init__ sequence did not complete.")
        self.number = number
        self.camera_controls = dict.fromkeys(self.library.controls, (0, 1, 0))
        self.configuration: dict[str, Any] = {}
        self.running = False
        self.library.opened += 1

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        return [{"Model": "imx708", "Num": 0}] if cls.library.plugged else []

    def create_video_configuration(self, main: dict[str, Any], controls: dict[str, Any]) -> dict[str, Any]:
        assert set(controls) <= set(self.camera_controls), "a control that this camera does not have"
        return {"main": main, "controls": controls}

    def configure(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        self.library.configuration = configuration

    def start(self) -> None:
        self.running = True

    def capture_request(self, wait: bool) -> FakeJob:
        assert wait is False, "a wait without a deadline"
        if not self.library.plugged:
            raise RuntimeError("the camera has gone")
        return FakeJob(self.library, self)

    def stop(self) -> None:
        self.running = False

    def close(self) -> None:
        self.library.opened -= 1
        if not self.library.plugged:
            raise RuntimeError("Failed to release camera")


class FakePicamera2Library:
    """The module."""

    def __init__(self) -> None:
        self.plugged = True
        self.busy = self.hangs = self.breaks = False
        self.opened = self.unreleased = 0
        self.configuration: dict[str, Any] = {}
        self.controls: tuple[str, ...] = (
            *("FrameDurationLimits", "AeEnable", "ExposureTime", "AnalogueGain"),
            *("AwbEnable", "ColourGains", "AfMode", "LensPosition"),
        )
        self.Picamera2 = type("Picamera2", (FakePicamera2,), {"library": self})
