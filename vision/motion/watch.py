"""The motion watch: is a hand in the tray, does anything move, is it dark, or do the dice lie still?

Looks at each frame once, at little cost, with the frame's own time as its only clock. It never says settled
while a die still rocks; it says so within half a second of the last motion.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.motion.downsample import downsample
from vision.motion.edge import Edge
from vision.motion.settings import MotionSettings
from vision.motion.stillness import Stillness

if TYPE_CHECKING:
    import numpy.typing as npt

    from vision.motion.stillness import Area
    from vision.reading import Image


class Motion(StrEnum):
    """What the tray is doing."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    SETTLED = "settled"


class MotionWatch:
    """Watches frames of one size.

    Args:
        area: the part of the small frame (downsample) that is watched, bool; None for all of it.
        background: the small frame without anything in it, by which a hand is known from the first frame on.
        hand_px: least width of a hand at the edge, in pixels of the small frame, if it is known.
        settings: what counts as motion, as a hand, as dark.
    """

    def __init__(
        self,
        area: Area | None = None,
        background: Image | None = None,
        hand_px: float | None = None,
        settings: MotionSettings | None = None,
    ) -> None:
        self.settings = settings or MotionSettings()
        self.area = area
        self.hand_px = hand_px
        self.background = background
        self.stillness = Stillness(area, self.settings)
        self.edge: Edge | None = None
        self.background_edge: npt.NDArray[np.float32] | None = None
        self.lit = 0.0, 0.0
        self.hand_since_s: float | None = None
        self.settled = False
        self.small: Image | None = None

    def watch(self, frame: Image, time_s: float) -> Motion:
        """What the tray does up to this frame (uint8, H×W×3 BGR)."""
        small = self.small = downsample(frame)
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        brightest = float(cv2.erode(grey[::2, ::2], np.ones((3, 3), np.uint8)).max())
        middle = float(np.median(grey[::4, ::4]))
        if self.is_unlit(brightest, middle):
            self.stillness.forget()
            self.settled = False
            return Motion.UNLIT
        still = self.stillness.see(grey, time_s)
        if still and self.settled:
            return Motion.SETTLED
        if self.crossed(small, still, time_s):
            self.settled = False
            return Motion.HAND
        self.settled = still
        if not still:
            return Motion.MOVING
        self.lit = brightest, middle
        return Motion.SETTLED

    def is_unlit(self, brightest: float, middle: float) -> bool:
        """Whether the light is out: then all of the view is darker, not only a bright die gone."""
        limits, (bright, usual) = self.settings, self.lit
        if brightest < limits.unlit_level:
            return True
        return brightest < limits.unlit_part * bright and middle < limits.unlit_median * usual

    def crossed(self, small: Image, still: bool, time_s: float) -> bool:
        """Whether something reaches into the area; the background's edge is learned if it is not known."""
        limits = self.settings
        if self.edge is None:
            self.edge = Edge(
                np.ones(small.shape[:2], bool) if self.area is None else self.area, self.settings
            )
            self.background_edge = None if self.background is None else self.edge.of(self.background)
        now = self.edge.of(small)
        least = limits.hand_part * small.shape[1] if self.hand_px is None else self.hand_px
        hand = self.background_edge is not None and self.edge.crossed(now, self.background_edge) >= least
        if not hand or not still:
            self.hand_since_s = None
        elif self.hand_since_s is None:
            self.hand_since_s = time_s
        if (
            still
            and self.background is None
            and (not hand or time_s - (self.hand_since_s or 0.0) >= limits.background_after_s)
        ):
            self.background_edge, hand = now, False
        return hand
