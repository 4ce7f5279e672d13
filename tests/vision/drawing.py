"""Frames drawn for tests of the reader: plain trays with pip dice on them, and things that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import PIPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vision.reading import DieReading, Image

Floats = npt.NDArray[np.float64]
Bgr = tuple[float, float, float]

FELT = (70, 90, 60)
WHITE = (225, 228, 230)
BLACK = (20, 20, 22)
SPREAD = 0.5
"""How far the outer pips stand from the middle, as a part of half the side."""
SHIFT = 4
MIDDLE = (320.0, 240.0)
"""Of a tray of 640×480."""


def tray(width: int = 640, height: int = 480, colour: Bgr = FELT, noise: float = 2.0, seed: int = 0) -> Image:
    """An empty tray of one colour with a sensor's noise."""
    rng = np.random.default_rng(seed)
    grain = rng.normal(0, noise, (height, width, 3)) if noise else np.zeros((height, width, 3))
    return np.asarray(np.clip(grain + colour, 0, 255), np.uint8)


def ellipse_points(centre: Floats, semi: tuple[float, float], degrees: float = 0.0) -> Floats:
    """The outline of an ellipse, 24×2."""
    ring = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    turn = np.deg2rad(degrees)
    c, s = np.cos(turn), np.sin(turn)
    flat = np.stack([np.cos(ring) * semi[0], np.sin(ring) * semi[1]])
    return np.asarray(centre + (np.array([[c, -s], [s, c]]) @ flat).T)


def fill(frame: Image, points: Floats, colour: Bgr) -> None:
    """A polygon filled with smooth edges."""
    fixed = np.rint(points * (1 << SHIFT)).astype(np.int32)
    cv2.fillPoly(frame, [fixed], colour, cv2.LINE_AA, SHIFT)


def shade(frame: Image, points: Floats, side: float) -> None:
    """The soft shadow of a die of that side that falls on a polygon."""
    dark = np.zeros(frame.shape, np.uint8)
    fill(dark, points, (110, 110, 110))
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), 0.08 * side), np.uint8)
    frame[:] = (frame * (1 - dark / 255)).astype(np.uint8)


def placed(points: Floats, centre: tuple[float, float], side: float, degrees: float, lean: float) -> Floats:
    """Points of the unit square (−1 … 1) on a die's top; `lean` > 0 makes its far edge shorter."""
    turn = np.deg2rad(degrees)
    c, s = np.cos(turn), np.sin(turn)
    x, y = np.array([[c, -s], [s, c]]) @ points.T
    far = 1 + lean * y
    return np.stack([centre[0] + side / 2 * x / far, centre[1] + side / 2 * y / far], axis=1)


def put_d6(
    frame: Image,
    value: int,
    centre: tuple[float, float],
    side: float = 60.0,
    degrees: float = 0.0,
    *,
    body: Bgr = WHITE,
    mark: Bgr = BLACK,
    pip: float = 0.19,
    lean: float = 0.0,
    without: Iterable[int] = (),
) -> tuple[float, float]:
    """Draws the top of a die; pips are `pip` of its side wide, those `without` are left out.

    Returns its middle.
    """
    corners = np.array(
        [[-1, -0.8], [-0.8, -1], [0.8, -1], [1, -0.8], [1, 0.8], [0.8, 1], [-0.8, 1], [-1, 0.8]]
    )
    outline = placed(corners, centre, side, degrees, lean)
    shade(frame, outline + 0.1 * side, side)
    fill(frame, outline, body)
    for number, (x, y) in enumerate(PIPS[value]):
        if number not in without:
            dot = ellipse_points(np.array([x, -y]) * SPREAD, (pip, pip))
            fill(frame, placed(dot, centre, side, degrees, lean), mark)
    return centre


def one_die(
    value: int, side: float = 60.0, degrees: float = 0.0, *, dark: bool = False, lean: float = 0.0
) -> Image:
    """A tray with one die in its middle, white or black."""
    frame = tray()
    body, mark = (BLACK, WHITE) if dark else (WHITE, BLACK)
    put_d6(frame, value, MIDDLE, side, degrees, body=body, mark=mark, lean=lean)
    return soft(frame)


def soft(frame: Image, sigma: float = 0.8) -> Image:
    """The frame as a lens would give it."""
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma), np.uint8)


def sure_values(dice: Iterable[DieReading]) -> list[int]:
    """What a table would play."""
    return sorted(die.value for die in dice if die.sure and die.value is not None)


def holds(die: DieReading, point: tuple[float, float]) -> bool:
    """Whether the point lies in the die's box."""
    x, y, w, h = die.box
    return x <= point[0] <= x + w and y <= point[1] <= y + h
