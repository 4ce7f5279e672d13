"""Pictures of the lens sheet and of points on a plane, as a camera with known distortion sees them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.tray.camera import SQUARE_MM, SQUARES, board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vision.reading import Image
    from vision.tray.markers import Floats

SHAPE = (540, 960)
MATRIX = np.array([[825.0, 0, 488], [0, 825, 262], [0, 0, 1]])
DISTORTION = np.array([-0.28, 0.09, 0.001, -0.0005, 0.0])
DRAWN_PX = 4
"""Pixels to a millimetre of the sheet that is photographed."""


@cache
def photographs(count: int = 14, seed: int = 0, tilt: float = 0.5, near: float = 0.35) -> tuple[Image, ...]:
    """The sheet held by a person, tilted by up to `tilt` radians and moved by `near`: uint8, H×W."""
    return tuple(photographed(count, seed, tilt, near))


def photographed(count: int, seed: int, tilt: float, near: float) -> Iterator[Image]:
    rng = np.random.default_rng(seed)
    across, down = SQUARES[0] * SQUARE_MM, SQUARES[1] * SQUARE_MM
    sheet = board().generateImage((round(across * DRAWN_PX), round(down * DRAWN_PX)), marginSize=0)
    height, width = SHAPE
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 1, 2).astype(np.float64)
    rays = cv2.undistortPoints(grid, MATRIX, DISTORTION).reshape(-1, 2)
    rays = np.column_stack([rays, np.ones(len(rays))])
    for _ in range(count):
        turn = cv2.Rodrigues(np.array([*rng.uniform(-tilt, tilt, 2), rng.uniform(-3, 3)]))[0]
        far_mm = float(rng.uniform(250, 400))
        aside = rng.uniform(-near, near, 2) * [width, height] / MATRIX[0, 0] * far_mm
        shift = np.array([*aside, far_mm]) - turn @ np.array([across / 2, down / 2, 0])
        there = rays @ np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], shift])).T
        places = (there[:, :2] / there[:, 2:] * DRAWN_PX - 0.5).astype(np.float32).reshape(height, width, 2)
        flat = cv2.remap(sheet, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderValue=(110,))
        noisy = cv2.GaussianBlur(flat, (0, 0), 0.8) * 0.75 + 30 + rng.normal(0, 3, SHAPE)
        yield np.clip(noisy, 0, 255).astype(np.uint8)


def over_a_tray(points_mm: Floats, tilt: float = 0.15, height_mm: float = 320.0) -> Floats:
    """Where a camera over a tray sees points on its floor (N×2 mm), N×2 pixels."""
    turn = np.diag([1.0, -1, -1]) @ cv2.Rodrigues(np.array([tilt, 0.05, 0]))[0]
    eye = -height_mm * turn[2]
    points = np.column_stack([points_mm, np.zeros(len(points_mm))])
    seen = cv2.projectPoints(points, cv2.Rodrigues(turn)[0], -turn @ eye, MATRIX, DISTORTION)[0]
    return np.asarray(seen, np.float64).reshape(-1, 2)
