"""Pictures of a camera that is mounted sideways or upside down, or that looks through a mirror."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from hardware.ports import Pixels

ROTATIONS: Final = {
    90: cv2.ROTATE_90_CLOCKWISE,
    180: cv2.ROTATE_180,
    270: cv2.ROTATE_90_COUNTERCLOCKWISE,
}
LEFT_RIGHT: Final = 1


def turned(pixels: Pixels, rotate_deg: int, *, mirror: bool) -> Pixels:
    """The picture rotated clockwise by 0, 90, 180 or 270 degrees, then mirrored left to right if asked.

    Args:
        pixels: uint8, H×W×3; returned unchanged if there is nothing to do.
        rotate_deg: a quarter turn makes it W×H×3.
        mirror: whether to swap left and right.
    """
    if rotate_deg:
        pixels = np.asarray(cv2.rotate(pixels, ROTATIONS[rotate_deg]), np.uint8)
    return np.asarray(cv2.flip(pixels, LEFT_RIGHT), np.uint8) if mirror else pixels
