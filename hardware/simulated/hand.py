"""A hand over the simulated tray: when its fingertips are where, and how far they are curled."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hardware.simulated.die import Floats

COMING_S = 0.3
NEAR = (0.0, -1.0)
"""Towards the player's side."""
OUT_OF_VIEW_MM = (190.0, 125.0)
"""Fingertips this far from the tray's middle, in x or in y, are out of the camera's view."""
HOVERS_MM = 40.0
TOUCHES_MM = 12.0
"""The heights of the fingertips of a hand that only covers dice, and of one that is at a die."""
GRASPS = 0.3
BEYOND_MM = 18.0
"""How far the fingertips reach beyond the middle of a die that they hold."""
DWELLS_S = 0.2
"""How long a hand stays at a die that it sets down or turns."""
TREMBLES_MM = 0.6
STEP_MM = 0.4
"""A hand is drawn anew when it has moved that far."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the fingertips (x, y, z) are so long after the visit's start.

    `curl` goes from 0, fingers stretched, to 1, a fist.
    """

    after_s: float
    at_mm: tuple[float, float, float]
    curl: float = GRASPS
    speed_mm_s: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Visit:
    """A hand that comes into view, moves smoothly from stop to stop and leaves.

    The first stop, at `start_s`, and the last one are out of view. `away` is from the tray towards the arm's
    body, a unit vector (x, y). With `cup` it holds a dice cup, the mouth ahead.
    """

    start_s: float
    stops: tuple[Stop, ...]
    away: tuple[float, float] = NEAR
    person: int = 0
    palm_up: bool = False
    cup: bool = False

    @property
    def end_s(self) -> float:
        return self.start_s + self.stops[-1].after_s

    def tip_mm(self, time_s: float) -> Floats | None:
        """The position of its fingertips then (x, y, z); None if it is out of view."""
        since_s = time_s - self.start_s
        if not 0 < since_s < self.stops[-1].after_s:
            return None
        sway = TREMBLES_MM * np.sin(np.array([4.1, 2.9, 3.3]) * time_s + self.person)
        return np.round((self.path(since_s) + sway) / STEP_MM) * STEP_MM

    def path(self, since_s: float) -> Floats:
        """The position of its fingertips, without their trembling."""
        a, b, part = self.between(since_s)
        lasts_s = b.after_s - a.after_s
        start, end = np.array(a.at_mm), np.array(b.at_mm)
        leaves, arrives = np.array(a.speed_mm_s) * lasts_s, np.array(b.speed_mm_s) * lasts_s
        rest = 1 - part
        # Hermite's cubic between the two stops, by their speeds.
        held = start * rest**2 * (1 + 2 * part) + end * part**2 * (3 - 2 * part)
        return np.asarray(held + leaves * part * rest**2 - arrives * part**2 * rest)

    def curl(self, time_s: float) -> float:
        a, b, part = self.between(time_s - self.start_s)
        return float(a.curl + (b.curl - a.curl) * part**1.5)

    def between(self, since_s: float) -> tuple[Stop, Stop, float]:
        """The stops before and after that time, and the part of the time from the one to the other."""
        i = min(max(bisect_right([stop.after_s for stop in self.stops], since_s), 1), len(self.stops) - 1)
        a, b = self.stops[i - 1], self.stops[i]
        return a, b, float(np.clip((since_s - a.after_s) / max(b.after_s - a.after_s, 1e-9), 0, 1))

    def speed_mm_s(self, time_s: float) -> float:
        ahead = self.path(time_s - self.start_s + 0.005) - self.path(time_s - self.start_s - 0.005)
        return float(np.linalg.norm(ahead)) / 0.01


def outside(at_mm: Sequence[float], away: tuple[float, float]) -> tuple[float, float]:
    """Where fingertips that go from there towards `away` are out of view."""
    far = [
        (limit - side * coordinate) / abs(part)
        for coordinate, part, limit in zip(at_mm, away, OUT_OF_VIEW_MM, strict=False)
        if abs(part) > 1e-6
        for side in [np.sign(part)]
    ]
    step = max(10.0, min(far))
    return float(at_mm[0] + step * away[0]), float(at_mm[1] + step * away[1])


def visiting(start_s: float, stops: Sequence[Stop]) -> Visit:
    """A hand that comes to these stops, the first at COMING_S or later, and leaves."""
    first, last = stops[0], stops[-1]
    comes = Stop(0.0, (*outside(first.at_mm, NEAR), first.at_mm[2] + 25), first.curl)
    goes = Stop(last.after_s + COMING_S, (*outside(last.at_mm, NEAR), last.at_mm[2] + 25), last.curl)
    return Visit(start_s, (comes, *stops, goes))


def reaching(place_mm: tuple[float, float]) -> tuple[float, float, float]:
    """The fingertips of a hand that is at a die at that place."""
    return place_mm[0], place_mm[1] + BEYOND_MM, TOUCHES_MM


def sweep(start_s: float, places_mm: Sequence[tuple[float, float]]) -> tuple[Visit, list[float]]:
    """A hand that picks up what lies at these positions, from left to right; and when it has each."""
    reach = max(y for _, y in places_mm) + BEYOND_MM
    left, right = min(x for x, _ in places_mm), max(x for x, _ in places_mm)
    across_s = 0.25 + (right - left) / 500
    speed = ((right - left) / across_s, 0.0, 0.0)
    stops = (
        Stop(COMING_S, (left, reach, TOUCHES_MM), 0.2, speed),
        Stop(COMING_S + across_s, (right, reach, TOUCHES_MM), 0.7, speed),
    )
    wide = max(right - left, 1e-6)
    times = [start_s + COMING_S + across_s * (x - left) / wide for x, _ in places_mm]
    return visiting(start_s, stops), times


def over(start_s: float, place_mm: tuple[float, float], stays_s: float, high_mm: float = HOVERS_MM) -> Visit:
    """A hand that enters, stays over a position and leaves."""
    fingertips = (*place_mm, high_mm)
    return visiting(start_s, (Stop(COMING_S, fingertips), Stop(COMING_S + stays_s, fingertips)))


def each_in_turn(start_s: float, places_mm: Sequence[tuple[float, float]]) -> tuple[Visit, list[float]]:
    """A hand that stops at each of these positions and leaves; and when it lets go at each."""
    stops: list[Stop] = []
    times = []
    at_s = COMING_S
    for i, place in enumerate(places_mm):
        if i:
            at_s += 0.18 + float(np.hypot(*np.subtract(place, places_mm[i - 1]))) / 600
        fingertips = reaching(place)
        stops += [Stop(at_s, fingertips), Stop(at_s + DWELLS_S, fingertips)]
        times.append(start_s + at_s + DWELLS_S / 2)
        at_s += DWELLS_S
    return visiting(start_s, stops), times


def along(
    start_s: float, from_mm: tuple[float, float], to_mm: tuple[float, float], lasts_s: float
) -> tuple[Visit, float]:
    """A hand that stops at a die, pushes it to another place and leaves; and when it begins to push."""
    begins_s = COMING_S + DWELLS_S / 2
    stops = (
        Stop(COMING_S, reaching(from_mm)),
        Stop(begins_s, reaching(from_mm)),
        Stop(begins_s + lasts_s, reaching(to_mm)),
    )
    return visiting(start_s, stops), start_s + begins_s
