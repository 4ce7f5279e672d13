"""Draws a simulated tray as a camera would see it: perspective, shading, shadows, glints, grain and noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from games.dice import PIPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Pixels
    from hardware.simulated.throw import Bgr, Floats, Resting

SHIFT = 4
"""Fractional bits of drawn coordinates."""


@dataclass(frozen=True, slots=True)
class View:
    """A camera over the tray.

    Attributes:
        width, height: of its frames, pixels.
        focal: focal length in pixels.
        height_mm: of the camera over the tray.
        tilt: radians off the vertical, toward the player.
        aside: radians off the vertical, to the side.
    """

    width: int
    height: int
    focal: float
    height_mm: float
    tilt: float
    aside: float

    def project(self, points_mm: Floats) -> Floats:
        """Pixels (N×2) of N×3 points on the tray (x right, y away from the player, z up)."""
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        a, b = np.cos(self.aside), np.sin(self.aside)
        look = np.array([[a, 0, b], [0, 1, 0], [-b, 0, a]]) @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
        seen = points_mm @ look.T
        depth = self.height_mm - seen[:, 2]
        flat = seen[:, :2] * (self.focal / depth)[:, None]
        return np.stack([self.width / 2 + flat[:, 0], self.height / 2 - flat[:, 1]], axis=1)

    @property
    def eye_mm(self) -> Floats:
        """Where the camera is."""
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        a, b = np.cos(self.aside), np.sin(self.aside)
        look = np.array([[a, 0, b], [0, 1, 0], [-b, 0, a]]) @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
        return np.asarray(look.T @ np.array([0.0, 0.0, self.height_mm]))


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp and what comes from all around.

    Attributes:
        toward: 3, unit direction to the lamp, z up.
        around: 0 … 1, the part of light that reaches a face turned away from the lamp.
        blur_px: softness of the shadows.
        shadow: 0 … 1, how dark they are.
        noise: standard deviation of the sensor's noise, grey levels.
    """

    toward: Floats
    around: float
    blur_px: float
    shadow: float
    noise: float


def draw(
    view: View, light: Light, floor: Pixels, dice: Sequence[Resting], rng: np.random.Generator
) -> Pixels:
    """One frame, uint8 H×W×3 BGR: the floor (same size, without dice) with the dice on it."""
    canvas = shaded_floor(view, light, floor, dice)
    eye = view.eye_mm
    for die in sorted(dice, key=lambda d: -float(np.hypot(*(np.array(d.at_mm) - eye[:2])))):
        draw_die(canvas, view, light, die)
    noise = np.empty(canvas.shape, np.int16)
    cv2.setRNGSeed(int(rng.integers(2**31)))
    cv2.randn(noise, np.zeros(3), np.full(3, light.noise))
    return np.asarray(cv2.add(canvas, noise, dtype=cv2.CV_8U), np.uint8)


def shaded_floor(view: View, light: Light, floor: Pixels, dice: Sequence[Resting]) -> Pixels:
    """The floor with the dice's shadows, each the hull of the die's points thrown along the light."""
    dark = np.zeros(floor.shape[:2], np.uint8)
    for die in dice:
        points = placed(die)
        points[:, :2] -= light.toward[:2] / light.toward[2] * points[:, 2:]
        points[:, 2] = 0
        hull = cv2.convexHull(view.project(points).astype(np.float32))
        cv2.fillConvexPoly(dark, fixed(np.asarray(hull, np.float64)[:, 0]), 255, cv2.LINE_AA, SHIFT)
    soft = cv2.GaussianBlur(dark, (0, 0), light.blur_px)
    part = 255 - cv2.convertScaleAbs(cv2.cvtColor(soft, cv2.COLOR_GRAY2BGR), alpha=light.shadow)
    return np.asarray(cv2.multiply(floor, part, scale=1 / 255), np.uint8)


def placed(die: Resting) -> Floats:
    """The die's vertices on the tray, N×3 mm."""
    points = np.array(die.solid.vertices_mm) * die.scale @ die.turn.T
    return np.asarray(points + place(die))


def place(die: Resting) -> Floats:
    """The die's middle on the tray, mm."""
    lowest = float((np.array(die.solid.vertices_mm) @ die.turn.T)[:, 2].min()) * die.scale
    return np.array([*die.at_mm, -lowest])


def draw_die(canvas: Pixels, view: View, light: Light, die: Resting) -> None:
    """Its visible faces, far ones first, with their pips."""
    points, middle = placed(die), place(die)
    pixels = view.project(points)
    toward_eye = view.eye_mm - middle
    for face in sorted(die.solid.faces, key=lambda f: float((die.turn @ f.normal) @ toward_eye)):
        normal = die.turn @ np.array(face.normal)
        corners = points[list(face.corners)]
        if normal @ (view.eye_mm - corners.mean(axis=0)) <= 0:
            continue
        lit = light.around + (1 - light.around) * max(0.0, float(normal @ light.toward))
        outline = rounded(pixels[list(face.corners)])
        cv2.fillPoly(canvas, [fixed(outline)], shade(die.look.body, lit), cv2.LINE_AA, SHIFT)
        mark = face.marks[0]
        up = die.turn @ np.array(mark.up)
        right = np.cross(up, normal)
        edge = float(np.linalg.norm(corners[0] - corners[1]))
        ring = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        for x, y in PIPS[mark.value]:
            centre = corners.mean(axis=0) + (right * x + up * y) * edge * 0.26
            size = edge * die.look.pip_part * (1.35 if mark.value == 1 else 1.0) / 2
            circle = centre + size * (np.cos(ring)[:, None] * right + np.sin(ring)[:, None] * up)
            cv2.fillConvexPoly(
                canvas,
                fixed(view.project(circle)),
                shade(die.look.mark, 0.25 + 0.75 * lit),
                cv2.LINE_AA,
                SHIFT,
            )
        glint(canvas, view, light, die, normal, corners)


def glint(canvas: Pixels, view: View, light: Light, die: Resting, normal: Floats, corners: Floats) -> None:
    """A soft bright patch near a corner of a face that throws the lamp's light at the camera."""
    middle = corners.mean(axis=0)
    ray = view.eye_mm - middle
    mirrored = 2 * float(normal @ light.toward) * normal - light.toward
    strength = die.look.gloss * max(0.0, float(mirrored @ ray / np.linalg.norm(ray))) ** 12
    if strength < 0.05:
        return
    at = view.project((middle + 0.8 * (corners[0] - middle))[None])[0]
    size = 0.12 * float(np.linalg.norm(np.subtract(*view.project(corners[:2]))))
    x0, y0 = np.maximum(np.floor(at - 3 * size), 0).astype(int)
    x1, y1 = np.ceil(at + 3 * size).astype(int)
    patch = canvas[y0:y1, x0:x1]
    if not patch.size:
        return
    ys, xs = np.mgrid[y0 : y0 + patch.shape[0], x0 : x0 + patch.shape[1]]
    glow = strength * 200 * np.exp(-((xs - at[0]) ** 2 + (ys - at[1]) ** 2) / (2 * size**2))
    patch[:] = np.clip(patch + glow[..., None], 0, 255).astype(np.uint8)


def rounded(corners: Floats) -> Floats:
    """The polygon with its corners cut round, M×2."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    steps = np.linspace(0, 1, 5)[:, None]
    cut = 0.14
    arcs = [
        (1 - steps) ** 2 * (c + cut * (b - c)) + 2 * steps * (1 - steps) * c + steps**2 * (c + cut * (a - c))
        for b, c, a in zip(before, corners, after, strict=True)
    ]
    return np.concatenate(arcs)


def shade(colour: Bgr, lit: float) -> Bgr:
    """The colour under so much light."""
    blue, green, red = (min(255.0, channel * lit) for channel in colour)
    return blue, green, red


def fixed(points: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Points as OpenCV wants them for drawing with fractions of pixels."""
    return np.rint(np.asarray(points) * (1 << SHIFT)).astype(np.int32)
