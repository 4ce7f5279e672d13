"""What the crop reader is shown and what it may answer: one die's square cut from a frame, 63 classes."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS, Die

Pixels: TypeAlias = npt.NDArray[Any]
"""uint8, H×W×3, BGR."""

INPUT = 64
"""Pixels along the reader's input."""
STORED = 80
"""Pixels along the crop that views are cut from: as coarse as in training, or print would look strange."""
ROOM = 1.7
"""The stored crop spans this many times the longer side of the die's box, for views turned and shifted."""
DETAIL, WHOLE = 0.62, 1.1
"""The reader sees two squares about the die's middle, these many times the box's longer side: what is written
on top as large as it will go, and the whole body."""

DICE: tuple[Die, ...] = tuple((kind, value) for kind in KINDS for value in range(1, FACES[kind] + 1))
"""The classes that are a die and its value; the three after them say why there is none."""
UNREADABLE = len(DICE)
"""A die that is cut, covered, or bears nothing legible."""
COCKED = UNREADABLE + 1
"""A die that leans, so that no face counts."""
NO_DIE = UNREADABLE + 2
"""No die in the middle."""
CLASSES = UNREADABLE + 3

_FIRST = (0, *accumulate(FACES[kind] for kind in KINDS))


def class_of(kind: int, value: int) -> int:
    """The class of a kind (index into KINDS) and a value."""
    return _FIRST[kind] + value - 1


def cut(frame: Pixels, x: float, y: float, span: float, side: int, turn_deg: float = 0.0) -> Pixels:
    """The square of `span` pixels about (x, y), turned, as side × side; beyond the frame its edge goes on."""
    scale = side / span
    if scale < 0.5:  # averaged first, or small print would alias
        half = 0.75 * span
        x0, y0 = max(0, int(x - half)), max(0, int(y - half))
        frame = frame[y0 : max(y0 + 1, int(y + half) + 1), x0 : max(x0 + 1, int(x + half) + 1)]
        shrink = 2 * scale
        small = cv2.resize(frame, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        x, y = (x - x0) * small.shape[1] / frame.shape[1], (y - y0) * small.shape[0] / frame.shape[0]
        frame, scale = small, 0.5
    matrix = cv2.getRotationMatrix2D((x, y), turn_deg, scale)
    matrix[:, 2] += np.array([side / 2 - x, side / 2 - y])
    return cv2.warpAffine(
        frame, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def both(
    stored: Pixels, turn_deg: float = 0.0, zoom: float = 1.0, shift: tuple[float, float] = (0, 0)
) -> Pixels:
    """What the reader is shown of a stored crop: INPUT × 2 INPUT × 3, the detail beside the whole."""
    x, y = STORED / 2 + shift[0], STORED / 2 + shift[1]
    longer = zoom * STORED / ROOM
    return np.hstack([cut(stored, x, y, span * longer, INPUT, turn_deg) for span in (DETAIL, WHOLE)])
