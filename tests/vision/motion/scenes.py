"""Class maps as the net gives them, drawn by hand: dice as discs, hands as bars from the upper edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.motion.segmentation import DIE, OTHER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.motion.segmentation import Classes

HEIGHT, WIDTH = 96, 160
DIE_PX = 10.0
FPS = 30.0
At = tuple[float, float]


def classes(dice: Iterable[At] = (), hands: Iterable[tuple[float, float, float]] = ()) -> Classes:
    """A frame with dice at these middles, under hands: x of the middle, width, y of the fingertips."""
    drawn = np.zeros((HEIGHT, WIDTH), np.uint8)
    for x, y in dice:
        cv2.circle(drawn, (round(8 * x), round(8 * y)), round(8 * DIE_PX / 2), DIE, -1, shift=3)
    for x, wide, tip in hands:
        drawn[: max(0, round(tip)), max(0, round(x - wide / 2)) : round(x + wide / 2)] = OTHER
    return drawn


def way(start: At, end: At, frames: int) -> list[At]:
    """Even steps from one place to another, the last one at its end."""
    return [(float(x), float(y)) for x, y in np.linspace(start, end, frames + 1)[1:]]


def times(frames: Sequence[object], start_s: float = 0.0, fps: float = FPS) -> list[float]:
    """When each of these frames is taken."""
    return [start_s + number / fps for number in range(len(frames))]
