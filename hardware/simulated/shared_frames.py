"""Frames of a simulated camera for a reader in another process, through shared memory.

The process with the simulated world has a `FrameBoard` and puts frames on it; the other one has a
`SharedCamera` for the board's path. A frame that was overwritten during reading is read again.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from hardware.ports import Degraded, Frame

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from hardware.ports import Clock

HEADER: Final = struct.Struct("<dIIHH")
"""Time, height, width, lengths of `what` and `remedy` in bytes; before it the number, see `numbered`."""
HEADER_AT: Final = 8
WORDS_AT: Final = 64
WORDS_BYTES: Final = 512
PIXELS_AT: Final = 4096
MOST_PX: Final = 4096
PAUSE_S: Final = 0.004
SILENCE_S: Final = 2.0


class FrameBoard:
    """The memory, in the process that makes the frames; `path` is valid as long as the board exists."""

    def __init__(self, height_px: int, width_px: int) -> None:
        self.file = os.memfd_create("dicetable-frames", os.MFD_CLOEXEC)
        os.ftruncate(self.file, PIXELS_AT + 3 * height_px * width_px)
        self.memory = mmap.mmap(self.file, 0)
        self.path = f"/proc/{os.getpid()}/fd/{self.file}"
        self.number = 0

    def put(self, frame: Frame | None, time_s: float, degraded: Degraded | None = None) -> None:
        """Publishes a frame, or why there is none."""
        words = (degraded.what, degraded.remedy) if degraded else ("", "")
        encoded = [text.encode()[: WORDS_BYTES // 2] for text in words]
        height, width = frame.pixels.shape[:2] if frame else (0, 0)
        numbered(self.memory)[0] = self.number + 1
        HEADER.pack_into(self.memory, HEADER_AT, time_s, height, width, len(encoded[0]), len(encoded[1]))
        self.memory[WORDS_AT : WORDS_AT + sum(map(len, encoded))] = b"".join(encoded)
        if frame is not None:
            self.memory[PIXELS_AT : PIXELS_AT + frame.pixels.nbytes] = frame.pixels.tobytes()
        self.number += 2
        numbered(self.memory)[0] = self.number

    def close(self) -> None:
        self.memory.close()
        os.close(self.file)


class SharedCamera:
    """A `Camera` that takes its frames from a board."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self.memory: mmap.mmap | None = None
        self.degraded: Degraded | None = None
        self.given = 0
        self.new_s = 0.0

    def start(self) -> None:
        if self.memory is not None:
            return
        self.given, self.new_s = 0, self.clock.now_s()
        try:
            with self.path.open("rb") as file:
                self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            self.degraded = Degraded(f"{self.path}: no simulated table shows frames here", "start the table")

    def frame(self, timeout_s: float) -> Frame | None:
        if self.memory is None and self.degraded is not None:  # the board did not exist
            self.start()
        until_s = self.clock.now_s() + timeout_s
        while self.memory is not None:
            frame = self.look(self.memory)
            now_s = self.clock.now_s()
            if frame is not None:
                self.new_s, self.degraded = now_s, None
                return frame
            if self.degraded is None and now_s - self.new_s > SILENCE_S:
                self.degraded = Degraded("the simulated camera is silent", "start the table again")
            if now_s >= until_s:
                return None
            self.clock.sleep(min(PAUSE_S, until_s - now_s))
        self.clock.sleep(timeout_s)
        return None

    def look(self, memory: mmap.mmap) -> Frame | None:
        """The frame on the board if it is new and complete."""
        number = int(numbered(memory)[0])
        if number == self.given or number % 2:
            return None
        time_s, height, width, what, remedy = HEADER.unpack_from(memory, HEADER_AT)
        if not height:
            words = memory[WORDS_AT : WORDS_AT + what + remedy]
            if int(numbered(memory)[0]) == number:
                self.given = number
                self.degraded = Degraded(
                    words[:what].decode("utf-8", "replace"), words[what:].decode("utf-8", "replace")
                )
            return None
        end = PIXELS_AT + 3 * height * width
        if height > MOST_PX or width > MOST_PX or end > len(memory):
            return None
        pixels = (
            np.frombuffer(memory, np.uint8, 3 * height * width, PIXELS_AT).reshape(height, width, 3).copy()
        )
        if int(numbered(memory)[0]) != number:
            return None
        self.given = number
        return Frame(pixels, time_s)

    def stop(self) -> None:
        if self.memory is not None:
            self.memory.close()
            self.memory = None
        self.degraded = None


def numbered(memory: mmap.mmap) -> npt.NDArray[np.uint64]:
    """The sequence number, odd during writing; it is written atomically.

    All else is written only while the number is odd, so it is complete if the number is even and unchanged
    after.
    """
    return np.frombuffer(memory, np.uint64, 1)
