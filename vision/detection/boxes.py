"""What two boxes of a frame have in common."""

from __future__ import annotations

from typing import TypeAlias

Sides: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height; a `vision.reading.Box` has them in whole pixels."""


def intersection(one: Sides, other: Sides) -> float:
    """The area that both hold."""
    (x, y, w, h), (u, v, a, b) = one, other
    return max(0, min(x + w, u + a) - max(x, u)) * max(0, min(y + h, v + b) - max(y, v))


def touch(one: Sides, other: Sides) -> bool:
    """Whether the boxes share a point."""
    (x, y, w, h), (u, v, a, b) = one, other
    return x < u + a and u < x + w and y < v + b and v < y + h


def iou(one: Sides, other: Sides) -> float:
    """Intersection over union of two boxes, 0 … 1."""
    both = intersection(one, other)
    return both / (one[2] * one[3] + other[2] * other[3] - both) if both else 0.0
