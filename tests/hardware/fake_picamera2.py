"""A stand-in for picamera2, with the parts that the driver uses."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any

import numpy as np

FRAME_S = 0.002
SIZE = (64, 48)


def mode(
    size: tuple[int, int], fps: float, crop_limits: tuple[int, int, int, int], bits: int = 10
) -> dict[str, Any]:
    """As picamera2 tells it."""
    return {
        "format": f"SRGGB{bits}_CSI2P",
        "unpacked": f"SRGGB{bits}",
        "bit_depth": bits,
        "size": size,
        "fps": fps,
        "crop_limits": crop_limits,
        "exposure_limits": (9, 77193582, 20000),
    }


MODULE_3 = [
    mode((1536, 864), 120.13, (768, 432, 3072, 1728)),
    mode((2304, 1296), 56.03, (0, 0, 4608, 2592)),
    mode((4608, 2592), 14.35, (0, 0, 4608, 2592)),
]
"""The modes of a Pi Camera Module 3 (imx708), as `rpicam-hello --list-cameras` lists them."""
MODULE_2 = [
    *[mode((640, 480), 206.65, (1000, 752, 1280, 960), bits) for bits in (8, 10)],
    mode((1640, 1232), 83.70, (0, 0, 3280, 2464), 8),
    mode((1640, 1232), 41.85, (0, 0, 3280, 2464), 10),
    *[mode((1920, 1080), 47.57, (680, 692, 1920, 1080), bits) for bits in (8, 10)],
    *[mode((3280, 2464), 21.19, (0, 0, 3280, 2464), bits) for bits in (8, 10)],
]
"""The modes of a Camera Module 2 (imx219)."""


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
        self.set_after_start: dict[str, Any] = {}
        self.library.opened += 1
        self.library.newest = self

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        return [{"Model": "imx708", "Num": 0}] if cls.library.plugged else []

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        assert not self.running, "the real one configures the camera anew for each mode"
        return self.library.sensor_modes

    def create_video_configuration(
        self, main: dict[str, Any], controls: dict[str, Any], sensor: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        assert set(controls) <= set(self.camera_controls), "a control that this camera does not have"
        assert sensor is None or sensor["output_size"] in [mode["size"] for mode in self.library.sensor_modes]
        return {"main": main, "controls": controls, "sensor": sensor}

    def set_controls(self, controls: dict[str, Any]) -> None:
        assert self.running
        self.set_after_start |= controls

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
            *("AwbEnable", "ColourGains", "ScalerCrop", "AfMode", "LensPosition"),
        )
        self.sensor_modes: list[dict[str, Any]] = MODULE_3
        self.newest: FakePicamera2 | None = None
        self.Picamera2 = type("Picamera2", (FakePicamera2,), {"library": self})
