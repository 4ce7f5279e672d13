"""The dice of the simulated table as objects: material, pose, value. No pixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, sin, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from games.dice import EVERY_KIND, SOLIDS, Kind, Solid

Floats: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]
Bgr: TypeAlias = tuple[float, float, float]

FLAT = float(np.cos(np.radians(2.0)))
"""A die whose lowest face is more than two degrees off level is cocked."""
RARER = 0.25
"""How many dice of a kind have the less common of two layouts."""
PER_KIND = 30
"""Dice of each kind in the set."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """The make of a die.

    Attributes:
        body: colour of the die, BGR 0 … 1.
        ink: colour of its numerals or pips.
        gloss: 0 … 1, brightness of the lamps' reflections on it.
        marble: 0 … 0.3, variation of the body's colour.
        rounding: radius of its edges, as a fraction of its height.
        weight: thickness of the numerals' strokes, as a fraction of their height.
        slant: sideways shift of the numerals per unit of height.
        pip_part: diameter of a pip as a fraction of the edge.
    """

    body: Bgr
    ink: Bgr
    gloss: float
    marble: float
    rounding: float
    weight: float
    slant: float
    pip_part: float


@lru_cache(maxsize=64)
def corners_mm(kind: Kind, layout: int, scale: float) -> Floats:
    """The corners of such a die in its own frame, N×3."""
    corners = np.array(SOLIDS[kind][layout].vertices_mm) * scale
    corners.flags.writeable = False
    return corners


@dataclass(frozen=True, slots=True)
class Die:
    """One die. `number` identifies it on the table; `layout` indexes SOLIDS[kind]."""

    number: int
    kind: Kind
    layout: int
    scale: float
    look: Appearance

    @property
    def solid(self) -> Solid:
        """Its body, before scaling."""
        return SOLIDS[self.kind][self.layout]

    @property
    def vertices_mm(self) -> Floats:
        """Its corners in its own frame, N×3; do not write to it."""
        return corners_mm(self.kind, self.layout, self.scale)

    @property
    def reach_mm(self) -> float:
        return float(np.linalg.norm(self.vertices_mm, axis=1).max())


@dataclass(frozen=True, slots=True)
class Pose:
    """A die's pose: its centre on the tray (mm; x right, y away from the player, z up) and its rotation."""

    at_mm: Floats
    turn: Floats

    def placed(self, die: Die) -> Floats:
        return np.asarray(die.vertices_mm @ self.turn.T + self.at_mm)

    def near(self, second: Pose, die: Die, within_mm: float) -> bool:
        """Whether centre and corners are all within that distance of those in the second pose."""
        if float(np.abs(self.at_mm - second.at_mm).max()) > within_mm:
            return False
        apart = self.placed(die) - second.placed(die)
        return bool(np.einsum("vk,vk->v", apart, apart).max() <= within_mm**2)


@dataclass(frozen=True, slots=True)
class Lying:
    """A die at rest, with its true value; None if it is cocked."""

    die: Die
    pose: Pose
    value: int | None

    @property
    def kind(self) -> Kind:
        return self.die.kind

    @property
    def at_mm(self) -> tuple[float, float]:
        """Its centre on the tray, mm."""
        return float(self.pose.at_mm[0]), float(self.pose.at_mm[1])

    @property
    def top_mm(self) -> Floats:
        """The centre of its upper side, 3 coordinates in mm."""
        return np.array([*self.at_mm, self.pose.placed(self.die)[:, 2].max()])


def settled(die: Die, pose: Pose) -> Lying:
    """The die in that pose, with the value that it shows."""
    normals = np.array([face.normal for face in die.solid.faces]) @ pose.turn.T
    down = int(normals[:, 2].argmin())
    flat = -normals[down, 2] > FLAT
    return Lying(die, pose, die.solid.value_on_table(down) if flat else None)


def on_table(die: Die, turn: Floats, x_mm: float, y_mm: float) -> Pose:
    return Pose(np.array([x_mm, y_mm, -float((die.vertices_mm @ turn.T)[:, 2].min())]), turn)


def about(axis: Floats, angle: float) -> Floats:
    """The 3×3 rotation by an angle (radians) about an axis of any length."""
    x, y, z = axis.tolist()
    length = sqrt(x * x + y * y + z * z)
    x, y, z, s, c = x / length, y / length, z / length, sin(angle), cos(angle)
    rest = 1 - c
    return np.array(
        [
            [c + rest * x * x, rest * x * y - s * z, rest * x * z + s * y],
            [rest * x * y + s * z, c + rest * y * y, rest * y * z - s * x],
            [rest * x * z - s * y, rest * y * z + s * x, c + rest * z * z],
        ]
    )


def face_down(die: Die, down: int, yaw: float) -> Floats:
    """The 3×3 rotation that lays a face on the table and then turns the die by `yaw` radians."""
    normal = np.array(die.solid.faces[down].normal)
    target = np.array([0.0, 0.0, -1.0])
    axis = np.cross(normal, target)
    if np.linalg.norm(axis) < 1e-9:
        flat = np.eye(3) if normal[2] < 0 else np.diag([1.0, -1.0, -1.0])
    else:
        flat = about(axis, float(np.arctan2(np.linalg.norm(axis), normal @ target)))
    return np.asarray(about(np.array([0.0, 0.0, 1.0]), yaw) @ flat)


def turn_showing(rng: Generator, die: Die, value: int) -> Floats:
    """A pose in which it shows the value, with random yaw; raises ValueError if it does not have that."""
    down = [i for i in range(len(die.solid.faces)) if die.solid.value_on_table(i) == value]
    if not down:
        raise ValueError(f"a {die.kind} has no {value}")
    return face_down(die, down[0], float(rng.uniform(0, 2 * np.pi)))


def any_turn(rng: Generator, die: Die) -> Floats:
    return face_down(die, int(rng.integers(len(die.solid.faces))), float(rng.uniform(0, 2 * np.pi)))


def dice_set(rng: Generator) -> dict[Kind, tuple[Die, ...]]:
    """The table's dice: PER_KIND of each kind, of about one size, in a few makes."""
    looks = [random_look(rng) for _ in range(4)]
    scale = float(rng.uniform(0.9, 1.15))
    dice: dict[Kind, tuple[Die, ...]] = {}
    number = 0
    for kind in EVERY_KIND:
        layouts = len(SOLIDS[kind])
        made = []
        for _ in range(PER_KIND):
            layout = int(rng.random() < RARER) if layouts > 1 else 0
            made.append(Die(number, kind, layout, scale, looks[int(rng.integers(len(looks)))]))
            number += 1
        dice[kind] = tuple(made)
    return dice


def random_look(rng: Generator) -> Appearance:
    """A realistic make: a body of any colour, with marks that contrast with it."""
    body = rng.uniform(0.05, 0.92, 3)
    if rng.random() < 0.4:
        body[:] = body.mean()
    bright = float(body @ (0.114, 0.587, 0.299))
    ink = rng.uniform(0.88, 0.98, 3) if bright < 0.45 else rng.uniform(0.02, 0.12, 3)
    blue, green, red = body.tolist()
    ink_blue, ink_green, ink_red = ink.tolist()
    return Appearance(
        body=(blue, green, red),
        ink=(ink_blue, ink_green, ink_red),
        gloss=float(rng.uniform(0.05, 0.5)),
        marble=float(rng.choice([0.0, 0.0, rng.uniform(0.05, 0.2)])),
        rounding=float(rng.uniform(0.03, 0.07)),
        weight=float(rng.uniform(0.13, 0.19)),
        slant=float(rng.choice([0.0, 0.0, 0.12])),
        pip_part=float(rng.uniform(0.15, 0.21)),
    )
