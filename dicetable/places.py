"""Whether two boxes mean one place in the tray: by millimetres on a calibrated rig, else by their overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.detection.boxes import iou

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.tray_file import TrayFile
    from vision.reading import Box

Floats: TypeAlias = npt.NDArray[np.float64]
SamePlace: TypeAlias = "Callable[[Box, Box], float]"
"""How well the boxes agree: from 1 on they mean one place, and of several the highest does."""

UNMOVED: Final = 0.7
"""Overlap (intersection over union) from which a die counts as lying unmoved."""
UNMOVED_MM: Final = 3.0
"""Up to so much between the middles of its boxes a die counts as lying unmoved.

More: a die that was nudged may pass for one that was not touched. Less: a shadow that counts as part of the
die in one look and not in the next moves the middle, by up to 2.3 mm.
"""


def by_overlap(one: Box, other: Box) -> float:
    """Of boxes of which nobody knows how large a millimetre is."""
    return iou(one, other) / UNMOVED


def by_millimetres(told: TrayFile) -> SamePlace:
    """Of boxes as the camera of the calibrated rig sees them."""
    numbers = sorted(told.markers_px.keys() & told.markers_mm.keys())
    seen = np.array([told.markers_px[number] for number in numbers]).reshape(-1, 2)
    lies = np.array([told.markers_mm[number] for number in numbers]).reshape(-1, 2)
    to_mm = floor(seen, lies)

    def same_place(one: Box, other: Box) -> float:
        apart_mm = float(np.hypot(*(middle_mm(to_mm, one) - middle_mm(to_mm, other))))
        return UNMOVED_MM / max(apart_mm, 1e-6)

    return same_place


def middle_mm(to_mm: Floats, box: Box) -> Floats:
    """Where on the floor (x, y) the middle of a box is."""
    x, y, w, h = box
    right, away, by = to_mm @ [x + w / 2, y + h / 2, 1.0]
    return np.array([right / by, away / by])


def floor(seen: Floats, lies: Floats) -> Floats:
    """The 3×3 homography from N×2 pixels to N×2 millimetres that explains them best (least squares)."""
    size = float(np.abs(seen).max())
    rows = []
    for (x, y), (u, v) in zip((seen / size).tolist(), lies.tolist(), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y, -u], [0, 0, 0, x, y, 1, -v * x, -v * y, -v]]
    best = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    return np.asarray(best @ np.diag([1 / size, 1 / size, 1.0]))
