"""The camera over the simulated table: thirty noisy frames per second, unless a fault is active."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.ports import Degraded, Frame
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from hardware.ports import Clock, Pixels
    from hardware.simulated.active import ActiveFaults

FRAMES_PER_S = 30.0
TICK_S = 1e-6
"""Times that differ by less are taken as equal."""
KEPT = 60
"""The camera remembers what this many of its newest frames show."""
UNPLUGGED = Degraded("the simulated camera is unplugged", "plug it in, or clear the fault `unplugged`")


class SimulatedCamera:
    """A `Camera` over a simulated table; it skips frames that nobody asked for in time."""

    def __init__(
        self,
        rng: Generator,
        clock: Clock,
        faults: ActiveFaults,
        picture: Callable[[float], Pixels],
        fps: float = FRAMES_PER_S,
    ) -> None:
        self.fps = fps
        self.rng = rng
        self.clock = clock
        self.faults = faults
        self.picture = picture
        self.started_s: float | None = None
        self.given_s = float("-inf")
        self.last: tuple[float, Pixels] | None = None
        self.shown: dict[float, float] = {}

    @cached_property
    def noise(self) -> Noise:
        """The sensor of the camera."""
        return Noise(self.rng)

    @property
    def degraded(self) -> Degraded | None:
        """Why no frames come; None if all is well."""
        return UNPLUGGED if self.faults.at("unplugged", self.clock.now_s()) else None

    def start(self) -> None:
        """Starts taking pictures; does nothing if already started."""
        if self.started_s is None:
            self.started_s = self.clock.now_s()

    def frame(self, timeout_s: float) -> Frame | None:
        """The newest frame not returned yet; None if none arrives within the time."""
        if self.started_s is None:
            return None
        end_s = self.clock.now_s() + timeout_s
        while (time_s := self.newest_s(self.clock.now_s())) is None or time_s <= self.given_s + TICK_S:
            wait_s = self.next_s(self.clock.now_s()) - self.clock.now_s()
            left_s = end_s - self.clock.now_s()
            if left_s <= 0:
                return None
            self.clock.sleep(max(0.0, min(wait_s, left_s)))
        self.given_s = time_s
        return Frame(self.exposed(time_s), time_s)

    def newest_s(self, now_s: float) -> float | None:
        """When the newest frame that has arrived by then was taken; None if there is none."""
        if self.started_s is None or self.faults.at("unplugged", now_s) or self.faults.at("hangs", now_s):
            return None
        late_s = self.faults.number("late", now_s) or 0.0
        number = int((now_s - late_s - self.started_s + TICK_S) * self.fps + 1e-9)
        if now_s - late_s < self.started_s - TICK_S:
            return None
        return min(self.started_s + number / self.fps, now_s)  # not later, not even by rounding

    def next_s(self, now_s: float) -> float:
        """When the next frame can arrive."""
        started_s = self.started_s or 0.0
        number = int((now_s - started_s + TICK_S) * self.fps + 1e-9)
        return started_s + (number + 1) / self.fps

    def exposed(self, time_s: float) -> Pixels:
        """The frame of that time, with the faults of the camera."""
        self.shown[time_s] = seen_s = self.seen_s(time_s)
        if len(self.shown) > KEPT:
            del self.shown[next(iter(self.shown))]
        if self.last is not None and self.last[0] == seen_s:
            return self.last[1].copy()
        whole = self.noise.on(self.picture(seen_s))
        pixels = whole.copy()
        if (share := self.faults.number("torn", time_s)) and self.last is not None:
            cut = round(HEIGHT * (1 - share))
            pixels[cut:] = self.last[1][cut:]
        self.last = (seen_s, whole)
        return pixels

    def shown_s(self, time_s: float) -> float:
        """The time that the frame with this timestamp really shows.

        Raises:
            KeyError: it is not one of the newest that were given.
        """
        return self.shown[time_s]

    def seen_s(self, time_s: float) -> float:
        """The time that the next frame shows; without faults it is the frame's timestamp."""
        if stuck := self.faults.at("stuck", time_s):
            return self.last[0] if self.last and self.last[0] >= stuck.since_s - 1 else stuck.since_s
        if times := self.faults.number("doubled", time_s):
            step_s = times / self.fps
            return int((time_s + TICK_S) / step_s) * step_s
        return time_s

    def stop(self) -> None:
        """Stops taking pictures."""
        self.started_s = None


class Noise:
    """Sensor noise: a different cut of one large patch for each frame, which is cheap."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        level = float(rng.uniform(0.8, 2.5))
        grain = (rng.standard_normal((HEIGHT // 2, WIDTH // 2, 3), np.float32) * level).round()
        more, less = np.maximum(grain, 0).astype(np.uint8), np.maximum(-grain, 0).astype(np.uint8)
        self.more, self.less = (np.tile(part, (3, 3, 1)) for part in (more, less))

    def on(self, pixels: Pixels) -> Pixels:
        """A new frame with noise on it."""
        y, x = (int(self.rng.integers(side // 2)) for side in (HEIGHT, WIDTH))
        cut = slice(y, y + HEIGHT), slice(x, x + WIDTH)
        out = cv2.add(pixels, self.more[cut])
        return np.asarray(cv2.subtract(out, self.less[cut], dst=out), np.uint8)
