"""Tells how each die came to lie where it lies: thrown, handled by a hand, or not seen.

The evidence is what its track went through and when a hand was where. A die was *thrown* if it moved freely,
fast enough and far enough, with no hand next to it; or came to a bare place at which no hand was, or at least
none that stopped, as a hand must that sets a die down. It was *handled* if a hand moved it after it lay
still, or if a hand stopped where it came to rest while nothing was thrown, unless it came there fast. Where
there is evidence of neither, people are asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from vision.motion.tracks import SAME_AREA
from vision.reading import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vision.motion.segmentation import Places
    from vision.motion.tracks import Point, Track
    from vision.reading import Box

FAR: Final = 1.2
"""A die that moves by so many of its widths with no hand next to it …"""
FAST: Final = 9.0
"""… and at its fastest by so many a second, moves freely: about 20 mm and 150 mm/s."""
STEPS: Final = 2
"""A die that moves freely does so in as many frames; from one to the next a hand's part may become a die."""
MOVED: Final = 0.3
"""A die is no longer where it lay if it lies so many widths from there."""
RESTED: Final = 2
"""A die lies still once it has not moved in so many frames."""
LAST_S: Final = 0.3
"""A die comes fast to where it lies if it is FAST in so long before it rests; a hand has to slow down."""
TOGETHER_S: Final = 1.0
"""A hand that stops within so long of a throw may be the one that threw."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen of one die.

    Attributes:
        far: how far it moved with no hand next to it, widths.
        fast: how fast at most in a flight, widths a second; 0 if it was in none.
        came_fast: it was fast just before it came to rest, with or without a hand next to it.
        touched: a hand moved it after it had lain still.
        bare_s: when its place was last seen bare.
        hand_s: when a hand was last near its place.
        stopped_s: when a hand last stood still near its place.
    """

    far: float
    fast: float
    came_fast: bool
    touched: bool
    bare_s: float
    hand_s: float
    stopped_s: float

    @property
    def flew(self) -> bool:
        """Whether it moved freely."""
        return self.fast > 0

    @property
    def came_alone(self) -> bool:
        """Whether it came to a bare place where no hand was, or freely to one where none has stopped."""
        return self.hand_s <= self.bare_s or (self.far >= MOVED and self.stopped_s < self.bare_s)


def evidence(track: Track, box: Box, places: Places, die_px: float) -> Evidence:
    """What was seen of the die in this box of the small frame."""
    runs = [run for run in free_runs(track.path, die_px) if moves(run)]
    return Evidence(
        far=max((travelled(run, die_px)[0] for run in runs), default=0.0),
        fast=max((travelled(run, die_px)[1] for run in runs if is_flight(run, die_px)), default=0.0),
        came_fast=came_fast(track.path, die_px),
        touched=was_touched(track.path, die_px),
        bare_s=places.bare(box),
        hand_s=places.by_hand(box),
        stopped_s=places.stopped(box),
    )


def arrival(seen: Evidence, thrown_s: Iterable[float]) -> Arrival:
    """How a die that did not lie there before came there; `thrown_s`: when others moved freely."""
    if seen.touched:
        return Arrival.HANDLED
    if seen.flew or seen.came_alone:
        return Arrival.THROWN
    alone = all(abs(one - seen.stopped_s) > TOGETHER_S for one in thrown_s)
    if seen.stopped_s > seen.bare_s and alone and not seen.came_fast:
        return Arrival.HANDLED
    return Arrival.UNSEEN


def free_runs(path: Sequence[Point], die_px: float) -> Iterator[Sequence[Point]]:
    """The stretches of a path with no hand next to the die, at whose end it came to rest for good.

    Each begins with the point before it. A die that a hand carries may seem to be clear of it for a while.
    """
    start: int | None = None
    for i, point in enumerate([*path, None]):
        if point is not None and point.clear:
            start = max(i - 1, 0) if start is None else start
        elif start is not None:
            run, start = path[start:i], None
            rested = not any(one.step_px for one in run[-RESTED:])
            if point is None or (rested and math.dist(run[-1].at, path[-1].at) <= MOVED * die_px):
                yield run


def travelled(run: Sequence[Point], die_px: float) -> tuple[float, float]:
    """How far, and how fast at most, the die moved over a stretch of path: widths, widths a second."""
    far = sum(point.step_px for point in run[1:]) / die_px
    fast = max(
        (now.step_px / max(now.time_s - before.time_s, 1e-3) for before, now in pairwise(run)),
        default=0.0,
    )
    return far, fast / die_px


def is_flight(run: Sequence[Point], die_px: float) -> bool:
    """Whether a die that moves so, with no hand next to it, was thrown."""
    far, fast = travelled(run, die_px)
    return far >= FAR and fast >= FAST and moves(run)


def moves(run: Sequence[Point]) -> bool:
    """Whether the die moves by itself, and not only a hand's part that becomes a die."""
    return sum(point.step_px > 0 for point in run[1:]) >= STEPS


def came_fast(path: Sequence[Point], die_px: float) -> bool:
    """Whether the die was fast in the last moments before it came to rest."""
    steps = [
        (now.time_s, now.step_px / max(now.time_s - before.time_s, 1e-3))
        for before, now in pairwise(path)
        if now.step_px
    ]
    last = [speed for time_s, speed in steps if steps[-1][0] - time_s <= LAST_S]
    return len(last) >= STEPS and max(last) >= FAST * die_px


def was_touched(path: Sequence[Point], die_px: float) -> bool:
    """Whether the die lay still with no hand near it, and lies elsewhere since a hand was next to it."""
    rested: Point | None = None
    met = False
    for i, point in enumerate(path):
        if not point.clear:
            met |= rested is not None
        elif met and rested is not None:
            same = max(point.area, rested.area) <= SAME_AREA * min(point.area, rested.area)
            if same and math.dist(point.at, rested.at) > MOVED * die_px:
                return True
            met = False
        if point.clear and not any(one.step_px or not one.clear for one in path[max(0, i - RESTED) : i + 1]):
            rested = point if i >= RESTED else None
        elif point.clear:
            rested = None
    return False


def moved_freely_s(path: Sequence[Point], die_px: float) -> list[float]:
    """When the die moved freely, if it did."""
    return [
        point.time_s
        for run in free_runs(path, die_px)
        if is_flight(run, die_px)
        for point in run
        if point.step_px
    ]
