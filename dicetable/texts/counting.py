"""How dice and points are counted in words."""

from __future__ import annotations


def dice_count(count: int) -> str:
    """`one die`, `6 dice`."""
    return "one die" if count == 1 else f"{count} dice"


def are_due(count: int) -> str:
    """`one is due`, `6 are due`."""
    return "one is due" if count == 1 else f"{count} are due"


def points(points: int) -> str:
    """A score."""
    return "1 point" if points == 1 else f"{points} points"
