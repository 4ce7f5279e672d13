"""What happens between the simulated table and its camera: changing light, reflections, a knock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Masks
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.random import Generator

    from hardware.ports import Pixels
    from hardware.simulated.active import ActiveFaults
    from hardware.simulated.die import Floats
    from hardware.simulated.picture import Picture
    from hardware.simulated.projection import Projection

DARKNESS = 0.015
"""The remaining brightness when the light is out."""
SHAKE_S, SHAKES_HZ = 0.12, 7.0
GLARE_PX = 170


class SimulatedLens:
    """The optical path into the camera, with the active faults."""

    def __init__(self, rng: Generator, view: Projection, faults: ActiveFaults) -> None:
        self.view = view
        self.faults = faults
        self.knock = rng.uniform(-1, 1, 3) * (1.0, 1.0, 1.5)
        self.knock /= np.linalg.norm(self.knock)
        self.phases = rng.uniform(0, 2 * np.pi, 4)
        across = np.linspace(-2.6, 2.6, GLARE_PX * 2)
        self.spot = np.exp(-0.5 * (across**2 + (across[:, None] * 1.4) ** 2))
        self.key: Hashable = None
        self.result: Pixels | None = None

    def on(self, picture: Picture, time_s: float) -> Pixels:
        """The picture as it reaches the sensor then; do not write to it."""
        levels, turn, glare = self.levels(time_s), self.turn(time_s), self.glare(time_s)
        if levels == (1.0, 1.0, 1.0) and turn is None and glare is None:
            return picture.canvas
        key = (picture.changes, levels, turn, glare)
        if self.result is None or key != self.key:
            self.result, self.key = self.changed(picture.canvas, levels, turn, glare), key
        return self.result

    def changed(
        self,
        pixels: Pixels,
        levels: tuple[float, float, float],
        turn: tuple[float, float, float] | None,
        glare: tuple[float, float, float] | None,
    ) -> Pixels:
        """The picture with knock, brightness and glare applied."""
        if turn is not None:
            size, onto = (WIDTH, HEIGHT), self.homography(turn)
            turned = cv2.warpPerspective(pixels, onto, size, borderMode=cv2.BORDER_REFLECT_101)
            pixels = np.asarray(turned, np.uint8)
        if levels != (1.0, 1.0, 1.0):
            table = np.clip(np.arange(256)[:, None] * levels + 0.5, 0, 255).astype(np.uint8)
            pixels = np.asarray(cv2.LUT(pixels, table[None]), np.uint8)
        if glare is not None:
            pixels = pixels.copy()
            x, y = round(glare[0]) - GLARE_PX, round(glare[1]) - GLARE_PX
            x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + 2 * GLARE_PX, WIDTH), min(y + 2 * GLARE_PX, HEIGHT)
            spot = cv2.convertScaleAbs(self.spot[y0 - y : y1 - y, x0 - x : x1 - x], alpha=glare[2] * 300)
            part = pixels[y0:y1, x0:x1]
            cv2.add(part, cv2.cvtColor(spot, cv2.COLOR_GRAY2BGR), dst=part)
        return pixels

    def turned(self, masks: Masks, time_s: float) -> Masks:
        """The masks of a picture as a knocked camera sees them."""
        turn = self.turn(time_s)
        if turn is None:
            return masks
        onto, size = self.homography(turn), (WIDTH, HEIGHT)
        labels, shadow = (
            cv2.warpPerspective(part, onto, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
            for part in (masks.labels, masks.shadow.astype(np.uint8))
        )
        return Masks(np.asarray(labels, np.uint8), shadow > 0)

    def levels(self, time_s: float) -> tuple[float, float, float]:
        """The gains of blue, green and red; 1 is normal."""
        level = warmth = 1.0
        if drift := self.faults.at("drift", time_s):
            part = (time_s - drift.since_s) / drift.fault.lasts_s
            level *= 1 + (drift.fault.number - 1) * float(np.sin(np.pi * part)) ** 2
            warmth = level**0.35
        if depth := self.faults.number("flicker", time_s):
            beat = np.sin(46 * time_s + self.phases[0]) * np.sin(11.7 * time_s + self.phases[1])
            level *= 1 - depth * (0.5 + 0.5 * float(beat))
        if self.faults.at("dark", time_s):
            level *= DARKNESS
        return round(level * warmth, 3), round(level, 3), round(level / warmth, 3)

    def turn(self, time_s: float) -> tuple[float, float, float] | None:
        """Pan, tilt and roll of the knocked camera, radians; None if it is not knocked."""
        bump = self.faults.at("bump", time_s)
        if bump is None:
            return None
        since_s = time_s - bump.since_s
        swing = 0.0
        if since_s < 8 * SHAKE_S:
            swing = 0.6 * float(np.exp(-since_s / SHAKE_S) * np.cos(2 * np.pi * SHAKES_HZ * since_s))
        pan, tilt, roll = (self.knock * np.radians(bump.fault.number) * (1 + swing)).tolist()
        return pan, tilt, roll

    def homography(self, turn: tuple[float, float, float]) -> Floats:
        """The homography from pixels of the original camera to those of the knocked one, 3×3."""
        straight = self.view.plane()
        return np.asarray(self.view.turned(*turn).plane() @ np.linalg.inv(straight))

    def view_at(self, time_s: float) -> Projection:
        """The camera at that time."""
        turn = self.turn(time_s)
        return self.view if turn is None else self.view.turned(*turn)

    def glare(self, time_s: float) -> tuple[float, float, float] | None:
        """Centre (pixels) and strength of a reflection; None if there is none."""
        glare = self.faults.at("glare", time_s)
        if glare is None:
            return None
        since_s = round((time_s - glare.since_s) * 15) / 15
        x = WIDTH * (0.5 + 0.3 * float(np.sin(0.5 * since_s + self.phases[2])))
        y = HEIGHT * (0.5 + 0.25 * float(np.sin(0.8 * since_s + self.phases[3])))
        return round(x), round(y), glare.fault.number
