"""Throws dice with rigid-body physics (MuJoCo, the extra `sim`): they hit floor, rim and each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from math import hypot, log, pi
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated.die import Die, Floats, Lying, Pose, settled
from hardware.simulated.path import STEPS_PER_S, Clip, Release
from hardware.simulated.throw import DrawnThrow
from hardware.simulated.tray import TRAY_MM

if TYPE_CHECKING:
    from mujoco import MjData


STEP_S = 1 / 600
LONGEST_S = 3.0
STILL_STEPS = 12
"""Recorded steps without motion after which dice count as still."""
STILL_MM = 0.1
STILL_TURN = 0.01
"""Smaller changes are the solver's trembling: of a place, and of an entry of a rotation (0.6 degrees)."""
CORNER_MM = 0.9
"""Radius to which a die's corners are rounded."""
FELT, WALL, DIE = 0.4, 0.2, 0.15
"""Friction on the felt floor, along the walls, and of dice against each other."""
GIVES_S = 0.01
"""Time constant of a contact: felt gives way, so a die is on it for some milliseconds."""
BY_ALL_WALLS = 1 | 4
"""The contact bits of a die inside: of the floor and most walls, and of the rim that it came over."""
SLOW_M_S = 0.06
SLOW_RAD_S = 4.0
"""Dice slower than both do not bounce (damping ratio 1); else they tremble in the solver and never rest."""


def available() -> bool:
    return find_spec("mujoco") is not None


def tumbled(
    dice: Sequence[Die],
    throw: DrawnThrow,
    releases: Sequence[Release],
    resting: Sequence[Lying],
    bounces: float,
) -> list[Clip]:
    """The dice beside those `resting`, which do not budge; they leave the felt with `bounces` of their speed.

    The rim they come over is no wall to a die that is not inside yet.
    """
    import mujoco

    damping = -log(bounces) / hypot(pi, log(bounces))
    model = mujoco.MjModel.from_xml_string(scene(dice, resting, damping, throw.rim))
    data = mujoco.MjData(model)
    bodies = [model.body(f"thrown{i}").id for i in range(len(dice))]
    corners = [model.geom_bodyid == body for body in bodies]
    steps = int(LONGEST_S * STEPS_PER_S)
    last = max((release.step for release in releases), default=0)
    touching = model.geom_contype == 1  # the spheres at corners
    places, turns = np.empty((steps, len(dice), 3)), np.empty((steps, len(dice), 3, 3))
    for step in range(steps):
        let_go(data, releases, step)
        for own, die, release, at_m in zip(corners, dice, releases, data.xpos[bodies], strict=True):
            if step > release.step and inside(die, at_m):
                model.geom_contype[own & touching] = BY_ALL_WALLS
        if step <= last:
            mujoco.mj_forward(model, data)
        turns[step] = data.xmat[bodies].reshape(-1, 3, 3)
        for i, (die, at_m) in enumerate(zip(dice, data.xpos[bodies], strict=True)):
            places[step, i] = above_floor(die, at_m * 1000, turns[step, i])
        for own, slow in zip(corners, slow_dice(data.qvel), strict=True):
            model.geom_solref[own, 1] = 1.0 if slow else damping
        mujoco.mj_step(model, data, round(1 / STEPS_PER_S / STEP_S))
        recent = slice(max(0, step + 1 - STILL_STEPS), step + 1)
        if step >= STILL_STEPS + last and still(places[recent], turns[recent]):
            break
    rest = step + 1 - STILL_STEPS
    paths = [[Pose(places[step, i], turns[step, i]) for step in range(rest + 1)] for i in range(len(dice))]
    return [
        Clip(rest - release.step, shifted(path, release.step), settled(die, path[rest]))
        for die, path, release in zip(dice, paths, releases, strict=True)
    ]


def inside(die: Die, at_m: Floats) -> bool:
    return bool((np.abs(at_m[:2]) * 1000 < np.array(TRAY_MM) / 2 - die.reach_mm).all())


def shifted(path: Sequence[Pose], by: int) -> Callable[[int], Pose]:
    return lambda step: path[step + by]


def slow_dice(speeds: Floats) -> list[bool]:
    """Whether each die is too slow to bounce, from the speeds of all, 6 a die (m/s, rad/s)."""
    by_die = speeds.reshape(-1, 6)
    along, round_itself = np.abs(by_die[:, :3]).max(axis=1), np.abs(by_die[:, 3:]).max(axis=1)
    return [bool(slow) for slow in (along < SLOW_M_S) & (round_itself < SLOW_RAD_S)]


def above_floor(die: Die, at_mm: Floats, turn: Floats) -> Floats:
    """The die's position, mm, raised to the floor if the solver let it sink in at an impact."""
    lowest = (die.vertices_mm @ turn[2]).min() + at_mm[2]
    return np.array([at_mm[0], at_mm[1], at_mm[2] - min(0.0, lowest)])


def still(places: Floats, turns: Floats) -> bool:
    """Whether no die moved in these steps; mm and rotation matrices, steps × dice × 3 (× 3)."""
    if np.abs(places[-2] - places[-1]).max() >= STILL_MM:
        return False
    moved_mm, turned = np.abs(places[:-1] - places[-1]).max(), np.abs(turns[:-1] - turns[-1]).max()
    return bool(moved_mm < STILL_MM and turned < STILL_TURN)


def let_go(data: MjData, releases: Sequence[Release], step: int) -> None:
    """Starts the dice that become free at that step at their speed; the later ones stay far away, at rest."""
    for i, release in enumerate(releases):
        place, speed = slice(7 * i, 7 * i + 7), slice(6 * i, 6 * i + 6)
        if step < release.step:
            data.qpos[place] = (2.0 + i / 10, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0)
            data.qvel[speed] = 0.0
        elif step == release.step:
            pose = release.pose
            data.qpos[place] = [*(pose.at_mm / 1000), *quaternion(pose.turn)]
            data.qvel[speed] = [*(release.speed_mm_s / 1000), *(pose.turn.T @ release.spin_rad_s)]


def scene(dice: Sequence[Die], resting: Sequence[Lying], damping: float, entry: tuple[float, float]) -> str:
    """The tray, dice on it and dice to be thrown, as MuJoCo reads it (metres, kilograms).

    Dice touch floor and walls with spheres at their corners. Against a plane MuJoCo takes only three corners
    of a mesh, and a cube that stands on three of its four corners never stops rocking.
    """
    meshes = []
    bodies = []
    for i, die in enumerate(dice):
        meshes.append(mesh(f"thrown{i}", die))
        corners = "".join(f'<geom class="corner" pos="{numbers(corner / 1000)}"/>' for corner in rounded(die))
        body = f'<geom class="die" mesh="thrown{i}"/>{corners}'
        bodies.append(f'<body name="thrown{i}"><freejoint/>{body}</body>')
    for i, lying in enumerate(resting):
        meshes.append(mesh(f"kept{i}", lying.die))
        position, turn = numbers(lying.pose.at_mm / 1000), numbers(quaternion(lying.pose.turn))
        bodies.append(f'<body pos="{position}" quat="{turn}"><geom class="die" mesh="kept{i}"/></body>')
    half_x, half_y = TRAY_MM[0] / 2000, TRAY_MM[1] / 2000
    for x, y in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        way = 'conaffinity="4"' if (x, y) == entry else ""
        place = f'pos="{x * half_x} {y * half_y} 0" zaxis="{-x} {-y} 0"'
        bodies.append(f'<geom class="wall" {place} {way}/>')
    return f"""<mujoco>
<option timestep="{STEP_S}" integrator="implicitfast" cone="elliptic"/>
<default>
<geom condim="3" solref="{GIVES_S} {damping}" solimp="0.95 0.99 0.0005"/>
<default class="corner"><geom type="sphere" size="{CORNER_MM / 1000}" mass="0" friction="{DIE}"
  solmix="1000" contype="1" conaffinity="0"/></default>
<default class="die"><geom type="mesh" density="1200" friction="{DIE}"
  contype="2" conaffinity="2"/></default>
<default class="floor"><geom type="plane" size="1 1 0.1" friction="{FELT}"
  contype="0" conaffinity="1"/></default>
<default class="wall"><geom type="plane" size="1 1 0.1" friction="{WALL}"
  contype="0" conaffinity="1"/></default>
</default>
<asset>{"".join(meshes)}</asset>
<worldbody><geom class="floor"/>{"".join(bodies)}</worldbody>
</mujoco>"""


def rounded(die: Die) -> Floats:
    """The centres of the spheres that round its corners, N×3 mm; each touches the faces that meet there."""
    faces = np.array([face.normal for face in die.solid.faces])
    inside = float((die.vertices_mm @ faces.T).max(axis=0).min())
    return die.vertices_mm * (1 - CORNER_MM / inside)


def mesh(name: str, die: Die) -> str:
    return f'<mesh name="{name}" vertex="{numbers(die.vertices_mm.ravel() / 1000)}"/>'


def numbers(values: Floats) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def quaternion(turn: Floats) -> Floats:
    """The rotation as (w, x, y, z)."""
    around = turn + turn.T - np.eye(3) * (np.trace(turn) - 1)
    values, axes = np.linalg.eigh(around)
    axis = axes[:, values.argmax()]
    twist = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine, cosine = float(twist @ axis) / 2, (float(np.trace(turn)) - 1) / 2
    angle = float(np.arctan2(sine, cosine))
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
