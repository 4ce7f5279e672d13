"""The program of the eye's process: watches the camera and writes its messages to standard output.

Its settings are one line of JSON on standard input. process.py starts and supervises it, and it ends when
the table's process ends.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from pydantic import BaseModel, ConfigDict

from dicetable import logs
from dicetable.config.camera import CameraSection
from dicetable.eye.messages import Blind
from dicetable.eye.wire import Alive, OwnDiceState, encode
from hardware.ports import Degraded

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from dicetable.calibration.rig import Calibration
    from dicetable.eye.in_process import InProcessEye
    from dicetable.eye.own_dice import OwnDice
    from dicetable.eye.questions import Questions
    from hardware.ports import Clock
    from vision.reader import DiceReader

PARENT_DEATH_SIGNAL: Final = 1
SIGN_S: Final = 0.2
"""Shortest time between two signs of life."""
LOOK_S: Final = 0.005
"""Time between two checks for a new frame."""
MODELS_S: Final = 5.0
"""Time between two attempts to load the models."""


class EyeSettings(BaseModel):
    """The eye's settings: its camera, a simulated table's frames, and what is known of the rig."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    camera: CameraSection
    frames: Path | None = None
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
    from dicetable.eye.kept_focal import KeptFocal
    from dicetable.eye.questions import Questions
    from hardware.system_clock import SystemClock

    cv2.setNumThreads(1)
    clock = SystemClock()
    known = calibrated(settings.calibration)
    camera = drivers.camera_of(settings.camera, clock, settings.frames)
    signs = Signs(clock, out)
    tray, background = (known.tray, known.background) if known else (None, None)
    try:
        reader = reader_of(settings.models, clock, out, signs)
        eye = InProcessEye(camera, clock, tray, background, None, signs.give, reader)
        signs.bad_frames = lambda: eye.bad_frames
        eye.learns = own_dice(settings.dice, eye)
        if settings.calibration is not None and known is not None:
            eye.focal = KeptFocal(settings.calibration, eye.observer.place)
        try:
            watch(eye, clock, out, signs, Questions(0, eye, settings.calibration, settings.dice))
        finally:
            eye.stop()
    except BrokenPipeError:
        return 0


def calibrated(folder: Path | None) -> Calibration | None:
    """The calibration in a folder; None, with a warning in the log, if its files are damaged."""
    from dicetable.calibration.rig import load
    from dicetable.calibration.tray_file import CalibrationError

    if folder is None:
        return None
    try:
        return load(folder)
    except CalibrationError as error:
        logging.warning("calibration=unusable error=%r", str(error))
        return None


def own_dice(path: Path | None, eye: InProcessEye) -> OwnDice | None:
    """What is known of the table's own dice, which the eye uses from now on; None if there are none.

    If the file cannot be used the eye reads any dice, and says so.
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

    told = ""
    while True:
        try:
            nets = load_nets(folder=models)
        except ModelError as error:
            if told != str(error):
                told = str(error)
                logging.warning("models=unusable error=%r", told)
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


def settings_line(source: int) -> bytes:
    """Reads the first line of a pipe, byte by byte, so that what follows stays in the pipe."""
    line = bytearray()
    while not line.endswith(b"\n") and (byte := os.read(source, 1)):
        line += byte
    return bytes(line)


def watch(eye: InProcessEye, clock: Clock, out: int, signs: Signs, questions: Questions) -> NoReturn:
    """Writes the eye's messages, signs of life and answers to questions, for ever."""
    eye.start()
    degraded = None
    while True:
        messages = eye.messages()
        signs.give()
        for told in questions.answers():
            write(out, encode(told))
        if eye.learns is not None and eye.learns.degraded != degraded:
            degraded = eye.learns.degraded
            write(out, encode(OwnDiceState(degraded)))
        for message in messages:
            write(out, encode(message))
        clock.sleep(LOOK_S)


def write(out: int, data: bytes) -> None:
    """Writes all of it."""
    while data:
        data = data[os.write(out, data) :]


def crashed(_: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Logs a crash in one line, because it may recur every few seconds for months."""
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
    logging.critical("eye=crashed error=%r where=%s", error, ">".join(places[-6:]))


if __name__ == "__main__":
    logs.set_up(time.monotonic)
    sys.excepthook = crashed
    sys.exit(main())
