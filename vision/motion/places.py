"""When each place of the tray was last seen bare, near a hand, and near a hand that had stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.motion.segmentation import OTHER, TRAY

if TYPE_CHECKING:
    from vision.motion.segmentation import Classes
    from vision.reading import Box

Times: TypeAlias = npt.NDArray[np.float32]

NEAR: Final = 0.4
"""A hand within so many die widths of a place can have put a die there."""
SLOW: Final = 5.0
"""A hand whose outline moves by fewer die widths a second around a place has stopped there …"""
STOPPED_S: Final = 0.1
"""… once it has done so for so long …"""
STOPPED_FRAMES: Final = 2
"""… and from one frame to the next so often: at the turn of a throw it stops for an instant."""
PACE_S: Final = 0.067
"""Of a slow camera a hand stops that goes no farther from frame to frame than a slow one does in so long."""


class Places:
    """Times in seconds after `start_s` for each pixel of small frames of one shape; -inf: never."""

    def __init__(self, shape: tuple[int, int], die_px: float, start_s: float) -> None:
        self.die_px, self.start_s, self.time_s = die_px, start_s, start_s
        self.bare_s, self.hand_s, self.stopped_s = (np.full(shape, -np.inf, np.float32) for _ in range(3))
        self.slow_for_s, self.slow_frames = np.zeros(shape, np.float32), np.zeros(shape, np.uint16)
        self.hand = np.zeros(shape, np.uint8)
        around = 2 * max(1, round(NEAR * die_px)) + 1
        self.near = np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (around, around)), np.uint8)

    def see(self, classes: Classes, time_s: float) -> None:
        """One more frame."""
        since_s, self.time_s = time_s - self.time_s, time_s
        now = np.float32(time_s - self.start_s)
        hand = (classes == OTHER).astype(np.uint8)
        near = cv2.dilate(hand, self.near) > 0
        self.bare_s[(classes == TRAY) & ~near] = now
        self.hand_s[near] = now
        slow = near & self.is_slow(hand, since_s)
        self.slow_for_s = np.where(slow, self.slow_for_s + np.float32(since_s), np.float32(0))
        self.slow_frames = np.where(slow, self.slow_frames + 1, 0)
        self.stopped_s[(self.slow_for_s >= STOPPED_S) & (self.slow_frames >= STOPPED_FRAMES)] = now
        self.hand = hand

    def lose_sight(self, time_s: float) -> None:
        """A hand may have been anywhere since the last frame."""
        self.time_s = time_s
        self.hand_s[:] = time_s - self.start_s
        self.slow_for_s[:] = self.slow_frames[:] = 0

    def is_slow(self, hand: npt.NDArray[np.uint8], since_s: float) -> npt.NDArray[np.bool_]:
        """Where the outline of the hand has hardly moved: what changed, for each pixel of outline."""
        side = 2 * round(self.die_px) + 1
        changed = cv2.blur((hand != self.hand).astype(np.float32), (side, side))
        outline = cv2.blur(
            (hand - cv2.erode(hand, np.ones((3, 3), np.uint8))).astype(np.float32), (side, side)
        )
        return np.asarray((outline > 0) & (changed <= outline * (SLOW * self.die_px * min(since_s, PACE_S))))

    def bare(self, box: Box) -> float:
        """When most of the middle of this box was last seen bare."""
        x, y, w, h = box
        return self.last(self.bare_s[y + h // 4 : y + h - h // 4, x + w // 4 : x + w - w // 4], 0.5)

    def is_bare(self, box: Box) -> bool:
        """Whether most of the middle of this box is bare in the newest frame."""
        return self.bare(box) >= self.start_s + float(np.float32(self.time_s - self.start_s))

    def by_hand(self, box: Box) -> float:
        """When a hand was last near this box."""
        return self.last(cut(self.hand_s, box), 1.0)

    def stopped(self, box: Box) -> float:
        """When a hand last stood still near this box."""
        return self.last(cut(self.stopped_s, box), 1.0)

    def last(self, times: Times, part: float) -> float:
        """The latest (1.0) or another quantile of some times, on the frames' clock."""
        return self.start_s + float(np.quantile(times, part, method="lower")) if times.size else -np.inf


def cut(times: Times, box: Box) -> Times:
    """The part of a map within a box."""
    x, y, w, h = box
    return times[max(0, y) : y + h, max(0, x) : x + w]
