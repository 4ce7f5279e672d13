"""A recorded video as a camera, played at its own speed: frames that nobody asked for in time are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.ports import Degraded, Frame
from hardware.unforeseen import unforeseen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hardware.ports import Clock

MOST_PX = 4096
USUAL_RATE = 30.0
LOOK_AGAIN_S = 1.0
TICK_S = 1e-6


class VideoCamera:
    """Plays a file (MJPG .avi, FFV1 .mkv, H.264 .mp4, …) from the beginning at every start."""

    def __init__(self, file: Path, clock: Clock) -> None:
        self.file = file
        self.clock = clock
        self.degraded: Degraded | None = None
        self._running = False
        self._look_s = 0.0
        self._close()

    def start(self) -> None:
        """Opens the file; does nothing if it is open."""
        if not self._running:
            self._running = True
            self._tried(self._open)

    def frame(self, timeout_s: float) -> Frame | None:
        """The current frame, or the next one; None at the end (`degraded` says so) or if it is not due."""
        return self._tried(lambda: self._frame(timeout_s)) if self._running else None

    def _tried(self, function: Callable[[], Frame | None]) -> Frame | None:
        """Calls OpenCV; an exception degrades the camera, and the file is reopened later."""
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._close()
            self._look_s = self.clock.now_s() + LOOK_AGAIN_S
            self.degraded = unforeseen(str(self.file), error, self.degraded)
            return None

    def _frame(self, timeout_s: float) -> Frame | None:
        if self._capture is None:
            if self.degraded is not None and self._ended:
                return None
            if self.clock.now_s() >= self._look_s:
                self._open()
        if self._capture is None:
            self.clock.sleep(timeout_s)
            return None
        now_s = self.clock.now_s()
        wanted = int((now_s - self._began_s + TICK_S) * self._rate)
        if wanted < self._next:
            wanted = self._next
            wait_s = self._began_s + wanted / self._rate - now_s
            self.clock.sleep(max(0.0, min(wait_s, timeout_s)))
            if wait_s > timeout_s:
                return None
        return self._decoded(wanted)

    def stop(self) -> None:
        """Closes the file."""
        self._running = False
        self._close()
        self.degraded = None

    def _close(self) -> None:
        self._capture: cv2.VideoCapture | None = None
        self._ended = False
        self._next = 0
        self._began_s = 0.0
        self._rate = USUAL_RATE

    def _open(self) -> None:
        self._close()
        self._look_s = self.clock.now_s() + LOOK_AGAIN_S
        if not self.file.is_file():
            self.degraded = Degraded(f"there is no video {self.file}", "name another, or put it there")
            return
        capture = cv2.VideoCapture(str(self.file))
        sides = capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        if not capture.isOpened() or not max(sides) > 0:
            self.degraded = Degraded(f"{self.file} is no video that can be read", "record it as MJPG .avi")
        elif max(sides) > MOST_PX:
            self.degraded = Degraded(
                f"{self.file} has frames of {sides[0]:.0f} by {sides[1]:.0f} pixels", "record it smaller"
            )
        else:
            self.degraded = None
            self._capture = capture
            rate = capture.get(cv2.CAP_PROP_FPS)
            self._rate = rate if 1 <= rate <= 240 else USUAL_RATE
            self._began_s = self.clock.now_s()

    def _decoded(self, wanted: int) -> Frame | None:
        """Frame `wanted`, after skipping those before it."""
        capture = self._capture
        if capture is None:
            return None
        while self._next < wanted and capture.grab():
            self._next += 1
        done, pixels = capture.read()
        if not done:
            self._end(int(capture.get(cv2.CAP_PROP_FRAME_COUNT)))
            return None
        self._next += 1
        return Frame(np.array(pixels, np.uint8), self._began_s + wanted / self._rate, self.file.name)

    def _end(self, promised: int) -> None:
        """Reports whether the file has ended or is cut off."""
        given = self._next
        self._capture, self._ended = None, True
        if given < promised - 1:
            what = f"{self.file} breaks off after {given} of {promised} frames"
            self.degraded = Degraded(what, "copy it again from where it came")
        else:
            self.degraded = Degraded(f"{self.file} has ended after {given} frames", "start it again")
