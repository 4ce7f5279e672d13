from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hardware.ports import Degraded, Frame
from hardware.simulated import camera as shared_frames
from hardware.simulated.camera import HEADER, HEADER_AT, FrameBoard, SharedCamera, numbered
from hardware.simulated.clock import VirtualClock

if TYPE_CHECKING:
    from mmap import mmap

    import pytest


def frame(shade: int, time_s: float) -> Frame:
    return Frame(np.full((40, 60, 3), shade, np.uint8), time_s)


def test_a_frame_is_given_once_and_as_it_was() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    assert camera.frame(0.1) is None
    board.put(frame(7, 5.0), 5.0)
    got = camera.frame(0.1)
    assert got is not None
    assert (got.time_s, got.pixels.shape, int(got.pixels.min()), int(got.pixels.max())) == (
        5.0,
        (40, 60, 3),
        7,
        7,
    )
    assert camera.frame(0.1) is None
    board.put(frame(8, 6.0), 6.0)
    board.put(frame(9, 7.0), 7.0)
    newest = camera.frame(0.0)
    assert newest is not None
    assert newest.time_s == 7.0


def test_a_frame_that_is_being_written_is_not_given() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    board.put(frame(7, 5.0), 5.0)
    numbered(board.memory)[0] = 3
    assert camera.frame(0.1) is None


class SlowHeader:
    """Writes a header as `struct` does, zeros first; in between an eye starts and looks at the board."""

    size = HEADER.size

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.written = 0

    def pack_into(self, memory: mmap, at: int, *values: float) -> None:
        for begun in (bytes(self.size), HEADER.pack(*values)[: self.size // 2].ljust(self.size, b"\0")):
            memory[at : at + self.size] = begun
            camera = SharedCamera(self.path, VirtualClock())
            camera.start()
            assert camera.frame(0.0) is None
            assert camera.degraded is None
        HEADER.pack_into(memory, at, *values)
        self.written += 1

    def unpack_from(self, memory: mmap, at: int) -> tuple[int, ...]:
        return HEADER.unpack_from(memory, at)


def test_a_header_that_is_half_written_is_no_frame_and_degrades_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = FrameBoard(40, 60)
    camera = SharedCamera(Path(board.path), VirtualClock())
    camera.start()
    slow = SlowHeader(board.path)
    monkeypatch.setattr(shared_frames, "HEADER", slow)
    for time_s in (5.0, 6.0, 7.0):
        board.put(frame(7, time_s), time_s)
        got = camera.frame(0.0)
        assert got is not None
        assert got.time_s == time_s
    assert slow.written == 3


def test_a_header_that_promises_promises_more_than_there_is_gives_nothing() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    HEADER.pack_into(board.memory, HEADER_AT, 5.0, 4000, 4000, 0, 0)
    numbered(board.memory)[0] = 2
    assert camera.frame(0.1) is None


def test_the_degraded_of_the_simulated_camera_comes_along_and_goes() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    board.put(None, 5.0, Degraded("the camera is unplugged", "plug it in"))
    assert camera.frame(0.1) is None
    assert camera.degraded == Degraded("the camera is unplugged", "plug it in")
    board.put(frame(7, 6.0), 6.0)
    assert camera.frame(0.1) is not None
    assert camera.degraded is None


def test_silence_degrades_the_camera() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    assert camera.frame(2.1) is None
    assert camera.degraded is not None


def test_a_board_that_is_not_there_degrades_the_camera() -> None:
    camera = SharedCamera(Path("/nonexistent/board"), VirtualClock())
    camera.start()
    assert camera.frame(0.1) is None
    assert camera.degraded is not None
    camera.stop()
