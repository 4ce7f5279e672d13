"""A board of frames that is updated while a reader waits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hardware.ports import Frame
from hardware.simulated.camera import FrameBoard, SharedCamera
from hardware.simulated.clock import VirtualClock


class BoardClock(VirtualClock):
    """Whenever somebody waits, there is a new frame on the board."""

    def __init__(self) -> None:
        super().__init__()
        self.board = FrameBoard(40, 60)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.board.put(Frame(np.full((40, 60, 3), 9, np.uint8), self.time_s), self.time_s)


def shared(_: Path) -> tuple[SharedCamera, VirtualClock]:
    clock = BoardClock()
    return SharedCamera(Path(clock.board.path), clock), clock


def no_board(path: Path) -> tuple[SharedCamera, VirtualClock]:
    return SharedCamera(path / "board", VirtualClock()), VirtualClock()
