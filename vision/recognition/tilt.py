"""Doubts a die that leans, by where on it its value is seen.

On a die that lies flat the top is in the middle of what is seen of it, but that it is moved outward where
the camera sees it from the side, and that all tops of a frame are moved alike if the camera hangs aslant.
Both are told by the frame's other dice, by robust least squares about what is usual. A die whose top is
elsewhere leans. Of a d4, whose value stands at its corners, nothing is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.confidence import log_odds
from vision.recognition.crops import ROOM, STORED

if TYPE_CHECKING:
    from vision.detection.detections import Candidate
    from vision.recognition.die_classifier import Mark

Floats: TypeAlias = npt.NDArray[Any]

RISE = {"d6": 0.3, "d8": 0.35, "d10": 0.33, "d12": 0.46, "d20": 0.5}
"""How far a kind's top moves outward, in parts of its box, for each frame's length from the middle: as the
lens of a webcam or a telephone sees it, about 65° wide."""
OFF_AXIS = {"d10": 0.114}
"""How far from the middle of its box, along its way up, a kind's value stands: the top of a d10 is a kite."""
SLANT = 0.06
"""Usual shift of all tops of a frame, by a camera that hangs aslant, in parts of the box."""
WIDTH = 0.4
"""How much more or less than usual a lens moves tops outward, in parts of it."""
SPREAD = 0.028
"""How far from its place a mark is found on a die that lies flat, in parts of the box."""
SUSPICION = 0.75
"""Power of the net's odds that a die leans …"""
LEANS = 2.7
"""… and how much they and the place must tell, as a logarithm. One flat die in fourteen is lost to it."""
MOST_SUSPECT, FEW = 0.3, 3
"""Median suspicion of at least so many dice from which none of them tells how the camera sees flat ones."""
ROUNDS = 3
"""Times that the least squares are weighted anew."""


class Place(NamedTuple):
    """Where a die's mark is seen from the middle of its box (x, y), and the usual way outward there."""

    seen: Floats
    outward: Floats


def place(mark: Mark, candidate: Candidate, shape: tuple[int, ...], kind: int) -> Place | None:
    """The place of the mark of a find in a frame of this shape, in parts of the box; None of a d4."""
    rise = RISE.get(KINDS[kind])
    if rise is None:
        return None
    seen = (np.array([mark.x, mark.y]) / STORED - 0.5) * ROOM
    off_axis = np.array(candidate.middle) - np.array([shape[1], shape[0]]) / 2
    outward = rise * off_axis / max(shape[:2])
    if mark.turns:
        way = np.radians(mark.turns[0].up_deg)
        up = np.array([np.cos(way), -np.sin(way)])
        seen = seen - np.copysign(OFF_AXIS.get(KINDS[kind], 0.0), (seen - outward) @ up) * up
    return Place(seen, outward)


class Camera(NamedTuple):
    """How a frame's camera shifts tops: right, down, and outward in parts of the usual; (3,), (3, 3)."""

    mean: Floats
    spread: Floats

    def oddness(self, place: Place) -> float:
        """How far a mark is from where this camera would see it, in standard deviations."""
        slope = np.array([[1, 0, place.outward[0]], [0, 1, place.outward[1]]])
        off = place.seen - slope @ self.mean
        spread = slope @ self.spread @ slope.T + SPREAD**2 * np.eye(2)
        return float(np.sqrt(off @ np.linalg.solve(spread, off)))


def cameras(places: list[Place], trusted: list[bool]) -> list[Camera]:
    """For each place, the camera as the trusted ones among the other places tell it."""
    if not places:
        return []
    seen = np.array([place.seen for place in places])
    slopes = np.array([[[1, 0, out[0]], [0, 1, out[1]]] for _, out in places])
    usual = np.array([0.0, 0.0, 1.0])
    known = np.diag([SLANT**-2, SLANT**-2, WIDTH**-2])
    weights = np.array(trusted) / SPREAD**2
    for _ in range(ROUNDS):
        moments = weights[:, None, None] * slopes.transpose(0, 2, 1) @ slopes
        pulls = weights[:, None] * (slopes.transpose(0, 2, 1) @ seen[..., None])[..., 0]
        mean = np.linalg.solve(known + moments.sum(0), known @ usual + pulls.sum(0))
        off = np.linalg.norm(seen - slopes @ mean, axis=1)
        weights = np.array(trusted) / SPREAD**2 / (1 + (off / (2 * SPREAD)) ** 2)
    spreads = np.linalg.inv(known + moments.sum(0) - moments)
    return [
        Camera(spread @ (known @ usual + pulls.sum(0) - pull), spread)
        for spread, pull in zip(spreads, pulls, strict=True)
    ]


def leans(odd: float, suspicion: float) -> bool:
    """Whether the oddness of a mark's place and the net's probability that the die leans are too much."""
    return 0.5 * odd**2 + SUSPICION * log_odds(suspicion) >= LEANS


def most_lean(suspicions: list[float]) -> bool:
    """Whether the net suspects so many of a frame's dice that their tops may all be elsewhere alike."""
    return len(suspicions) >= FEW and float(np.median(suspicions)) >= MOST_SUSPECT
