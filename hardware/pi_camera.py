"""A camera module of the Raspberry Pi, through picamera2, which is imported when the camera is opened.

A sensor reads all of its pixels slowly, or a binned or cropped part of them faster. By default a camera
often chooses a mode that covers only the middle, so that the tray's ends are missing. So the part of the
sensor that becomes the picture, and the sensor mode, are chosen here.
"""

import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from hardware.capture import CaptureCamera, turned
from hardware.errors import DeviceError, LinkLostError, NoDeviceError, NotInstalledError, one_line, with_apt
from hardware.ports import Clock, Pixels

Rectangle: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the whole sensor."""
Parts: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height as fractions of the whole field of view, 0 to 1."""
WHOLE: Parts = (0.0, 0.0, 1.0, 1.0)
NEARLY = 0.98
"""The fraction of the wanted size or rate that is enough: modes crop a few pixels, and rates are rounded."""
FRAME_S: Final = 2.0
"""A camera that gives no frame for this long is reopened."""
MANUAL_FOCUS: Final = 0  # libcamera's AfModeManual
FOCUS: Final = ("AfMode", "LensPosition")
NANO: Final = 1e-9


@dataclass(frozen=True, slots=True)
class SensorMode:
    """A sensor mode: the size of its output, its highest frame rate, the part of the sensor it covers."""

    size: tuple[int, int]
    bit_depth: int
    frames_per_s: float
    area: Rectangle


def modes_of(reported: Iterable[dict[str, Any]]) -> list[SensorMode]:
    """The modes in picamera2's `sensor_modes`, without those with missing fields."""
    needed = {"size", "bit_depth", "fps", "crop_limits"}
    return [
        SensorMode(tuple(mode["size"]), mode["bit_depth"], mode["fps"], tuple(mode["crop_limits"]))
        for mode in reported
        if needed <= mode.keys() and min(mode["size"]) > 0 and min(mode["crop_limits"][2:]) > 0
    ]


def picture_area(modes: Sequence[SensorMode], size: tuple[int, int], crop: Parts = WHOLE) -> Rectangle:
    """The largest rectangle of the picture's shape in the middle of the crop, without distortion."""
    left, top, width, height = max((mode.area for mode in modes), key=lambda area: area[2] * area[3])
    x, y = left + crop[0] * width, top + crop[1] * height
    width, height = int(crop[2] * width), int(crop[3] * height)
    wide = min(width, height * size[0] / size[1])
    high = min(height, width * size[1] / size[0])
    return even(x + (width - wide) / 2), even(y + (height - high) / 2), even(wide), even(high)


def even(pixels: float) -> int:
    """The next lower even number: colour filters come in squares of two by two pixels."""
    return int(pixels / 2) * 2


def best_mode(
    modes: Sequence[SensorMode], area: Rectangle, size: tuple[int, int], frames_per_s: float
) -> SensorMode:
    """The smallest mode that covers the area, is fast enough and has enough pixels.

    Where no mode does all three, what it covers outranks its speed, and its speed its pixels.
    """
    seeing = [mode for mode in modes if covered_part(mode, area) >= NEARLY]
    best = seeing or [max(modes, key=lambda mode: covered_part(mode, area))]
    fast = [mode for mode in best if mode.frames_per_s >= NEARLY * frames_per_s]
    best = fast or [mode for mode in best if mode.frames_per_s == max(rival.frames_per_s for rival in best)]
    sharp = [mode for mode in best if pixels_across(mode, area) >= NEARLY * size[0]]
    if sharp:
        return min(sharp, key=lambda mode: (mode.size, -mode.bit_depth))
    return max(best, key=lambda mode: (mode.size, mode.bit_depth))


def covered_part(mode: SensorMode, area: Rectangle) -> float:
    """The fraction of an area that a mode covers, 0 to 1."""
    left, top, width, height = mode.area
    wide = min(left + width, area[0] + area[2]) - max(left, area[0])
    high = min(top + height, area[1] + area[3]) - max(top, area[1])
    return max(wide, 0) * max(high, 0) / (area[2] * area[3])


def pixels_across(mode: SensorMode, area: Rectangle) -> float:
    """The number of a mode's pixels across an area."""
    return area[2] * mode.size[0] / mode.area[2]


@dataclass(frozen=True, slots=True)
class PiSettings:
    """The camera's settings, all locked; size and crop are those before the picture is rotated."""

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    exposure_ms: float = 8.0
    gain: float = 2.0
    red_gain: float = 1.8
    blue_gain: float = 1.8
    focus_dioptres: float = 2.3
    crop: Parts = WHOLE
    rotate_deg: int = 0
    mirror: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return self.width_px, self.height_px

    def controls(self) -> dict[str, Any]:
        """The settings in libcamera's names and units. A long exposure lowers the frame rate."""
        frame_us = round(max(1e6 / self.frames_per_s, 1000 * self.exposure_ms))
        return {
            "FrameDurationLimits": (frame_us, frame_us),
            "AeEnable": False,
            "ExposureTime": round(1000 * self.exposure_ms),
            "AnalogueGain": self.gain,
            "AwbEnable": False,
            "ColourGains": (self.red_gain, self.blue_gain),
            "AfMode": MANUAL_FOCUS,
            "LensPosition": self.focus_dioptres,
        }


def pi_camera(number: int, settings: PiSettings, clock: Clock) -> CaptureCamera:
    return CaptureCamera(
        f"Pi camera {number}",
        lambda: PiSource(number, settings),
        clock,
        "switch the Pi off and check its ribbon",
    )


def picamera2() -> Any:
    """The module picamera2. Raises DeviceError if it is not installed or does not work here."""
    try:
        return importlib.import_module("picamera2")
    except Exception as error:
        remedy = with_apt("python3-picamera2")
        if "numpy" in str(error):  # it was built for an older numpy than this program has
            remedy = "it needs Raspberry Pi OS 13 (trixie) or newer, or a USB camera"
        raise NotInstalledError(f"picamera2 cannot be loaded ({one_line(error)})", remedy) from error


class PiSource:
    """One opening of the camera; `module` returns picamera2."""

    def __init__(self, number: int, settings: PiSettings, module: Callable[[], Any] = picamera2) -> None:
        self.number = number
        self.settings = settings
        self.module = module
        self.camera: Any = None
        self.job: Any = None

    def open(self) -> Sequence[str]:
        """Opens, configures and starts it; returns the settings that this camera does not support."""
        library = self.module()
        try:
            cameras = library.Picamera2.global_camera_info()
        except Exception as error:
            raise self._failed(error) from error
        if self.number >= len(cameras):
            models = ", ".join(str(info.get("Model", "?")) for info in cameras) or "none"
            raise NoDeviceError(
                f"there is no Pi camera {self.number} (there: {models})",
                "switch the Pi off and check the ribbon; list them with rpicam-hello --list-cameras",
            )
        try:
            self.camera = library.Picamera2(self.number)
            return self._start()
        except Exception as error:
            raise self._failed(error) from error

    def _start(self) -> list[str]:
        settings = self.settings
        wanted = settings.controls()
        has = {name: value for name, value in wanted.items() if name in self.camera.camera_controls}
        # libcamera calls it RGB888 when the bytes in memory are blue, green, red.
        wanted_config: dict[str, Any] = {"main": {"size": settings.size, "format": "RGB888"}, "controls": has}
        notes = [f"it has no {name}" for name in wanted if name not in has and name not in FOCUS]
        if not has.keys() >= set(FOCUS):
            notes.append("its lens has no motor: focus it by hand")
        modes = modes_of(self.camera.sensor_modes)
        area = picture_area(modes, settings.size, settings.crop) if modes else None
        if area is None:
            notes.append("it does not list its modes, so it chooses its field of view itself")
        else:
            mode = best_mode(modes, area, settings.size, settings.frames_per_s)
            wanted_config["sensor"] = {"output_size": mode.size, "bit_depth": mode.bit_depth}
            has["ScalerCrop"] = area
            notes += compromises(mode, area, settings)
        self.camera.configure(self.camera.create_video_configuration(**wanted_config))
        self.camera.start()
        if area is not None:
            # Some versions of picamera2 replace the crop of a configuration by their own.
            self.camera.set_controls({"ScalerCrop": area})
        return notes

    def read(self) -> tuple[Pixels, float]:
        """The next frame and the time at which its exposure began."""
        try:
            if self.job is None:
                self.job = self.camera.capture_request(wait=False)
            request = self.job.get_result(timeout=FRAME_S)
            self.job = None
        except TimeoutError:
            raise LinkLostError(
                f"Pi camera {self.number} gave no frame for {FRAME_S:g} s", "the table reopens it by itself"
            ) from None
        except Exception as error:
            raise self._failed(error) from error
        try:
            pixels = np.asarray(request.make_array("main"))
            exposed_ns = request.get_metadata().get("SensorTimestamp")
        except Exception as error:
            raise self._failed(error) from error
        finally:
            request.release()
        return turned(pixels, self.settings.rotate_deg, mirror=self.settings.mirror), monotonic_s(exposed_ns)

    def close(self) -> None:
        if self.camera is None:
            return
        camera, self.camera, self.job = self.camera, None, None
        with suppress(Exception):  # it is gone; the next opening reports that
            camera.stop()
        with suppress(Exception):
            camera.close()

    def _failed(self, error: Exception) -> DeviceError:
        return DeviceError(
            f"Pi camera {self.number} does not work: {one_line(error)}",
            "stop any other program that uses it; if there is none, switch the Pi off and check its ribbon",
        )


def compromises(mode: SensorMode, area: Rectangle, settings: PiSettings) -> list[str]:
    """The requested settings that the sensor cannot meet."""
    notes = []
    if mode.frames_per_s < NEARLY * settings.frames_per_s:
        notes.append(f"its sensor gives {mode.frames_per_s:.0f} frames/s with this field of view")
    across = pixels_across(mode, area)
    if across < NEARLY * settings.width_px:
        notes.append(f"its sensor gives {across:.0f} pixels across the picture: it is enlarged")
    return notes


def monotonic_s(since_boot_ns: int | None) -> float:
    """Converts a sensor timestamp, which also counts while the Pi is suspended, to the monotonic clock."""
    now_s = time.monotonic()
    if since_boot_ns is None:
        return now_s
    return now_s - (time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot_ns * NANO)
