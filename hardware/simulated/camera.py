"""The camera over the simulated table: thirty frames a second, each with the sensor's noise."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.ports import Frame
from hardware.simulated.view import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from hardware.ports import Clock, Pixels, Trouble

FRAMES_PER_S = 30
TICK_S = 1e-6
"""Times that differ by less are the same."""


class SimulatedCamera:
    """A `Camera` over a simulated table; it skips frames that nobody asked for in time."""

    def __init__(self, rng: Generator, clock: Clock, picture: Callable[[float], Pixels]) -> None:
        self.rng = rng
        self.clock = clock
        self.picture = picture
        self.started_s: float | None = None
        self.given = -1
        self.trouble: Trouble | None = None

    @cached_property
    def noise(self) -> Noise:
        """The sensor's."""
        return Noise(self.rng)

    def start(self) -> None:
        """Begins to take pictures; does nothing if it already does."""
        if self.started_s is None:
            self.started_s = self.clock.now_s()
            self.given = -1

    def frame(self, timeout_s: float) -> Frame | None:
        """The newest frame not yet given; None if none came within the time."""
        if self.started_s is None:
            return None
        now_s = self.clock.now_s()
        number = int((now_s - self.started_s + TICK_S) * FRAMES_PER_S)
        if number <= self.given:
            number = self.given + 1
            wait_s = self.started_s + number / FRAMES_PER_S - now_s
            self.clock.sleep(min(max(0.0, wait_s), timeout_s))
            if wait_s > timeout_s:
                return None
        self.given = number
        time_s = self.started_s + number / FRAMES_PER_S
        return Frame(self.noise.on(self.picture(time_s)), time_s)

    def stop(self) -> None:
        """Takes no more pictures."""
        self.started_s = None


class Noise:
    """The sensor's noise: another cut of one large patch on each frame, which costs next to nothing."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        level = float(rng.uniform(0.8, 2.5))
        grain = rng.normal(0, level, (HEIGHT + 64, WIDTH + 64, 3)).round()
        self.more = np.clip(grain, 0, 255).astype(np.uint8)
        self.less = np.clip(-grain, 0, 255).astype(np.uint8)

    def on(self, pixels: Pixels) -> Pixels:
        """A new frame with noise on it."""
        y, x = self.rng.integers(0, 64, 2).tolist()
        cut = slice(y, y + HEIGHT), slice(x, x + WIDTH)
        out = cv2.add(pixels, self.more[cut])
        return np.asarray(cv2.subtract(out, self.less[cut], dst=out), np.uint8)
