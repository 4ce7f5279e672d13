"""The video that `watch --annotate` writes: each frame with what the table made of it drawn in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable import texts
from hardware.recordings import RecordingError
from vision.annotate import annotate, label, text_size
from vision.motion.segmentation import DIE, OTHER
from vision.observation import Unsettled
from vision.reading import Arrival, Reading

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.throws.verdicts import Verdict
    from vision.motion.watch import MotionWatch
    from vision.observation import Observation
    from vision.reading import Image

CODECS: Final = {".mp4": "mp4v", ".mkv": "MJPG", ".avi": "MJPG"}
"""What OpenCV's wheel can write; H.264 is not among it."""
COLOURS: Final = {
    Arrival.THROWN: (90, 200, 60),
    Arrival.HANDLED: (60, 60, 240),
    Arrival.UNSEEN: (40, 190, 250),
    Arrival.LAY: (170, 170, 170),
}
BANNER: Final = (230, 230, 230)
OUTLINES: Final = {DIE: (255, 200, 60), OTHER: (200, 60, 255)}
"""The colours of the outlines of dice, and of hands and other things, while something moves."""
PATH: Final = (255, 255, 255)
SHOWN: Final = 30
"""So many of the newest points of a path are drawn."""


class AnnotatedVideo:
    """Frames as they come, drawn and written; the verdict stays until something moves.

    The file has the recording's rate. Frames are repeated or left out so that both run equally long. Raises
    RecordingError if the file cannot be written.
    """

    def __init__(self, path: Path, kept: Path, rate: float) -> None:
        if path.suffix.lower() not in CODECS:
            raise RecordingError("the name has to end in .mp4, .mkv or .avi")
        if path.exists() and path.samefile(kept):
            raise RecordingError("it is the video itself: choose another name")
        if path.is_dir() or not path.parent.is_dir():
            raise RecordingError("there is no such folder, or it is one: name a file in a folder that exists")
        self.path = path
        self.rate = rate
        self.file: cv2.VideoWriter | None = None
        self.size = (0, 0)
        self.first_s = 0.0
        self.written = 0
        self.verdict: Verdict | None = None
        self.state = ""

    def add(
        self,
        pixels: Image,
        time_s: float,
        observed: Observation | None,
        verdict: Verdict | None,
        motion: MotionWatch,
    ) -> None:
        """The next frame, what the observer and the umpire said about it, and what was seen to move."""
        if isinstance(observed, Unsettled):
            self.verdict, self.state = None, observed.reason.value
        self.verdict = verdict or self.verdict
        picture = self.drawn(pixels, motion)
        if self.file is None:
            self.open(picture, time_s)
        if self.file is None or picture.shape[1::-1] != self.size:
            return
        while self.written <= (time_s - self.first_s) * self.rate:
            self.file.write(picture)
            self.written += 1

    def open(self, picture: Image, time_s: float) -> None:
        """Begins the file with the first frame."""
        self.size, self.first_s = picture.shape[1::-1], time_s
        try:  # the library does not say why it cannot write
            with self.path.open("wb", buffering=0) as file:
                file.write(b"\0")
        except OSError as error:
            raise RecordingError(f"{error.strerror}; {texts.health.disk_remedy(error, self.path)}") from None
        kind = cv2.VideoWriter.fourcc(*CODECS[self.path.suffix.lower()])
        self.file = cv2.VideoWriter(str(self.path), cv2.CAP_FFMPEG, kind, self.rate, self.size)
        if not self.file.isOpened():
            raise RecordingError("OpenCV cannot write such a video here: choose a name that ends in .avi")

    def close(self) -> None:
        """Completes the file."""
        if self.file is not None:
            self.file.release()

    def drawn(self, pixels: Image, motion: MotionWatch) -> Image:
        """The frame with all layers: what moves in it, its dice once they lie still, and the verdict."""
        unit = max(1, round(max(pixels.shape[:2]) / 640))
        if self.verdict is None:
            return banner(with_tracks(pixels, motion, unit), self.state, unit)
        picture = annotate(pixels, Reading(tuple(die for die, _ in self.verdict.dice)))
        for die, arrival in self.verdict.dice:
            x, y, w, h = die.box
            width, height = text_size(arrival, unit)
            label(picture, arrival, (x + (w - width) // 2, y + h, width, height), COLOURS[arrival], unit)
        why = f": {self.verdict.reason}" if self.verdict.reason else ""
        return banner(picture, f"{self.verdict.time_s:.2f} s {self.verdict.word}{why}", unit)


def with_tracks(pixels: Image, motion: MotionWatch, unit: int) -> Image:
    """The frame with the outlines of dice and hands, and with the number and the path of each die."""
    picture = pixels.copy()
    if not motion.classes.size:
        return picture
    scale = np.array(pixels.shape[1::-1]) / motion.classes.shape[::-1]
    for number, colour in OUTLINES.items():
        shape = (motion.classes == number).astype(np.uint8)
        found, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        outlines = [np.rint((outline + 0.5) * scale).astype(np.int32) for outline in found]
        cv2.polylines(picture, outlines, isClosed=True, color=colour, thickness=unit, lineType=cv2.LINE_AA)
    for track in motion.tracker.tracks:
        path = np.rint([scale * point.at for point in track.path[-SHOWN:]]).astype(np.int32)
        cv2.polylines(picture, [path], isClosed=False, color=PATH, thickness=unit, lineType=cv2.LINE_AA)
        width, height = text_size(f"{track.number}", unit)
        x, y = path[-1].tolist()
        label(picture, f"{track.number}", (x - width // 2, y - height // 2, width, height), PATH, unit)
    return picture


def banner(picture: Image, text: str, unit: int) -> Image:
    """The picture with a line of text at its top."""
    if text:
        width, height = text_size(text, unit)
        label(picture, text, (0, 0, width, height), BANNER, unit)
    return picture
