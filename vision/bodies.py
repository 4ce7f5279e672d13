"""Looks at the surface around a pip layout: is it the top of a die, and of a size that fits its pips?

Rays run from the middle of the layout outward until the surface ends. Four straight, equally far sides make
the top of a die; a pattern on a cloth or a numeral's hole has no such sides. Knows nothing of other dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.faces import Face
    from vision.pips import Floats
    from vision.reading import Image

Mask: TypeAlias = npt.NDArray[np.bool_]
Sizes: TypeAlias = npt.NDArray[np.float32]

RAYS = 64
STEPS = 72
REACH = 5.6
"""How far a ray is followed, in steps of the layout's axes."""
NEAR = 1.3
"""The surface within this many steps of the middle is what the rays are compared with."""
EDGES = {0.25: 1.0, 0.12: 0.75, 0.06: 0.7}
"""Changes of level that may end the surface, as parts of the pips' contrast, and how far each is trusted."""
LEAST_EDGE = 9.0
"""The same in grey levels, at least: below it is noise."""
QUARTER = RAYS // 4
CONE = 6
"""This many rays to each side of a side's normal (34°) tell how far it is; others run into corners."""


@dataclass(frozen=True, slots=True)
class Body:
    """What the rays found.

    Attributes:
        sides: 4 distances from the middle to the right, upper, left and lower side, in steps of the axes;
            inf where open.
        straight: 0 … 1, the part of the rays that agree with their side.
        corner: how far the corners are, as a part of the sides' distance: 1.41 for a sharp square, 1 for a
            disc.
        nearest_corner: how far the nearest of the four corners is, in steps of the axes.
        turn: the angle of the sides against the axes, radians (0 where the layout tells it).
        outline: RAYS×2 points in the frame where the surface ends.
    """

    sides: Floats
    straight: float
    corner: float
    nearest_corner: float
    turn: float
    outline: Floats


def look_around(
    frame: Image, sizes: Sizes, size: float, face: Face, edges: Sequence[float]
) -> Iterator[Body]:
    """The body around a face in a frame of any number of channels, H×W×C: for each edge how it looks by that.

    `sizes` holds the pips' sizes, H×W; pips up to `size` do not end the surface, a change by `edge` does.
    """
    angle = np.arange(RAYS) * (2 * np.pi / RAYS)
    direction = np.stack([np.cos(angle), np.sin(angle)])
    radius = np.linspace(0.4, REACH, STEPS)
    at = face.centre[:, None, None] + np.einsum("ij,jk,l->ikl", face.axes, direction, radius)
    x, y = np.rint(at).astype(np.intp)
    within = (x >= 0) & (y >= 0) & (x < frame.shape[1]) & (y < frame.shape[0])
    x, y = np.clip(x, 0, frame.shape[1] - 1), np.clip(y, 0, frame.shape[0] - 1)
    plain = (sizes[y, x] == 0) | (sizes[y, x] > size)
    level = frame[y, x].astype(np.float64)
    change = np.abs(level - near_surface(level, plain, radius)[:, None]).max(axis=2)
    turns = np.arange(QUARTER if face.value == 1 else 1)
    for edge in edges:
        ends = ((change > max(edge, LEAST_EDGE)) & plain) | ~within
        ends[:, :-1] &= ends[:, 1:]  # a single odd pixel is noise
        last = np.where(ends.any(axis=1), ends.argmax(axis=1), STEPS - 1)
        open_ended = ~ends.any(axis=1) | ~within[np.arange(RAYS), last]
        far = np.where(open_ended, np.inf, radius[last])
        yield body_of(far, turns, at[:, np.arange(RAYS), last].T)


def body_of(far: Floats, turns: npt.NDArray[np.intp], outline: Floats) -> Body:
    """The body whose surface ends so far along each ray, turned by one of these (in rays)."""
    sides, straight = side_distances(far, turns)
    best = int(straight.argmax())
    turn = float(best * (2 * np.pi / RAYS))
    middles = median_at(far, best + QUARTER * np.arange(4))
    corners = median_at(far, best + QUARTER // 2 + QUARTER * np.arange(4))
    with np.errstate(invalid="ignore"):
        corner = float(np.nan_to_num(corners.mean() / middles.mean(), posinf=0.0))
    nearest = float(corners.min())
    return Body(sides[best], float(straight[best]), corner, nearest, turn, outline)


def median_at(far: Floats, rays: npt.NDArray[np.intp]) -> Floats:
    """The median of each of these rays and the one to either side of it."""
    return np.asarray(np.median(far[(rays[:, None] + np.arange(-1, 2)) % RAYS], axis=1))


def near_surface(level: Floats, plain: Mask, radius: Floats) -> Floats:
    """The surface's level on each ray's way, RAYS×C: the mean close to the middle, over its neighbours."""
    close = plain & (radius < NEAR)
    total, count = (level * close[..., None]).sum(axis=1), close.sum(axis=1)[:, None]
    around = (np.arange(RAYS)[:, None] + np.arange(-4, 5)) % RAYS
    total, count = total[around].sum(axis=1), count[around].sum(axis=1)
    every = total.sum(axis=0) / max(count.sum(), 1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), every))


def side_distances(far: Floats, turns: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """For each turn (in rays) the distance of the four sides, T×4, and the part of the rays that agree, T.

    A side's distance is the median over the cone of rays about its normal.
    """
    cone = np.arange(-CONE, CONE + 1)
    rays = (turns[:, None, None] + QUARTER * np.arange(4)[:, None] + cone) % RAYS
    distance = far[rays] * np.cos(cone * (2 * np.pi / RAYS))
    sides = np.median(distance, axis=2)
    with np.errstate(invalid="ignore"):
        agree = np.abs(distance - sides[..., None]) < 0.13 * sides[..., None]
    return sides, agree.mean(axis=(1, 2))
