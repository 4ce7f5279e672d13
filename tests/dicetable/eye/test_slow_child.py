"""The eye's real process on a slow machine: it takes longer, and is not restarted."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path

import pytest

from dicetable.config.camera import SimulatedCameraSection
from dicetable.eye.child import EyeSettings
from dicetable.eye.process import ProcessEye
from hardware.ports import Frame, SystemClock
from hardware.simulated.camera import FrameBoard
from hardware.simulated.world import frame_of
from vision.reading import Settled

HANGING_S = 300
PROGRAM = [sys.executable, "-m", "tests.dicetable.eye.slow_eye"]


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "count"), [(2, 6), (6, 30), (12, 48)])
def test_an_eye_on_a_slow_machine_reads_and_is_not_restarted(factor: int, count: int) -> None:
    clock = SystemClock()
    frame = frame_of(count, seed=count)
    board = FrameBoard(*frame.shape[:2])
    settings = EyeSettings(camera=SimulatedCameraSection(driver="simulated"), frames=Path(board.path))
    eye = ProcessEye([*PROGRAM, str(factor)], settings.model_dump_json().encode(), clock)
    eye.start()
    settled: list[Settled] = []
    end_s = time.monotonic() + HANGING_S
    try:
        while not settled:
            assert time.monotonic() < end_s, f"waited for {HANGING_S} s"
            board.put(Frame(frame, clock.now_s()), clock.now_s())
            settled += [message for message in eye.messages() if isinstance(message, Settled)]
            assert eye.restarts == 0
            select.select([], [], [], 1 / 30)
    finally:
        eye.stop()
        while eye.dying:
            eye.messages()
        board.close()
    assert len(settled[0].reading.dice) == count
