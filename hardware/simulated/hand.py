"""A hand over the simulated tray: its look and its movement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Layer, Thing
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from hardware.ports import Pixels
    from hardware.simulated.die import Floats
    from hardware.simulated.faces import Singles
    from hardware.simulated.projection import Projection

COMING_S = 0.3
HIGH_MM = 45.0
"""Height of a hand over the tray."""
AWAY_MM = -280.0
"""The y of the fingertips when the hand is out of view."""
PX_PER_MM = 2.5
WIDE_MM, LONG_MM = 130.0, 420.0
TIP_MM = 12.0
"""Distance of the fingertips below the sprite's upper edge."""
STEPS_PER_S = 60
# x, y of both ends and the radius, in mm from the tip of the middle finger; y grows toward the arm.
FINGERS = (
    (-14.0, 80.0, -34.0, 14.0, 8.5),
    (2.0, 78.0, -6.0, 2.0, 9.0),
    (17.0, 82.0, 19.0, 9.0, 8.5),
    (30.0, 90.0, 42.0, 31.0, 7.5),
    (-24.0, 140.0, -56.0, 88.0, 10.5),
)
PALM = (
    (-12.0, 92.0, -8.0, 150.0, 22.0),
    (12.0, 92.0, 10.0, 150.0, 24.0),
    (0.0, 90.0, 0.0, 120.0, 28.0),
)
ARM = ((0.0, 150.0, 0.0, 480.0, 29.0),)
SLEEVE_MM = 215.0
SKIN = (105.0, 140.0, 205.0)
"""The colour (BGR) of a light hand; darker ones have less of all three."""


class HandPicture:
    """One person's hand and arm from above."""

    def __init__(self, rng: Generator, view: Projection) -> None:
        skin = np.array(SKIN) * float(rng.uniform(0.4, 1.05))
        sleeve = rng.uniform(20, 200, 3)
        wide, long = round(WIDE_MM * PX_PER_MM), round(LONG_MM * PX_PER_MM)
        xs = ((np.arange(wide) + 0.5) / PX_PER_MM - WIDE_MM / 2).astype(np.float32)
        ys = ((np.arange(long) + 0.5) / PX_PER_MM - TIP_MM).astype(np.float32)[:, None]
        bend = rng.normal(0, 3, (len(FINGERS), 2))
        fingers = [(a, b, c + dx, d + dy, r) for (a, b, c, d, r), (dx, dy) in zip(FINGERS, bend, strict=True)]
        palm = cv2.GaussianBlur(raised(xs, ys, (*PALM, *ARM)), (0, 0), 5)
        height = np.maximum(raised(xs, ys, fingers), np.where(raised(xs, ys, (*PALM, *ARM)) > 0, palm, 0))
        normals = slopes(np.asarray(cv2.GaussianBlur(height, (0, 0), 1.2), np.float32))
        lit = 0.5 + 0.5 * np.clip(normals @ np.array([-0.35, -0.45, 0.82], np.float32), 0, 1)
        colour = np.where(ys[..., None] > SLEEVE_MM, sleeve, skin) * lit[..., None]
        scale = view.focal / (float(np.linalg.norm(view.eye_mm)) - HIGH_MM) / PX_PER_MM
        size = round(wide * scale), round(long * scale)
        picture = cv2.resize(np.clip(colour, 0, 255).astype(np.uint8), size, interpolation=cv2.INTER_CUBIC)
        cover = cv2.resize((height > 0).astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
        self.pixels: Pixels = np.asarray(picture, np.uint8)
        self.cover: Singles = np.asarray(cv2.GaussianBlur(cover, (0, 0), 1.0), np.float32)
        dark = cv2.GaussianBlur(cv2.resize(cover, None, fx=0.25, fy=0.25), (0, 0), 5) * 110
        self.dark: Pixels = np.asarray(cv2.resize(dark, size), np.uint8)
        self.tip_px = round(size[0] / 2), round(TIP_MM * PX_PER_MM * scale)

    def thing(self, view: Projection, tip_mm: Floats) -> Thing:
        """The hand with its fingertips over that position (x, y)."""
        tip = view.project(np.array([[*tip_mm, HIGH_MM]]))[0].round().astype(int)
        x, y = (tip - self.tip_px).tolist()
        seen = Layer(self.pixels, self.cover, x, y)
        return Thing((x, y), 1e6, seen, Layer(self.dark, None, x + WIDTH // 50, y + HEIGHT // 25))


def raised(xs: Singles, ys: Singles, parts: Sequence[tuple[float, ...]]) -> Singles:
    """The height of the parts, each a rod with round ends, at each pixel; 0 beside them."""
    height = np.zeros((ys.shape[0], xs.shape[0]), np.float32)
    for x0, y0, x1, y1, radius in parts:
        along = np.array([x1 - x0, y1 - y0])
        share = np.clip(((xs - x0) * along[0] + (ys - y0) * along[1]) / (along @ along), 0, 1)
        away = (xs - x0 - share * along[0]) ** 2 + (ys - y0 - share * along[1]) ** 2
        height = np.maximum(height, np.sqrt(np.maximum(radius**2 - away, 0)).astype(np.float32))
    return height


def slopes(height: Singles) -> Singles:
    """The unit normals of a landscape, H×W×3."""
    dx = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3) / 8 * PX_PER_MM
    dy = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3) / 8 * PX_PER_MM
    normals = np.stack([-dx, -dy, np.ones_like(dx)], axis=2)
    return np.asarray(normals / np.linalg.norm(normals, axis=2, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True)
class Visit:
    """A hand that enters from the player's side, visits some positions and leaves.

    Attributes:
        start_s: when it enters.
        stops_mm: positions (x, y) of the fingertips.
        times_s: when it is at each of them, from `start_s`; the first is COMING_S or later.
    """

    start_s: float
    stops_mm: tuple[tuple[float, float], ...]
    times_s: tuple[float, ...]

    @property
    def end_s(self) -> float:
        """When it is out of view again."""
        return self.start_s + self.times_s[-1] + COMING_S

    def tip_mm(self, time_s: float) -> Floats | None:
        """The position of its fingertips then; None if it is out of view."""
        since = time_s - self.start_s
        if not 0 < since < self.times_s[-1] + COMING_S:
            return None
        times = (0.0, *self.times_s, self.times_s[-1] + COMING_S)
        first, last = self.stops_mm[0], self.stops_mm[-1]
        stops = ((first[0], AWAY_MM), *self.stops_mm, (last[0], AWAY_MM))
        x, y = (float(np.interp(since, times, [stop[k] for stop in stops])) for k in (0, 1))
        return np.array([round(x, 1), round(y, 1)])


def sweep(start_s: float, places_mm: Sequence[tuple[float, float]]) -> tuple[Visit, list[float]]:
    """A hand that picks up what lies at these positions, from left to right; and when it has each."""
    reach = max(y for _, y in places_mm) + 25
    left, right = min(x for x, _ in places_mm), max(x for x, _ in places_mm)
    across_s = 0.25 + (right - left) / 500
    visit = Visit(start_s, ((left, reach), (right, reach)), (COMING_S, COMING_S + across_s))
    wide = max(right - left, 1e-6)
    return visit, [start_s + COMING_S + across_s * (x - left) / wide for x, _ in places_mm]


def over(start_s: float, place_mm: tuple[float, float], stays_s: float) -> Visit:
    """A hand that enters, stays over a position and leaves."""
    return Visit(start_s, (place_mm, place_mm), (COMING_S, COMING_S + stays_s))
