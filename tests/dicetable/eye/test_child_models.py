"""The eye's process with models that cannot be used: it says so, lives on, and reads once they are right."""

from __future__ import annotations

import logging
import os
import select
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from dicetable.config.camera import SimulatedCameraSection
from dicetable.eye.child import EyeSettings, Signs, reader_of
from dicetable.eye.messages import Alive, Blind, Decoder, EyeMessage
from dicetable.eye.process import ProcessEye
from hardware.ports import SystemClock
from hardware.simulated.clock import VirtualClock
from vision import checksums
from vision.nets import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

HANGING_S = 300


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models without the die net."""
    folder = tmp_path / "models"
    folder.mkdir()
    for name in checksums.SHA256:
        shutil.copy(FOLDER / name, folder / name)
    (folder / "die.onnx").unlink()
    return folder


class Mending(VirtualClock):
    """A clock that adds the missing model after `after_s` seconds."""

    def __init__(self, folder: Path, after_s: float) -> None:
        super().__init__()
        self.folder = folder
        self.mended_s = self.time_s + after_s

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.time_s >= self.mended_s:
            shutil.copy(FOLDER / "die.onnx", self.folder / "die.onnx")


def test_it_waits_alive_for_models_and_says_once_what_is_wrong(
    models: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Mending(models, 17.5)
    reading, writing = os.pipe()
    begun_s = clock.time_s
    with caplog.at_level(logging.INFO):
        reader_of(models, clock, writing, Signs(clock, writing))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        sent = list(Decoder().feed(pipe.read()))
    assert clock.time_s - begun_s == pytest.approx(20.0, abs=0.5)
    told = [message for message in sent if not isinstance(message, Alive)]
    assert len(sent) - len(told) >= 40
    assert [message.degraded.what for message in told if isinstance(message, Blind)] == [
        "The model die.onnx is missing."
    ]
    assert caplog.text.count("models=unusable") == 1
    assert f"models={models} detector.onnx={checksums.SHA256['detector.onnx']} " in caplog.text


def test_the_log_has_the_checksums_of_the_released_models(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    with caplog.at_level(logging.INFO):
        reader_of(None, clock, -1, Signs(clock, -1))
    line = next(line for line in caplog.messages if line.startswith("models=released "))
    told = dict(part.split("=") for part in line.split()[1:])
    assert told == checksums.SHA256


def test_the_process_itself_says_why_it_is_degraded_and_is_not_restarted(models: Path) -> None:
    clock = SystemClock()
    settings = EyeSettings(camera=SimulatedCameraSection(driver="simulated"), models=models).model_dump_json()
    eye = ProcessEye([sys.executable, "-m", "dicetable.eye.child"], settings.encode(), clock)
    eye.start()
    end_s = clock.now_s() + HANGING_S
    told: list[EyeMessage] = []
    try:
        while not told and clock.now_s() < end_s:
            select.select([], [], [], 0.02)
            told += eye.messages()
        restarts = eye.restarts
    finally:
        eye.stop()
        while eye.dying:
            eye.messages()
    assert restarts == 0
    assert isinstance(told[0], Blind)
    assert told[0].degraded.what == "The model die.onnx is missing."
    assert str(models) in told[0].degraded.remedy
