"""How dice are counted in words."""

from __future__ import annotations

from games.words import dice_count

__all__ = ["are_due", "dice_count"]


def are_due(count: int) -> str:
    """`one is due`, `6 are due`."""
    return "one is due" if count == 1 else f"{count} are due"
