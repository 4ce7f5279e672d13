"""Bodies that look like dice of ours and are none, so that the nets learn to leave them."""

from __future__ import annotations

from games.dice import Solid, dot
from training.makers import stretched


def bar(solid: Solid, longer: float) -> Solid:
    """The solid drawn out along one axis, as barrel-shaped d4 are."""
    return stretched(solid, (longer, 1.0, 1.0))


def bases(solid: Solid) -> list[int]:
    """The faces that it may come to lie on: those nearest its middle."""
    far = [dot(solid.vertices_mm[face.corners[0]], face.normal) for face in solid.faces]
    return [i for i, distance in enumerate(far) if distance < min(far) + 1e-6]
