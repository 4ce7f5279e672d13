"""Whole scenes: dice lying, touching and tilted on a table among other things, with their labels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from games.dice import KINDS, Kind
from training import Array, Rng, clutter
from training.augment import degrade
from training.body import Cover, LaidDie, Patch, RenderLens, RenderLight, render, resting
from training.dice_sets import Model, ambiguous, bases, model
from training.materials import surface

CLOSEST = 96.0
"""Millimetres from the camera to the table, at least: nearer, no camera is sharp."""
LONGEST = 4.5
"""Longest focal length, in sides of a scene, which is part of a frame: from above and afar no side shows."""
SMALL, SMALLEST, LARGEST = 21.0, 11.0, 150.0
"""Pixels along a die under which numerals are not legible, so that all dice have pips; and the range."""
FAR = 0.12
"""The part of the scenes that have such small dice."""


@dataclass(frozen=True)
class DieTruth:
    """A die as it lies and is seen.

    `box` (x, y, w, h) is what the frame shows of it, in pixels; `tilt_deg` is how far it is off lying flat.
    `top` and `plumb` are the directions of its top and straight up, each (2,): how far they point right and
    down, square to the sight of the die. The first columns of `symbols` (n, …) are where the symbols that say
    the value are seen, x and y.
    """

    kind: int
    value: int
    box: tuple[float, float, float, float]
    tilt_deg: float
    top: Array
    plumb: Array
    symbols: Array


@dataclass(frozen=True)
class DieLabel(DieTruth):
    """One die's label: `symbols` (n, 4) as in training.body.Patch.

    `pips` if they are faces of pips, alike from four sides; `told` if a line or dot tells a 6 from a 9, or it
    is neither. `text` is what is written there, None for a picture.
    """

    readable: bool
    cocked: bool
    pips: bool
    told: bool
    text: str | None


@dataclass(frozen=True)
class Tilted:
    """The part of the dice that are tilted, and by how many degrees at least and at most."""

    part: float = 0.09
    least_deg: float = 9.0
    most_deg: float = 42.0


USUAL_TILT = Tilted()


@dataclass(frozen=True)
class Scene:
    """A frame (uint8 h × w × 3, BGR), its dice and the angle of the camera off the vertical."""

    frame: Array
    dice: tuple[DieLabel, ...]
    lean_deg: float


def any_die(unit: float, rng: Rng) -> Model:
    """A die that is seen `unit` pixels large, drawn by chance."""
    return model("d6", rng, pips=1.0) if unit < SMALL else model(any_kind(rng), rng)


def scene(
    rng: Rng,
    *,
    side: int = 480,
    tilted: Tilted = USUAL_TILT,
    die_of: Callable[[float, Rng], Model] = any_die,
) -> Scene:
    """One scene of side × side pixels, drawn by chance, its dice by `die_of`."""
    sizes = (SMALLEST, SMALL) if rng.random() < FAR else (SMALL, LARGEST)
    unit = float(np.exp(rng.uniform(*np.log(sizes))))
    lean = abs(rng.normal(0, 12)) if rng.random() < 0.75 else rng.uniform(20, 52)
    lens = any_lens(rng, side, unit, float(np.radians(lean)))
    light = any_light(rng)
    picture = surface(rng, side, side)
    if rng.random() < 0.45:
        clutter.edges(picture, rng)
    picture *= np.float32(min(1.25, light.ambient + 0.75 * float(light.strengths @ light.directions[:, 2])))
    for _ in range(int(rng.choice([0, 0, 1, 2, 4]))):
        clutter.thing(picture, unit, rng)
    most = int(min(34.0, 0.35 * (side / unit) ** 2))
    count = int(rng.integers(1, max(1, most) + 1)) if rng.random() > 0.04 else 0
    same_set = [die_of(unit, rng) for _ in range(int(rng.integers(2, 7)))]
    placed: list[LaidDie] = []
    hulls: list[Array] = []
    close = rng.random()
    for _ in range(count):
        die = same_set[int(rng.integers(len(same_set)))] if rng.random() < 0.5 else die_of(unit, rng)
        place(die, placed, hulls, lens, side, close, rng, tilted)
    shadows(picture, placed, lens, light, unit, rng)
    placed.sort(key=lambda die: -float(np.linalg.norm(die.position - lens.position)))
    patches = [render(die, lens, light, rng) for die in placed]
    owner = compose(picture, placed, patches)
    if rng.random() < 0.06:
        paint, cover = clutter.hand((side, side), unit, rng)
        picture[:] = picture * (1 - cover[..., None]) + paint * cover[..., None]
        owner[cover > 0.5] = -2
    dice = labels(placed, patches, owner, lens)
    exposure = rng.uniform(0.25, 0.75) / max(0.02, float(picture.mean()))
    exposure = float(np.clip(exposure, 0.6, 2.5))
    if rng.random() < 0.9:  # most cameras do not burn out what is bright
        exposure = min(exposure, 1.0 / max(0.05, float(np.percentile(picture[::4, ::4].max(2), 95))))
    picture *= np.float32(exposure)
    return Scene(degrade(np.clip(picture, 0, 1), rng, strength=min(1.0, unit / 40)), dice, float(lean))


def any_kind(rng: Rng) -> Kind:
    """A kind, those with more faces more often."""
    return KINDS[int(rng.choice(len(KINDS), p=[0.1, 0.22, 0.13, 0.16, 0.16, 0.23]))]


def any_lens(rng: Rng, side: int, unit: float, lean: float) -> RenderLens:
    """A camera that sees a 16 mm die `unit` pixels wide; tilted much, it has the far side on top."""
    focal = max(CLOSEST * unit / 16, side * float(np.exp(rng.uniform(np.log(0.55), np.log(LONGEST)))))
    far = focal * 16 / unit
    heading = rng.uniform(0, 2 * np.pi) if lean < np.radians(25) else rng.normal(0, 0.25) + np.pi / 2
    # the way that the lens looks, from above and behind
    forward = np.array([np.sin(lean) * np.cos(heading), np.sin(lean) * np.sin(heading), -np.cos(lean)])
    roll = rng.uniform(0, 2 * np.pi) if lean < np.radians(25) else heading - np.pi / 2
    up = np.array([-np.sin(roll), np.cos(roll), 0.0])
    down = -(up - forward * (up @ forward))
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    centre = (side / 2 + rng.normal(0, side * 0.12), side / 2 + rng.normal(0, side * 0.12))
    return RenderLens(
        np.array([right, down, forward]), -forward * far, focal, centre, float(rng.normal(-0.03, 0.06))
    )


def any_light(rng: Rng) -> RenderLight:
    """One to three lamps, and light from all round."""
    lamps = int(rng.integers(1, 4))
    directions = rng.normal(0, 0.6, (lamps, 3))
    directions[:, 2] = rng.uniform(0.5, 1.6, lamps)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    strengths = rng.dirichlet(np.ones(lamps)) * rng.uniform(0.3, 0.9)
    return RenderLight(
        directions, strengths, float(rng.uniform(0.25, 0.7)), rng.normal(0, 1.5, 4).astype(np.float32)
    )


def ground(lens: RenderLens, x: float, y: float) -> tuple[float, float]:
    """The place on the table under a pixel, in millimetres (without the lens's bend)."""
    ray = (
        np.array([(x - lens.centre[0]) / lens.focal, (y - lens.centre[1]) / lens.focal, 1.0]) @ lens.rotation
    )
    at = lens.position + ray * (-lens.position[2] / min(-0.05, ray[2]))
    return float(at[0]), float(at[1])


def _clash(hull: Array, hulls: list[Array]) -> bool:
    return any(cv2.intersectConvexConvex(hull, other)[0] > 0.5 for other in hulls)


def tipped(die: Model, down: int, yaw: float, tilted: Tilted, rng: Rng) -> tuple[float, float]:
    """A tilt and the way of it, in radians, by which the die is off lying flat on any face."""
    least = min(tilted.least_deg - 1, 8.0)
    while True:
        tilt = float(np.radians(rng.uniform(tilted.least_deg, tilted.most_deg)))
        toward = float(rng.uniform(0, 2 * np.pi))
        if off_level_deg(resting(die, down, yaw, tilt, toward, (0.0, 0.0))) > least:
            return tilt, toward


def off_level_deg(die: LaidDie) -> float:
    """How far the die is off lying flat on the nearest of its faces."""
    normals = np.array([face.normal for face in die.model.solid.faces]) @ die.rotation.T
    return float(np.degrees(np.arccos(min(1.0, -float(normals[:, 2].min())))))


def place(
    die: Model,
    placed: list[LaidDie],
    hulls: list[Array],
    lens: RenderLens,
    side: int,
    close: float,
    rng: Rng,
    tilted: Tilted = USUAL_TILT,
) -> None:
    """Finds room for the die, against another one if the scene is `close`, and notes where it lies."""
    cocked = rng.random() < tilted.part
    lying = bases(die.solid)
    down = lying[int(rng.integers(len(lying)))]
    yaw, toward = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 2 * np.pi))
    tilt = abs(float(rng.normal(0, 0.012)))
    if cocked:
        tilt, toward = tipped(die, down, yaw, tilted, rng)
    for _ in range(8):
        at = ground(lens, *rng.uniform(0.01 * side, 0.99 * side, 2))
        laid = resting(die, down, yaw, tilt, toward, at, cocked=cocked)
        # Rounded, because OpenCV finds no overlap of some hulls whose corners nearly coincide.
        hull = np.asarray(cv2.convexHull(laid.vertices[:, :2].round(2).astype(np.float32)))
        if _clash(hull, hulls):
            continue
        if placed and rng.random() < close * 0.8:
            near = min(
                placed, key=lambda one: (one.position[0] - at[0]) ** 2 + (one.position[1] - at[1]) ** 2
            ).position[:2]
            low, high = 0.0, 1.0
            for _ in range(9):
                mid = (low + high) / 2
                if _clash(hull + ((near - at) * mid).astype(np.float32), hulls):
                    high = mid
                else:
                    low = mid
            step = (near - np.array(at)) * low
            hull = hull + step.astype(np.float32)
            there = (at[0] + float(step[0]), at[1] + float(step[1]))
            laid = resting(die, down, yaw, tilt, toward, there, cocked=cocked)
        placed.append(laid)
        hulls.append(hull)
        return


def shadows(
    picture: Array, placed: list[LaidDie], lens: RenderLens, light: RenderLight, unit: float, rng: Rng
) -> None:
    """Darkens the picture where the dice keep the lamps' light from the table."""
    side = picture.shape[0]
    dark = np.zeros((side, side), np.float32)
    for direction, strength in zip(light.directions, light.strengths, strict=True):
        layer = np.zeros((side, side), np.float32)
        for die in placed:
            points = die.vertices
            fallen = points - direction * (points[:, 2:] / direction[2])
            shape = cv2.convexHull(lens.project(fallen).astype(np.float32))
            cv2.fillConvexPoly(layer, (shape * 16).round().astype(np.int32), 1.0, cv2.LINE_AA, 4)
        soft = max(0.7, unit * rng.uniform(0.02, 0.3))
        dark += strength / (light.strengths.sum() + light.ambient) * cv2.GaussianBlur(layer, (0, 0), soft)
    contact = np.zeros((side, side), np.float32)
    for die in placed:
        shape = cv2.convexHull(lens.project(die.vertices * (1, 1, 0)).astype(np.float32))
        cv2.fillConvexPoly(contact, (shape * 16).round().astype(np.int32), 1.0, cv2.LINE_AA, 4)
    soft_contact = cv2.GaussianBlur(contact, (0, 0), max(0.7, unit * 0.12))
    picture *= np.clip(1 - dark, 0, 1)[..., None] * (1 - 0.35 * soft_contact)[..., None]


def compose(picture: Array, placed: list[LaidDie], patches: list[Patch]) -> Array:
    """Lays the patches on the picture in place; returns whose each pixel is, int16, -1 for none."""
    side = picture.shape[0]
    owner = np.full((side, side), -1, np.int16)
    for i, (die, patch) in enumerate(zip(placed, patches, strict=True)):
        inner = overlap(patch, side)
        if inner is None:
            continue
        (ys, xs), (py, px) = inner
        alpha = patch.alpha[py, px, None]
        opacity = die.model.stuff.opacity
        part = picture[ys, xs]
        if opacity < 1:  # the table shines through
            through = cv2.GaussianBlur(part, (0, 0), 2.0) * (0.5 + 0.5 * patch.colour[py, px])
            colour = patch.colour[py, px] * opacity + through * (1 - opacity)
        else:
            colour = patch.colour[py, px]
        picture[ys, xs] = part * (1 - alpha) + colour * alpha
        owner[ys, xs][alpha[..., 0] > 0.5] = i
    return owner


def overlap(patch: Cover, side: int) -> tuple[tuple[slice, slice], tuple[slice, slice]] | None:
    """The rows and columns of the frame that the patch falls on, and those of the patch itself."""
    tall, wide = patch.alpha.shape
    x, y = patch.origin
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + wide, side), min(y + tall, side)
    if x1 <= x0 or y1 <= y0:
        return None
    return (slice(y0, y1), slice(x0, x1)), (slice(y0 - y, y1 - y), slice(x0 - x, x1 - x))


def labels(
    placed: Sequence[LaidDie], covers: Iterable[Cover], owner: Array, lens: RenderLens
) -> tuple[DieLabel, ...]:
    """The labels of the dice, given which die each pixel shows, without those next to invisible."""
    found = []
    for i, (die, cover) in enumerate(zip(placed, covers, strict=True)):
        inner = overlap(cover, owner.shape[0])
        whole = float((cover.alpha > 0.5).sum())
        if inner is None or not whole:
            continue
        frame, own = inner
        mine = owner[frame] == i
        if float(mine.sum()) < 0.15 * whole:
            continue
        top = cover.top > 0.5
        shown = float((mine & top[own]).sum()) / max(1.0, float(top.sum()))
        rows, columns = np.flatnonzero(mine.any(1)), np.flatnonzero(mine.any(0))
        x, y = frame[1].start + columns[0], frame[0].start + rows[0]
        box = (float(x), float(y), float(columns[-1] - columns[0] + 1), float(rows[-1] - rows[0] + 1))
        model, across = die.model, lens.across(die.position)
        up = -die.rotation @ np.array(model.solid.faces[die.down].normal)
        found.append(
            DieLabel(
                kind=KINDS.index(model.solid.kind),
                value=die.value,
                readable=model.readable and not die.cocked and shown > 0.88,
                cocked=die.cocked,
                box=box,
                symbols=cover.symbols,
                pips=not model.texts,
                told=not ambiguous(model, die.value),
                text=model.text(die.value),
                tilt_deg=off_level_deg(die),
                top=across @ up,
                plumb=across[:, 2],
            )
        )
    return tuple(found)
