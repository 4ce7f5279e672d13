"""The focal length of a lens that was never calibrated, as the dice in the tray tell it.

Seen from above, a longer lens from higher up shows the same tray, but dice toward its ends less from the
side. Most dice lie flat; where their tops point thus tells the focal length better, throw by throw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.tray.camera_pose import LENSES, FocalLength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import SeenTop
    from vision.tray.pose import Tray

TOP_ERROR: Final = 0.02
"""Standard deviation of where a top points beside what its measurement tells: no net is right on average."""
LEAST_ERROR: Final = 0.03
"""Dice tell a focal length no better than to this relative error. Larger: later dice count more."""
STEP: Final = 0.02
"""Step of the logarithm of the focal length over which the slopes are taken."""
ROUNDS: Final = 3
"""Times that the least squares are weighted anew."""


def told_by_dice(tray: Tray, shape: tuple[int, ...], tops: Sequence[SeenTop]) -> FocalLength | None:
    """The focal length after these tops were seen in a frame of this shape; None under a calibrated lens.

    Robust least squares over the logarithm of the focal length, about what was known of it.
    """
    if tray.lens is not None:
        return None
    now = tray.camera(shape)
    sides, known = now.focal_px / max(shape[:2]), now.focal_error**-2
    longer = tray.with_focal(FocalLength(sides * np.exp(STEP), now.focal_error)).camera(shape)
    plumbs = np.array([now.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2)
    slopes = (np.array([longer.plumb(top.pixel, shape) for top in tops]).reshape(-1, 2) - plumbs) / STEP
    off = np.array([top.top for top in tops]).reshape(-1, 2) - plumbs
    errors = np.hypot([top.error for top in tops], TOP_ERROR)
    change, precision = 0.0, known
    for _ in range(ROUNDS):
        left = np.linalg.norm(off - change * slopes, axis=1) / errors
        weights = 1 / errors**2 / (1 + (left / 2) ** 2)
        precision = known + float(weights @ (slopes**2).sum(1))
        change = float(weights @ (slopes * off).sum(1)) / precision
    told = float(np.clip(sides * np.exp(change), *LENSES))
    return FocalLength(told, max(min(LEAST_ERROR, now.focal_error), precision**-0.5))
