"""Throws dice into a simulated tray: where each comes to rest, which face up, what it looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import SOLIDS, Kind, Solid

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats: TypeAlias = npt.NDArray[np.float64]
Bgr: TypeAlias = tuple[float, float, float]

GAP_MM = 1.0
"""Least room between the rims of two dice."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a die is made: its colours and its roundness.

    Attributes:
        body: colour of the die, BGR 0 … 255.
        mark: colour of its pips.
        pip_part: diameter of a pip as a part of the edge.
        gloss: 0 … 1, how bright the glint on it is.
    """

    body: Bgr
    mark: Bgr
    pip_part: float
    gloss: float


@dataclass(frozen=True, slots=True)
class Resting:
    """A die at rest.

    Attributes:
        kind: what die it is.
        value: the face that counts.
        at_mm: x, y of its middle on the tray, from the tray's middle.
        turn: 3×3 rotation from the solid's own frame to the tray's (z up).
        scale: its size, 1 for a common 16 mm set.
        look: its colours.
    """

    kind: Kind
    value: int
    at_mm: tuple[float, float]
    turn: Floats
    scale: float
    look: Look

    @property
    def solid(self) -> Solid:
        """The body, before scaling."""
        return SOLIDS[self.kind][0]

    @property
    def reach_mm(self) -> float:
        """How far the die reaches from its middle, along the table."""
        return rim_mm(self.kind, self.scale)


def rim_mm(kind: Kind, scale: float) -> float:
    """The largest distance of a vertex from the middle."""
    return float(np.linalg.norm(np.array(SOLIDS[kind][0].vertices_mm), axis=1).max()) * scale


def random_look(rng: np.random.Generator) -> Look:
    """Colours as dice are sold: a body of any colour, marks that stand out from it."""
    body = rng.uniform(15, 245, 3)
    if rng.random() < 0.4:
        body[:] = body.mean()
    bright = float(body @ (0.114, 0.587, 0.299))
    mark = rng.uniform(215, 250, 3) if bright < 130 else rng.uniform(5, 45, 3)
    return Look(
        tuple(body.tolist()), tuple(mark.tolist()), float(rng.uniform(0.15, 0.21)), float(rng.uniform(0, 1))
    )


def throw(
    rng: np.random.Generator,
    kinds: Sequence[Kind],
    looks: Sequence[Look],
    scales: Sequence[float],
    area_mm: tuple[float, float],
    lying: Sequence[Resting] = (),
) -> list[Resting]:
    """Dice that come to rest at random, apart from each other and from those already `lying` there.

    Args:
        rng: the only source of chance.
        kinds: a kind for each die; `looks` and `scales` go with them.
        looks: what each die looks like.
        scales: the size of each die.
        area_mm: width and depth of the floor on which they come to rest.
        lying: dice that stay where they are.

    Raises:
        ValueError: the floor has no room for so many dice.
    """
    dice: list[Resting] = []
    for kind, look, scale in zip(kinds, looks, scales, strict=True):
        reach = rim_mm(kind, scale)
        half = np.array(area_mm) / 2 - reach
        for _ in range(4000):
            at = rng.uniform(-half, half)
            if all(
                np.hypot(*(at - other.at_mm)) > reach + other.reach_mm + GAP_MM for other in (*lying, *dice)
            ):
                break
        else:
            raise ValueError(f"no room for {len(kinds)} dice on {area_mm[0]:.0f} × {area_mm[1]:.0f} mm")
        dice.append(at_rest(rng, kind, look, scale, (float(at[0]), float(at[1]))))
    return dice


def at_rest(
    rng: np.random.Generator, kind: Kind, look: Look, scale: float, at_mm: tuple[float, float]
) -> Resting:
    """The die there, on a random face and turned at random."""
    solid = SOLIDS[kind][0]
    down = int(rng.integers(len(solid.faces)))
    flat = turned_down(np.array(solid.faces[down].normal))
    angle = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ flat
    return Resting(kind, solid.value_on_table(down), at_mm, turn, scale, look)


def turned_down(normal: Floats) -> Floats:
    """A 3×3 rotation that turns the direction to −z."""
    target = np.array([0.0, 0.0, -1.0])
    axis = np.cross(normal, target)
    cosine = float(normal @ target)
    if cosine < -1 + 1e-9:  # straight up: half a turn about x
        return np.diag([1.0, -1.0, -1.0])
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1 + cosine))
