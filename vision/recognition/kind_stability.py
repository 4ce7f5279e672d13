"""How probable a die's kind still is when it is seen turned: of a kind that is mistaken it seldom is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.recognition.die_classifier import look
from vision.recognition.outputs import UNREADABLE

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels


def kind_share(stored: Pixels, kind: int, turn_deg: float) -> float:
    """Probability of a kind among the kinds, for the die of a stored crop that is turned so far."""
    kinds = look(stored, turn_deg).bodies[:UNREADABLE]
    return float(kinds[kind] / kinds.sum())
