"""A throw of two dice as it was filmed, the first of which stops before the second."""

from __future__ import annotations

import numpy as np

from vision.frames import packed
from vision.observer import Snapshot
from vision.reading import Box, Image

EARLY: Box = (400, 300, 60, 60)
LATE: Box = (600, 340, 60, 60)


def tray(*dice: Box) -> Image:
    """A green tray of 1,280 by 720 pixels with white dice."""
    frame = np.full((720, 1280, 3), (40, 90, 30), np.uint8)
    for x, y, w, h in dice:
        frame[y : y + h, x : x + w] = 240
    return frame


def rolled() -> Snapshot:
    """Two dice come from the left: the first stops in frame 4, the second in frame 8."""
    frames = []
    for at in range(10):
        early = (EARLY[0] - 90 * max(0, 4 - at), *EARLY[1:])
        late = (LATE[0] - 60 * max(0, 8 - at), *LATE[1:])
        frames.append((at / 15, packed(tray(early, late))))
    return Snapshot(tray(EARLY, LATE), (0, 0), tuple(frames))
