"""Where camera, lamps and dice are: true perspective, one term of lens distortion, dice resting on z = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from training.types import Array

if TYPE_CHECKING:
    from training.dice_sets import Model


@dataclass(frozen=True)
class RenderLens:
    """A pinhole camera, one radial term: `rotation` 3 × 3, `position` (3,) in mm, `focal` in pixels."""

    rotation: Array
    position: Array
    focal: float
    centre: tuple[float, float]
    bend: float

    def project(self, points: Array) -> Array:
        """World points (n, 3) in millimetres to pixels (n, 2), float64."""
        seen = (points - self.position) @ self.rotation.T
        flat = seen[:, :2] / seen[:, 2:]
        flat = flat * (1 + self.bend * (flat**2).sum(1, keepdims=True))
        return np.asarray(flat * self.focal + np.asarray(self.centre), np.float64)

    def across(self, point: Array) -> Array:
        """The directions (2, 3) that run right and down in the picture, square to the sight of a point."""
        sight = point - self.position
        sight = sight / np.linalg.norm(sight)
        axes = self.rotation[:2] - (self.rotation[:2] @ sight)[:, None] * sight
        return np.asarray(axes / np.linalg.norm(axes, axis=1, keepdims=True))


@dataclass(frozen=True)
class RenderLight:
    """Directions toward each lamp (n, 3), their strengths (n,), and the light from all round."""

    directions: Array
    strengths: Array
    ambient: float
    sky: Array


@dataclass(frozen=True)
class RenderPose:
    """Where a die lies: `rotation` 3 × 3 of its own frame into the world, `position` (3,) in millimetres."""

    rotation: Array
    position: Array


def resting(
    die: Model, down: int, yaw: float, tilt: float, toward: float, at: tuple[float, float]
) -> RenderPose:
    """The die with face `down` on the table z = 0, turned by `yaw`, tipped by `tilt` (radians)."""
    normal = np.array(die.solid.faces[down].normal)
    rotation = _onto(normal, np.array([0.0, 0.0, -1.0]))
    rotation = _about(np.array([0.0, 0.0, 1.0]), yaw) @ rotation
    if tilt:
        rotation = _about(np.array([np.cos(toward), np.sin(toward), 0.0]), tilt) @ rotation
    points = np.array(die.solid.vertices_mm) * die.size @ rotation.T
    return RenderPose(rotation, np.array([at[0], at[1], -points[:, 2].min()]))


def _about(axis: Array, angle: float) -> Array:
    turned, _ = cv2.Rodrigues((axis / np.linalg.norm(axis) * angle).astype(np.float64))
    return np.asarray(turned)


def _onto(a: Array, b: Array) -> Array:
    axis = np.cross(a, b)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3) if a @ b > 0 else _about(np.array([1.0, 0.0, 0.0]), np.pi)
    return _about(axis, float(np.arctan2(length, a @ b)))
