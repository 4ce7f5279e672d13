"""Soft shadows on the tray's floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Layer
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from hardware.simulated.die import Floats
    from hardware.simulated.faces import Singles
    from hardware.simulated.light import Light
    from hardware.simulated.projection import Projection

SHIFT = 4
COARSE = 3
"""Shadows are drawn at this fraction of the size and then enlarged."""
NEAR = 0.4
"""Darkness close under an object, where no ambient light arrives."""


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
    shapes.append((under, np.full(3, NEAR / (1 + lift / 6)), 0.1 * (high + 2 * lift) * scale))
    margin = 2.5 * max(sigma for _, _, sigma in shapes) + 2 * COARSE
    corners = np.concatenate([outline for outline, _, _ in shapes])
    low = np.floor((corners.min(axis=0) - margin) / COARSE).astype(int)
    wide, tall = (np.ceil((corners.max(axis=0) + margin) / COARSE).astype(int) - low).tolist()
    if (low * COARSE >= (WIDTH, HEIGHT)).any() or (low + np.array([wide, tall]) <= 0).any():
        return None
    bright = np.ones((tall, wide, 3), np.float32)
    for outline, share, sigma in shapes:
        mask = np.zeros((tall, wide), np.float32)
        hull = cv2.convexHull(((outline + 0.5) / COARSE - low - 0.5).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), 1.0, cv2.LINE_AA, SHIFT)
        bright *= 1 - softened(mask, sigma / COARSE)[..., None] * share.astype(np.float32)
    dark = cv2.convertScaleAbs(1 - bright, alpha=255)
    fine = cv2.resize(dark, (wide * COARSE, tall * COARSE), interpolation=cv2.INTER_LINEAR)
    return Layer(np.asarray(fine, np.uint8), None, *(low * COARSE).tolist())


def softened(mask: Singles, sigma: float) -> Singles:
    """Two box filters that together blur by sigma."""
    side = max(1, round(sigma * 0.85)) * 2 + 1
    return np.asarray(cv2.blur(cv2.blur(mask, (side, side)), (side, side)), np.float32)
