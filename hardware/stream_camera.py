"""A camera that sends its picture over a network (HTTP or RTSP), through OpenCV's FFmpeg."""

import os
import re
import time
from collections.abc import Sequence
from typing import Final, cast
from urllib.parse import urlsplit, urlunsplit

import cv2

from hardware.capture import MOST_PX, CaptureCamera
from hardware.errors import BadFrameError, LinkLostError, NoDeviceError, WrongDeviceError
from hardware.ports import Clock, Pixels
from hardware.recordings import quiet

ADDRESS: Final = re.compile(r"(?:https?|rtsp)://[^\s/]", re.IGNORECASE)
OPEN_MS: Final = 5_000
"""How long the camera may take to answer. A shorter time gives up on slow networks."""
READ_MS: Final = 5_000
"""How long a frame may take before the stream is opened again. A shorter time reopens one that stalls."""
REMEDY: Final = "check that the camera is on and on this network, and that the address is right"

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # it is read once, with the first stream


def is_address(text: str) -> bool:
    """Whether the text is the address of a stream."""
    return ADDRESS.match(text) is not None


def shown(address: str) -> str:
    """The address without the password in it."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the camera"
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path, "", ""))


def stream_camera(address: str, clock: Clock) -> CaptureCamera:
    """The camera at an `http://`, `https://` or `rtsp://` address."""
    return CaptureCamera(shown(address), lambda: StreamSource(address), clock, "restart the camera")


class StreamSource:
    """One opening of the stream."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.name = shown(address)
        self.capture: cv2.VideoCapture | None = None

    def open(self) -> Sequence[str]:
        quiet()
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_MS]
        self.capture = cv2.VideoCapture(self.address, cv2.CAP_FFMPEG, limits)
        if not self.capture.isOpened():
            raise NoDeviceError(f"no video comes from {self.name}", REMEDY)
        sides = [self.capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        if max(sides) > MOST_PX:
            raise WrongDeviceError(
                f"{self.name} sends {sides[0]:.0f} by {sides[1]:.0f} pixels", "set it to 1280 by 720"
            )
        return []

    def read(self) -> tuple[Pixels, float]:
        if self.capture is None:
            raise NoDeviceError(f"{self.name} is not open", "open it")
        grabbed = self.capture.grab()
        now_s = time.monotonic()
        if not grabbed:
            raise LinkLostError(f"{self.name} sends no more pictures", REMEDY)
        decoded, pixels = self.capture.retrieve()
        if not decoded or pixels is None:
            raise BadFrameError(f"{self.name} sends damaged pictures", "move it closer to the access point")
        return cast("Pixels", pixels), now_s

    def close(self) -> None:
        if self.capture is not None:
            self.capture.release()
            self.capture = None
