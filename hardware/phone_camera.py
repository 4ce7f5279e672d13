"""A phone as the camera: its frames arrive one by one as JPEG, from a door that the caller brings.

A phone may send single photographs instead. Each counts as what the camera sees until the next one comes.

A frame is checked before it is decoded: its bytes, its pixels, and that it is a plain JPEG of one scan. So a
small file that would become a picture of 100 megapixels, or take minutes to decode, costs nothing.
"""

import time
from collections.abc import Sequence
from typing import Final, Protocol

from hardware.capture import CaptureCamera
from hardware.errors import BadFrameError, LinkLostError, NoDeviceError, WrongDeviceError
from hardware.photograph import PhotographError, decode_frame
from hardware.ports import Clock, Frame, Pixels

NAME: Final = "the phone"
WAIT_S: Final = 0.5
"""How long an opening waits for a phone. A longer time delays the stop of the camera."""
SILENT_S: Final = 2.0
"""A phone that sends nothing for so long is gone: it rings, is locked, or has lost the network."""
AGAIN_S: Final = 0.25
"""The time between two frames while a photograph stands; less than what a camera may be silent."""
MOST_PIXELS: Final = 1920 * 1080
LEAST_PX: Final = 32
MOST_HEADERS: Final = 64
START, SCAN, END = 0xD8, 0xDA, 0xD9
WITHOUT_LENGTH: Final = {0x01, *range(0xD0, 0xD9)}
PLAIN: Final = {0xC0, 0xC1}
"""Frames whose pixels come in one pass. Others take a decoder as many passes as the file asks for."""
FRAMES: Final = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
ASK_TABLE: Final = "use the operator's page, which asks the table that runs"
CODE: Final = "scan the code that `dicetable gateway camera` shows"
REOPEN: Final = "unlock it and open its page again; the table goes on by itself"


class FrameLine(Protocol):
    """A phone's frames while it is connected."""

    def waits(self, timeout_s: float) -> bool:
        """Whether there is something to receive within the time. Raises OSError."""

    def receive(self, timeout_s: float) -> tuple[bytes, float, bool] | None:
        """The next JPEG, when it was taken, on the common clock, and whether it is a photograph.

        None if the phone left.

        Raises TimeoutError if none comes, ValueError if it is too large, OSError if the connection fails.
        """

    def answer(self, *, taken: bool) -> None:
        """Asks for the next frame; says whether the last one could be used. Raises OSError."""

    def close(self) -> None: ...


class FrameDoor(Protocol):
    """Where phones come in, one at a time."""

    def accept(self, timeout_s: float) -> FrameLine | None:
        """The frames of the next phone; None if none comes in time."""


class NoDoor:
    """The door of a program other than the table: phones send their frames to the table alone."""

    def accept(self, timeout_s: float) -> FrameLine | None:  # noqa: ARG002 - it never opens
        """Raises NoDeviceError."""
        raise NoDeviceError(f"{NAME} sends its pictures to the table alone", ASK_TABLE)


NO_DOOR: Final = NoDoor()


def phone_camera(door: FrameDoor, clock: Clock) -> CaptureCamera:
    """The camera whose frames come through that door."""
    return CaptureCamera(NAME, lambda: PhoneSource(door), clock, "open its page again")


class PhoneSource:
    """One phone, from its first frame until it leaves."""

    def __init__(self, door: FrameDoor) -> None:
        self.door = door
        self.line: FrameLine | None = None
        self.word: bool | None = None
        self.photograph: Pixels | None = None

    def open(self) -> Sequence[str]:
        self.line = self.door.accept(WAIT_S)
        if self.line is None:
            raise NoDeviceError("no phone is the camera", CODE)
        return []

    def read(self) -> Frame:
        if self.line is None:
            raise NoDeviceError(f"{NAME} is not open", "open it")
        try:
            if self.word is not None:
                self.line.answer(taken=self.word)
            self.word = None
            if self.photograph is not None and not self.line.waits(AGAIN_S):
                return Frame(self.photograph, time.monotonic(), photograph=True)
            message = self.line.receive(SILENT_S)
        except ValueError as error:
            raise WrongDeviceError(f"{NAME} sends {error}", "open its page again") from None
        except TimeoutError:
            raise LinkLostError(f"{NAME} sends no more pictures", REOPEN) from None
        except OSError as error:
            raise LinkLostError(f"{NAME} cannot be reached: {error.strerror}", REOPEN) from None
        if message is None:
            raise LinkLostError(f"{NAME} left", REOPEN)
        jpeg, taken_s, photograph = message
        self.word = False
        pixels = decoded(jpeg, upright=photograph)
        self.word = True
        self.photograph = pixels if photograph else None
        return Frame(pixels, taken_s, photograph=photograph)

    def close(self) -> None:
        if self.line is not None:
            self.line.close()
            self.line = None


def damaged() -> BadFrameError:
    return BadFrameError(f"{NAME} sends damaged pictures", "open its page again")


def decoded(jpeg: bytes, *, upright: bool = False) -> Pixels:
    """The pixels of a JPEG whose header promises a picture of bounded size. Raises BadFrameError.

    `upright` turns them as the Exif data of a photograph say.
    """
    width, height = size_of(jpeg)
    if min(width, height) < LEAST_PX or width * height > MOST_PIXELS:
        raise BadFrameError(f"{NAME} sends pictures of {width} by {height} pixels", "open its page again")
    try:
        return decode_frame(jpeg, upright=upright)
    except PhotographError:
        raise damaged() from None


def size_of(jpeg: bytes) -> tuple[int, int]:
    """Width and height of a JPEG of one scan, from its header. Raises BadFrameError for anything else."""
    if not (jpeg.startswith(bytes((0xFF, START, 0xFF))) and jpeg.endswith(bytes((0xFF, END)))):
        raise damaged()
    start, size, parts = 2, (0, 0), 0
    for _ in range(MOST_HEADERS):
        head = jpeg[start : start + 4]
        if len(head) < 4 or head[0] != 0xFF or head[1] in WITHOUT_LENGTH:
            raise damaged()
        marker, length = head[1], int.from_bytes(head[2:4])
        body = jpeg[start + 4 : start + 2 + length]
        if length < 3 or len(body) < length - 2:
            raise damaged()
        if marker in FRAMES:
            if marker not in PLAIN or size != (0, 0) or len(body) < 6:
                raise damaged()
            size, parts = (int.from_bytes(body[3:5]), int.from_bytes(body[1:3])), body[5]
        if marker == SCAN:
            if size == (0, 0) or body[0] != parts:
                raise damaged()
            return size
        start += 2 + length
    raise damaged()
