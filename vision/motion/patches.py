"""Patches of dice in one frame, and which patches of the frame before they are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from games.dice import SOLIDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind
    from vision.motion.settings import FlightSettings
    from vision.reading import Box

LEAST_EDGE_MM: Final = 12.0
"""A die with shorter edges moves as far as one with these: where a hand lets go of it is not known finer."""
EDGE_OF_MM: Final[dict[Kind, float]] = {
    kind: max(
        LEAST_EDGE_MM,
        *(
            math.dist(solid.vertices_mm[one], solid.vertices_mm[other])
            for face in solid.faces
            for one, other in zip(face.corners, (*face.corners[1:], face.corners[0]), strict=True)
        ),
    )
    for kind, (solid, *_) in SOLIDS.items()
}
"""The longest edge of a die of a common 16 mm set."""


@dataclass(slots=True)
class Patch:
    """Connected pixels that are dice, in one frame, with the history of what they are made of.

    Attributes:
        label: its number in the frame's label image.
        at: centroid, x and y in pixels.
        box: left, top, width and height in pixels.
        area: pixels.
        mass: pixels of the dice that it is made of, as they were apart from the tray's edge.
        path_mm: how far it moved since no hand had it.
        free_s: since when no hand has had it.
        moved_s: when it last moved.
        from_at: where it was then, as `at`; a die that creeps gradually moves away from there.
        edge_s: when it was last seen across the tray's edge, by itself or as a part of something.
        still: it lay there in the frame before, whatever hand was near.
        bare: no hand is at it.
        uncovered: it was not seen in the frame before, as a hand was there.
        rested: it has not moved since all was settled last.
        old: all of it lay there when all was settled last.
    """

    label: int
    at: tuple[float, float]
    box: Box
    area: int
    mass: float = 0.0
    path_mm: float = 0.0
    free_s: float = 0.0
    moved_s: float = 0.0
    from_at: tuple[float, float] = (0.0, 0.0)
    edge_s: float = -np.inf
    still: bool = False
    bare: bool = False
    uncovered: bool = False
    rested: bool = False
    old: bool = False

    def is_dice(self, limits: FlightSettings) -> bool:
        """Whether it is made of dice, as far as it is known; else it may be a fingertip."""
        return self.mass >= limits.made_of_dice * self.area

    def flew(self, edge_mm: float, frame_s: float, limits: FlightSettings) -> bool:
        """Whether it moved by itself as a thrown die does; `frame_s`: between two frames.

        It began to move, and came to rest, up to a frame before that was seen: half of one each on average.
        """
        lasted_s = self.moved_s - self.free_s + frame_s
        return self.path_mm >= limits.edges * edge_mm and lasted_s >= limits.free_s


def ancestors(
    patches: Sequence[Patch], earlier: Sequence[Patch], reach: float, at_rim: set[int], limits: FlightSettings
) -> dict[int, list[Patch]]:
    """The `earlier` patches that each patch (by its label) is made of; sets the masses.

    One becomes one, the nearest first; of those left over several became one, or one became several. What
    lies in the strip along the edge (`at_rim`) may be a hand: it was dice only if it looks like those, or
    lies where they lay.
    """
    came: dict[int, list[Patch]] = {}
    left = {id(patch): patch.mass for patch in earlier}
    left_px = {id(patch): patch.area for patch in earlier}
    pairs = sorted(
        (apart(now, before) + (0.0 if alike(now, before, limits.grown) else 0.3 * reach), i, j)
        for i, now in enumerate(patches)
        for j, before in enumerate(earlier)
        if apart(now, before) <= reach + max(now.box[2:]) / 2
        and (alike(now, before, limits.grown) or now.label not in at_rim or touch(now, before))
    )
    gone: set[int] = set()
    for _, i, j in pairs:
        now, before = patches[i], earlier[j]
        if now.label not in came and j not in gone:
            came[now.label] = [before]
            gone.add(j)
            now.mass = min(before.mass, float(now.area))
            left[id(before)] -= now.mass
            left_px[id(before)] -= now.area
    for _, i, j in pairs:
        now, before = patches[i], earlier[j]
        lacks = now.area - now.mass
        if lacks > limits.apart * now.area and left[id(before)] > limits.apart * before.mass:
            given = min(lacks, left[id(before)])
            now.mass += given
            left[id(before)] -= given
            came.setdefault(now.label, []).append(before)
    for _, i, j in pairs:
        now, before = patches[i], earlier[j]
        if now.label not in came and left_px[id(before)] >= now.area / 2:
            came[now.label] = [before]
            left_px[id(before)] -= now.area
    return came


def crept(now: Patch, before: Patch) -> float:
    """How far a patch is from where it last moved, pixels."""
    return float(np.hypot(now.at[0] - before.from_at[0], now.at[1] - before.from_at[1]))


def apart(one: Patch, other: Patch) -> float:
    """Between their centroids, pixels."""
    return float(np.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]))


def alike(one: Patch, other: Patch, grown: float) -> bool:
    """Whether one may be the other, by their areas."""
    return one.area <= grown * other.area and other.area <= grown * one.area


def touch(one: Patch, other: Patch) -> bool:
    """Whether their boxes touch or overlap."""
    (x, y, w, h), (left, top, wide, high) = one.box, other.box
    return x <= left + wide and left <= x + w and y <= top + high and top <= y + h


def same_place(one: Box, other: Box) -> bool:
    """Whether the middles of two boxes are nearer than a quarter of their size."""
    dx = one[0] + one[2] / 2 - other[0] - other[2] / 2
    dy = one[1] + one[3] / 2 - other[1] - other[3] / 2
    return bool(np.hypot(dx, dy) < 0.25 * min(*one[2:], *other[2:]))
