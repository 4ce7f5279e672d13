"""Places that look like dice, and what is to be made of those that lie over one another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.detection import boxes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vision.detection.boxes import Sides

Floats: TypeAlias = npt.NDArray[Any]

PLAIN = 0.5
"""Score from which a place is very likely a die."""
SAME = 0.35
"""Overlap (intersection over union) from which two finds are one die."""
ALIKE = 0.55
"""Overlap from which two finds, in two reductions, tell of one die about equally well."""
WITHIN = 0.3
"""So near to a larger find's middle, in parts of its sides, another's is a part of it."""
PART = 0.6
"""Size of finds, in parts of the one that holds them: two such, and it is a tray or a heap, no die."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that looks like a die: the box of the whole visible die in pixels, and a score 0 … 1."""

    x: float
    y: float
    width: float
    height: float
    score: float

    @property
    def sides(self) -> Sides:
        """Its box as vision.detection.boxes takes it."""
        return (self.x, self.y, self.width, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of its box."""
        return (self.x + self.width / 2, self.y + self.height / 2)

    @property
    def longer(self) -> float:
        """The longer side of its box."""
        return max(self.width, self.height)

    def mended(self, off: Floats) -> Candidate:
        """The same place with a better box: `off` (BOX,) says how this one is off."""
        right, down, longer = (float(v) for v in off)
        x, y = self.middle[0] + right * self.longer, self.middle[1] + down * self.longer
        w, h = (side * math.exp(longer) for side in (self.width, self.height))
        return Candidate(x - w / 2, y - h / 2, w, h, self.score)

    def holds(self, place: tuple[float, float]) -> bool:
        """Whether a place lies in its box."""
        return 0 < place[0] - self.x < self.width and 0 < place[1] - self.y < self.height


def overlap(one: Candidate, other: Candidate) -> float:
    """Intersection over union of their boxes, 0 … 1."""
    return boxes.overlap(one.sides, other.sides)


def distinct(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, best first, without those that a better one overlaps."""
    found = sorted(found, key=score, reverse=True)
    low = np.array([(c.x, c.y) for c in found]).reshape(-1, 2)
    size = np.array([(c.width, c.height) for c in found]).reshape(-1, 2)
    area = size.prod(1)
    kept: list[int] = []
    for i in range(len(found)):
        common = np.minimum(low[i] + size[i], low[kept] + size[kept]) - np.maximum(low[i], low[kept])
        shared = np.maximum(common, 0).prod(1)
        if not (shared > SAME * (area[i] + area[kept] - shared)).any():
            kept.append(i)
    return [found[i] for i in kept]


def averaged(kept: Iterable[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """The kept ones among what was found, each with the mean box of all that are like it."""
    mean = []
    for one in kept:
        like = [other for other in found if overlap(one, other) >= ALIKE]
        sides = np.average([c.sides for c in like], axis=0, weights=[c.score for c in like])
        x, y, width, height = sides.tolist()
        mean.append(Candidate(x, y, width, height, one.score))
    return mean


def score(candidate: Candidate) -> float:
    """How much a candidate looks like a die at first sight."""
    return candidate.score


def apart(found: Iterable[Candidate], belief: Callable[[Candidate], float] = score) -> list[Candidate]:
    """The candidates, the most believed first, without parts of others more believed or their wholes."""
    kept: list[Candidate] = []
    for one in sorted(found, key=belief, reverse=True):
        if not any(is_part(one, other) for other in kept):
            kept.append(one)
    return kept


def is_part(one: Candidate, other: Candidate) -> bool:
    """Whether the middle of one lies near that of the other, as the larger one measures it."""
    larger = max(one, other, key=lambda c: c.width * c.height)
    across, down = (abs(a - b) for a, b in zip(one.middle, other.middle, strict=True))
    return max(across / larger.width, down / larger.height) < WITHIN


def holds_others(candidate: Candidate, among: Iterable[Candidate]) -> bool:
    """Whether two plain finds, or more, lie within this one."""
    inner = sum(
        other.score >= PLAIN and other.longer < PART * candidate.longer and candidate.holds(other.middle)
        for other in among
    )
    return inner >= 2


def plain(found: Iterable[Candidate]) -> list[Candidate]:
    """The plain ones, without heaps of them and parts of them."""
    those = [one for one in distinct(found) if one.score >= PLAIN]
    return apart(one for one in those if not holds_others(one, those))
