"""The path of a die until it lies, drawn without physics: it flies, bounces, rolls and rocks.

Paths follow the same distribution as those of `physics`: they begin with the same release, and bounce and
slow down as dice do there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from hardware.simulated.die import Floats, Lying, Pose, about, on_table
from hardware.simulated.tray import TRAY_MM

STEPS_PER_S = 60
FALL_MM_S2 = 9810.0
WALL_MM = 9.0
"""How far from a wall the middle of a die turns back."""
GLANCES = 0.62
"""The mean part of its speed along the floor that a die keeps at an impact."""
BRAKES_MM_S2 = 900
"""How much a die that rolls slows down."""
HOPS_MM_S = 90.0
"""A die that leaves the floor slower than that rolls."""
SHORTEST_MM = 60.0
"""Hardly a die rolls less far."""
STRAIGHT_S = 0.12
"""A die comes to rest near to where it would be after that time at the speed of its release."""
TURNS_BACK_DEG = 60.0
"""A path whose direction is off the throw's by that is as odd as one that is 2.7 times too long."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Release:
    """How a die becomes free: its pose, velocity (mm/s), spin (rad/s), and after how many steps."""

    pose: Pose
    speed_mm_s: Floats
    spin_rad_s: Floats
    step: int


@dataclass(frozen=True, slots=True)
class Clip:
    """A die's path to its final pose: the pose at each of `steps`, STEPS_PER_S per second.

    At the step `free` it leaves the hand.
    """

    steps: int
    pose: Callable[[int], Pose]
    lying: Lying
    free: int = 0

    @property
    def lasts_s(self) -> float:
        return self.steps / STEPS_PER_S

    def step_and_pose(self, time_s: float) -> tuple[int, Pose]:
        """The step at that time, and the pose; before the start the first, after the end the last."""
        step = int(np.clip(time_s * STEPS_PER_S + 1e-6, 0, self.steps))
        return step, self.pose(step) if step < self.steps else self.lying.pose

    def after(self, held: Callable[[int], Pose], steps: int) -> Clip:
        """This path after some steps in a hand."""
        return Clip(
            steps + self.steps,
            lambda step: held(step) if step < steps else self.step_and_pose((step - steps) / STEPS_PER_S)[1],
            self.lying,
            steps,
        )


def still(lying: Lying) -> Clip:
    """No path: the die has been lying there."""
    return Clip(0, lambda _: lying.pose, lying)


def dropped(lying: Lying, high_mm: float) -> Clip:
    """A die that falls straight down from a hand and stays as it lands."""
    steps = max(1, round((2 * high_mm / FALL_MM_S2) ** 0.5 * STEPS_PER_S))
    return Clip(steps, lambda step: raised(lying.pose, high_mm * (1 - (step / steps) ** 2)), lying)


def slid(before: Pose, after: Lying, lasts_s: float) -> Clip:
    """A die that is pushed along the floor, faster and then slower."""
    steps = round(lasts_s * STEPS_PER_S)
    way = after.pose.at_mm - before.at_mm
    return Clip(steps, lambda i: Pose(before.at_mm + way * eased(i / steps), before.turn), after)


def eased(part: float) -> float:
    return part * part * (3 - 2 * part)


def drawn_path(rng: Generator, lying: Lying, release: Release, bounces: float) -> Clip:
    """A path from its release to this final pose; a die leaves the floor with that part of its speed."""
    start = release.pose.at_mm
    floor_mm = float(lying.pose.placed(lying.die)[:, 2].min())
    far, hops, way = best_course(rng, lying, release, bounces)
    half = np.array(TRAY_MM) / 2 - WALL_MM
    out = np.abs(start[:2]) - half
    enters = (
        float((out / np.maximum(np.abs(way), 1e-6)).max(initial=0.0)) + 1e-3
    )  # the part of the way until then
    bounded = (np.abs(lying.at_mm) < half + WALL_MM).all()

    def place_at(gone: float) -> Floats:
        place = start[:2] + gone * way
        return folded(place) if bounded and gone > enters else place

    ahead = place_at(1.0) - place_at(0.98)
    across = np.cross(UP, [*ahead, 0.0])
    spin = float(rng.uniform(0.7, 1.3)) / lying.die.reach_mm
    rock = float(np.radians(rng.uniform(2, 7))) * float(rng.choice((-1, 1)))
    rocks_hz = float(rng.uniform(7, 11))
    yaw = float(rng.uniform(-1.5, 1.5))
    steps = len(far) + STEPS_PER_S // 4

    @lru_cache(maxsize=4)
    def pose(step: int) -> Pose:
        gone = float(far[min(step, len(far) - 1)])
        left_mm = (1 - gone) * float(np.linalg.norm(way))
        after_s = (step - 0.85 * len(far)) / STEPS_PER_S
        tilt = rock * np.exp(-after_s / 0.05) * np.sin(2 * np.pi * rocks_hz * after_s) if after_s > 0 else 0.0
        turn = about(across, -left_mm * spin + tilt) @ about(UP, yaw * (1 - gone)) @ lying.pose.turn
        x, y = place_at(gone).tolist()
        hop = float(hops[step]) if step < len(hops) else 0.0
        return raised(on_table(lying.die, turn, x, y), max(0.0, hop) + floor_mm * gone)

    return Clip(steps, pose, lying)


def detour_mm(ends: Sequence[Lying], releases: Sequence[Release]) -> float:
    """How far the dice come to rest from where they would roll on straight for a moment, in all."""
    detour = 0.0
    for release, end in zip(releases, ends, strict=False):
        ahead = release.pose.at_mm[:2] + release.speed_mm_s[:2] * STRAIGHT_S
        short_mm = SHORTEST_MM - float(np.hypot(*(folded(release.pose.at_mm[:2]) - end.at_mm)))
        detour += float(np.hypot(*(folded(ahead) - end.at_mm))) + 5 * max(0.0, short_mm)
    return detour


def best_course(
    rng: Generator, lying: Lying, release: Release, bounces: float
) -> tuple[Floats, Floats, Floats]:
    """Chooses among a few courses the most natural one from the release to where the die lies.

    It is the part of the way that is gone at each step, the height at each, and the way without walls (x, y).
    """
    start, speed = release.pose.at_mm[:2], release.speed_mm_s
    high = float(release.pose.at_mm[2] - lying.die.reach_mm * 0.8)
    ways = images(np.array(lying.at_mm)) - start
    far = np.maximum(np.linalg.norm(ways, axis=1), 1e-6)
    off = np.arccos(np.clip(ways @ speed[:2] / far / max(float(np.hypot(*speed[:2])), 1e-6), -1, 1))
    courses = []
    for factor in (1.0, 0.85, 1.15, 0.7, 1.3):
        gone, hops = course(rng, float(np.hypot(*speed[:2])) * factor, float(speed[2]), high, bounces)
        stretched = np.log(far / gone[-1])
        odd = np.maximum(2 * stretched, -stretched) + np.degrees(off) / TURNS_BACK_DEG + abs(factor - 1)
        best = int(odd.argmin())
        courses.append((float(odd[best]), gone / gone[-1], hops, ways[best]))
    return min(courses, key=lambda course: course[0])[1:]


def course(rng: Generator, speed: float, up: float, high: float, bounces: float) -> tuple[Floats, Floats]:
    """How far a die has come along the floor at each step, and how high it is, mm."""
    far, height = [0.0], [max(high, 0.0)]
    fine = 8
    step_s = 1 / STEPS_PER_S / fine
    along, z, flies = 0.0, height[0], True
    while speed > 15 and len(far) < 3 * STEPS_PER_S:
        for _ in range(fine):
            along += speed * step_s
            if flies:
                up -= FALL_MM_S2 * step_s
                z += up * step_s
                if z <= 0:
                    z, up = 0.0, -up * bounces * float(rng.uniform(0.6, 1.2))
                    speed *= GLANCES * float(rng.uniform(0.8, 1.2))
                    flies = up > HOPS_MM_S
            else:
                speed = max(0.0, speed - BRAKES_MM_S2 * step_s)
        far.append(along)
        height.append(z)
    return np.array(far), np.array(height)


def images(at_mm: Floats) -> Floats:
    """The place itself, and its mirror images in each wall and in two of them, N×2."""
    half = np.array(TRAY_MM) / 2 - WALL_MM
    if (np.abs(at_mm) > half + WALL_MM).any():
        return at_mm[None]
    xs = (at_mm[0], 2 * half[0] - at_mm[0], -2 * half[0] - at_mm[0])
    ys = (at_mm[1], 2 * half[1] - at_mm[1], -2 * half[1] - at_mm[1])
    return np.array([(x, y) for x in xs for y in ys])


def folded(at_mm: Floats) -> Floats:
    """The place in the tray that is meant by one beyond a wall."""
    half = np.array(TRAY_MM) / 2 - WALL_MM
    over = np.abs(at_mm) > half
    return np.where(over, np.sign(at_mm) * 2 * half - at_mm, at_mm)


def raised(pose: Pose, by_mm: float) -> Pose:
    return Pose(pose.at_mm + by_mm * UP, pose.turn)
