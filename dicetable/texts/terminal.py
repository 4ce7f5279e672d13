"""A game at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = "[Enter is OK, and throws; + and - change; m is the menu; 2+ is seat 2's +; Ctrl-D leaves]"
YOU_LEFT = "you left"
NO_MORE_PHOTOGRAPHS = "no more photographs"
ENDED = "the game was ended"
BY_HAND = " (entered by hand)"
NO_DICE = "no dice"


def under_cup(seat: str, faces: Sequence[int]) -> str:
    """What lies under somebody's own cup."""
    return f"    (under {seat}'s cup: {' '.join(map(str, sorted(faces)))})"
