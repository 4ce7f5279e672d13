from __future__ import annotations

from pathlib import Path

import numpy as np

from hardware.ports import Frame, Trouble
from hardware.simulated.clock import VirtualClock
from hardware.simulated.shared_frames import HEADER, SILENCE_S, FrameBoard, SharedCamera


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
    HEADER.pack_into(board.memory, 0, 3, 5.0, 40, 60, 0, 0)
    assert camera.frame(0.1) is None


def test_a_header_that_promises_more_than_there_is_gives_nothing() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    HEADER.pack_into(board.memory, 0, 2, 5.0, 4000, 4000, 0, 0)
    assert camera.frame(0.1) is None


def test_the_trouble_of_the_simulated_camera_comes_along_and_goes() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    board.put(None, 5.0, Trouble("the camera is unplugged", "plug it in"))
    assert camera.frame(0.1) is None
    assert camera.trouble == Trouble("the camera is unplugged", "plug it in")
    board.put(frame(7, 6.0), 6.0)
    assert camera.frame(0.1) is not None
    assert camera.trouble is None


def test_silence_is_a_trouble() -> None:
    board, clock = FrameBoard(40, 60), VirtualClock()
    camera = SharedCamera(Path(board.path), clock)
    camera.start()
    assert camera.frame(SILENCE_S + 0.1) is None
    assert camera.trouble is not None


def test_a_board_that_is_not_there_is_a_trouble() -> None:
    camera = SharedCamera(Path("/nonexistent/board"), VirtualClock())
    camera.start()
    assert camera.frame(0.1) is None
    assert camera.trouble is not None
    camera.stop()
