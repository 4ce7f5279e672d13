"""The table's own dice: the enrolled ones, and what the eye has learned of them since.

Both are files, side by side, and `dicetable enrol` may replace them while the table runs: then they are read
again. A thread of low priority does that; the eye's own loop only keeps the crops of the newest readings, for
the lessons that may follow. While a file cannot be used the eye is degraded.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from queue import Full, Queue
from typing import Final, NamedTuple

from common import files, texts
from dicetable.eye.messages import Lesson, Retraction, Teaching
from hardware.ports import Degraded
from vision.observer import Observer
from vision.reading import Image, Settled
from vision.recognition.classifiers import Pixels
from vision.recognition.enrolled import (
    EnrolledDice,
    EnrolledDiceError,
    Gallery,
    GalleryError,
    Origin,
    gallery_beside,
)

MOST_READINGS: Final = 8
"""Readings whose crops are kept: a value may be confirmed long after its die was read."""
MOST_CROPS: Final = 40
"""Dice of one reading whose crops are kept; 38 KB each."""
MOST_WAITING: Final = 200
NICE: Final = 10

log = logging.getLogger(__name__)

Signature = tuple[int, int, int] | None
"""Inode, size and time of a file, which differ once it is replaced; None if there is no file."""


class Crops(NamedTuple):
    """The crops of the dice of a reading, in its order."""

    time_s: float
    dice: Sequence[Pixels]


def today() -> str:
    return datetime.now(UTC).date().isoformat()


class OwnDice:
    """Keeps the observer's enrolled dice up to date; the gallery of learned pictures lies beside their file.

    `degraded` says what is wrong with one of the files; None while both can be used.
    """

    def __init__(self, file: Path, observer: Callable[[], Observer], day: Callable[[], str] = today) -> None:
        self.file = file
        self.learned_file = gallery_beside(file)
        self.observer = observer
        self.day = day
        self.enrolled: EnrolledDice | None = None
        self.gallery = Gallery()
        self.degraded: Degraded | None = None
        self.signatures: tuple[Signature, Signature] | None = None
        self.readings: deque[Crops] = deque(maxlen=MOST_READINGS)
        self.jobs: Queue[Teaching | None] = Queue(MOST_WAITING)
        self.thread: threading.Thread | None = None
        self.lock = threading.RLock()

    # In the eye's loop.

    def saw(self, frame: Image, settled: Settled) -> None:
        """Keeps the crops of a reading (uint8, H×W×3 BGR), and has files that were replaced read again."""
        if self.enrolled is not None:
            reader, dice = self.observer().reader, settled.reading.dice[:MOST_CROPS]
            self.readings.append(Crops(settled.time_s, [reader.crop(frame, die.box) for die in dice]))
        if self.signatures != self.current_signatures():
            self.put(None)

    def put(self, job: Teaching | None) -> None:
        """Queues a lesson, or with None a look at the files; if the queue is full, the lesson is lost."""
        if self.thread is None:
            self.thread = threading.Thread(target=self.work, name="own dice", daemon=True)
            self.thread.start()
        try:
            self.jobs.put_nowait(job)
        except Full:
            log.warning("lesson=lost")

    # In the thread.

    def work(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while True:
            job = self.jobs.get()
            try:
                self.do(job)
            except Exception:  # the eye goes on reading, whatever becomes of a lesson
                log.exception("lesson=failed")
            self.jobs.task_done()

    def do(self, job: Teaching | None) -> None:
        with self.lock:
            self.refresh()
            if isinstance(job, Lesson):
                self.learn(job)
            elif isinstance(job, Retraction):
                thrown = (job.seed, job.revision)
                self.keep(
                    self.gallery.without(lambda face: (face.origin.seed, face.origin.revision) == thrown)
                )

    def refresh(self) -> None:
        """Reads the files if they were replaced since they were read, and has the observer use them."""
        with self.lock:
            signatures = self.current_signatures()
            if signatures == self.signatures:
                return
            self.signatures = signatures
            self.degraded = None
            try:
                self.enrolled = EnrolledDice.load(self.file)
            except EnrolledDiceError as error:
                self.enrolled = None
                self.degrade("dice=unusable", texts.rig.DICE_UNUSABLE, str(error))
            try:
                self.gallery = Gallery.load(self.learned_file)
            except GalleryError as error:
                self.gallery = Gallery()
                self.degrade("learned=unusable", texts.rig.DICE_NOT_LEARNED, str(error))
            self.use()

    def use(self) -> None:
        own = self.enrolled
        self.observer().enrolled = None if own is None else self.gallery.joined_to(own)

    def learn(self, lesson: Lesson) -> None:
        """Adds the pictures of a throw from which the eye learns something new."""
        crops = next((reading for reading in tuple(self.readings) if reading.time_s == lesson.time_s), None)
        if self.enrolled is None or crops is None:
            return
        gallery = self.gallery
        for die in lesson.dice:
            if die.number < len(crops.dice):
                origin = Origin(lesson.row, lesson.seed, lesson.revision, self.day(), die.confirmed)
                shown = (die.kind, die.value)
                reader = self.observer().reader
                gallery = reader.taught(gallery, self.enrolled, crops.dice[die.number], shown, origin)
        self.keep(gallery)

    def keep(self, gallery: Gallery) -> None:
        """Uses a new gallery, and writes it if possible."""
        if gallery is self.gallery:
            return
        self.gallery = gallery
        try:
            files.atomic_write(self.learned_file, gallery.packed())
        except OSError as error:
            why = texts.health.not_written(error, self.learned_file)
            self.degrade("learned=unwritable", texts.rig.DICE_NOT_LEARNED, why)
        else:
            log.info("learned=%d file=%s", len(gallery.pictures), self.learned_file)
            self.signatures = self.current_signatures()
            if self.enrolled is not None:
                self.degraded = None
        self.use()

    def degrade(self, event: str, sentence: str, why: str) -> None:
        """Logs what is wrong, and degrades the eye unless it already is."""
        log.warning("%s error=%r", event, why)
        self.degraded = self.degraded or Degraded(sentence, why)

    def current_signatures(self) -> tuple[Signature, Signature]:
        return signature(self.file), signature(self.learned_file)


def signature(file: Path) -> Signature:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
