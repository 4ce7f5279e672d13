"""Video files: recordings, read and written with the times of their frames, and a file played as a camera."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from hardware.errors import unforeseen
from hardware.file_kinds import head_of, is_cut_short, is_picture, is_video
from hardware.ports import Clock, Degraded, Frame, Pixels

MOST_PX: Final = 8192
USUAL_RATE: Final = 30.0
RATES: Final = (1.0, 240.0)
"""Frames per second that a recording may claim to have; with any other it has the usual rate."""
MOST_DAMAGED: Final = 60
"""A recording ends after this many frames in a row that cannot be decoded."""
CUT_OFF_S: Final = 1.0
"""A recording that ends so much earlier than it says is cut off."""
JPEG_QUALITY: Final = 95
CLOCK: Final = 1000
"""Ticks per second of the times in a file that is written."""
OF_PICTURES: Final = (".mjpeg", ".mjpg")
"""The endings of videos that are JPEGs one after the other."""
CUT_SHORT: Final = "it is cut short: copy it again from where it was filmed"
DAMAGED: Final = (
    "it is damaged, or coded in a way that is not known here: copy it again, or convert it to H.264"
)
LOOK_AGAIN_S = 1.0
MISSED: Final = 2.5
"""A recording that is played breaks off if this many frames or more are missing at its end."""
TICK_S = 1e-6


class RecordingError(Exception):
    """The file is no recording, or cannot be written; the text says why and what to do."""


os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # it is read once, with the first file


def quiet() -> None:
    """Keeps OpenCV from printing warnings about a file; FFmpeg prints none anyway."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class Recording:
    """A video file; upright, whatever the camera's rotation, with the times that the file gives.

    If it gives none, it has `rate` frames per second. Raises RecordingError if it cannot be read.
    """

    def __init__(self, path: Path, rate: float = USUAL_RATE) -> None:
        quiet()
        self.path = path
        if path.is_dir():
            raise RecordingError("it is a folder: name a video file")
        if not path.is_file():
            raise RecordingError("there is no such file")
        if not os.access(path, os.R_OK):
            raise RecordingError("you may not read it: change its permissions")
        head = head_of(path)
        # OpenCV takes a picture for a video of one frame.
        if is_picture(head) and path.suffix.lower() not in OF_PICTURES:
            raise RecordingError("it is a picture: use `dicetable read FILE`")
        self.capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        sides = [self.capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        if not self.capture.isOpened() or min(sides) < 1:
            if is_video(head):
                raise RecordingError(CUT_SHORT if is_cut_short(path) else DAMAGED)
            raise RecordingError("it is not a readable video: convert it to .mp4, .mkv or .avi")
        if max(sides) > MOST_PX:
            raise RecordingError(f"its frames are {sides[0]:.0f} by {sides[1]:.0f} pixels: make it smaller")
        claimed = self.capture.get(cv2.CAP_PROP_FPS)
        self.rate = claimed if RATES[0] <= claimed <= RATES[1] else rate
        self.promised_s = self.capture.get(cv2.CAP_PROP_FRAME_COUNT) / claimed if claimed > 0 else 0.0
        self.end_s = 0.0
        self.damaged = 0

    def times(self) -> Iterator[float]:
        """Grabs one frame after the other; yields its time, in seconds from the beginning.

        `retrieved` decodes the frame that was grabbed last. Ends after MOST_DAMAGED damaged frames in a row.
        """
        before_s = -np.inf
        while self.damaged < MOST_DAMAGED:
            try:
                grabbed = self.capture.grab()
            except cv2.error:
                grabbed = False
            if not grabbed:
                self.damaged += 1
                continue
            time_s = self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if not time_s > before_s:
                time_s = 0.0 if before_s == -np.inf else before_s + 1 / self.rate
            before_s = self.end_s = time_s
            yield time_s
        self.capture.release()

    def retrieved(self) -> Pixels | None:
        """The frame that was grabbed; None if it is damaged."""
        try:
            good, pixels = self.capture.retrieve()
        except cv2.error:
            good, pixels = False, None
        if not good or pixels is None or pixels.ndim != 3:
            self.damaged += 1
            return None
        self.damaged = 0
        return np.asarray(pixels, np.uint8)

    def frames(self, from_s: float = 0.0, most_rate: float | None = None) -> Iterator[tuple[float, Pixels]]:
        """The frames and their times, in seconds from the beginning, from `from_s` on.

        With `most_rate` the frames are thinned out to that many a second. Damaged frames are left out.
        """
        due_s = -np.inf
        for time_s in self.times():
            if time_s < from_s or (most_rate is not None and time_s < due_s):
                continue
            pixels = self.retrieved()
            if pixels is None:
                continue
            if most_rate is not None:
                slack_s = 0.1 / most_rate
                due_s = max(due_s + 1 / most_rate, time_s + 1 / most_rate - slack_s)
            yield time_s, pixels

    @property
    def cut_off(self) -> bool:
        """Whether it ended earlier than the file says, after all its frames were taken."""
        return self.end_s + CUT_OFF_S < self.promised_s


class RecordingWriter:
    """Writes a recording of JPEGs (Matroska) that keeps the time of each frame.

    Raises RecordingError if the file cannot be written.
    """

    def __init__(self, path: Path, width: int, height: int) -> None:
        quiet()
        if path.suffix.lower() != ".mkv":
            raise RecordingError("the name has to end in .mkv")
        if path.exists():
            raise RecordingError("it already exists: choose another name")
        if not path.parent.is_dir():
            raise RecordingError(f"there is no folder {path.parent}: make it first")
        kind, raw = cv2.VideoWriter.fourcc(*"MJPG"), [cv2.VIDEOWRITER_PROP_RAW_VIDEO, 1]
        self.file = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, kind, CLOCK, (width, height), raw)
        if not self.file.isOpened():
            raise RecordingError("it cannot be written: choose a folder that you may write to")
        self.first_s: float | None = None
        self.ticks = -1

    def write(self, pixels: Pixels, time_s: float) -> None:
        self.first_s = time_s if self.first_s is None else self.first_s
        self.ticks = max(self.ticks + 1, round((time_s - self.first_s) * CLOCK))
        self.file.set(cv2.VIDEOWRITER_PROP_PTS, self.ticks)
        self.file.write(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])

    def close(self) -> None:
        self.file.release()


class VideoCamera:
    """Plays a recording from the beginning at every start, each frame at its time."""

    def __init__(self, file: Path, clock: Clock) -> None:
        self.file = file
        self.clock = clock
        self.degraded: Degraded | None = None
        self._running = False
        self._look_s = 0.0
        self._close()

    def start(self) -> None:
        if not self._running:
            self._running = True
            self._tried(self._open)

    def frame(self, timeout_s: float) -> Frame | None:
        """The current frame, or the next one; None at the end (`degraded` says so) or if it is not due."""
        return self._tried(lambda: self._frame(timeout_s)) if self._running else None

    def stop(self) -> None:
        self._running = False
        self._close()
        self.degraded = None

    def _tried(self, function: Callable[[], Frame | None]) -> Frame | None:
        """Calls OpenCV; an exception degrades the camera, and the file is reopened later."""
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._close()
            self._look_s = self.clock.now_s() + LOOK_AGAIN_S
            self.degraded = unforeseen(str(self.file), error, self.degraded)
            return None

    def _close(self) -> None:
        self._recording: Recording | None = None
        self._times: Iterator[float] = iter(())
        self._grabbed_s: float | None = None
        self._given = 0
        self._began_s = 0.0
        self._ended = False

    def _open(self) -> None:
        self._close()
        self._look_s = self.clock.now_s() + LOOK_AGAIN_S
        if not self.file.is_file():
            self.degraded = Degraded(f"there is no video {self.file}", "name another, or put it there")
            return
        try:
            self._recording = Recording(self.file)
        except RecordingError as error:
            cause, _, remedy = str(error).partition(": ")
            self.degraded = Degraded(f"{self.file}: {cause}", remedy)
            return
        self.degraded = None
        self._times = self._recording.times()
        self._began_s = self.clock.now_s()

    def _frame(self, timeout_s: float) -> Frame | None:
        if self._recording is None and not self._ended and self.clock.now_s() >= self._look_s:
            self._open()
        if self._recording is None:
            if not self._ended:
                self.clock.sleep(timeout_s)
            return None
        now_s = self.clock.now_s()
        time_s = self._grab(now_s - self._began_s, 1 / self._recording.rate)
        if time_s is None:
            self._end(self._recording)
            return None
        wait_s = self._began_s + time_s - now_s
        self.clock.sleep(max(0.0, min(wait_s, timeout_s)))
        if wait_s > timeout_s:
            return None
        self._grabbed_s = None
        pixels = self._recording.retrieved()
        return None if pixels is None else Frame(pixels.copy(), self._began_s + time_s, self.file.name)

    def _grab(self, played_s: float, lasts_s: float) -> float | None:
        """The time of the frame to show after `played_s`, or of the next; None at the end.

        Frames that last no longer than until then are skipped.
        """
        while self._grabbed_s is None or self._grabbed_s + lasts_s <= played_s + TICK_S:
            self._grabbed_s = next(self._times, None)
            if self._grabbed_s is None:
                return None
            self._given += 1
        return self._grabbed_s

    def _end(self, recording: Recording) -> None:
        count = self._given
        self._close()
        self._ended = True
        promised = round(recording.promised_s * recording.rate)
        if recording.end_s + MISSED / recording.rate < recording.promised_s:
            sentence = f"{self.file} breaks off after {count} of {promised} frames"
            self.degraded = Degraded(sentence, "copy it again")
        else:
            self.degraded = Degraded(f"{self.file} has ended after {count} frames", "start it again")
