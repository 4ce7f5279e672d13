"""Whether two dice lie at one place in the tray: by millimetres, or by their boxes where there are none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

from vision.detection.boxes import iou

if TYPE_CHECKING:
    from vision.reading import Box

UNMOVED: Final = 0.7
"""IoU from which a die counts as lying unmoved under a camera that is not calibrated."""
UNMOVED_MM: Final = 3.0
"""Up to so much between its places a die counts as lying unmoved.

More: a die that was nudged may pass for one that was not touched. Less: a shadow that counts as part of the
die in one reading and not in the next moves the middle of its box, by up to 2.3 mm.
"""


class Placed(Protocol):
    """A die with its place, as it is read or as the journal has it."""

    @property
    def box(self) -> Box:
        """In pixels of the frame."""

    @property
    def position_mm(self) -> tuple[float, float] | None:
        """On the tray; None if nobody knows it."""


def same_place(one: Placed, other: Placed) -> float:
    """How well the places agree: from 1 on they are one place, and of several the highest is."""
    if one.position_mm is not None and other.position_mm is not None:
        return UNMOVED_MM / max(math.dist(one.position_mm, other.position_mm), 1e-6)
    return iou(one.box, other.box) / UNMOVED
