"""Stage `traced`: packs of path-traced scenes, where light, shadow and gloss are those of the world."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training import Array, Rng, clutter, pathtracer
from training.augment import degrade
from training.body import Cover, LaidDie, RenderLens, RenderLight, upright
from training.dice_sets import Model, inradius, model
from training.materials import colour, noise, surface
from training.mesh import Mesh, rounded, skin
from training.packs import scene_packs
from training.pathtracer import centred, linear, mitsuba, picture, render, shape
from training.scenes import USUAL_TILT, Scene, Tilted, any_kind, any_lens, any_light, labels, place

SCENES = 20
"""Scenes in a pack."""
SAMPLES = 6
"""Paths of light a pixel."""
TAKES = 2
"""How often a scene is taken: tracing is slow, and another exposure, focus and noise costs nothing."""
LAMPS = 3
"""Lamps of every scene, some of them in one place; for another number all would be compiled anew."""
SKIN = 512
"""Pixels along the picture of a die's faces, one size for the same reason."""
GROUND = 1000
"""Pixels along the picture of a ground or thing."""
Stuff = dict[str, Any]
"""A material in the path tracer's words."""


def trace_packs(folder: Path, numbers: range) -> None:
    """Traces the packs of these numbers; pack 0 is kept for judging."""
    scene_packs(
        folder,
        "traced",
        numbers,
        22,
        lambda rng, _: (shot for _ in range(SCENES) for shot in traced_scene(rng)),
    )


def traced_scene(rng: Rng, *, side: int = 416, tilted: Tilted = USUAL_TILT) -> list[Scene]:
    """One path-traced scene of side × side pixels, drawn by chance, as TAKES cameras show it."""
    unit = float(np.exp(rng.uniform(np.log(24), np.log(150))))
    lean = abs(rng.normal(0, 12)) if rng.random() < 0.75 else rng.uniform(20, 50)
    lens = centred(any_lens(rng, side, unit, float(np.radians(lean))), side)
    far = float(np.linalg.norm(lens.position))
    floor, things = _table(8 * side / unit, unit, rng)
    placed = _thrown(lens, side, unit, [hull for thing in things for hull in thing.hulls], rng, tilted)
    things += [pathtracer.prop(die, rng) for die in placed if die.cocked]
    solids = [rounded_mesh(die) for die in placed]
    shapes = [
        *(shape(mesh, _stuff(die.model, rng)) for die, mesh in zip(placed, solids, strict=True)),
        *(shape(mesh, stuff) for mesh, stuff in floor),
        *(
            shape(thing.mesh, _plain(thing.paint, thing.roughness, thing.metallic, 0.2 * thing.paint.mean(2)))
            for thing in things
        ),
    ]
    lamps = _lamps(any_light(rng), far, rng)
    blur = far * rng.uniform(0.002, 0.02)
    seed = int(rng.integers(2**30))
    shone, owner = render(shapes, lamps, lens, side, samples=SAMPLES, seed=seed, blur=blur)
    owner[owner >= len(placed)] = -1
    covers = (cover_of(die, mesh, lens) for die, mesh in zip(placed, solids, strict=True))
    dice, strength = labels(placed, covers, owner, lens), min(1.0, unit / 40)
    return [
        Scene(degrade(developed(shone, rng), rng, strength=strength), dice, float(lean)) for _ in range(TAKES)
    ]


def developed(light: Array, rng: Rng) -> Array:
    """The light (RGB) as a camera shows it, its brightest parts rolled off: float32 BGR in [0, 1]."""
    middle = float(np.median(light.mean(2)))
    exposure = rng.uniform(0.1, 0.35) / max(1e-4, middle)
    exposure = min(exposure, 1.3 / max(1e-4, float(np.percentile(light.max(2), 96))))
    level = light * exposure
    shoulder = 1 - np.exp(-1.25 * level)
    return np.asarray(np.clip(shoulder, 0, 1) ** (1 / 2.2), np.float32)[..., ::-1].copy()


def _thrown(
    lens: RenderLens, side: int, unit: float, hulls: list[Array], rng: Rng, tilted: Tilted
) -> list[LaidDie]:
    """Dice in what room the hulls leave."""
    placed: list[LaidDie] = []
    most = int(min(30.0, 0.35 * (side / unit) ** 2))
    count = int(rng.integers(1, max(1, most) + 1)) if rng.random() > 0.03 else 0
    of_a_set = [model(any_kind(rng), rng) for _ in range(int(rng.integers(2, 7)))]
    close = float(rng.random())
    for _ in range(count):
        die = of_a_set[int(rng.integers(len(of_a_set)))] if rng.random() < 0.5 else model(any_kind(rng), rng)
        place(die, placed, hulls, lens, side, close, rng, tilted)
    return placed


def _table(reach: float, unit: float, rng: Rng) -> tuple[list[tuple[Mesh, Stuff]], list[pathtracer.Thing]]:
    """The table's top, with or without a tray and its floor, and the things that stand there."""
    things: list[pathtracer.Thing] = []
    board = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 8 * reach
    flats = [(_flat(board, -0.3, reach), _cloth(unit, rng))]
    if rng.random() < 0.6:
        rim, outline = pathtracer.tray(reach, rng)
        things.append(rim)
        flats.append((_flat(outline, 0.0, reach), _cloth(unit, rng)))
    for _ in range(int(rng.choice([0, 0, 0, 1, 2]))):
        x, y = rng.uniform(-1, 1, 2) * reach
        things.append(pathtracer.thing((float(x), float(y)), 13.0, rng))
    return flats, things


def _flat(outline: Array, height: float, reach: float) -> Mesh:
    """A flat ground within the outline; its picture spans twice what the camera sees."""
    points = np.concatenate([outline, np.full((len(outline), 1), height)], 1)
    triangles = np.array([[0, i, i + 1] for i in range(1, len(outline) - 1)])
    return Mesh(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)), outline / (4 * reach) + 0.5, triangles)


def _cloth(unit: float, rng: Rng) -> Stuff:
    """What a ground is made of: matt or shining, with things printed on it or none."""
    paint = surface(rng, GROUND, GROUND)
    for _ in range(int(rng.choice([0, 0, 0, 2, 6]))):
        clutter.thing(paint, unit, rng)
    bump = cv2.GaussianBlur(paint.mean(2), (0, 0), 1.0) * rng.uniform(0, 1.2)
    rough = float(rng.choice([rng.uniform(0.15, 0.4), rng.uniform(0.5, 1.0)], p=[0.3, 0.7]))
    return _plain(0.9 * paint[::-1], rough, 0.0, bump[::-1])


def _plain(paint: Array, roughness: float, metallic: float, height_mm: Array) -> Stuff:
    coat = {
        "type": "principled",
        "base_color": picture(_enlarged(linear(paint))),
        "roughness": roughness,
        "metallic": max(0.001, metallic),
        "specular": 0.5,
    }
    return _bumped(coat, _enlarged(height_mm))


def _enlarged(values: Array) -> Array:
    return np.asarray(cv2.resize(values, (GROUND, GROUND), interpolation=cv2.INTER_LINEAR))


def _bumped(stuff: Stuff, height_mm: Array) -> Stuff:
    return {"type": "bumpmap", "height": picture(height_mm), "scale": 1.0, "bsdf": stuff}


def _stuff(die: Model, rng: Rng) -> Stuff:
    """What a die is made of: its colours, its ink, engraved or printed, how clear and how smooth it is."""
    own, stuff = skin(die, SKIN, rng), die.stuff
    ink = own.ink
    if stuff.wear:
        worn = noise(rng, *ink.shape, coarse=12, octaves=2)
        ink = ink * (1 - stuff.wear * np.clip(4 * worn - 1.6, 0, 1))
    paint = linear(own.colour) * (1 - ink[..., None]) + linear(stuff.ink) * ink[..., None]
    smooth = 0.75 - 0.75 * min(1.0, 3 * stuff.gloss) if stuff.gloss < 0.3 else 0.16 / (1 + 2 * stuff.gloss)
    body_roughness = float(np.clip(smooth + rng.uniform(0.03, 0.15), 0.04, 1))
    roughness = body_roughness + (rng.uniform(0.3, 0.7) - body_roughness) * ink
    gilt = float(rng.random() < 0.15) * 0.9
    metal = 1.0 if stuff.look == "metal" else 0.0
    clear = 1 - stuff.opacity if stuff.look == "translucent" else 0.0
    coat = {
        "type": "principled",
        "base_color": picture(np.clip(paint, 0, 1)),
        "roughness": picture(roughness),
        "metallic": picture(metal * (1 - ink) + gilt * ink),
        "spec_trans": picture(min(1.0, 1.6 * clear) * (1 - ink)),
        "eta": 1.5,
    }
    carved = cv2.GaussianBlur(own.ink, (0, 0), max(0.6, ink.shape[0] * 0.003)) * np.float32(
        -0.22 * stuff.depth
    )
    return _bumped(coat, carved)


def rounded_mesh(laid: LaidDie) -> Mesh:
    """The die's rounded body where it lies."""
    die = laid.model
    body = rounded(die.solid, die.rounding, inradius(die.solid) * die.ball)
    points = body.points * die.size @ laid.rotation.T + laid.position
    points[:, 2] -= points[:, 2].min()
    return replace(body, points=points, normals=body.normals @ laid.rotation.T)


def cover_of(laid: LaidDie, mesh: Mesh, lens: RenderLens) -> Cover:
    """What the die covers in the frame, and its top."""
    seen = lens.project(mesh.points)
    low = np.floor(seen.min(0)).astype(int) - 2
    wide, tall = np.ceil(seen.max(0)).astype(int) + 3 - low
    top = np.zeros((tall, wide), np.float32)
    for number in laid.tops:
        face = laid.model.solid.faces[number]
        outline = laid.vertices[list(face.corners)]
        if (laid.rotation @ np.array(face.normal)) @ (lens.position - outline.mean(0)) > 0:
            _fill(top, lens.project(outline) - low)
    alpha = np.zeros((tall, wide), np.float32)
    _fill(alpha, cv2.convexHull((seen - low).astype(np.float32))[:, 0])
    return Cover(alpha, top * alpha, (int(low[0]), int(low[1])), upright(laid, lens))


def _fill(mask: Array, outline: Array) -> None:
    cv2.fillConvexPoly(mask, ((outline - 0.5) * 16).round().astype(np.int32), 1.0, cv2.LINE_AA, 4)


def _lamps(light: RenderLight, far: float, rng: Rng) -> list[Stuff]:
    """Round lamps, small and large, and a room of soft colours with windows."""
    lamps: list[Stuff] = []
    room = noise(rng, 32, 64, coarse=2, octaves=2)[..., None] * (0.4 + 0.6 * linear(colour(rng) * 0.5 + 0.5))
    room = room * (0.15 + np.linspace(1, 0, 32)[:, None, None] ** rng.uniform(0.3, 2))
    for _ in range(int(rng.integers(0, 4))):
        row, column = int(rng.integers(3, 13)), int(rng.integers(0, 56))
        tall, wide = int(rng.integers(2, 6)), int(rng.integers(2, 9))
        room[row : row + tall, column : column + wide] += rng.uniform(1, 8)
    room *= light.ambient / max(1e-3, float(room[:16].mean()))
    lamps.append(_room(room))
    lit = len(light.strengths)
    for k in range(LAMPS):
        direction, strength = light.directions[k % lit], light.strengths[k % lit] * lit / LAMPS
        distance = 1.6 * far + rng.uniform(150, 800)
        radius = distance * float(np.exp(rng.uniform(np.log(0.03), np.log(0.3))))
        tint = 1 + rng.normal(0, 0.08, 3)
        radiance = np.clip(2.5 * strength * (distance / radius) ** 2 * tint, 0, None)
        lamps.append(
            {
                "type": "sphere",
                "center": [float(c) for c in direction * distance],
                "radius": radius,
                "emitter": {"type": "area", "radiance": {"type": "rgb", "value": radiance.tolist()}},
            }
        )
    return lamps


def _room(light: Array) -> Stuff:
    mi = mitsuba()
    return {
        "type": "envmap",
        "bitmap": mi.Bitmap(np.ascontiguousarray(light, np.float32)),
        "to_world": mi.ScalarTransform4f().rotate([1, 0, 0], 90),
    }
