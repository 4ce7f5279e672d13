"""Whether a 6 may be a 9 upside down, or the other way round, on a die that has both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.recognition.symbols import NINE, SIX, TWO_WAYS

if TYPE_CHECKING:
    from vision.recognition.die_classifier import Mark
    from vision.recognition.fusion import Opinion

TURNED = 0.25
"""How legible a 6 or 9 is upside down, from which nothing under or beside it tells which one it is. But the
face does, on most dice: numerals of a d12 and d20 stand on an edge, those of a d10 toward its pole."""
REVERSED_DEG = 135.0
"""Turn from a mark's likeliest way up, from which another one is upside down."""


def may_be_turned(said: Opinion) -> bool:
    """Whether what is said to be a 6 or a 9 may be the other one; of any other value it is not asked."""
    kind, value = said.best
    if kind not in TWO_WAYS or value not in (SIX, NINE) or said.turned < TURNED:
        return False
    return said.mark is None or upside_down_too(said.mark)


def upside_down_too(mark: Mark) -> bool:
    """Whether the whole die leaves it open if the mark is upside down."""
    if not mark.turns:
        return True
    up_deg = mark.turns[0].up_deg
    return any(abs((turn.up_deg - up_deg + 180) % 360 - 180) >= REVERSED_DEG for turn in mark.turns)
