"""The table [camera]: which driver looks at the tray, and with what settings, all of them locked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dicetable.config.section import ExposureMs, FilePath, FramesPerS, HeightPx, Section, WidthPx


class UsbCamera(Section):
    """A USB camera, by OpenCV and the kernel's V4L2."""

    driver: Literal["usb"]
    device: FilePath | Annotated[int, Field(ge=0, le=255)] = Field(
        examples=["/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0"]
    )
    """The camera's path, best one of `ls /dev/v4l/by-id`, or its number N as in /dev/videoN."""
    width_px: WidthPx = 1280
    """Width of a frame in pixels."""
    height_px: HeightPx = 720
    """Height of a frame in pixels."""
    frames_per_s: FramesPerS = 30
    """Frames in a second that the camera is asked for."""
    exposure_ms: ExposureMs = 8.0
    """How long each frame is exposed; locked. Shorter blurs less and needs more light."""
    white_balance_k: int = Field(default=4600, ge=2000, le=10_000, examples=[4600])
    """Colour temperature of the light in kelvin; locked. Warm lamps 2700 to 3500, daylight 5500."""
    focus: int | None = Field(default=None, ge=0, le=1023, examples=[30])
    """Focus in the camera's own steps, locked; leave it out for a lens that has none."""
    gain: int | None = Field(default=None, ge=0, le=1023, examples=[40])
    """Gain in the camera's own steps, locked; leave it out to keep the camera's."""


class PiCamera(Section):
    """A camera module on the Raspberry Pi's ribbon connector, by picamera2."""

    driver: Literal["pi"]
    number: int = Field(default=0, ge=0, le=7, examples=[0])
    """Which camera, as `rpicam-hello --list-cameras` counts them."""
    width_px: WidthPx = 1280
    """Width of a frame in pixels."""
    height_px: HeightPx = 720
    """Height of a frame in pixels."""
    frames_per_s: FramesPerS = 30
    """Frames in a second that the camera is asked for."""
    exposure_ms: ExposureMs = 8.0
    """How long each frame is exposed; locked. Shorter blurs less and needs more light."""
    gain: float = Field(default=2.0, ge=1, le=64, examples=[2.0])
    """Analogue gain; locked. Higher is brighter and noisier."""
    red_gain: float = Field(default=1.8, ge=0.1, le=16, examples=[1.8])
    """White balance: gain of red; locked."""
    blue_gain: float = Field(default=1.8, ge=0.1, le=16, examples=[1.8])
    """White balance: gain of blue; locked."""
    focus_dioptres: float | None = Field(default=None, ge=0, le=32, examples=[2.5])
    """Focus as one over the distance in metres (2.5 is 40 cm), locked; leave it out for a fixed lens."""


class FolderOfPhotographs(Section):
    """Photographs in a folder, each one frame, in the natural order of their names."""

    driver: Literal["folder"]
    folder: FilePath = Field(examples=["~/throws"])
    """The folder."""


class VideoFile(Section):
    """A recorded video, at its own pace."""

    driver: Literal["video"]
    file: FilePath = Field(examples=["~/evening.mkv"])
    """The recording."""


class SimulatedCamera(Section):
    """A camera over a simulated tray."""

    driver: Literal["simulated"]
    seed: int = Field(default=1, ge=0, le=2**53 - 1, examples=[1])
    """All chance of the simulated table follows from it."""


CameraSection = Annotated[
    UsbCamera | PiCamera | FolderOfPhotographs | VideoFile | SimulatedCamera, Field(discriminator="driver")
]
