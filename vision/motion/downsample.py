"""The subsampled frame that the watching works on: all of the view, few pixels, little noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.reading import Image

WIDEST = 480
"""Frames are halved until they are no wider: 1280×720 becomes 320×180."""


def downsample(frame: Image) -> Image:
    """The frame (uint8, H×W×3 BGR) halved as often as it takes; each pixel is the mean of what it covers."""
    while frame.shape[1] > WIDEST:
        size = (frame.shape[1] // 2, frame.shape[0] // 2)
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    return frame


def downsampling(width: int) -> int:
    """By how much frames of this width become smaller: 4 for 1280."""
    by = 1
    while width > WIDEST:
        width, by = width // 2, by * 2
    return by
