"""Reads still frames of a camera and combines them into one reading."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardware.ports import Camera, Frame
    from vision.reader import DiceReader
    from vision.reading import Reading

TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class StillReading:
    """The last frame read, the consensus of all frames, and the mean time of a frame in milliseconds."""

    frame: Frame
    reading: Reading
    reading_ms: float


def look(camera: Camera, frames: int, reader: DiceReader) -> StillReading | None:
    """Reads `frames` frames of dice that lie still; None if the camera gives no more frames.

    `reading_ms` is the mean time from a frame's pixels to its dice.
    """
    readings = []
    frame = None
    spent = 0.0
    for _ in range(frames):
        frame = camera.frame(TIMEOUT_S)
        if frame is None:
            return None
        started = time.perf_counter()
        readings.append(reader.read(frame.pixels))
        spent += time.perf_counter() - started
    if frame is None:
        raise ValueError("at least one frame must be read")
    return StillReading(frame, reader.agree(readings), 1000 * spent / frames)
