"""Keeps frames in which dice lay open and still before anybody read them, in case a hand comes over them.

What they showed then is what they showed before the hand: a die that was turned meanwhile is found out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vision.motion.settings import LookSettings
    from vision.motion.stillness import Area
    from vision.reading import Box, Image

Times: TypeAlias = npt.NDArray[np.float64]


class Look(NamedTuple):
    """A frame, when it was taken, where in the small frame dice lie open and still in it, and around them."""

    frame: Image
    time_s: float
    part: Area
    around: Area

    def shows(self, box: Box, settings: LookSettings) -> bool:
        """Whether the die in this box, in pixels of the small frame, lies open."""
        x, y, w, h = box
        middle = self.part[y + h // 4 : y + h - h // 4, x + w // 4 : x + w - w // 4]
        return bool(middle.size and middle.mean() >= settings.within)


class Looks:
    """The frames that are kept since the dice were read; `px_per_mm` is of the small frame."""

    def __init__(self, px_per_mm: float, settings: LookSettings) -> None:
        self.px_per_mm = px_per_mm
        self.settings = settings
        self.kept: list[Look] = []

    def see(self, frame: Image, part: Area | None, touched_s: Times, time_s: float) -> None:
        """Keeps this frame if dice lie open in it where none of those kept shows any, or a hand was since.

        `part` is where dice lie open, `touched_s` when a hand was last over each place.
        """
        if part is None or len(self.kept) == self.settings.most:
            return
        new = part
        for look in self.kept:
            new = new & ~(look.around & (touched_s <= look.time_s))
        if np.count_nonzero(new) < self.settings.least_mm2 * self.px_per_mm**2:
            return
        side = 2 * round(self.settings.near_mm * self.px_per_mm) + 1
        around = np.asarray(cv2.dilate(part.astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)
        self.kept.append(Look(frame, time_s, part, around))

    def take(self, touched_s: Times) -> list[Look]:
        """Those whose dice a hand came over later; forgets all."""
        looks, self.kept = self.kept, []
        return [look for look in looks if bool((touched_s[look.part] > look.time_s).any())]
