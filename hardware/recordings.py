"""Recordings of a camera as files: their frames with the times at which they were taken, in and out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hardware.ports import Pixels

MOST_PX: Final = 8192
USUAL_RATE: Final = 30.0
RATES: Final = (1.0, 240.0)
"""Frames per second that a recording may claim to have; with any other it has the usual rate."""
MOST_DAMAGED: Final = 60
"""So many frames in a row that cannot be decoded are the end of a recording."""
CUT_OFF_S: Final = 1.0
"""A recording that ends so much earlier than it says is cut off."""
JPEG_QUALITY: Final = 95
CLOCK: Final = 1000
"""Ticks per second of the times in a file that is written."""


class RecordingError(Exception):
    """The file is no recording, or cannot be written; the text says why and what to do."""


os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # it is read once, with the first file


def quiet() -> None:
    """Keeps OpenCV from printing what it thinks of a file, as FFmpeg is kept from it."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class Recording:
    """A video file; upright, whatever the camera's rotation, with the times that the file gives.

    Raises RecordingError if it cannot be read.

    Args:
        path: the file.
        rate: frames per second, if the file gives no times.
    """

    def __init__(self, path: Path, rate: float = USUAL_RATE) -> None:
        quiet()
        self.path = path
        if path.is_dir():
            raise RecordingError("it is a folder: name a video file")
        if not path.is_file():
            raise RecordingError("there is no such file: check the name")
        if not os.access(path, os.R_OK):
            raise RecordingError("you may not read it: change its permissions")
        self.capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        sides = [self.capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)]
        if not self.capture.isOpened() or min(sides) < 1:
            raise RecordingError("it is not a video that can be read: convert it to .mp4, .mkv or .avi")
        if max(sides) > MOST_PX:
            raise RecordingError(f"its frames are {sides[0]:.0f} by {sides[1]:.0f} pixels: make it smaller")
        told = self.capture.get(cv2.CAP_PROP_FPS)
        self.rate = told if RATES[0] <= told <= RATES[1] else rate
        self.promised_s = self.capture.get(cv2.CAP_PROP_FRAME_COUNT) / told if told > 0 else 0.0
        self.end_s = 0.0

    def frames(self, from_s: float = 0.0, most_rate: float | None = None) -> Iterator[tuple[float, Pixels]]:
        """The frames and their times, in seconds from the beginning, from `from_s` on.

        `most_rate`: no more than so many a second; what comes between is left out. Damaged frames are, too.
        """
        before_s = due_s = -np.inf
        damaged = 0
        while damaged < MOST_DAMAGED:
            if not self.grabbed():
                damaged += 1
                continue
            time_s = self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if not time_s > before_s:
                time_s = 0.0 if before_s == -np.inf else before_s + 1 / self.rate
            before_s = self.end_s = time_s
            if time_s < from_s or (most_rate is not None and time_s < due_s):
                continue
            pixels = self.retrieved()
            if pixels is None:
                damaged += 1
                continue
            damaged = 0
            if most_rate is not None:
                slack_s = 0.1 / most_rate
                due_s = max(due_s + 1 / most_rate, time_s + 1 / most_rate - slack_s)
            yield time_s, pixels
        self.capture.release()

    def grabbed(self) -> bool:
        """Whether there was another frame."""
        try:
            return bool(self.capture.grab())
        except cv2.error:
            return False

    def retrieved(self) -> Pixels | None:
        """The frame that was grabbed; None if it is damaged."""
        try:
            good, pixels = self.capture.retrieve()
        except cv2.error:
            return None
        return np.asarray(pixels, np.uint8) if good and pixels.ndim == 3 else None

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
            raise RecordingError("it exists already: choose another name")
        if not path.parent.is_dir():
            raise RecordingError(f"there is no folder {path.parent}: make it first")
        kind, raw = cv2.VideoWriter.fourcc(*"MJPG"), [cv2.VIDEOWRITER_PROP_RAW_VIDEO, 1]
        self.file = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, kind, CLOCK, (width, height), raw)
        if not self.file.isOpened():
            raise RecordingError("it cannot be written: choose a folder that you may write to")
        self.first_s: float | None = None
        self.ticks = -1

    def write(self, pixels: Pixels, time_s: float) -> None:
        """Adds a frame that was taken then."""
        self.first_s = time_s if self.first_s is None else self.first_s
        self.ticks = max(self.ticks + 1, round((time_s - self.first_s) * CLOCK))
        self.file.set(cv2.VIDEOWRITER_PROP_PTS, self.ticks)
        self.file.write(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])

    def close(self) -> None:
        """Completes the file."""
        self.file.release()
