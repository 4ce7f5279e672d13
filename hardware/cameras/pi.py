"""A camera module of the Raspberry Pi, by picamera2, which is imported only when the camera is opened."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hardware.cameras.capture import CaptureCamera
from hardware.cameras.source import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.ports import Clock, Pixels

FRAME_S = 2.0
"""A camera that gives no frame for so long is opened again."""
MANUAL_FOCUS = 0  # libcamera's AfModeManual
NANO = 1e-9


@dataclass(frozen=True, slots=True)
class PiSettings:
    """What the camera is asked for, all of it locked; without a focus the lens is fixed."""

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    exposure_ms: float = 8.0
    gain: float = 2.0
    red_gain: float = 1.8
    blue_gain: float = 1.8
    focus_dioptres: float | None = None

    def controls(self) -> dict[str, Any]:
        """In libcamera's names and units."""
        frame_us = round(1e6 / self.frames_per_s)
        controls: dict[str, Any] = {
            "FrameDurationLimits": (frame_us, frame_us),
            "AeEnable": False,
            "ExposureTime": round(1000 * self.exposure_ms),
            "AnalogueGain": self.gain,
            "AwbEnable": False,
            "ColourGains": (self.red_gain, self.blue_gain),
        }
        if self.focus_dioptres is not None:
            controls |= {"AfMode": MANUAL_FOCUS, "LensPosition": self.focus_dioptres}
        return controls


def pi_camera(number: int, settings: PiSettings, clock: Clock) -> CaptureCamera:
    """The camera with this number among those of the Pi."""
    return CaptureCamera(f"Pi camera {number}", lambda: PiSource(number, settings), clock)


def picamera2() -> Any:
    """The module; SourceError if it is not installed or does not work here."""
    try:
        return importlib.import_module("picamera2")
    except (ImportError, OSError, RuntimeError) as error:
        remedy = "apt install python3-picamera2, and a venv with --system-site-packages"
        raise SourceError(f"picamera2 cannot be loaded ({error})", remedy) from None


class PiSource:
    """One opening of the camera; `module` gives picamera2."""

    def __init__(self, number: int, settings: PiSettings, module: Callable[[], Any] = picamera2) -> None:
        self.number = number
        self.settings = settings
        self.module = module
        self.camera: Any = None
        self.job: Any = None

    def open(self) -> Sequence[str]:
        """Opens, configures and starts it; returns the controls that this camera does not have."""
        library = self.module()
        there = library.Picamera2.global_camera_info()
        if self.number >= len(there):
            found = ", ".join(str(info.get("Model", "?")) for info in there) or "none"
            raise SourceError(
                f"there is no Pi camera {self.number} (there: {found})",
                "switch the Pi off and look after the ribbon; list them with rpicam-hello --list-cameras",
            )
        try:
            self.camera = library.Picamera2(self.number)
            wanted = self.settings.controls()
            has = {name: value for name, value in wanted.items() if name in self.camera.camera_controls}
            # libcamera calls it RGB888 when the bytes in memory are blue, green, red.
            main = {"size": (self.settings.width_px, self.settings.height_px), "format": "RGB888"}
            self.camera.configure(self.camera.create_video_configuration(main=main, controls=has))
            self.camera.start()
        except (RuntimeError, OSError, IndexError, ValueError) as error:
            raise self._failed(error) from error
        return [f"it has no {name}" for name in wanted if name not in has]

    def read(self) -> tuple[Pixels, float]:
        """The next frame and when its exposure began."""
        try:
            if self.job is None:
                self.job = self.camera.capture_request(wait=False)
            request = self.job.get_result(timeout=FRAME_S)
            self.job = None
        except TimeoutError:
            raise SourceError(
                f"Pi camera {self.number} gave no frame for {FRAME_S:g} s", "it is opened again by itself"
            ) from None
        except (RuntimeError, OSError) as error:
            raise self._failed(error) from error
        try:
            pixels = np.asarray(request.make_array("main"), np.uint8)
            exposed_ns = request.get_metadata().get("SensorTimestamp")
        except (RuntimeError, OSError) as error:
            raise self._failed(error) from error
        finally:
            request.release()
        return pixels, monotonic_s(exposed_ns)

    def close(self) -> None:
        """Gives the camera back."""
        if self.camera is None:
            return
        camera, self.camera, self.job = self.camera, None, None
        for ending in (camera.stop, camera.close):
            try:
                ending()
            except (RuntimeError, OSError):
                continue  # it is gone; the next opening tells

    def _failed(self, error: Exception) -> SourceError:
        return SourceError(
            f"Pi camera {self.number} does not work: {' '.join(str(error).split())}",
            "stop what else uses it, or look after its ribbon",
        )


def monotonic_s(since_boot_ns: int | None) -> float:
    """A sensor's time, which also counts while the Pi is suspended, on the monotonic clock."""
    now_s = time.monotonic()
    if since_boot_ns is None:
        return now_s
    return now_s - (time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot_ns * NANO)
