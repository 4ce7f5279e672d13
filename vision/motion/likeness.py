"""How alike two pictures of one place are, whatever the light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from vision.reading import Box, Image

SAME: Final = 0.95
"""Pictures this much alike show the same die as it lay. A die with one pip more is less alike."""
TURNED: Final = 0.8
"""Pictures less alike than this show a die that was turned by more than 7° or moved by a millimetre."""
DETAIL: Final = 1 / 8
"""What is wider than this part of the picture, such as a shadow, does not count."""
SHIFT: Final = 0.02
"""A shift by this part of the picture does not count: a camera trembles."""
SHAKEN: Final = 0.07
"""The same of a camera that is held by hand."""
INSET: Final = 0.1
"""This part along each side is left out, for what lies beside the die."""
MIDDLE: Final = 0.6
"""Width and height of the middle, which is compared too: another die may hide an edge."""
LEAST_RELIEF: Final = 0.5
"""A picture with less contrast shows nothing that can be compared."""
LEAST_SHIFTS: Final = 4
"""A part is compared only if it is so many shifts wide."""


def likeness(before: Image, now: Image, shift: float = SHIFT) -> float:
    """How alike two pictures (uint8, H×W×3 BGR) of a die's box are: 1 is the same."""
    if before.shape != now.shape or not before.size:
        return 0.0
    h, w = before.shape[:2]
    wide, high = round(MIDDLE * w), round(MIDDLE * h)
    x, y = (w - wide) // 2, (h - high) // 2
    whole = alike(before, now, shift)
    return (
        whole
        if whole >= SAME
        else max(whole, alike(before[y : y + high, x : x + wide], now[y : y + high, x : x + wide], shift))
    )


def cut(frame: Image, box: Box) -> Image:
    """The part of a frame that lies in a box."""
    x, y, w, h = box
    return frame[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)]


def alike(before: Image, now: Image, shift: float) -> float:
    """The same of all of two pictures."""
    off = max(1, round(shift * min(before.shape[:2])))
    old, new = (relief(picture, max(before.shape[:2]) * DETAIL) for picture in (before, now))
    edge = off + round(INSET * min(old.shape))
    part = old[edge:-edge, edge:-edge]
    if min(part.shape, default=0) < LEAST_SHIFTS * off or part.std() < LEAST_RELIEF:
        return 0.0
    searched = new[edge - off : off - edge, edge - off : off - edge]
    return float(cv2.matchTemplate(searched, part, cv2.TM_CCOEFF_NORMED).max())


def relief(picture: Image, wide_px: float) -> npt.NDArray[np.float32]:
    """The grey picture without what is wider than that."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), wide_px), np.float32)
