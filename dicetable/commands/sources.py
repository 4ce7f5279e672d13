"""The cameras that `--camera SOURCE` names."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from common import texts
from common.texts.plain import below
from dicetable.commands.cameras import described
from dicetable.commands.phone_source import PhoneTable
from dicetable.commands.usage import CommandError
from dicetable.eye.stills import NoFramesError, next_frame
from hardware.attached import AttachedCamera, attached_cameras
from hardware.ports import Camera, Clock
from hardware.stream_camera import is_address, stream_camera
from hardware.terminal_picture import picture_lines
from hardware.v4l2 import Mode, modes_of

SIMULATED, PHONE = "simulated", "phone"
USUAL_SIZE: Final = (1280, 720)
LARGEST_SIZE: Final = (1920, 1080)
"""Larger pictures show no die better, and take longer to read."""
PREVIEW: Final = (40, 11)
"""Columns and rows of the picture of a camera that may be chosen."""
BRIGHT_S: Final = 1.0
"""How long a camera sets its exposure before its picture is shown. Shorter: some pictures are dark."""
PREVIEWED_S: Final = 5.0
"""How long a camera that gives no picture is waited for."""
LEAST_RATE: Final = 25.0
"""Frames a second from which dice are well seen to roll. Higher: smaller pictures from slow cameras."""
HELP: Final = (
    "usb, usb:N or a device such as /dev/video0, pi, a video, a folder of photographs, an http://, "
    "https:// or rtsp:// address, phone, or simulated; default the attached camera"
)
OTHERS: Final = (
    "or name phone, a video, a folder of photographs, an http:// or rtsp:// address, or simulated "
    "with --camera"
)


class Source(NamedTuple):
    """What `--camera` names: one of a live `camera`, a `video`, a `folder`; none of them if simulated.

    `phone` is what a phone as the camera needs besides.
    """

    camera: Camera | None = None
    video: Path | None = None
    folder: Path | None = None
    phone: PhoneTable | None = None

    @property
    def simulated(self) -> bool:
        return self == Source()

    @property
    def live(self) -> Camera:
        """The live camera. Raises ValueError if the source is another one."""
        if self.camera is None:
            raise ValueError("no live camera")
        return self.camera

    def close(self) -> None:
        """Ends what was started for the source."""
        if self.phone is not None:
            self.phone.close()

    def check(self, command: str) -> None:
        """Waits for the first picture of a live camera. Raises CommandError if none comes."""
        if self.phone is not None:
            self.phone.show_code()
            self.phone.wait_for_picture()
        elif self.camera is not None:
            check(command, self.camera)


def check(command: str, camera: Camera) -> None:
    """Starts the camera and waits for a picture. Raises CommandError if none comes."""
    camera.start()
    try:
        next_frame(camera)
    except NoFramesError as error:
        camera.stop()
        raise CommandError(f"dicetable {command}: {error}") from None


def source_of(command: str, named: str | None, clock: Clock, games: str = "", *, asks: bool = True) -> Source:
    """The source of that name; without a name the only camera attached, or the one chosen at the terminal.

    `games` is the folder of games that a phone's gateway loads too. If it never `asks`, it is the first of
    several cameras.
    Raises CommandError.
    """
    try:
        if named == PHONE:
            phone = PhoneTable(command, clock, games)
            return Source(phone.camera, phone=phone)
        return source_named(named, clock, asks=asks)
    except ValueError as error:
        raise CommandError(f"dicetable {command}: --camera {named}: {error}", 2) from None
    except LookupError as error:
        raise CommandError(f"dicetable {command}: {error.args[0]}") from None


def source_named(name: str | None, clock: Clock, *, asks: bool) -> Source:
    """Raises ValueError for a name that means nothing, LookupError if there is no such camera."""
    if name is None or name == "usb":
        return Source(usb(chosen(clock, asks=asks).path, clock))
    if name == SIMULATED:
        return Source()
    if name == "pi":
        from hardware.pi_camera import PiSettings, pi_camera

        return Source(pi_camera(0, PiSettings(), clock))
    if name.startswith("usb:"):
        number = name.removeprefix("usb:")
        if not (number.isascii() and number.isdecimal() and int(number) < 256):
            raise ValueError("write usb:N with a number, as in usb:0")
        return Source(usb(int(number), clock))
    if is_address(name):
        return Source(stream_camera(name, clock))
    path = Path(name)
    if path.is_dir():
        return Source(folder=path)
    if path.is_file():
        return Source(video=path)
    if path.is_char_device() or name.startswith("/dev/"):
        return Source(usb(path, clock))
    raise ValueError(f"there is no such file, folder or camera: name {HELP.partition(';')[0]}")


def usb(device: Path | int, clock: Clock) -> Camera:
    from hardware.usb_camera import UsbSettings, usb_camera

    path = Path(f"/dev/video{device}") if isinstance(device, int) else device
    width, height = best_size(modes_of(path))
    return usb_camera(device, UsbSettings(width, height, exposure_ms=None), clock)


def best_size(modes: Sequence[Mode]) -> tuple[int, int]:
    """The largest fast size in motion JPEG up to LARGEST_SIZE; the usual one if none is known."""
    sizes = [
        (mode.width, mode.height)
        for mode in modes
        if mode.coding == "MJPG"
        and mode.width <= LARGEST_SIZE[0]
        and mode.height <= LARGEST_SIZE[1]
        and max(mode.rates, default=0.0) >= LEAST_RATE
    ]
    return max(sizes, key=math.prod, default=USUAL_SIZE)


def chosen(clock: Clock, *, asks: bool) -> AttachedCamera:
    """The only camera attached, or the one that a person at the terminal chooses. Raises LookupError.

    If it never `asks`, the first one.
    """
    if sys.platform != "linux":
        return AttachedCamera(Path("/dev/video0"), "camera 0", on_usb=False, modes=[])
    cameras = [camera for camera in attached_cameras() if camera.on_usb or camera.modes]
    if not cameras:
        raise LookupError(f"no camera is attached: plug one in, {OTHERS}")
    if len(cameras) == 1 or not asks:
        return cameras[0]
    listed = [f"{number}: {described(camera)}" for number, camera in enumerate(cameras, 1)]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise LookupError(f"several cameras are attached: name one with --camera ({'; '.join(listed)})")
    for line, camera in zip(listed, cameras, strict=True):
        print(line, file=sys.stderr)
        # The picture is the terminal's own control characters, which would be escaped.
        print(*preview(usb(camera.path, clock), clock), sep="\n", file=below(sys.stderr), flush=True)
    while True:
        print(texts.rolls.WHICH_CAMERA, end=" ", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        if not typed:
            raise LookupError("no camera was chosen: name one with --camera")
        if typed.strip().isdecimal() and 1 <= int(typed) <= len(cameras):
            return cameras[int(typed) - 1]


def preview(camera: Camera, clock: Clock) -> list[str]:
    """A small picture of what the camera sees, as lines of text; or why there is none."""
    camera.start()
    begun_s, frame = clock.now_s(), None
    while clock.now_s() < begun_s + (BRIGHT_S if frame else PREVIEWED_S):
        frame = camera.frame(0.1) or frame
    degraded = camera.degraded
    camera.stop()
    if frame is not None:
        return picture_lines(frame.pixels, *PREVIEW)
    return [f"   {degraded.what}: {degraded.remedy}" if degraded else f"   {texts.health.CAMERA_SILENT}"]
