"""Doubts a die that leans, by where on it its value is seen.

On a die that lies flat the top is in the middle of what is seen of it, but for parallax: away from the middle
of the frame it moves outward. On one that leans, or is seen from low, it is off to some side. Says nothing of
a d4, whose value stands at its corners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vision.crops import ROOM, STORED

if TYPE_CHECKING:
    from vision.finder import Candidate
    from vision.whole_die import Mark

ASIDE = 0.17
"""Distance of a mark from where it belongs, in parts of the die's box, from which the die is not flat."""
PARALLAX = 0.2
"""How far a top moves outward, in parts of the box, for each frame's length from the middle of the frame."""


def leans(mark: Mark, candidate: Candidate, shape: tuple[int, ...]) -> bool:
    """Whether the mark of a find (in its stored crop) is too far aside, in a frame of this shape."""
    aside = (np.array([mark.x, mark.y]) / STORED - 0.5) * ROOM
    middle = np.array([candidate.x + candidate.width / 2, candidate.y + candidate.height / 2])
    outward = (middle - np.array([shape[1], shape[0]]) / 2) / max(shape[:2])
    return bool(np.linalg.norm(aside - PARALLAX * outward) >= ASIDE)
