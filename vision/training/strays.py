"""Bodies that look like dice of ours and are none, so that the nets learn to leave them."""

from __future__ import annotations

from dataclasses import replace

from games.dice import Point, Solid, dot


def bar(solid: Solid, longer: float) -> Solid:
    """The solid drawn out along one axis, as barrel-shaped d4 are."""

    def drawn(point: Point) -> Point:
        return (longer * point[0], point[1], point[2])

    faces = [
        replace(face, symbols=tuple(replace(symbol, at=drawn(symbol.at)) for symbol in face.symbols))
        for face in solid.faces
    ]
    return replace(solid, vertices_mm=tuple(drawn(v) for v in solid.vertices_mm), faces=tuple(faces))


def bases(solid: Solid) -> list[int]:
    """The faces that it may come to lie on: those nearest its middle."""
    far = [dot(solid.vertices_mm[face.corners[0]], face.normal) for face in solid.faces]
    return [i for i, distance in enumerate(far) if distance < min(far) + 1e-6]
