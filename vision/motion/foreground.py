"""What differs from the empty tray in a small frame, without the shadows that it casts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from vision.motion.stillness import Area
    from vision.reading import Image

FOREGROUND: Final = 13
"""Grey levels (largest channel, light matched) by which something differs from the empty tray."""
SHADOW: Final = (0.42, 0.93)
"""Parts of the empty tray's level that its shadowed places have."""
SHADOW_SPREAD: Final = 0.07
"""By how much that part may differ between the channels: a shadow has the tray's own colour."""
SHADOW_UNIT: Final = 128.0


def foreground(small: Image, bare: Image) -> tuple[Image, Image]:
    """255 where a frame (uint8, H×W×3 BGR) differs from the empty tray, else 0: without and with shadows."""
    off = largest(cv2.absdiff(small, bare)) > FOREGROUND
    one_more = np.asarray(cv2.max(bare, np.array(1.0)), np.uint8)
    part = np.asarray(cv2.divide(small, one_more, scale=SHADOW_UNIT), np.uint8)
    most = largest(part)
    least = ~largest(~part)
    shadow = (least > SHADOW[0] * SHADOW_UNIT) & (most < SHADOW[1] * SHADOW_UNIT)
    shadow &= most - least < SHADOW_SPREAD * SHADOW_UNIT
    return cleaned(off & ~shadow), cleaned(off)


def cleaned(mask: Area) -> Image:
    """255 where the mask (bool, H×W) is set, without specks and with small holes filled."""
    whole = mask.astype(np.uint8) * np.uint8(255)
    whole = np.asarray(cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def largest(levels: npt.ArrayLike) -> Image:
    """The largest of each pixel's three channels."""
    blue, green, red = cv2.split(np.asarray(levels, np.uint8))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def same_light(bare: Image, small: Image) -> Image:
    """The empty tray's picture in the light of a frame of the same size, if that changed everywhere alike."""
    some = (slice(None, None, 6), slice(None, None, 6))
    gain = np.median((small[some] + 1.0) / (bare[some] + 1.0), axis=(0, 1))
    return np.asarray(cv2.convertScaleAbs(bare, alpha=float(gain.mean())), np.uint8)
