"""The pose of the simulated camera and its projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import about

if TYPE_CHECKING:
    from numpy.random import Generator

    from hardware.simulated.die import Floats

WIDTH, HEIGHT = 1280, 720
SPAN_MM = 288.0
"""The width of the tray's floor that a frame spans."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A pinhole camera.

    Attributes:
        rotation: 3×3, its rows the picture's right, the picture's down and the way it looks, on the tray.
        eye_mm: its position.
        focal: focal length in pixels.
    """

    rotation: Floats
    eye_mm: Floats
    focal: float

    def project(self, points_mm: Floats) -> Floats:
        """Pixels (N×2) of N×3 points on the tray; integers are the centres of pixels."""
        seen = (points_mm - self.eye_mm) @ self.rotation.T
        flat = seen[:, :2] / seen[:, 2:] * self.focal
        return np.asarray(flat + np.array([WIDTH - 1, HEIGHT - 1]) / 2)

    def plane(self, height_mm: float = 0.0) -> Floats:
        """The 3×3 homography from (x, y) in mm, at that height above the floor, to pixels."""
        right, away, up = np.eye(3)
        return self.sheet(up * height_mm, right, away)

    def sheet(self, at_mm: Floats, right: Floats, down: Floats) -> Floats:
        """The 3×3 homography from (u, v) in mm on a sheet anywhere, at_mm + u·right + v·down, to pixels."""
        lens = np.array([[self.focal, 0, (WIDTH - 1) / 2], [0, self.focal, (HEIGHT - 1) / 2], [0, 0, 1]])
        return np.asarray(lens @ self.rotation @ np.stack([right, down, at_mm - self.eye_mm], axis=1))

    def order(self, at_mm: Floats) -> float:
        """How near to the camera's plane that point is: its height if the camera looks straight down, mm."""
        return -float(self.rotation[2] @ at_mm)

    def floor(self, pixel: Floats, height_mm: float = 0.0) -> Floats:
        """The position (x, y in mm), at that height above the floor, that is seen at a pixel (x, y)."""
        x, y, w = np.linalg.inv(self.plane(height_mm)) @ [*pixel, 1.0]
        return np.array([x / w, y / w])

    def turned(self, pan: float, tilt: float, roll: float) -> Projection:
        """The camera after a knock: rotated in place by three angles in radians."""
        knock = about(np.array([0.0, 1.0, 0.0]), pan) @ about(np.array([1.0, 0.0, 0.0]), tilt)
        knock = knock @ about(np.array([0.0, 0.0, 1.0]), roll)
        return Projection(knock @ self.rotation, self.eye_mm, self.focal)


def random_view(rng: Generator) -> Projection:
    """A camera some 40 cm above the tray's middle, slightly askew, that sees all of the tray."""
    far_mm = float(rng.uniform(380, 480))
    straight = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])
    lean = about(np.array([1.0, 0, 0]), float(rng.uniform(-0.12, 0.16)))
    lean = lean @ about(np.array([0, 1.0, 0]), float(rng.uniform(-0.1, 0.1)))
    lean = lean @ about(np.array([0, 0, 1.0]), float(rng.uniform(-0.025, 0.025)))
    rotation = straight @ lean
    return Projection(rotation, -far_mm * rotation[2], WIDTH / SPAN_MM * far_mm)
