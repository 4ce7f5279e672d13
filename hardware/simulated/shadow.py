"""Soft shadows on the tray's floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Layer
from hardware.simulated.view import HEIGHT, WIDTH

if TYPE_CHECKING:
    from hardware.simulated.die import Floats
    from hardware.simulated.light import Light
    from hardware.simulated.view import View

SHIFT = 4
NEAR = 0.4
"""How dark it gets close under a thing, where no light from around comes in."""


def shadow(points_mm: Floats, view: View, light: Light) -> Layer | None:
    """The shadow of the convex body with these corners (N×3); None if it falls out of view."""
    high = max(1.0, float(points_mm[:, 2].max()))
    lift = max(0.0, float(points_mm[:, 2].min()))
    scale = view.focal / float(np.linalg.norm(view.eye_mm))
    fallen = []
    for toward in light.toward:
        points = points_mm - toward / toward[2] * points_mm[:, 2:]
        fallen.append(view.project(points))
    under = view.project(points_mm * (1, 1, 0))
    blur = [max(0.8, light.softness * 0.16 * (high + lift) * scale)] * len(fallen)
    dark = [float(s * t[2]) for s, t in zip(light.strength, light.toward, strict=True)]
    spread = 0.1 * (high + 2 * lift) * scale
    shapes = [*zip(fallen, blur, dark, strict=True), (under, spread, NEAR / (1 + lift / 6))]
    corners = np.concatenate([*fallen, under])
    margin = 2.5 * max(*blur, spread) + 2
    low = np.floor(corners.min(axis=0) - margin).astype(int)
    wide, tall = (np.ceil(corners.max(axis=0) + margin).astype(int) - low).tolist()
    if low[0] >= WIDTH or low[1] >= HEIGHT or low[0] + wide <= 0 or low[1] + tall <= 0:
        return None
    bright = np.ones((tall, wide), np.float32)
    for outline, sigma, part in shapes:
        mask = np.zeros((tall, wide), np.float32)
        hull = cv2.convexHull((outline - low).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), part, cv2.LINE_AA, SHIFT)
        bright *= 1 - cv2.GaussianBlur(mask, (0, 0), sigma)
    return Layer(
        np.asarray(cv2.convertScaleAbs(1 - bright, alpha=255), np.uint8), None, int(low[0]), int(low[1])
    )
