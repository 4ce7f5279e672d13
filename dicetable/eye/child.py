"""The program of the eye's process: watches the camera, and answers the operator's questions about it.

Its messages go to standard output. Standard input brings one line of JSON with the settings, then a line for
each question and each lesson (messages.py). process.py starts and supervises it, and it ends when the table's
process ends.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Full, Queue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pydantic import BaseModel, ConfigDict

from common import texts
from common.camera_socket import FrameDoor
from dicetable import logs
from dicetable.config.camera import CameraSection
from dicetable.eye.messages import Alive, Answer, Blind, OwnDiceHealth, decoded_lesson, encode
from hardware.ports import Clock, Degraded

if TYPE_CHECKING:
    from dicetable.eye.in_process import InProcessEye
    from dicetable.eye.own_dice import OwnDice
    from dicetable.eye.rig import Calibration
    from dicetable.eye.wizards import WizardAnswer, Wizards
    from vision.reader import DiceReader

PARENT_DEATH_SIGNAL: Final = 1
SIGN_S: Final = 0.2
"""Shortest time between two signs of life."""
LOOK_S: Final = 0.005
"""Time between two checks for a new frame."""
MODELS_S: Final = 5.0
"""Time between two attempts to load the models."""
LONGEST_LINE: Final = 4096
MOST_WAITING: Final = 4
NICE: Final = 5

log = logging.getLogger(__name__)


class EyeSettings(BaseModel):
    """The eye's settings: its camera, a simulated table's frames, and what is known of the rig.

    `door` is the descriptor of the socket where a phone's frames come in.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    camera: CameraSection
    frames: Path | None = None
    door: int | None = None
    calibration: Path | None = None
    dice: Path | None = None
    models: Path | None = None


def main() -> int:
    """Watches until the pipe is closed or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    settings = EyeSettings.model_validate(json.loads(settings_line(0)))
    # What the libraries print must not get between the messages.
    out = os.dup(1)
    os.dup2(2, 1)
    import cv2

    from dicetable.config import drivers
    from dicetable.eye.in_process import InProcessEye
    from dicetable.eye.rig import KeptFocal
    from hardware.ports import SystemClock
    from vision.observer import Observer

    cv2.setNumThreads(1)
    clock = SystemClock()
    calibration = calibrated(settings.calibration)
    door = None if settings.door is None else FrameDoor(socket.socket(fileno=settings.door))
    camera = drivers.camera_of(settings.camera, clock, settings.frames, door)
    signs = Signs(clock, out)
    tray, background = (calibration.tray, calibration.background) if calibration else (None, None)
    try:
        reader = reader_of(settings.models, clock, out, signs)
        observer = Observer(tray, background, progress=signs.give, reader=reader)
        eye = InProcessEye(camera, clock, observer)
        signs.bad_frames = lambda: eye.bad_frames
        eye.learns = own_dice(settings.dice, eye)
        if settings.calibration is not None and calibration is not None:
            eye.focal = KeptFocal(settings.calibration, eye.observer.place)
        try:
            watch(eye, clock, out, signs, Questions(0, eye, settings.calibration, settings.dice))
        finally:
            eye.stop()
    except BrokenPipeError:
        return 0


def settings_line(source: int) -> bytes:
    """Reads the first line of a pipe, byte by byte, so that what follows stays in the pipe."""
    line = bytearray()
    while not line.endswith(b"\n") and (byte := os.read(source, 1)):
        line += byte
    return bytes(line)


def calibrated(folder: Path | None) -> Calibration | None:
    """The calibration in a folder; None, with a warning in the log, if its files are damaged."""
    from dicetable.eye.rig import CalibrationError, load_calibration

    if folder is None:
        return None
    try:
        return load_calibration(folder)
    except CalibrationError as error:
        logging.warning("calibration=unusable error=%r", str(error))
        return None


def own_dice(path: Path | None, eye: InProcessEye) -> OwnDice | None:
    """The table's own dice, which the eye reads from now on; None if any dice may be played with.

    While the file cannot be used the eye reads any dice, and says so.
    """
    from dicetable.eye.own_dice import OwnDice

    if path is None:
        return None
    own = OwnDice(path, lambda: eye.observer)
    own.refresh()
    return own


def reader_of(models: Path | None, clock: Clock, out: int, signs: Signs) -> DiceReader:
    """The reader with the models of a folder, or with the released ones; logs their checksums.

    While they cannot be loaded it sends a `Blind` message with the reason and tries again every MODELS_S.
    """
    from vision.nets import ModelError, load_nets
    from vision.reader import DiceReader

    reported = ""
    while True:
        try:
            nets = load_nets(models)
        except ModelError as error:
            if reported != str(error):
                reported = str(error)
                logging.warning("models=unusable error=%r", reported)
                write(out, encode(Blind(Degraded(error.what, error.remedy), clock.now_s())))
        else:
            sums = " ".join(f"{name}={digest}" for name, digest in nets.sha256.items())
            logging.info("models=%s %s", models or "released", sums)
            return DiceReader(nets)
        again_s = clock.now_s() + MODELS_S
        while clock.now_s() < again_s:
            signs.give()
            clock.sleep(SIGN_S)


class Signs:
    """Signs of life on a pipe, each at least SIGN_S after the one before; `bad_frames` says what to count."""

    def __init__(self, clock: Clock, out: int) -> None:
        self.clock = clock
        self.out = out
        self.bad_frames: Callable[[], int] = lambda: 0
        self.given_s = float("-inf")

    def give(self) -> None:
        """Writes a sign of life if SIGN_S has passed. Long work calls it at each step."""
        now_s = self.clock.now_s()
        if now_s - self.given_s >= SIGN_S:
            self.given_s = now_s
            write(self.out, encode(Alive(self.bad_frames())))


def watch(eye: InProcessEye, clock: Clock, out: int, signs: Signs, questions: Questions) -> NoReturn:
    eye.start()
    degraded = None
    while True:
        messages = eye.messages()
        signs.give()
        for answer in questions.answers():
            write(out, encode(answer))
        if eye.learns is not None and eye.learns.degraded != degraded:
            degraded = eye.learns.degraded
            write(out, encode(OwnDiceHealth(degraded)))
        for message in messages:
            write(out, encode(message))
        clock.sleep(LOOK_S)


def write(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]


class Questions:
    """Reads questions and lessons from a pipe and yields the answers; neither blocks.

    Questions are answered in a thread of low priority while the eye goes on reading dice. Without questions
    no frame is copied and nothing is drawn. `calibration` is the folder of the rig's calibration, `dice`
    the file of the table's own dice.
    """

    def __init__(self, source: int, eye: InProcessEye, calibration: Path | None, dice: Path | None) -> None:
        os.set_blocking(source, False)
        self.source = source
        self.eye = eye
        self.calibration = calibration
        self.dice = dice
        self.unread = b""
        self.jobs: Queue[tuple[int, Callable[[dict[str, Any]], WizardAnswer], dict[str, Any]]] = Queue(
            MOST_WAITING
        )
        self.done: deque[Answer] = deque()
        self.wizards: Wizards | None = None

    def answers(self) -> Iterator[Answer]:
        """Reads what is new and yields the answers that are ready; must be called often."""
        try:
            self.unread += os.read(self.source, LONGEST_LINE)
        except BlockingIOError:
            pass
        except OSError as error:
            log.warning("questions=lost error=%r", str(error))
        *lines, self.unread = self.unread.split(b"\n")
        self.unread = self.unread[:LONGEST_LINE]
        for line in lines:
            self.take(line)
        while self.done:
            yield self.done.popleft()

    def take(self, line: bytes) -> None:
        """Queues one question, or hands a lesson on to the own dice; a malformed line is logged."""
        try:
            question = json.loads(line)
            if "lesson" in question:
                lesson = decoded_lesson(line)
                if self.eye.learns is not None:
                    self.eye.learns.put(lesson)
                return
            number, kind, payload = int(question["number"]), str(question["what"]), dict(question["payload"])
        except (ValueError, KeyError, TypeError) as error:
            log.warning("question=bad error=%r", str(error))
            return
        if self.wizards is None:  # what draws and calibrates is loaded with the first question
            from dicetable.eye.wizards import Wizards

            self.wizards = Wizards(self.eye, self.calibration, self.dice)
            threading.Thread(target=self.work, name="questions", daemon=True).start()
        answer = self.wizards.answers.get(kind)
        if answer is None:
            self.done.append(Answer(number, {"error": texts.operator.NOTHING}))
            return
        try:
            self.jobs.put_nowait((number, answer, payload))
        except Full:
            self.done.append(Answer(number, {"error": texts.operator.EYE_BUSY}))

    def work(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while True:
            number, answer, payload = self.jobs.get()
            try:
                result, picture = answer(payload)
            except Exception as error:  # the eye goes on, whatever a question does
                log.exception("question=failed")
                result, picture = {"error": texts.operator.eye_failed(str(error))}, b""
            self.done.append(Answer(number, result, picture))


def crashed(_: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Logs a crash in one line, because it may recur every few seconds for months."""
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
    logging.critical("eye=crashed error=%r where=%s", error, ">".join(places[-6:]))


if __name__ == "__main__":
    logs.set_up(time.monotonic)
    sys.excepthook = crashed
    sys.exit(main())
