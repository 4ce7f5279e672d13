"""A host session that keeps the newest frames of both ways, to be told when the link dies."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from firmware_bridge.frame import DELIMITER
from firmware_bridge.host_session import HostSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firmware_bridge.expected_board import ExpectedBoard
    from firmware_bridge.hello import Version
    from firmware_bridge.host_events import HostEvent

KEPT_FRAMES = 200
LONGEST_FRAME_BYTES = 80
"""What is longer is no frame of this link; the rest of it is not kept."""


class FrameLog:
    """The newest frames as they were on the wire, without their delimiter."""

    def __init__(self, most: int = KEPT_FRAMES) -> None:
        self.frames: deque[tuple[float, str, bytes]] = deque(maxlen=most)
        self.begun = {"<": b"", ">": b""}

    def take(self, way: str, data: bytes, now: float) -> None:
        """Bytes went by: `<` from the board, `>` to it."""
        *whole, rest = data.split(DELIMITER)
        for part in whole:
            frame = (self.begun[way] + part)[:LONGEST_FRAME_BYTES]
            self.begun[way] = b""
            if frame:
                self.frames.append((now, way, frame))
        self.begun[way] = (self.begun[way] + rest)[:LONGEST_FRAME_BYTES]

    def drain(self, now: float) -> Sequence[str]:
        """Each frame as `-0.123<0aff…`: seconds before now, which way, hexadecimal; they are told once."""
        told = [f"{time - now:+.3f}{way}{frame.hex()}" for time, way, frame in self.frames]
        self.frames.clear()
        return told


class RecordedSession(HostSession):
    """A host session with a log of its frames."""

    def __init__(self, boot_id: int, expected: ExpectedBoard, software: Version) -> None:
        super().__init__(boot_id, expected, software)
        self.frame_log = FrameLog()

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes from the board."""
        self.frame_log.take("<", data, now)
        return super().receive(data, now)

    def outgoing(self, now: float) -> bytes:
        """What is to be written."""
        data = super().outgoing(now)
        self.frame_log.take(">", data, now)
        return data
