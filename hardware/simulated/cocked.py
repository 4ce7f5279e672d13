"""How a die comes to rest cocked: one edge on the floor, the raised side against an upright surface.

The surface is another die or the tray's wall, and the die touches it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import Lying, about, on_table, settled
from hardware.simulated.tray import MARKER_PAPER_MM, MARKERS_MM, TRAY_MM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.random import Generator

    from games.dice import Solid
    from hardware.simulated.die import Die, Floats

USUAL_DEG = (14.0, 24.0)
"""The default tilt of a cocked die."""
TRIES = 60
BY_DICE = 2 / 3
"""The fraction of attempts that lean the die against another one; the others use a wall."""
NEAREST = 3
"""How many of the nearest dice are tried as supports."""
TOUCH_MM = 0.05
"""A gap below this counts as touching."""
HALVINGS = 12


def cocked(
    rng: Generator,
    lying: Lying,
    others: Sequence[Lying],
    tilts_deg: tuple[float, float] = USUAL_DEG,
    *,
    later: Sequence[Lying] = (),
) -> Lying:
    """The die tilted by an angle between these two, supported by one of the others or by the tray's wall.

    A die with many faces is tilted at most half-way to the next face. Dice that move later are no support,
    but it does not come to lie in them.
    """
    best, found = wedged(rng, lying, (), wall(rng), tilts_deg), False
    near = sorted(others, key=lambda other: float(np.hypot(*(np.array(other.at_mm) - lying.at_mm))))[:NEAREST]
    for _ in range(TRIES):
        if near and rng.random() < BY_DICE:
            support = near[int(rng.integers(len(near)))]
            there = wedged(rng, lying, [support], around(rng, support, lying), tilts_deg)
        else:
            there = wedged(rng, lying, (), wall(rng), tilts_deg)
        if not clear(there, [*others, *later]):
            continue
        if off_level_deg(there) >= tilts_deg[0] - 0.1 and not on_marker(there):
            return there
        if not found:
            best, found = there, True
    return best


def wall(rng: Generator) -> Floats:
    """A direction to one of the walls, (x, y)."""
    return np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)][int(rng.integers(4))])


def around(rng: Generator, support: Lying, lying: Lying) -> Floats:
    """A direction to the support, (x, y), near the original one."""
    way = np.array(support.at_mm) - lying.at_mm
    angle = float(np.arctan2(way[1], way[0])) + float(rng.normal(0, 0.8))
    return np.array([np.cos(angle), np.sin(angle)])


def wedged(
    rng: Generator, lying: Lying, support: Sequence[Lying], ahead: Floats, tilts_deg: tuple[float, float]
) -> Lying:
    """The die tilted so that the side ahead is raised, and moved ahead until it touches the support."""
    die = lying.die
    tilt = about(np.array([-ahead[1], ahead[0], 0.0]), -float(np.radians(rng.uniform(*tilts_deg))))
    turn = tilt @ lying.pose.turn
    if not support:
        at = np.where(ahead == 0, lying.at_mm, ahead * (np.array(TRAY_MM) / 2))
        reach = float((die.vertices_mm @ turn.T)[:, :2].dot(ahead).max())
        return settled(die, on_table(die, turn, *(at - ahead * reach).tolist()))
    held = support[0]
    near, far = 0.0, die.reach_mm + held.die.reach_mm + 1.0
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        there = placed(die, turn, held, ahead, middle)
        near, far = (near, middle) if gap_mm(there, held) > 0 else (middle, far)
    return placed(die, turn, held, ahead, far)


def placed(die: Die, turn: Floats, held: Lying, ahead: Floats, far_mm: float) -> Lying:
    """The die at that distance before the other one."""
    x, y = (np.array(held.at_mm) - ahead * far_mm).tolist()
    return settled(die, on_table(die, turn, x, y))


def off_level_deg(lying: Lying) -> float:
    """The angle between the die and lying flat on the nearest of its faces."""
    normals = np.array([face.normal for face in lying.die.solid.faces]) @ lying.pose.turn.T
    return float(np.degrees(np.arccos(min(1.0, -float(normals[:, 2].min())))))


def clear(lying: Lying, others: Sequence[Lying]) -> bool:
    """Whether the die is inside the walls and overlaps no other."""
    corners = np.abs(lying.pose.placed(lying.die)[:, :2])
    inside = bool((corners <= np.array(TRAY_MM) / 2 + TOUCH_MM).all())
    return inside and all(gap_mm(lying, other) > -TOUCH_MM for other in others)


def on_marker(lying: Lying) -> bool:
    """Whether the die may hide a part of a marker."""
    half = MARKER_PAPER_MM / 2 + lying.die.reach_mm
    return any((np.abs(np.array(lying.at_mm) - at) < half).all() for at in MARKERS_MM.values())


def held(lying: Lying, others: Iterable[Lying]) -> bool:
    """Whether anything besides the floor touches the die: another die or the wall."""
    beside = TRAY_MM[0] / 2 - float(np.abs(lying.pose.placed(lying.die)[:, 0]).max())
    beyond = TRAY_MM[1] / 2 - float(np.abs(lying.pose.placed(lying.die)[:, 1]).max())
    return min(beside, beyond) < TOUCH_MM or any(gap_mm(lying, other) < TOUCH_MM for other in others)


def gap_mm(one: Lying, other: Lying) -> float:
    """The distance between two dice; negative if they overlap.

    Convex bodies are separated along a face normal or along the cross product of an edge of each.
    """
    middles = one.pose.at_mm - other.pose.at_mm
    if float(np.linalg.norm(middles)) > one.die.reach_mm + other.die.reach_mm + 1.0:
        return float(np.linalg.norm(middles)) - one.die.reach_mm - other.die.reach_mm
    crossed = np.cross(edges(one)[:, None], edges(other)[None]).reshape(-1, 3)
    axes = np.concatenate([normals(one), normals(other), crossed])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-6] / length[length > 1e-6, None]
    mine, its = axes @ one.pose.placed(one.die).T, axes @ other.pose.placed(other.die).T
    return float(np.maximum(its.min(1) - mine.max(1), mine.min(1) - its.max(1)).max())


def normals(lying: Lying) -> Floats:
    """The directions of its faces, N×3."""
    return np.array([face.normal for face in lying.die.solid.faces]) @ lying.pose.turn.T


def edges(lying: Lying) -> Floats:
    """The directions of its edges, N×3."""
    ends = np.array(sorted(rims(lying.die.solid)))
    corners = lying.die.vertices_mm
    return np.asarray((corners[ends[:, 1]] - corners[ends[:, 0]]) @ lying.pose.turn.T)


def rims(solid: Solid) -> set[tuple[int, int]]:
    """The edges of a solid as the numbers of their two corners."""
    return {
        (min(pair), max(pair)) for face in solid.faces for pair in pairwise([*face.corners, face.corners[0]])
    }
