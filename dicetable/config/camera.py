"""The section [camera]: the camera's driver and its settings, all of them locked."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from dicetable.config.gateway import checked_listen
from dicetable.config.sections import (
    CHOSEN,
    ON_PAGE,
    FilePath,
    Section,
)

LEAST_PART: Final = 0.05
CROP: Final = "must have at least 0.05 of the width and of the height, and must not reach beyond 1"
Part = Annotated[float, Field(ge=0, le=1)]


class CameraOfDevice(Section):
    """Settings that all camera devices have."""

    width_px: int = Field(default=1280, ge=320, le=4096, examples=[1280], json_schema_extra=ON_PAGE)
    """Width of a frame in pixels, before it is rotated."""
    height_px: int = Field(default=720, ge=240, le=4096, examples=[720], json_schema_extra=ON_PAGE)
    """Height of a frame in pixels, before it is rotated."""
    frames_per_s: int = Field(default=30, ge=5, le=120, examples=[30], json_schema_extra=ON_PAGE)
    """Frames per second."""
    exposure_ms: float = Field(default=8.0, ge=0.1, le=200, examples=[8.0], json_schema_extra=ON_PAGE)
    """Exposure time of each frame; locked. A shorter one blurs less and needs more light."""
    mains_hz: Literal[50, 60] | None = Field(default=None, examples=[50], json_schema_extra=ON_PAGE)
    """Mains frequency, for lamps that flicker with it: the exposure is rounded to a multiple of the flicker
    period (10 ms at 50 Hz, 8.33 ms at 60 Hz), at least one. Leave it out for LEDs on constant current."""
    rotate_deg: Literal[0, 90, 180, 270] = Field(default=0, examples=[180], json_schema_extra=ON_PAGE)
    """Rotates the picture clockwise, for a camera mounted sideways or upside down."""
    mirror: bool = Field(default=False, examples=[True], json_schema_extra=ON_PAGE)
    """Mirrors the picture left to right, for a camera that looks through a mirror; done after rotating."""

    @property
    def steady_exposure_ms(self) -> float:
        """The exposure at which mains light does not flicker in the picture."""
        if self.mains_hz is None:
            return self.exposure_ms
        flicker_ms = 1000 / (2 * self.mains_hz)
        return max(1, round(self.exposure_ms / flicker_ms)) * flicker_ms


class UsbCamera(CameraOfDevice):
    """A USB camera, through OpenCV and the kernel's V4L2."""

    driver: Literal["usb"] = Field(json_schema_extra=CHOSEN)
    device: FilePath | Annotated[int, Field(ge=0, le=255)] = Field(
        examples=["/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0"], json_schema_extra=CHOSEN
    )
    """The camera's path, preferably one from `ls /dev/v4l/by-id`, or the number N of /dev/videoN."""
    white_balance_k: int = Field(default=4600, ge=2000, le=10_000, examples=[4600], json_schema_extra=ON_PAGE)
    """Colour temperature of the light in kelvin; locked. Warm lamps have 2700 to 3500, daylight 5500."""
    focus: int | None = Field(default=None, ge=0, le=1023, examples=[30], json_schema_extra=ON_PAGE)
    """Focus in the camera's own steps; always locked. Leave it out to keep the focus it starts with."""
    gain: int | None = Field(default=None, ge=0, le=1023, examples=[40], json_schema_extra=ON_PAGE)
    """Gain in the camera's own steps; locked. Leave it out to keep the camera's own."""


class PiCamera(CameraOfDevice):
    """A camera module on the Raspberry Pi's ribbon connector, via picamera2 (Raspberry Pi OS 13 or newer).

    The driver chooses the sensor mode that covers the whole picture, is fast enough and has enough pixels, in
    this order of priority. If no mode does all three, the doctor says so.
    """

    driver: Literal["pi"] = Field(json_schema_extra=CHOSEN)
    number: int = Field(default=0, ge=0, le=7, examples=[0], json_schema_extra=CHOSEN)
    """The camera's number in `rpicam-hello --list-cameras`."""
    gain: float = Field(default=2.0, ge=1, le=64, examples=[2.0], json_schema_extra=ON_PAGE)
    """Analogue gain; locked. Higher is brighter and noisier."""
    red_gain: float = Field(default=1.8, ge=0.1, le=16, examples=[1.8], json_schema_extra=ON_PAGE)
    """White balance: gain of red; locked."""
    blue_gain: float = Field(default=1.8, ge=0.1, le=16, examples=[1.8], json_schema_extra=ON_PAGE)
    """White balance: gain of blue; locked."""
    focus_dioptres: float = Field(default=2.3, ge=0, le=32, examples=[2.5], json_schema_extra=ON_PAGE)
    """Focus in dioptres, one over the distance in metres (2.3 is 43 cm); locked. A fixed lens ignores it."""
    crop: list[Part] = Field(
        default=[0.0, 0.0, 1.0, 1.0],
        min_length=4,
        max_length=4,
        examples=[[0.25, 0.25, 0.5, 0.5]],
        json_schema_extra=ON_PAGE,
    )
    """The part of the field of view to use: left, top, width and height as fractions. The picture is the
    largest one of its shape in the middle of that part."""

    @field_validator("crop")
    @classmethod
    def inside(cls, crop: list[float]) -> list[float]:
        """Refuses a crop that is empty or reaches beyond the field of view."""
        left, top, width, height = crop
        if min(width, height) < LEAST_PART or left + width > 1 or top + height > 1:
            raise PydanticCustomError("crop", CROP)
        return crop


class FolderOfPhotographs(Section):
    """Photographs in a folder, one frame each, in natural order of their names."""

    driver: Literal["folder"] = Field(json_schema_extra=CHOSEN)
    folder: FilePath = Field(examples=["~/throws"])
    """The folder."""


class VideoFile(Section):
    """A recorded video, played at its own speed."""

    driver: Literal["video"] = Field(json_schema_extra=CHOSEN)
    file: FilePath = Field(examples=["~/evening.mkv"])
    """The recording."""


class PhoneCamera(Section):
    """A phone that opens a page of the gateway ([on a laptop](laptop.md#a-phone-as-the-camera)).

    Such a table trusts its gateway, and plays in no league.
    """

    driver: Literal["phone"] = Field(json_schema_extra=CHOSEN)
    listen: Annotated[str, AfterValidator(checked_listen)] = Field(
        default="0.0.0.0:8443", examples=["0.0.0.0:8443"]
    )
    """Address and port at which the gateway serves that page, over TLS: browsers lend a camera to no other
    page. The certificate is that of [web], or else one that the gateway makes."""


class SimulatedCameraSection(Section):
    """A camera over a simulated tray."""

    driver: Literal["simulated"] = Field(json_schema_extra=CHOSEN)
    seed: int = Field(default=1, ge=0, le=2**53 - 1, examples=[1], json_schema_extra=ON_PAGE)
    """The seed of all randomness of the simulated table."""


CameraSection = Annotated[
    UsbCamera | PiCamera | FolderOfPhotographs | VideoFile | PhoneCamera | SimulatedCameraSection,
    Field(discriminator="driver"),
]
