"""What is printed on a simulated die: one picture of all its faces, drawn once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import PIPS
from hardware.simulated import numerals

if TYPE_CHECKING:
    from games.dice import Face, FaceSymbol
    from hardware.simulated.die import Die, Floats

Singles: TypeAlias = npt.NDArray[np.float32]

PX_PER_MM = 7.0
FINE = 4
"""Faces are drawn this many times larger and then downsampled."""
IN_THE_MIDDLE = 0.7
"""Scale of the numerals at the edges of a d4, where three are close together."""
TALL = {"d4": 1.6, "d8": 1.3, "d10": 1.3, "d12": 1.2, "d20": 1.15}
"""Height of a numeral as a fraction of the room around its centre."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A die's faces side by side.

    Attributes:
        ink: float32, side × (faces · side), 0 … 1.
        side: pixels along each face's square.
        right, up: faces × 3, the squares' axes in the die's frame.
        at_mm: faces × 3, the squares' middles.
        normals: faces × 3.
        reach_mm: faces, from the die's middle to each face.
    """

    ink: Singles
    side: int
    right: Floats
    up: Floats
    at_mm: Floats
    normals: Floats
    reach_mm: Floats


@lru_cache(maxsize=256)
def printed(die: Die) -> Printed:
    """The die's faces."""
    vertices = die.vertices_mm
    faces = die.solid.faces
    normals = np.array([face.normal for face in faces])
    middles = np.array([vertices[list(face.corners)].mean(axis=0) for face in faces])
    up = np.array([face.symbols[0].up for face in faces])
    right = np.cross(up, normals)
    far = max(
        float(np.linalg.norm(vertices[list(f.corners)] - m, axis=1).max())
        for f, m in zip(faces, middles, strict=True)
    )
    side = int(np.ceil(2 * far * PX_PER_MM)) + 4
    tiles = []
    for i, face in enumerate(faces):
        fine = np.zeros((side * FINE, side * FINE), np.uint8)
        for symbol in face.symbols:
            _draw_symbol(fine, die, face, symbol, middles[i], right[i], up[i])
        tiles.append(cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA))
    ink = cv2.GaussianBlur(np.concatenate(tiles, axis=1, dtype=np.float32), (0, 0), 0.7) / 255
    return Printed(
        np.asarray(ink, np.float32),
        side,
        right,
        up,
        middles,
        normals,
        np.einsum("ij,ij->i", normals, middles),
    )


def _draw_symbol(
    fine: numerals.Ink, die: Die, face: Face, symbol: FaceSymbol, middle: Floats, right: Floats, up: Floats
) -> None:
    """Draws one numeral, or the pips of one face, at its place on the face's square."""
    px = PX_PER_MM * FINE
    away = np.array(symbol.at) * die.scale - middle
    standing = np.array(symbol.up)
    beside = np.cross(standing, np.array(face.normal))
    centre = fine.shape[0] / 2
    corners = die.vertices_mm[list(face.corners)]

    def to_pixels(unit_mm: float) -> Floats:
        """The map from the symbol's own units to pixels of the square."""
        x = np.array([beside @ right, standing @ right, away @ right]) * (unit_mm, unit_mm, 1.0) * px
        y = -np.array([beside @ up, standing @ up, away @ up]) * (unit_mm, unit_mm, 1.0) * px
        x[2] += centre
        y[2] += centre
        return np.stack([x, y])

    if die.kind == "d6":
        edge = float(np.linalg.norm(corners[0] - corners[1]))
        onto = to_pixels(edge * 0.26)
        radius = edge * die.look.pip_part / 2 * (1.35 if symbol.value == 1 else 1.0) * px
        for x, y in PIPS[symbol.value]:
            spot = onto @ (x, y, 1.0) * (1 << numerals.SHIFT)
            cv2.circle(fine, (round(spot[0]), round(spot[1])), round(radius * (1 << numerals.SHIFT)), 255, -1,
                       cv2.LINE_AA, numerals.SHIFT)  # fmt: skip
        return
    line = numerals.underlined(die.kind, symbol.value)
    tall_mm = room_mm(corners, np.array(symbol.at) * die.scale) * TALL[die.kind] * (0.88 if line else 1.0)
    tall_mm *= IN_THE_MIDDLE if die.solid.layout == "bottom" else 1.0
    paths = numerals.strokes(numerals.text_of(die.kind, symbol.value), line=line, slant=die.look.slant)
    numerals.draw_strokes(fine, paths, to_pixels(tall_mm), die.look.weight * tall_mm * px)


def room_mm(corners: Floats, at: Floats) -> float:
    """The distance from a point of a face to its nearest edge."""
    along = np.roll(corners, -1, axis=0) - corners
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return float(np.linalg.norm(np.cross(along, at - corners), axis=1).min())
