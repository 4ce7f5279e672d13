"""The last small frames before the dice lay still, so that people can see later how a throw went."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vision.reading import Image

LONGEST_S: Final = 2.0
EVERY_S: Final = 0.1
"""Between two frames that are kept."""
EARLY_S: Final = 1e-3
"""Frames of a camera come a little early or late."""


class Strip:
    """A ring of small frames with their times, one each EVERY_S; together LONGEST_S of motion."""

    def __init__(self) -> None:
        self.frames: deque[tuple[float, Image]] = deque(maxlen=round(LONGEST_S / EVERY_S))

    def see(self, small: Image, time_s: float) -> None:
        """One more frame, which must not be written to later."""
        if self.frames and time_s < self.frames[-1][0]:
            self.frames.clear()
        while self.frames and time_s - self.frames[0][0] > LONGEST_S:
            self.frames.popleft()
        if not self.frames or time_s - self.frames[-1][0] >= EVERY_S - EARLY_S:
            self.frames.append((time_s, small))
