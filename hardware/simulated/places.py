"""Places and poses for dice at rest: apart, touching, cocked, on a marker, on the rim, on the room's floor.

A cocked die has one edge on the floor; its raised side touches another die or the tray's wall.
"""

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.random import Generator

from hardware.simulated.die import Die, Floats, Lying, Pose, about, any_turn, on_table, settled, turn_showing
from hardware.simulated.tray import MARKER_PAPER_MM, MARKERS_MM, RIM_HIGH_MM, RIM_MM, TRAY_MM

ON_ANOTHER_MM = 2.0
"""A die whose lowest corner is higher than this lies on another."""
TOUCHING_MM = 0.15
NEAREST_FIRST = 60
OUTLINE_DIGITS = 2
"""Decimals of a millimetre in outlines. OpenCV misses the overlap of some whose corners nearly coincide."""
GAP_MM = 1.0
"""Least distance between two dice, whatever their rotation."""
TRIES = 1000
USUAL_DEG = (14.0, 24.0)
"""The default tilt of a cocked die."""
COCKED_TRIES = 60
BY_DICE = 2 / 3
"""The fraction of attempts that lean the die against another one; the others use a wall."""
NEAREST = 3
"""How many of the nearest dice are tried as supports."""
TOUCH_MM = 0.05
"""A gap below this counts as touching."""
HALVINGS = 12


def at_random(
    rng: Generator, dice: Sequence[Die], lying: Sequence[Lying], values: Sequence[int | None] | None = None
) -> list[Lying]:
    """The dice at random positions, clear of each other, of those `lying` and of the markers.

    They show the values, or lie on random faces where a value is None. Raises ValueError if they do not fit,
    or a die does not have that value.
    """
    placed: list[Lying] = []
    for i, die in enumerate(dice):
        half = np.array(TRAY_MM) / 2 - die.reach_mm - GAP_MM
        for _ in range(TRIES):
            place = rng.uniform(-half, half)
            if free(place, die.reach_mm, [*lying, *placed]):
                break
        else:
            raise ValueError(f"no room for {len(dice)} more dice on the tray")
        value = values[i] if values else None
        turn = any_turn(rng, die) if value is None else turn_showing(rng, die, value)
        placed.append(settled(die, on_table(die, turn, float(place[0]), float(place[1]))))
    return placed


def free(place: Floats, reach_mm: float, lying: Sequence[Lying]) -> bool:
    if any(np.hypot(*(place - die.at_mm)) < reach_mm + die.die.reach_mm + GAP_MM for die in lying):
        return False
    half = MARKER_PAPER_MM / 2 + reach_mm
    return all((np.abs(place - middle) > half).any() for middle in MARKERS_MM.values())


def over_marker(lying: Lying) -> bool:
    """Whether the die hides a part of a marker from above."""
    half = MARKER_PAPER_MM / 2
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    below = outline(lying)
    papers = [(corners + middle).astype(np.float32) for middle in MARKERS_MM.values()]
    return any(cv2.intersectConvexConvex(below, paper)[0] > 0 for paper in papers)


def astray(lying: Lying) -> bool:
    """Whether the die is outside, over a marker or on another die, so that it is thrown again."""
    outside = (np.abs(lying.at_mm) > np.array(TRAY_MM) / 2).any()
    on_another = float(lying.pose.placed(lying.die)[:, 2].min()) > ON_ANOTHER_MM  # which is then hidden
    return bool(outside) or over_marker(lying) or on_another


def outline(lying: Lying) -> cv2.typing.MatLike:
    """The die's outline from above: convex corners, mm."""
    return cv2.convexHull(lying.pose.placed(lying.die)[:, :2].round(OUTLINE_DIGITS).astype(np.float32))


def touching(rng: Generator, lying: Lying, others: Sequence[Lying], *, later: Sequence[Lying] = ()) -> Lying:
    """The die in the same orientation, moved until it touches the nearest other, if there is one.

    It is not moved towards dice that move later, but it stops at them.
    """
    if not others:
        return lying
    near = min(others, key=lambda neighbour: float(np.hypot(*(np.array(neighbour.at_mm) - lying.at_mm))))
    step = np.array(near.at_mm) - lying.at_mm
    moved = lying
    for part in np.linspace(0, 1, NEAREST_FIRST):
        candidate = shifted(lying, step * part)
        if any(overlap(candidate, neighbour) for neighbour in (*others, *later)):
            break
        moved = candidate
    return shifted(moved, rng.uniform(-TOUCHING_MM, TOUCHING_MM, 2))


def overlap(first: Lying, second: Lying) -> bool:
    return cv2.intersectConvexConvex(outline(first), outline(second))[0] > 0


def shifted(lying: Lying, by_mm: Floats) -> Lying:
    pose = Pose(lying.pose.at_mm + np.array([*by_mm, 0.0]), lying.pose.turn)
    return Lying(lying.die, pose, lying.value)


def pushed(rng: Generator, lying: Lying, others: Sequence[Lying], by_mm: float) -> Lying:
    """The die at that distance from where it lay, clear of others and in the tray; if need be, nearer."""
    for part in (1.0, 1.0, 1.0, 1.0, 0.7, 0.7, 0.4, 0.4, 0.2):
        angle = rng.uniform(0, 2 * np.pi)
        candidate = shifted(lying, part * by_mm * np.array([np.cos(angle), np.sin(angle)]))
        inside = (np.abs(candidate.at_mm) < np.array(TRAY_MM) / 2 - lying.die.reach_mm).all()
        if inside and not any(overlap(candidate, neighbour) for neighbour in others):
            return candidate
    return lying


def on_markers(rng: Generator, dice: Sequence[Die], others: Sequence[Lying]) -> list[Lying]:
    """The dice flat, each on a marker that is free of others; the last ones are left out if those are few."""
    middles = iter(rng.permutation(list(MARKERS_MM.values())))
    placed: list[Lying] = []
    for die in dice:
        for middle in middles:
            pose = on_table(die, any_turn(rng, die), *(middle + rng.uniform(-3, 3, 2)).tolist())
            candidate = settled(die, pose)
            if not any(overlap(candidate, neighbour) for neighbour in others):
                placed.append(candidate)
                break
    return placed


def on_rim(rng: Generator, dice: Sequence[Die]) -> list[Lying]:
    """The dice flat on the far side of the rim."""
    middle = float(rng.uniform(-0.15, 0.15) * TRAY_MM[0])
    placed = []
    for i, die in enumerate(dice):
        x = middle + (i - (len(dice) - 1) / 2) * 2.1 * die.reach_mm
        pose = on_table(die, any_turn(rng, die), x, TRAY_MM[1] / 2 + RIM_MM / 2)
        placed.append(settled(die, Pose(pose.at_mm + np.array([0, 0, RIM_HIGH_MM]), pose.turn)))
    return placed


def lost(rng: Generator, die: Die) -> Lying:
    x = float(rng.uniform(-0.5, 0.5) * TRAY_MM[0])
    return settled(die, on_table(die, any_turn(rng, die), x, 2 * TRAY_MM[1]))


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
    best, fallback = wedged(rng, lying, (), wall(rng), tilts_deg), False
    near = sorted(others, key=lambda neighbour: float(np.hypot(*(np.array(neighbour.at_mm) - lying.at_mm))))[
        :NEAREST
    ]
    for _ in range(COCKED_TRIES):
        if near and rng.random() < BY_DICE:
            support = near[int(rng.integers(len(near)))]
            candidate = wedged(rng, lying, [support], around(rng, support, lying), tilts_deg)
        else:
            candidate = wedged(rng, lying, (), wall(rng), tilts_deg)
        if not clear(candidate, [*others, *later]):
            continue
        if off_level_deg(candidate) >= tilts_deg[0] - 0.1 and not near_marker(candidate):
            return candidate
        if not fallback:
            best, fallback = candidate, True
    return best


def wall(rng: Generator) -> Floats:
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
        place = np.where(ahead == 0, lying.at_mm, ahead * (np.array(TRAY_MM) / 2))
        reach = float((die.vertices_mm @ turn.T)[:, :2].dot(ahead).max())
        return settled(die, on_table(die, turn, *(place - ahead * reach).tolist()))
    held = support[0]
    near, far = 0.0, die.reach_mm + held.die.reach_mm + 1.0
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        candidate = placed(die, turn, held, ahead, middle)
        near, far = (near, middle) if gap_mm(candidate, held) > 0 else (middle, far)
    return placed(die, turn, held, ahead, far)


def placed(die: Die, turn: Floats, held: Lying, ahead: Floats, far_mm: float) -> Lying:
    x, y = (np.array(held.at_mm) - ahead * far_mm).tolist()
    return settled(die, on_table(die, turn, x, y))


def off_level_deg(lying: Lying) -> float:
    """The angle between the die and lying flat on the nearest of its faces."""
    normals = np.array([face.normal for face in lying.die.solid.faces]) @ lying.pose.turn.T
    return float(np.degrees(np.arccos(min(1.0, -float(normals[:, 2].min())))))


def clear(lying: Lying, others: Sequence[Lying]) -> bool:
    corners = np.abs(lying.pose.placed(lying.die)[:, :2])
    inside = bool((corners <= np.array(TRAY_MM) / 2 + TOUCH_MM).all())
    return inside and all(gap_mm(lying, neighbour) > -TOUCH_MM for neighbour in others)


def near_marker(lying: Lying) -> bool:
    """Whether the die may hide a part of a marker."""
    half = MARKER_PAPER_MM / 2 + lying.die.reach_mm
    return any((np.abs(np.array(lying.at_mm) - middle) < half).all() for middle in MARKERS_MM.values())


def gap_mm(first: Lying, second: Lying) -> float:
    """The distance between two dice; negative if they overlap.

    Convex bodies are separated along a face normal or along the cross product of an edge of each.
    """
    middles = first.pose.at_mm - second.pose.at_mm
    if float(np.linalg.norm(middles)) > first.die.reach_mm + second.die.reach_mm + 1.0:
        return float(np.linalg.norm(middles)) - first.die.reach_mm - second.die.reach_mm
    crossed = np.cross(edges(first)[:, None], edges(second)[None]).reshape(-1, 3)
    axes = np.concatenate([normals(first), normals(second), crossed])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-6] / length[length > 1e-6, None]
    first_extent, second_extent = (
        axes @ first.pose.placed(first.die).T,
        axes @ second.pose.placed(second.die).T,
    )
    return float(
        np.maximum(
            second_extent.min(1) - first_extent.max(1), first_extent.min(1) - second_extent.max(1)
        ).max()
    )


def normals(lying: Lying) -> Floats:
    return np.array([face.normal for face in lying.die.solid.faces]) @ lying.pose.turn.T


def edges(lying: Lying) -> Floats:
    faces = lying.die.solid.faces
    pairs = (pair for face in faces for pair in pairwise([*face.corners, face.corners[0]]))
    ends = np.array(sorted({(min(pair), max(pair)) for pair in pairs}))
    corners = lying.die.vertices_mm
    return np.asarray((corners[ends[:, 1]] - corners[ends[:, 0]]) @ lying.pose.turn.T)
