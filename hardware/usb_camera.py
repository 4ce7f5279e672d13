"""A USB camera through OpenCV and V4L2: motion JPEG, with exposure, white balance and focus locked.

They are locked at once at the values of a rig, or left automatic until they have settled and then locked.
"""

import errno
import os
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import cv2
import numpy.typing as npt

from hardware.capture import CaptureCamera, turned
from hardware.errors import (
    BadFrameError,
    DeviceError,
    InUseError,
    LinkLostError,
    NoDeviceError,
    NoPermissionError,
    WrongDeviceError,
)
from hardware.ports import Clock, Pixels

VIDIOC_QUERYCAP = 0x80685600  # from linux/videodev2.h: _IOR('V', 0, struct v4l2_capability)
CAPABILITY = struct.Struct("=16s32s32sIII12x")
VIDEO_CAPTURE = 0x00000001
DEVICE_CAPS = 0x80000000
MANUAL_EXPOSURE = 1  # V4L2_EXPOSURE_MANUAL
AUTOMATIC_EXPOSURE = 3  # V4L2_EXPOSURE_APERTURE_PRIORITY, the automatic mode of USB cameras
EXPOSURE_UNIT_MS = 0.1
EXPOSURE_OFF = 0.05
"""How far a camera's own steps may be from the request; beyond that mains light flickers in the picture."""
ABSENT = -1.0
"""OpenCV's value for a setting that a camera does not have."""
BUFFERS = 2
LOST_ROWS = 8
"""A frame whose last rows are all of one colour lost its end; the decoder fills up with grey."""
SETTLED_FRAMES = 60
"""An automatic camera has settled after this many frames. Fewer: it may be locked too dark, or out of focus;
more: it changes while the first dice roll."""
OLDEST_S = 1.0
"""A frame's own timestamp is trusted if it is no older than this."""


@dataclass(frozen=True, slots=True)
class UsbSettings:
    """The camera's settings; None leaves the camera's own.

    Without `exposure_ms`, exposure, white balance and focus are automatic until they have settled.
    """

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    exposure_ms: float | None = 8.0
    white_balance_k: int = 4600
    focus: int | None = None
    gain: int | None = None
    rotate_deg: int = 0
    mirror: bool = False


class AutomaticControls:
    """Exposure, white balance and focus of an open camera: automatic, then locked at what they settled on."""

    SWITCHES: Final = (
        (cv2.CAP_PROP_AUTO_EXPOSURE, AUTOMATIC_EXPOSURE, MANUAL_EXPOSURE, cv2.CAP_PROP_EXPOSURE, "exposure"),
        (cv2.CAP_PROP_AUTO_WB, 1, 0, cv2.CAP_PROP_WB_TEMPERATURE, "white balance"),
        (cv2.CAP_PROP_AUTOFOCUS, 1, 0, cv2.CAP_PROP_FOCUS, "focus"),
    )
    """Each switch with its automatic and its locked value, the setting that it frees, and its name."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self.capture = capture
        keys = [key for switch, _, _, setting, _ in self.SWITCHES for key in (switch, setting)]
        self.before = {key: value for key in keys if (value := capture.get(key)) != ABSENT}
        self.frames = 0

    def begin(self) -> list[str]:
        """Makes all automatic that the camera has; returns what it rejects."""
        return [
            f"{name} is not automatic"
            for switch, automatic, _, _, name in self.SWITCHES
            if switch in self.before and not self.capture.set(switch, automatic)
        ]

    def count_frame(self) -> list[str]:
        """Locks everything once enough frames have come; returns what the camera rejects."""
        self.frames += 1
        rejected = []
        if self.frames == SETTLED_FRAMES:
            for switch, _, locked, setting, name in self.SWITCHES:
                if switch in self.before:
                    settled = self.capture.get(setting)
                    if not self.capture.set(switch, locked):
                        rejected.append(f"{name} is not locked")
                    if settled != ABSENT:
                        self.capture.set(setting, settled)
        return rejected

    def restore(self) -> None:
        """Puts everything back as it was; a setting first, for an automatic camera may refuse it."""
        for switch, _, locked, setting, _ in self.SWITCHES:
            if switch in self.before:
                self.capture.set(switch, locked)
                if setting in self.before:
                    self.capture.set(setting, self.before[setting])
                self.capture.set(switch, self.before[switch])


def usb_camera(device: Path | int, settings: UsbSettings, clock: Clock) -> CaptureCamera:
    """The camera at a path, preferably in /dev/v4l/by-id, or with a number."""
    path = Path(f"/dev/video{device}") if isinstance(device, int) else device
    return CaptureCamera(str(path), lambda: UsbSource(path, settings), clock)


class UsbSource:
    """One opening of the camera."""

    def __init__(self, path: Path, settings: UsbSettings) -> None:
        self.path = path
        self.settings = settings
        self.capture: cv2.VideoCapture | None = None
        self.automatic: AutomaticControls | None = None
        self.notes: list[str] = []

    def open(self) -> Sequence[str]:
        """Opens the camera and locks its settings; returns those it rejected, a list that may grow."""
        if sys.platform == "linux":
            check_camera(self.path)
            self.capture = cv2.VideoCapture(str(self.path.resolve()), cv2.CAP_V4L2)
        else:  # AVFoundation and DirectShow know cameras by number
            self.capture = cv2.VideoCapture(number_of(self.path), cv2.CAP_ANY)
        if not self.capture.isOpened():
            raise DeviceError(
                f"{self.path} cannot be opened", "stop any other program that uses it, or plug it in again"
            )
        notes = self.notes = [name for name, key, value in self._wanted() if not self.capture.set(key, value)]
        wanted_ms = self.settings.exposure_ms
        if sys.platform == "linux" and wanted_ms is None:
            self.automatic = AutomaticControls(self.capture)
            notes += self.automatic.begin()
        elif sys.platform == "linux":
            notes += self._locked_focus(self.capture)
        now_ms = self.capture.get(cv2.CAP_PROP_EXPOSURE) * EXPOSURE_UNIT_MS
        if wanted_ms is not None and now_ms >= 0 and abs(now_ms - wanted_ms) > EXPOSURE_OFF * wanted_ms:
            notes.append(f"it exposes for {now_ms:g} ms")
        size = (
            int(self.capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            int(self.capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )
        if size != (self.settings.width_px, self.settings.height_px):
            notes.append(f"it gives {size[0]} by {size[1]} pixels")
        return notes

    def _wanted(self) -> list[tuple[str, int, float]]:
        """The settings in the order in which to set them, each with the note for a camera that rejects it."""
        settings = self.settings
        wanted: list[tuple[str, int, float]] = [
            ("it has no motion JPEG", cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
            ("its width is fixed", cv2.CAP_PROP_FRAME_WIDTH, settings.width_px),
            ("its height is fixed", cv2.CAP_PROP_FRAME_HEIGHT, settings.height_px),
            ("its frame rate is fixed", cv2.CAP_PROP_FPS, settings.frames_per_s),
            ("its number of buffers is fixed", cv2.CAP_PROP_BUFFERSIZE, BUFFERS),
        ]
        if sys.platform != "linux":
            return wanted[1:4]  # exposure and colours have other units there, and stay automatic
        if settings.exposure_ms is None:
            return wanted
        wanted += [
            ("exposure is not locked", cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL_EXPOSURE),
            ("exposure cannot be set", cv2.CAP_PROP_EXPOSURE, settings.exposure_ms / EXPOSURE_UNIT_MS),
            ("white balance is not locked", cv2.CAP_PROP_AUTO_WB, 0),
            ("white balance cannot be set", cv2.CAP_PROP_WB_TEMPERATURE, settings.white_balance_k),
        ]
        if settings.gain is not None:
            wanted.append(("gain cannot be set", cv2.CAP_PROP_GAIN, settings.gain))
        return wanted

    def _locked_focus(self, capture: cv2.VideoCapture) -> list[str]:
        focus = self.settings.focus
        notes = []
        if capture.get(cv2.CAP_PROP_AUTOFOCUS) != ABSENT and not capture.set(cv2.CAP_PROP_AUTOFOCUS, 0):
            notes.append("focus is not locked")
        if focus is not None and not capture.set(cv2.CAP_PROP_FOCUS, focus):
            notes.append("focus cannot be set")
        if focus is None and (now := capture.get(cv2.CAP_PROP_FOCUS)) != ABSENT:
            notes.append(f"focus is locked where it was, at {now:g}: set camera.focus")
        return notes

    def read(self) -> tuple[Pixels, float]:
        if self.capture is None:
            raise DeviceError(f"{self.path} is not open", "open it")
        grabbed = self.capture.grab()
        now_s = time.monotonic()
        if not grabbed:
            cause = "gives no frames" if sys.platform != "linux" or self.path.exists() else "is unplugged"
            raise LinkLostError(f"{self.path} {cause}", "plug it in again; the table reopens it by itself")
        if self.automatic is not None:
            self.notes += self.automatic.count_frame()
        decoded, pixels = self.capture.retrieve()
        if not decoded or end_is_lost(pixels):
            raise BadFrameError(f"{self.path} sends damaged pictures", "try another USB port or cable")
        taken_s = self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        # Some drivers give no time, or another clock's.
        believed = 0 <= now_s - taken_s <= OLDEST_S
        picture = turned(cast("Pixels", pixels), self.settings.rotate_deg, mirror=self.settings.mirror)
        return picture, taken_s if believed else now_s

    def close(self) -> None:
        if self.capture is not None:
            if self.automatic is not None:
                self.automatic.restore()
                self.automatic = None
            self.capture.release()
            self.capture = None


def number_of(path: Path) -> int:
    """The number at the end of a path such as /dev/video1; 0 if there is none."""
    digits = path.name[len(path.name.rstrip("0123456789")) :]
    return int(digits or 0)


def end_is_lost(pixels: npt.NDArray[Any]) -> bool:
    """Whether the lower end of a picture is all of one colour and its upper end is not."""
    end = pixels[-LOST_ROWS:]
    return bool((end == end[-1, -1]).all() and (pixels[:LOST_ROWS] != end[-1, -1]).any())


def check_camera(path: Path) -> None:
    """Raises DeviceError with the reason if there is no capture camera at the path."""
    import fcntl  # macOS and Windows never come here

    try:
        device = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:
        raise cannot_open(path, error) from None
    try:
        answer = fcntl.ioctl(device, VIDIOC_QUERYCAP, bytes(CAPABILITY.size))
    except OSError:
        raise WrongDeviceError(f"{path} is no camera", elsewhere(path)) from None
    finally:
        os.close(device)
    _, card, _, _, whole, this_node = CAPABILITY.unpack(answer)
    if not (this_node if whole & DEVICE_CAPS else whole) & VIDEO_CAPTURE:
        name = card.rstrip(b"\0").decode(errors="replace")
        raise WrongDeviceError(f"{path} ({name}) gives no pictures, only data about them", elsewhere(path))


def cannot_open(path: Path, error: OSError) -> DeviceError:
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return NoDeviceError(f"there is no camera at {path}", elsewhere(path))
    if error.errno in (errno.EACCES, errno.EPERM):
        return NoPermissionError(
            f"{path}: permission denied", "add the user to the group video and log in again"
        )
    if error.errno == errno.EBUSY:
        return InUseError(f"{path} is in use by another program", "stop it")
    return DeviceError(f"{path}: {error.strerror}", elsewhere(path))


def elsewhere(path: Path) -> str:
    """The remedy, with a list of the cameras present."""
    named = sorted(Path("/dev/v4l/by-id").glob("*-index0")) or sorted(Path("/dev").glob("video[0-9]*"))
    others = [str(candidate) for candidate in named if candidate != path]
    return "plug it in" + (f", or name another in the config: {', '.join(others)}" if others else "")
