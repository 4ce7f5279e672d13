"""Judges the throws of a recording by the strict rules, and draws the verdicts into a video."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from common import texts
from dicetable.eye.messages import MOST_DICE
from dicetable.table.acceptance import Acceptance, Accepted, NeedsConfirmation, Outcome, Rejected, Throw, Void
from dicetable.table.baseline import arrival_by_now
from dicetable.table.table_state import Awaited
from games.dice import EVERY_KIND
from hardware.recordings import RecordingError
from vision.annotate import annotate, label, text_size
from vision.motion.segmentation import DIE, OTHER
from vision.motion.watch import MotionWatch
from vision.reading import Arrival, DieReading, Image, Observation, Reading, Reason, Settled, Unsettled

ANY: Final = Awaited(
    tuple(kind for kind in EVERY_KIND for _ in range(MOST_DICE)), tuple(range(1, MOST_DICE + 1))
)
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
"""How many of a path's newest points are drawn."""


class Word(StrEnum):
    """The verdict on a throw, in one word."""

    COUNTS = "counts"
    VOUCH = "vouch"
    CONFIRM = "confirm"
    VOID = "void"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class JudgedThrow:
    """The verdict on the dice of a settled tray.

    Attributes:
        word: also UNREAD if there is no new die.
        reason: why it does not count, or what the panel asks; None if it counts.
        dice: all that lie in the tray, and how each came; those from before LAY there.
    """

    time_s: float
    word: Word
    reason: str | None
    dice: tuple[tuple[DieReading, Arrival], ...]


class Umpire:
    """Judges what the eye reports, in order; the tray counts as known from the first report on.

    It knows no game: it waits for any dice, all the time. What another seat would be asked counts as agreed.
    """

    def __init__(self) -> None:
        self.acceptance = Acceptance(strict=True)
        self.acceptance.set_baseline(())
        self.acceptance.prompt(ANY, float("-inf"))

    def unsettled(self, why: Reason) -> None:
        self.acceptance.unsettled()
        if why is Reason.CAMERA_MOVED:
            self.acceptance.lose_sight()

    def settled(self, settled: Settled) -> JudgedThrow:
        outcome = self.acceptance.settled(settled, settled.time_s)
        if isinstance(outcome, Throw):
            self.acceptance.set_baseline(outcome.baseline)
        self.acceptance.consent()
        fresh: tuple[int, ...] = ()
        if isinstance(outcome, Void):
            fresh = outcome.fresh
        elif isinstance(outcome, Throw):
            fresh = outcome.numbers
        word, reason = judged(outcome)
        if word is Word.UNREAD and settled.covered:
            reason = f"{reason} {texts.health.COVERED[settled.covered]}"
        dice = tuple(
            (die, how if number in fresh else Arrival.LAY)
            for number, (die, how) in enumerate(zip(settled.reading.dice, arrivals(settled), strict=True))
        )
        return JudgedThrow(settled.time_s, word, reason, dice)


def arrivals(settled: Settled) -> list[Arrival]:
    """How each die came that lies still; UNSEEN where the camera did not see it come."""
    if settled.flight is None:
        return [Arrival.UNSEEN] * len(settled.reading.dice)
    followed = settled.flight.followed
    return [arrival_by_now(how, Arrival.LAY, followed=followed) for how in settled.flight.arrivals]


def judged(outcome: Outcome | None) -> tuple[Word, str | None]:
    if isinstance(outcome, Accepted):
        return Word.COUNTS, None
    if isinstance(outcome, NeedsConfirmation):
        if not outcome.unsure:
            return Word.VOUCH, texts.throws.fair(len(outcome.unseen))
        questions = []
        for die in outcome.unsure:
            which = texts.throws.which(die.kind, outcome.rank(die))
            if die.reading.cocked and die.value is not None:
                questions.append(texts.throws.is_it_flat(which, die.value))
            else:
                questions.append(texts.throws.which_value(which, die.value))
        questions += [texts.throws.vouches_too(len(outcome.unseen))] if outcome.unseen else []
        return Word.CONFIRM, " ".join(questions)
    if isinstance(outcome, Void):
        return (Word.UNREAD if outcome.unread else Word.VOID), outcome.text
    if isinstance(outcome, Rejected) and outcome.text != texts.throws.nothing_thrown(1):
        return Word.VOID, outcome.text
    return Word.UNREAD, texts.throws.NO_NEW_DICE


class AnnotatedVideo:
    """A video of drawn frames, in which each verdict stays until something moves.

    It has the recording's rate; frames are repeated or left out so that both last equally long. Raises
    RecordingError if the file cannot be written.
    """

    def __init__(self, path: Path, source: Path, rate: float) -> None:
        if path.suffix.lower() not in CODECS:
            raise RecordingError("the name has to end in .mp4, .mkv or .avi")
        if path.exists() and path.samefile(source):
            raise RecordingError("it is the video itself: choose another name")
        if path.is_dir() or not path.parent.is_dir():
            raise RecordingError("there is no such folder, or it is one: name a file in a folder that exists")
        self.path = path
        self.rate = rate
        self.file: cv2.VideoWriter | None = None
        self.size = (0, 0)
        self.first_s = 0.0
        self.written = 0
        self.verdict: JudgedThrow | None = None
        self.state = ""

    def add(
        self,
        pixels: Image,
        time_s: float,
        observed: Observation | None,
        verdict: JudgedThrow | None,
        motion: MotionWatch,
    ) -> None:
        """Adds a frame, with what observer, umpire and motion watch made of it."""
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
        if self.file is not None:
            self.file.release()

    def drawn(self, pixels: Image, motion: MotionWatch) -> Image:
        """The frame with what moves in it, or with its dice once they lie still, and the verdict."""
        unit = max(1, round(max(pixels.shape[:2]) / 640))
        if self.verdict is None:
            picture, banner = with_tracks(pixels, motion, unit), self.state
        else:
            picture = annotate(pixels, Reading(tuple(die for die, _ in self.verdict.dice)))
            for die, arrival in self.verdict.dice:
                x, y, w, h = die.box
                width, height = text_size(arrival, unit)
                label(picture, arrival, (x + (w - width) // 2, y + h, width, height), COLOURS[arrival], unit)
            why = f": {self.verdict.reason}" if self.verdict.reason else ""
            banner = f"{self.verdict.time_s:.2f} s {self.verdict.word}{why}"
        if banner:
            label(picture, banner, (0, 0, *text_size(banner, unit)), BANNER, unit)
        return picture


def with_tracks(pixels: Image, motion: MotionWatch, unit: int) -> Image:
    """The frame with the outlines of dice and hands, and with the number and the path of each die."""
    picture = pixels.copy()
    scale = np.array(pixels.shape[1::-1]) / motion.classes.shape[::-1]
    for number, colour in OUTLINES.items():
        shape = (motion.classes == number).astype(np.uint8)
        contours, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        outlines = [np.rint((outline + 0.5) * scale).astype(np.int32) for outline in contours]
        cv2.polylines(picture, outlines, isClosed=True, color=colour, thickness=unit, lineType=cv2.LINE_AA)
    for track in motion.tracker.tracks:
        path = np.rint([scale * point.at for point in track.path[-SHOWN:]]).astype(np.int32)
        cv2.polylines(picture, [path], isClosed=False, color=PATH, thickness=unit, lineType=cv2.LINE_AA)
        width, height = text_size(f"{track.number}", unit)
        x, y = path[-1].tolist()
        label(picture, f"{track.number}", (x - width // 2, y - height // 2, width, height), PATH, unit)
    return picture
