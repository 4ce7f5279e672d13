"""Doubts a die that leans, by where on it its value is seen.

On a die that lies flat the top is in the middle of what is seen of it, but for parallax: away from the
middle of the frame it moves outward, and where the camera looks aslant all tops move alike. On one that
leans it is off to some side. Says nothing of a d4, whose value stands at its corners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.crops import ROOM, STORED

if TYPE_CHECKING:
    from vision.finder import Candidate
    from vision.whole_die import Mark

Floats: TypeAlias = npt.NDArray[Any]

ASIDE, SUSPECT = 0.13, 0.11
"""Distance of a mark from its place, in parts of the box, and the net's probability that the die leans, from
which it is not flat; half of each together is as bad."""
PARALLAX = 0.2
"""How far a top moves outward, in parts of the box, for each frame's length from the middle of the frame."""
ENOUGH = 4
"""Dice in a frame from which what they share tells how the camera looks."""
ALIKE = 0.06
"""How far from what they share half of the dice may be, in parts of their boxes."""


def aside(mark: Mark, candidate: Candidate, shape: tuple[int, ...]) -> Floats:
    """How far (x, y) from its place the mark of a find, in its stored crop, is in parts of the box."""
    seen = (np.array([mark.x, mark.y]) / STORED - 0.5) * ROOM
    middle = np.array([candidate.x + candidate.width / 2, candidate.y + candidate.height / 2])
    outward = (middle - np.array([shape[1], shape[0]]) / 2) / max(shape[:2])
    return np.asarray(seen - PARALLAX * outward)


def shared(asides: list[Floats]) -> Floats:
    """How far (x, y) the tops of most of a frame's dice are off: the camera looks aslant.

    Nothing of few dice, nor of dice that do not agree: those lean each its own way.
    """
    if len(asides) < ENOUGH:
        return np.zeros(2)
    common = np.median(asides, axis=0)
    apart = float(np.median(np.linalg.norm(np.array(asides) - common, axis=1)))
    return np.asarray(common if apart <= ALIKE else np.zeros(2))


def leans(off: float | None, suspicion: float) -> bool:
    """Whether the distance of a mark from its place and the net's suspicion are together too much."""
    return (off or 0.0) / ASIDE + suspicion / SUSPECT >= 1
