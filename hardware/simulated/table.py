"""A simulated tray with a camera over it: dice are thrown on it, frames are taken of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.ports import Frame, Trouble
from hardware.simulated.scene import Light, View, draw
from hardware.simulated.throw import Resting, random_look, throw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind
    from hardware.ports import Clock, Pixels

WIDTH, HEIGHT = 1280, 720
AREA_MM = (230.0, 130.0)
"""The part of the tray's floor on which dice come to rest, all of it in view."""


class SimulatedTable:
    """A tray, a set of dice and a camera; everything about them follows from the seed.

    The tray, its light and the camera's place stay the same for the table's life; looks of the dice too.
    `lying` is the truth that the reader is judged by; frames are all that the reader is given.
    """

    def __init__(self, seed: int, clock: Clock) -> None:
        self.clock = clock
        self.rng = np.random.default_rng(seed)
        self.view = random_view(self.rng)
        self.light = random_light(self.rng)
        self.floor = random_floor(self.rng)
        self.looks = [random_look(self.rng) for _ in range(12)]
        self.scale = float(self.rng.uniform(0.85, 1.2))
        self.lying: list[Resting] = []
        self.running = False

    def throw(self, kinds: Sequence[Kind], keep: Sequence[Resting] = ()) -> list[Resting]:
        """Takes up all dice but `keep` and throws so many again; returns where those came to rest."""
        looks = [self.looks[(len(keep) + i) % len(self.looks)] for i in range(len(kinds))]
        thrown = throw(self.rng, kinds, looks, [self.scale] * len(kinds), AREA_MM, keep)
        self.lying = [*keep, *thrown]
        return thrown

    @property
    def trouble(self) -> Trouble | None:
        """Always None: this camera works."""
        return None

    def start(self) -> None:
        """Begins to take pictures."""
        self.running = True

    def frame(self, timeout_s: float) -> Frame | None:  # noqa: ARG002 - this camera never lets anybody wait
        """The tray as it is now; None while the camera is stopped."""
        if not self.running:
            return None
        return Frame(draw(self.view, self.light, self.floor, self.lying, self.rng), self.clock.now_s())

    def stop(self) -> None:
        """Stops taking pictures."""
        self.running = False


def random_view(rng: np.random.Generator) -> View:
    """A camera some 40 cm above the tray, somewhat askew, that sees all of it."""
    height_mm = rng.uniform(360, 480)
    focal = WIDTH / 275.0 * height_mm
    return View(WIDTH, HEIGHT, float(focal), float(height_mm), *rng.uniform(-0.17, 0.17, 2).tolist())


def random_light(rng: np.random.Generator) -> Light:
    """A lamp above and beside the tray."""
    toward = np.array([*rng.uniform(-0.8, 0.8, 2), 1.0])
    toward /= np.linalg.norm(toward)
    return Light(
        toward,
        float(rng.uniform(0.35, 0.7)),
        float(rng.uniform(2, 9)),
        float(rng.uniform(0.2, 0.6)),
        float(rng.uniform(1, 5)),
    )


def random_floor(rng: np.random.Generator) -> Pixels:
    """A tray's floor of one colour with the grain of felt and an uneven light, uint8 H×W×3."""
    colour = rng.uniform(25, 205, 3)
    grain = rng.normal(0, rng.uniform(1, 6), (HEIGHT, WIDTH, 1))
    grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), float(rng.uniform(0.6, 1.6))), np.float64)[..., None]
    coarse = cv2.resize(
        rng.normal(0, rng.uniform(1, 5), (9, 16)), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC
    )
    ys, xs = np.mgrid[-1 : 1 : HEIGHT * 1j, -1 : 1 : WIDTH * 1j]
    fall = (
        1
        - rng.uniform(0.05, 0.3)
        * ((xs - rng.uniform(-0.5, 0.5)) ** 2 + (ys - rng.uniform(-0.5, 0.5)) ** 2)
        / 2
    )
    return np.asarray(np.clip((colour + grain + coarse[..., None]) * fall[..., None], 0, 255), np.uint8)
