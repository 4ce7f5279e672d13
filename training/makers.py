"""How dice of one kind differ from maker to maker: proportions, rounded edges, cut corners, size of numerals.

The third fourth of each range is held out: with `held` a value is drawn from there alone, to judge on, and
without it never.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from games.dice import Face, FaceSymbol, Kind, Point, Solid
from training.types import Array, Rng

POLE = (0.854, 1.206)
"""How much taller a d10 is than that of games.dice: its pole is then 0.85 to 1.2 of the girdle's radius."""
HELD = (0.5, 0.75)
"""Which part of each range is held out."""
ROUNDING: dict[Kind, tuple[float, float]] = {
    "d4": (0.02, 0.9), "d6": (0.05, 2.4), "d8": (0.03, 1.6), "d10": (0.03, 1.6), "d12": (0.03, 2.2),
    "d20": (0.03, 2.2),
}  # fmt: skip
"""Radius of the edges in millimetres: from razor edges to dice that are nearly balls."""
BALL: dict[Kind, tuple[float, float]] = {"d4": (2.0, 2.8), "d6": (1.25, 1.55), "d8": (1.38, 1.65)}
"""Radius of the ball that corners are cut to, in parts of how far the faces are from the middle."""
CUT: dict[Kind, float] = {"d4": 0.4, "d6": 0.45, "d8": 0.15}
"""The part of the dice whose corners are cut."""
UNCUT = 9.0
"""A ball that leaves all corners."""
GROW: dict[Kind, tuple[float, float]] = {
    "d4": (0.75, 1.3), "d6": (0.78, 1.95), "d8": (0.75, 1.4), "d10": (0.7, 1.4), "d12": (0.75, 1.55),
    "d20": (0.75, 1.3),
}  # fmt: skip
"""Size of the numerals against the usual one: they fill 40 to 95 % of what the face has room for."""


class Make(NamedTuple):
    """How one die is made: its solid, the radius of its edges, the ball it is cut to, its numerals' size."""

    solid: Solid
    rounding: float
    ball: float
    grow: float


def make(solid: Solid, rng: Rng, *, held: bool = False) -> Make:
    """A make of the solid drawn by chance."""
    kind = solid.kind
    if kind == "d10":
        solid = stretched(solid, (1.0, 1.0, within(POLE, rng, held=held)))
    ball = within(BALL[kind], rng, held=held) if rng.random() < CUT.get(kind, 0.0) else UNCUT
    return Make(solid, within(ROUNDING[kind], rng, held=held), ball, within(GROW[kind], rng, held=held))


def within(limits: tuple[float, float], rng: Rng, *, held: bool) -> float:
    """A number between the limits, held out or not."""
    low, high = HELD
    part = float(rng.uniform(low, high) if held else rng.uniform(0, 1 - (high - low)))
    if not held and part > low:
        part += high - low
    return limits[0] + part * (limits[1] - limits[0])


def stretched(solid: Solid, by: Point) -> Solid:
    """The solid drawn out along each axis, its numerals where they were on its faces, and upright."""
    scale = np.array(by)

    def point(at: Point) -> Point:
        x, y, z = (scale * at).tolist()
        return (x, y, z)

    def direction(of: Array) -> Point:
        x, y, z = (of / np.linalg.norm(of)).tolist()
        return (x, y, z)

    def face(one: Face) -> Face:
        normal = direction(np.array(one.normal) / scale)
        symbols = []
        for symbol in one.symbols:
            along = scale * symbol.up
            up = direction(along - (along @ np.array(normal)) * np.array(normal))
            symbols.append(FaceSymbol(symbol.value, point(symbol.at), up))
        return replace(one, normal=normal, symbols=tuple(symbols))

    return replace(
        solid,
        vertices_mm=tuple(point(v) for v in solid.vertices_mm),
        faces=tuple(face(one) for one in solid.faces),
    )


def inradius(solid: Solid) -> float:
    """How far the first face is from the middle, in millimetres."""
    face = solid.faces[0]
    return float(np.array(solid.vertices_mm[face.corners[0]]) @ np.array(face.normal))
