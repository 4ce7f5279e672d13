"""The path of a die from the hand to where it comes to rest, without physics: it rolls, hops and rocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import Pose, about, on_table
from hardware.simulated.tray import TRAY_MM

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from hardware.simulated.die import Floats, Lying

STEPS_PER_S = 60
FALL_MM_S2 = 9810.0
OUTSIDE_MM = 30.0
"""How far outside the tray a path begins."""
SHORTEST_MM = 80.0
"""A die that rolls less far over the tray may not be seen to turn over."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Clip:
    """A die's path to its final pose.

    Attributes:
        steps: number of steps, STEPS_PER_S per second.
        pose: the pose at a step, 0 … steps − 1.
        lying: the final state.
    """

    steps: int
    pose: Callable[[int], Pose]
    lying: Lying

    @property
    def lasts_s(self) -> float:
        """Time until it lies still."""
        return self.steps / STEPS_PER_S

    def at(self, time_s: float) -> tuple[int, Pose]:
        """The step at that time, and the pose; before the start the first, after the end the last."""
        step = int(np.clip(time_s * STEPS_PER_S + 1e-6, 0, self.steps))
        return step, self.pose(step) if step < self.steps else self.lying.pose


def still(lying: Lying) -> Clip:
    """No path: the die has been lying there."""
    return Clip(0, lambda _: lying.pose, lying)


def dropped(lying: Lying, high_mm: float) -> Clip:
    """A die that falls straight down from a hand and stays as it lands."""
    steps = max(1, round((2 * high_mm / FALL_MM_S2) ** 0.5 * STEPS_PER_S))

    def pose(step: int) -> Pose:
        return _raised(lying.pose, high_mm * (1 - (step / steps) ** 2))

    return Clip(steps, pose, lying)


def rolled(rng: Generator, lying: Lying) -> Clip:
    """A path from outside the tray to this final pose."""
    end = np.array(lying.at_mm)
    start = _entry(end, float(rng.uniform(-30, 30)))
    far = float(np.hypot(*(end - start)))
    ahead = (end - start) / far
    across = np.cross(UP, [*ahead, 0.0])
    rolling_s = float(rng.uniform(0.7, 1.0))
    spin = float(rng.uniform(0.7, 1.3)) / lying.die.reach_mm
    hop_mm = float(rng.uniform(10, 25))
    rock = float(np.radians(rng.uniform(2, 7))) * float(rng.choice((-1, 1)))
    rocks_hz = float(rng.uniform(7, 11))
    yaw = float(rng.uniform(-1.5, 1.5))
    floor_mm = float(lying.pose.placed(lying.die)[:, 2].min())

    @lru_cache(maxsize=4)
    def pose(step: int) -> Pose:
        time_s = step / STEPS_PER_S
        left = max(0.0, 1 - time_s / rolling_s) ** 2
        after_s = time_s - 0.8 * rolling_s
        tilt = rock * np.exp(-after_s / 0.06) * np.sin(2 * np.pi * rocks_hz * after_s) if after_s > 0 else 0.0
        turn = about(across, -far * left * spin + tilt) @ about(UP, yaw * left) @ lying.pose.turn
        x, y = end - ahead * far * left
        hop = hop_mm * left * abs(float(np.cos(3 * np.pi * time_s / rolling_s)))
        return _raised(on_table(lying.die, turn, float(x), float(y)), floor_mm + hop)

    return Clip(int((rolling_s + 0.25) * STEPS_PER_S), pose, lying)


def _entry(end: Floats, aside_mm: float) -> Floats:
    """Where a die that comes to rest at `end` comes in: in front, or aside if that is too near."""
    if end[1] + TRAY_MM[1] / 2 >= SHORTEST_MM:
        return np.array([end[0] * 0.6 + aside_mm, -TRAY_MM[1] / 2 - OUTSIDE_MM])
    return np.array([np.copysign(TRAY_MM[0] / 2 + OUTSIDE_MM, -end[0]), end[1] * 0.6 + aside_mm])


def _raised(pose: Pose, by_mm: float) -> Pose:
    """The pose raised by that much."""
    return Pose(pose.at_mm + by_mm * UP, pose.turn)
