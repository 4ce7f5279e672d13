"""Finds dice in a frame: a small net looks at several reductions of it. Says where, not what.

Each reduction shows dice of one octave of sizes, so one net finds dice of 8 pixels and of a whole frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.nets import load

if TYPE_CHECKING:
    from vision.crops import Pixels

Floats: TypeAlias = npt.NDArray[Any]

LONGEST = 640
"""Longer side of the largest reduction. Larger finds smaller dice; the time grows with its square."""
STRIDE = 4
"""Pixels along a cell of the net's maps."""
SMALLEST, LARGEST = 7.5, 32.0
"""Longer sides in pixels that one reduction may answer for; the next one has the others."""
LEAST = 0.3
"""Score under which a place is nothing. Lower finds more faint dice and more that are none."""
PLAIN = 0.5
"""Score from which a place is very likely a die."""
LARGE = 14.0
"""If all plain dice are so many pixels long in the second reduction, the first one is not looked at."""
SAME = 0.35
"""Overlap (intersection over union) from which two finds are one die."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that looks like a die: the box of the whole visible die in pixels, and a score 0 … 1."""

    x: float
    y: float
    width: float
    height: float
    score: float


def find(frame: Pixels) -> list[Candidate]:
    """Places that look like dice in a BGR frame (uint8, H×W×3), best first."""
    longest = max(frame.shape[:2])
    scale = min(1.0, LONGEST / longest)
    reductions = []
    picture = frame
    while longest * scale >= 16:
        wide, high = (max(1, round(side * scale)) for side in (frame.shape[1], frame.shape[0]))
        picture = cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA)
        reductions.append(picture)
        scale /= 2
    found = [die for picture in reductions[1:] for die in _look(picture, frame.shape)]
    if not _all_large(found, longest):
        found += [die for picture in reductions[:1] for die in _look(picture, frame.shape)]
    return _distinct(found)


def _all_large(found: list[Candidate], longest: int) -> bool:
    """Whether dice were found, and all so large that none can be too small for the second reduction."""
    sizes = [max(die.width, die.height) for die in found if die.score >= PLAIN]
    return bool(sizes) and min(sizes) >= LARGE * 2 * max(1.0, longest / LONGEST)


def _look(picture: Pixels, shape: tuple[int, ...]) -> list[Candidate]:
    """What the net finds in one reduction, in pixels of the frame, whose shape is given."""
    high, wide = picture.shape[:2]
    stretch_x, stretch_y = shape[1] / wide, shape[0] / high
    padded = cv2.copyMakeBorder(picture, 0, -high % 16, 0, -wide % 16, cv2.BORDER_REPLICATE)
    net = load("detector")
    net.setInput(cv2.dnn.blobFromImage(padded, 1 / 255))
    maps: Floats = net.forward()[0]
    score = 1 / (1 + np.exp(-maps[0]))
    peak = (score >= LEAST) & (score >= cv2.dilate(score, np.ones((3, 3), np.uint8)))
    found = []
    for i, j in np.argwhere(peak):
        _, right, down, log_wide, log_high = (float(v) for v in maps[:, i, j])
        w, h = (float(np.exp(min(v, 4.0))) * STRIDE for v in (log_wide, log_high))
        x, y = (j + right) * STRIDE, (i + down) * STRIDE
        if SMALLEST <= max(w, h) <= LARGEST and x < wide and y < high:
            box = ((x - w / 2) * stretch_x, (y - h / 2) * stretch_y, w * stretch_x, h * stretch_y)
            found.append(Candidate(*box, float(score[i, j])))
    return found


def overlap(a: Candidate, b: Candidate) -> float:
    """Intersection over union of the two boxes."""
    wide = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    high = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / (a.width * a.height + b.width * b.height - wide * high)


def _inside(a: Candidate, b: Candidate) -> bool:
    """Whether the middle of `a` lies well inside the much larger `b`, or the other way round."""
    small, large = sorted((a, b), key=lambda c: c.width * c.height)
    dx = abs(small.x + small.width / 2 - large.x - large.width / 2) / large.width
    dy = abs(small.y + small.height / 2 - large.y - large.height / 2) / large.height
    return max(dx, dy) < 0.3


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """The candidates without those that a better one overlaps."""
    kept: list[Candidate] = []
    for candidate in sorted(found, key=lambda c: -c.score):
        if not any(overlap(candidate, other) > SAME or _inside(candidate, other) for other in kept):
            kept.append(candidate)
    return kept
