"""Whether a die's kind holds when it is looked at turned: one that the net is mistaken in seldom does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.recognition.die_classifier import look
from vision.recognition.outputs import UNREADABLE

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels

TURN_DEG = 45.0
HOLDS = 0.7
"""Probability among the kinds that is enough. Of six wrong kinds on rendered crops that no net saw it finds
four, and doubts one right kind in eighty."""


def holds_turned(stored: Pixels, kind: int) -> bool:
    """Whether the die of a stored crop is still of this kind when the crop is turned."""
    kinds = look(stored, TURN_DEG).bodies[:UNREADABLE]
    return bool(kinds[kind] >= HOLDS * kinds.sum())
