"""Stage `rasterised`: packs of scenes by MuJoCo's rasteriser, with its plain shading and hard shadows."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from games.dice import KINDS
from training import Array, Rng, clutter, pathtracer
from training.augment import degrade
from training.body import LaidDie, RenderLens
from training.dice_sets import Model, model
from training.materials import noise, surface
from training.mesh import Mesh, skin
from training.packs import scene_packs
from training.scenes import Scene, Tilted, any_lens, labels, place
from training.traced import cover_of, rounded_mesh

SCENES = 60
"""Scenes in a pack."""
SIDE = 480
"""Pixels along a scene."""
SKIN, GROUND = 256, 512
"""Pixels along the picture of a die's faces, and of a ground."""
SCALE = 0.01
"""The rasteriser's units for each millimetre."""
USUAL = Tilted(0.1, 9.0, 42.0)
"""How many dice are cocked."""
PLAIN = 0.5
"""The part of the dice of one plain colour: so most people's are."""
ODDS = (0.1, 0.32, 0.12, 0.22, 0.12, 0.12)
"""How often each kind is drawn: those often whose makes differ most."""
PIPS = 0.35
"""The part of the d6 that have pips."""


def raster_packs(folder: Path, numbers: range) -> None:
    """Draws the packs of these numbers; pack 0, of makes held out, is for judging."""
    scene_packs(
        folder,
        "raster",
        numbers,
        28,
        lambda rng, number: (raster_scene(rng, held=number == 0) for _ in range(SCENES)),
    )


def raster_scene(rng: Rng, *, tilted: Tilted = USUAL, held: bool = False) -> Scene:
    """One scene of SIDE × SIDE pixels, drawn by chance."""
    unit = float(np.exp(rng.uniform(np.log(26), np.log(130))))
    lean = abs(rng.normal(0, 12)) if rng.random() < 0.8 else rng.uniform(15, 45)
    middle = (SIDE / 2, SIDE / 2)
    lens = replace(any_lens(rng, SIDE, unit, float(np.radians(lean))), centre=middle, bend=0.0)
    reach = 8 * SIDE / unit
    things: list[pathtracer.Thing] = []
    if rng.random() < 0.5:
        things.append(pathtracer.tray(reach, rng)[0])
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        x, y = rng.uniform(-1, 1, 2) * reach
        things.append(pathtracer.thing((float(x), float(y)), 13.0, rng))
    hulls = [hull for thing in things for hull in thing.hulls]
    placed: list[LaidDie] = []
    most = int(min(22.0, 0.35 * (SIDE / unit) ** 2))
    close = float(rng.random()) ** 2
    for _ in range(int(rng.integers(1, max(1, most) + 1))):
        die = plainer(model(KINDS[int(rng.choice(len(KINDS), p=ODDS))], rng, pips=PIPS, held=held), rng)
        place(die, placed, hulls, lens, SIDE, close, rng, tilted)
    things += [pathtracer.prop(die, rng) for die in placed if die.cocked]
    floor = ground(unit, rng)
    meshes = [rounded_mesh(die) for die in placed]
    shapes = [
        (mesh, painted(die.model, rng), die.model.stuff.gloss)
        for die, mesh in zip(placed, meshes, strict=True)
    ]
    shapes += [(thing.mesh, thing.paint[::-1], 0.5 * (1 - thing.roughness)) for thing in things]
    picture, owner = rasterise(shapes, floor, lens, rng)
    owner[owner >= len(placed)] = -1
    covers = (cover_of(die, mesh, lens) for die, mesh in zip(placed, meshes, strict=True))
    dice = labels(placed, covers, owner, lens)
    frame = toned(picture.astype(np.float32) / 255, rng)
    return Scene(degrade(frame, rng, strength=min(1.0, unit / 40)), dice, float(lean))


def plainer(die: Model, rng: Rng) -> Model:
    """The die, or the same in one plain colour."""
    if rng.random() >= PLAIN:
        return die
    return replace(die, stuff=replace(die.stuff, look="opaque", second=die.stuff.base, opacity=1.0, wear=0.0))


def ground(unit: float, rng: Rng) -> Array:
    """The picture of the table or cloth, float32 GROUND × GROUND × 3 (BGR)."""
    paint = surface(rng, GROUND, GROUND)
    for _ in range(int(rng.choice([0, 0, 0, 2, 5]))):
        clutter.thing(paint, unit * GROUND / (2 * SIDE), rng)
    return paint


def toned(frame: Array, rng: Rng) -> Array:
    """The frame (float32 in [0, 1]) under the tone curve of a phone or a webcam, or none."""
    draw = rng.random()
    if draw < 0.3:  # an S, as phones have
        steep = rng.uniform(2, 6)
        low, high = 1 / (1 + np.exp(steep / 2)), 1 / (1 + np.exp(-steep / 2))
        frame = (1 / (1 + np.exp(-steep * (frame - 0.5))) - low) / (high - low)
    elif draw < 0.5:  # washed out, as of a cheap webcam
        frame = frame * rng.uniform(0.6, 0.9) + rng.uniform(0.03, 0.15)
    level = float(np.percentile(frame[::4, ::4].max(2), 97))
    frame = frame * min(rng.uniform(0.85, 1.5), 1.05 / max(0.05, level))
    return np.asarray(np.clip(frame, 0, 1), np.float32)


def painted(die: Model, rng: Rng) -> Array:
    """The picture of a die's faces, ink on body, rows from the bottom up, BGR in [0, 1]."""
    own, stuff = skin(die, SKIN, rng), die.stuff
    ink = own.ink
    if stuff.wear:
        ink = ink * (1 - stuff.wear * np.clip(4 * noise(rng, *ink.shape, coarse=12, octaves=2) - 1.6, 0, 1))
    out = own.colour * (1 - ink[..., None]) + stuff.ink * ink[..., None]
    if stuff.depth:  # the edge of an engraving that lies in its own shade
        shade = cv2.GaussianBlur(own.ink, (0, 0), 1.5) - np.roll(
            cv2.GaussianBlur(own.ink, (0, 0), 1.5), 2, (0, 1)
        )
        out = out * (1 + 0.25 * stuff.depth * np.clip(shade, -1, 1)[..., None])
    return np.asarray(np.clip(out, 0, 1), np.float32)


def rasterise(
    shapes: list[tuple[Mesh, Array, float]], floor: Array, lens: RenderLens, rng: Rng
) -> tuple[Array, Array]:
    """The picture (uint8 SIDE × SIDE × 3, BGR), and the number of the shape at each pixel, −1 for none.

    Each shape has a mesh, a picture (rows from the bottom up) and how much it shines.
    """
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco

    far, half = float(np.linalg.norm(lens.position)), SIDE / 2 / lens.focal
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth = spec.visual.global_.offheight = SIDE
    spec.visual.map.znear, spec.visual.map.zfar = 0.005, 60.0
    spec.visual.quality.shadowsize = 1024
    spec.visual.headlight.ambient = [float(rng.uniform(0.05, 0.4))] * 3
    spec.visual.headlight.diffuse = [float(rng.choice([0.0, rng.uniform(0, 0.35)]))] * 3
    spec.visual.headlight.specular = [0.0] * 3
    spec.stat.extent, spec.stat.center = 3.0, [0, 0, 0]
    _lights(spec, far * SCALE, rng)
    right, down, _ = lens.rotation
    spec.worldbody.add_camera(
        name="lens",
        pos=lens.position * SCALE,
        xyaxes=[*right, *(-down)],
        fovy=float(np.degrees(2 * np.arctan(half))),
    )
    _texture(spec, "floor", floor)
    _material(spec, "floor", 0.0, rng, repeat=(1.0, 1.0))
    wide = 3 * half * far * SCALE
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[wide, wide, 0.1], material="floor", pos=[0, 0, -0.002]
    )
    for number, (mesh, paint, gloss) in enumerate(shapes):
        name = f"shape{number}"
        _texture(spec, name, paint[::-1])
        _material(spec, name, gloss, rng)
        spec.add_mesh(
            name=name,
            uservert=(mesh.points * SCALE).ravel().tolist(),
            usernormal=mesh.normals.ravel().tolist(),
            usertexcoord=(mesh.places * (1, -1) + (0, 1)).ravel().tolist(),
            userface=mesh.triangles.ravel().tolist(),
            userfacenormal=mesh.triangles.ravel().tolist(),
            userfacetexcoord=mesh.triangles.ravel().tolist(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
        spec.worldbody.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name, contype=0, conaffinity=0
        )
    built = spec.compile()
    data = mujoco.MjData(built)
    mujoco.mj_forward(built, data)
    with mujoco.Renderer(built, SIDE, SIDE) as renderer:
        renderer.update_scene(data, camera="lens")
        picture = renderer.render()[..., ::-1].copy()
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, camera="lens")
        numbers = renderer.render()[..., 0].astype(np.int16)
    return picture, np.maximum(numbers - 1, -1)  # geom 0 is the floor


def _lights(spec: Any, far: float, rng: Rng) -> None:
    """One to three lamps, with hard shadows or none, and some light from all round."""
    import mujoco

    count = int(rng.choice([1, 1, 2, 3]))
    ambient = float(rng.uniform(0.15, 0.5))
    for strength in rng.dirichlet(np.ones(count)) * rng.uniform(0.5, 0.9):
        direction = np.array([*rng.normal(0, 0.5, 2), 1.0])
        direction /= np.linalg.norm(direction)
        tint = np.clip(1 + rng.normal(0, 0.06, 3), 0, None)
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=direction * (far + 3.0),
            dir=-direction,
            castshadow=bool(rng.random() < 0.8),
            diffuse=strength * tint,
            ambient=ambient / count * tint,
            specular=[float(rng.uniform(0.1, 0.8))] * 3,
        )


def _texture(spec: Any, name: str, paint: Array) -> None:
    import mujoco

    rgb = np.ascontiguousarray((np.clip(paint, 0, 1) * 255).astype(np.uint8)[..., ::-1])
    made = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=rgb.shape[1], height=rgb.shape[0], nchannel=3
    )
    made.data = rgb.tobytes()


def _material(spec: Any, name: str, gloss: float, rng: Rng, repeat: tuple[float, float] = (1.0, 1.0)) -> None:
    import mujoco

    made = spec.add_material(
        name=name,
        specular=min(1.0, gloss),
        shininess=float(rng.uniform(0.1, 0.9)),
        texrepeat=repeat,
        texuniform=False,
    )
    made.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
