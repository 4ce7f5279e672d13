"""Soft shadows on the tray's floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Layer
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cv2.typing import MatLike

    from hardware.ports import Pixels
    from hardware.simulated.die import Floats
    from hardware.simulated.faces import Singles
    from hardware.simulated.light import Light
    from hardware.simulated.projection import Projection

SHIFT = 4
COARSE = 3
"""Shadows are drawn at this fraction of the size and then enlarged."""
NEAR = 0.8
"""The part of the ambient light that does not arrive close under an object."""


def shadow(points_mm: Floats, view: Projection, light: Light) -> Layer | None:
    """The shadow of the convex body with these corners (N×3); None if it is out of view."""
    high = max(1.0, float(points_mm[:, 2].max()))
    lift = max(0.0, float(points_mm[:, 2].min()))
    scale = view.focal / float(np.linalg.norm(view.eye_mm))
    shapes = []
    for toward, share in zip(light.toward, light.shares, strict=True):
        fallen = view.project(points_mm - toward / toward[2] * points_mm[:, 2:])
        shapes.append((fallen, share, light.softness * 0.16 * (high + lift) * scale))
    under = view.project(points_mm * (1, 1, 0))
    shapes.append(
        (under, NEAR / (1 + lift / 6) * (1 - light.shares.sum(axis=0)), 0.1 * (high + 2 * lift) * scale)
    )
    margin = 2.5 * max(sigma for _, _, sigma in shapes) + 2 * COARSE
    corners = np.concatenate([outline for outline, _, _ in shapes])
    low = np.floor((corners.min(axis=0) - margin) / COARSE).astype(int)
    wide, tall = (np.ceil((corners.max(axis=0) + margin) / COARSE).astype(int) - low).tolist()
    if (low * COARSE >= (WIDTH, HEIGHT)).any() or (low + np.array([wide, tall]) <= 0).any():
        return None
    masks = []
    for outline, _, sigma in shapes:
        mask = np.zeros((tall, wide), np.uint8)
        hull = cv2.convexHull(((outline + 0.5) / COARSE - low - 0.5).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
        masks.append(softened(mask, sigma / COARSE))
    fine = cv2.resize(taken(masks, [share for _, share, _ in shapes]), (wide * COARSE, tall * COARSE))
    return Layer(np.asarray(fine, np.uint8), None, *(low * COARSE).tolist())


def taken(masks: Sequence[MatLike], shares: Sequence[Floats]) -> MatLike:
    """What shadows (uint8 H×W, one for each lamp, one of the light around) take of each colour together."""
    return cv2.transform(cv2.merge(list(masks)), np.array(shares).T)


def softened(mask: Singles | Pixels, sigma: float) -> MatLike:
    """Two box filters that together blur by sigma."""
    side = max(1, round(sigma * 0.85)) * 2 + 1
    return cv2.blur(cv2.blur(mask, (side, side)), (side, side))
