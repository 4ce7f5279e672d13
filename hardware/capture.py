"""A camera whose device is read by a thread, so that callers wait only for the newest frame.

Damaged frames are skipped and counted. A device that fails, or sends only damaged frames for BAD_FRAMES_S, is
reopened again and again. One that hangs is reported after HANG_S and abandoned after
ABANDON_S: its thread exits if the device ever answers, and a new thread replaces it.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol, cast

import cv2
import numpy as np

from hardware.errors import BadFrameError, DeviceError, WrongDeviceError, unforeseen
from hardware.ports import Clock, Degraded, Frame, Pixels


class Source(Protocol):
    """One opening of a device: opened once, read until it fails or is closed."""

    def open(self) -> Sequence[str]:
        """Opens the device and locks its settings; returns the settings it rejected. Raises DeviceError."""

    def read(self) -> tuple[Pixels, float] | Frame:
        """Waits for a frame: its own pixels and their time on the monotonic clock.

        Raises DeviceError; a BadFrameError says that only this frame is lost.
        """

    def close(self) -> None:
        """Closes the device; does nothing if it was not open. Never raises."""


FIRST_RETRY_S = 0.25
MOST_RETRY_S = 2.0
HANG_S = 3.0
BAD_FRAMES_S = 0.5
"""How long damaged frames are skipped in a row."""
ABANDON_S = 15.0
"""How long a read may take: longer than the ten seconds after which OpenCV gives up on a silent camera."""
STOP_S = 2.0
MOST_ABANDONED = 3
MOST_PX = 4096


class Taker:
    """A thread that opens a source, reads it, and reopens it after any failure."""

    def __init__(
        self,
        name: str,
        new_source: Callable[[], Source],
        clock: Clock,
        news: threading.Condition,
        skipped: Callable[[], None],
    ) -> None:
        self.name = name
        self.skipped = skipped
        self.new_source = new_source
        self.clock = clock
        self.news = news
        self.frame: Frame | None = None
        self.last_s = float("-inf")
        self.degraded: Degraded | None = None
        self.notes: Sequence[str] = ()
        self.alive_s = clock.now_s()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self._retry_s = FIRST_RETRY_S
        while not self.ended.is_set():
            try:
                self._read_until_it_fails()
            except DeviceError as error:
                self._degrade(Degraded(error.what, error.remedy))
            except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
                self._degrade(unforeseen(self.name, error, self.degraded))
            self.ended.wait(self._retry_s)
            self._retry_s = min(2 * self._retry_s, MOST_RETRY_S)
            self.alive_s = self.clock.now_s()

    def _read_until_it_fails(self) -> None:
        source = self.new_source()
        try:
            self.notes = source.open()
            whole_s = self.clock.now_s()
            while not self.ended.is_set():
                try:
                    self._take(source)
                except BadFrameError:
                    self.alive_s = self.clock.now_s()
                    self.skipped()
                    if self.alive_s - whole_s > BAD_FRAMES_S:
                        raise
                else:
                    self._retry_s = FIRST_RETRY_S
                    whole_s = self.clock.now_s()
        finally:
            self._close(source)

    def _close(self, source: Source) -> None:
        """Closes the device; an error in closing does not hide an earlier one."""
        try:
            source.close()
        except Exception as error:  # noqa: BLE001 - it is logged; the next opening says what is wrong
            unforeseen(self.name, error, self.degraded)

    def _take(self, source: Source) -> None:
        taken = source.read()
        frame = taken if isinstance(taken, Frame) else Frame(*taken)
        pixels = frame.pixels
        # A driver may give any array: what no reader can take is named here, beside its cause.
        if (
            pixels.dtype != np.uint8
            or pixels.ndim != 3
            or pixels.shape[2] != 3
            or max(pixels.shape) > MOST_PX
        ):
            raise WrongDeviceError(
                f"the camera gives pictures of {pixels.shape} {pixels.dtype}",
                "set it to 1280 by 720 in colour",
            )
        with self.news:
            self.alive_s = self.clock.now_s()
            self.last_s = max(self.last_s, min(frame.time_s, self.alive_s))
            self.frame = replace(frame, time_s=self.last_s)
            self.degraded = None
            self.news.notify_all()

    def _degrade(self, degraded: Degraded) -> None:
        with self.news:
            self.alive_s = self.clock.now_s()
            self.frame = None  # frames from before that are out of date
            self.degraded = degraded
            self.news.notify_all()


class CaptureCamera:
    """A `Camera` over a device.

    `name` is the device's name for people, such as its path; `last_resort` is the remedy if it hangs.
    `bad_frames` counts the damaged frames that were skipped.
    """

    def __init__(
        self, name: str, new_source: Callable[[], Source], clock: Clock, last_resort: str = "pull its plug"
    ) -> None:
        self.name = name
        self.new_source = new_source
        self.clock = clock
        self.last_resort = last_resort
        self.bad_frames = 0
        self._news = threading.Condition()
        self._taker: Taker | None = None
        self._abandoned: list[Taker] = []

    @property
    def degraded(self) -> Degraded | None:
        """Why no frames come; a device that hangs is reported too."""
        taker = self._taker
        if taker is None:
            return None
        silent_s = self.clock.now_s() - taker.alive_s
        if taker.degraded is None and silent_s > HANG_S:
            sentence = f"{self.name} has given no frames for {silent_s:.0f} s"
            return Degraded(
                sentence, f"the table reopens it by itself; if that does not help, {self.last_resort}"
            )
        return taker.degraded

    @property
    def notes(self) -> Sequence[str]:
        """Settings that the device rejected, such as locking its focus."""
        return self._taker.notes if self._taker is not None else ()

    def start(self) -> None:
        if self._taker is None:
            self._taker = self._new_taker()

    def _new_taker(self) -> Taker:
        return Taker(self.name, self.new_source, self.clock, self._news, self._skipped)

    def _skipped(self) -> None:
        self.bad_frames += 1

    def frame(self, timeout_s: float) -> Frame | None:
        taker = self._taker
        if taker is None:
            return None
        with self._news:
            if self._news.wait_for(lambda: taker.frame is not None, timeout_s):
                frame, taker.frame = taker.frame, None
                return frame
        if self.clock.now_s() - taker.alive_s > ABANDON_S:
            self._abandon(taker)
        return None

    def stop(self) -> None:
        taker, self._taker = self._taker, None
        if taker is not None:
            taker.ended.set()
            taker.thread.join(STOP_S)

    def _abandon(self, taker: Taker) -> None:
        self._abandoned = [old for old in self._abandoned if old.thread.is_alive()]
        if len(self._abandoned) < MOST_ABANDONED:
            taker.ended.set()
            self._abandoned.append(taker)
            self._taker = self._new_taker()
            self._taker.degraded = Degraded(
                f"{self.name} hangs", f"the table reopens it; if that fails, {self.last_resort}"
            )


ROTATIONS: Final = {
    90: cv2.ROTATE_90_CLOCKWISE,
    180: cv2.ROTATE_180,
    270: cv2.ROTATE_90_COUNTERCLOCKWISE,
}
LEFT_RIGHT: Final = 1


def turned(pixels: Pixels, rotate_deg: int, *, mirror: bool) -> Pixels:
    """The picture rotated clockwise by 0, 90, 180 or 270 degrees, then mirrored left to right if asked."""
    if rotate_deg:
        pixels = cast("Pixels", cv2.rotate(pixels, ROTATIONS[rotate_deg]))
    return cast("Pixels", cv2.flip(pixels, LEFT_RIGHT)) if mirror else pixels
