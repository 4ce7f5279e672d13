"""Tells whether something reaches across the edge of the watched area: a hand or a sleeve, moving or not.

Dice lie within the edge; only what comes from outside crosses it. It is compared with how the edge looks
when nothing is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vision.motion.settings import MotionSettings
    from vision.motion.stillness import Area
    from vision.reading import Image


class Edge:
    """The rim of the watched area (bool, H×W) as a closed row of N pixels, in order."""

    def __init__(self, area: Area, settings: MotionSettings) -> None:
        self.settings = settings
        inside = np.pad(area.astype(np.uint8)[1:-1, 1:-1], 1)
        inside = np.asarray(cv2.erode(inside, np.ones((3, 3), np.uint8)), np.uint8)
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        ring = np.asarray(max(outlines, key=len), np.intp)[:, 0]
        self.x: npt.NDArray[np.intp] = ring[:, 0]
        self.y: npt.NDArray[np.intp] = ring[:, 1]

    def of(self, small: Image) -> npt.NDArray[np.float32]:
        """How the edge looks, N×3: each the mean of the pixels around it."""
        return np.asarray(cv2.blur(small, (3, 3))[self.y, self.x], np.float32)

    def crossed(self, now: npt.NDArray[np.float32], background: npt.NDArray[np.float32]) -> int:
        """The longest stretch (pixels) that differs from the background's edge (N×3) in any light."""
        light = np.median((now + 4) / (background + 4), axis=0)
        level = background * light
        off = (np.abs(now - level) > self.settings.edge_off + self.settings.edge_off_part * level).any(axis=1)
        return longest_run(off, self.settings.edge_bridged)


def longest_run(row: npt.NDArray[np.bool_], bridged_px: int) -> int:
    """Length of the longest stretch of true in a closed row, small gaps bridged."""
    if not row.any():
        return 0
    twice = np.concatenate([row, row]).astype(np.uint8)[None]
    bridged = cv2.morphologyEx(twice, cv2.MORPH_CLOSE, np.ones((1, 2 * bridged_px + 1), np.uint8))[0]
    ends = np.flatnonzero(np.diff(np.concatenate([[0], bridged, [0]])))
    return min(int((ends[1::2] - ends[::2]).max()), len(row))
