"""Mitsuba, as far as scenes on a table need it, and what stands on such a table beside the dice."""

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from training import Array, Rng
from training.body import LaidDie, RenderLens
from training.materials import colour, noise, surface
from training.mesh import Mesh, cylinder, swept

BOUNCES = 5
"""Longest path of light, in pieces."""
SPARK = 4.0
"""Most light of a pixel, as a multiple of its neighbours' median: more is a stray path's."""


@lru_cache(maxsize=1)
def mitsuba() -> Any:
    """The library; compiled for this machine where DRJIT_LIBLLVM_PATH names an LLVM of 17 or later."""
    import mitsuba as mi

    mi.set_variant("llvm_ad_rgb" if os.environ.get("DRJIT_LIBLLVM_PATH") else "scalar_rgb")
    import drjit

    drjit.set_thread_count(1)
    return mi


def linear(shown: Array) -> Array:
    """Displayed levels, BGR, to amounts of light, RGB."""
    return np.clip(shown[..., ::-1], 0, 1).astype(np.float32) ** 2.2


def picture(values: Array) -> dict[str, Any]:
    """A texture of rows from the bottom up, float32 n × n × 3 (RGB, light) or n × n."""
    mi = mitsuba()
    pixels = values if values.ndim == 3 else values[..., None]
    return {
        "type": "bitmap",
        "bitmap": mi.Bitmap(np.ascontiguousarray(pixels, np.float32)),
        "raw": True,
        "wrap_mode": "mirror",
    }


def shape(mesh: Mesh, stuff: dict[str, Any]) -> Any:
    mi = mitsuba()
    made = mi.load_dict(stuff)
    props = mi.Properties()
    props["bsdf"] = made
    out = mi.Mesh(
        "mesh",
        len(mesh.points),
        len(mesh.triangles),
        has_vertex_normals=True,
        has_vertex_texcoords=True,
        props=props,
    )
    params = mi.traverse(out)
    params["vertex_positions"] = mesh.points.astype(np.float32).ravel()
    params["vertex_normals"] = mesh.normals.astype(np.float32).ravel()
    params["vertex_texcoords"] = mesh.places.astype(np.float32).ravel()
    params["faces"] = mesh.triangles.astype(np.uint32).ravel()
    params.update()
    return out


def film_side(side: int) -> int:
    """Pixels along the traced square, from which the frame is bent; one size, as each is compiled anew."""
    return side + 2 * (side // 16)


def centred(lens: RenderLens, side: int) -> RenderLens:
    """The lens looking at the frame's middle, with no more bend than the traced square has room for."""
    lens = replace(lens, centre=(side / 2, side / 2))
    while np.abs(ray_map(lens, side)).max() > film_side(side) / 2 - 2:
        lens = replace(lens, bend=0.7 * lens.bend)
    return lens


def ray_map(lens: RenderLens, side: int) -> Array:
    """Where the light of each pixel would fall without the lens's bend, from the middle, (side, side, 2)."""
    y, x = np.mgrid[0:side, 0:side] + 0.5
    bent = np.stack([(x - lens.centre[0]) / lens.focal, (y - lens.centre[1]) / lens.focal], 2)
    flat = bent.copy()
    for _ in range(12):
        flat = bent / (1 + lens.bend * (flat**2).sum(2, keepdims=True))
    return np.asarray(flat * lens.focal)


def render(
    shapes: list[Any],
    lamps: list[dict[str, Any]],
    lens: RenderLens,
    side: int,
    *,
    samples: int,
    seed: int,
    blur: float,
) -> tuple[Array, Array]:
    """The light (side × side × 3, RGB) and whose each pixel is (side × side, int16, −1 for none).

    `blur` is the radius in millimetres of the lens's opening, which is focused on the table's middle.
    """
    import drjit
    import pyoidn

    mi = mitsuba()
    wide = film_side(side)
    flat = ray_map(lens, side) + wide / 2
    film = {
        "type": "hdrfilm",
        "width": wide,
        "height": wide,
        "pixel_format": "rgb",
        "component_format": "float32",
        "rfilter": {"type": "box"},  # noise that spreads over pixels is not smoothed away
    }
    right, down, forward = lens.rotation
    to_world = np.eye(4)
    to_world[:3] = np.stack([-right, -down, forward, lens.position], 1)
    camera = {
        "fov": float(np.degrees(2 * np.arctan(wide / 2 / lens.focal))),
        "to_world": mi.ScalarTransform4f(to_world),
        "near_clip": 5.0,
        "far_clip": 1e5,
        "sampler": {"type": "independent"},
    }
    seen = {"type": "perspective", **camera, "film": film}
    focus = {"aperture_radius": max(blur, 1e-3), "focus_distance": float(np.linalg.norm(lens.position))}
    shown = {"type": "thinlens", **camera, **focus, "film": film}
    scene = mi.load_dict(
        {
            "type": "scene",
            **{f"lamp{i:03}": lamp for i, lamp in enumerate(lamps)},
            **{f"shape{i:03}": made for i, made in enumerate(shapes)},
        }
    )
    path = {"type": "path", "max_depth": BOUNCES, "rr_depth": 2}
    guided = mi.load_dict({"type": "aov", "aovs": "albedo:albedo,normal:sh_normal", "path": path})
    whose = mi.load_dict({"type": "aov", "aovs": "number:shape_index"})
    opened = mi.load_dict(shown)
    settings = mi.traverse(opened)
    for name, value in focus.items():
        settings[name] = value if mi.variant().startswith("scalar") else drjit.opaque(mi.Float, value)
    settings.update()
    taken = np.array(mi.render(scene, sensor=opened, integrator=guided, spp=samples, seed=seed), np.float32)
    numbers = np.array(mi.render(scene, sensor=mi.load_dict(seen), integrator=whose, spp=1, seed=seed))
    taken = np.nan_to_num(taken)
    around = cv2.medianBlur(np.ascontiguousarray(taken[..., :3]), 3)
    light = pyoidn.denoise(
        np.clip(taken[..., :3], 0, SPARK * around + 0.05 * float(around.mean())),
        albedo=np.clip(taken[..., 3:6], 0, 1),
        normal=taken[..., 6:9],
        hdr=True,
    )
    at = (flat - 0.5).astype(np.float32)
    bent = cv2.remap(light, at[..., 0], at[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    owner = cv2.remap(numbers[..., -1].astype(np.float32), at[..., 0], at[..., 1], cv2.INTER_NEAREST)
    return np.maximum(bent, 0), np.rint(owner).astype(np.int16) - 1


@dataclass(frozen=True)
class Thing:
    """Something that is no die: its mesh, its picture (n × n × 3 BGR, as displayed) and how it shines.

    `hulls` are what it takes up on the table, each (k, 1, 2) in millimetres, float32.
    """

    mesh: Mesh
    paint: Array
    roughness: float
    metallic: float
    hulls: tuple[Array, ...]


def tray(reach_mm: float, rng: Rng) -> tuple[Thing, Array]:
    """A tray's rim about what the camera sees, and the outline (k, 2) of its floor."""
    sides = int(rng.choice([4, 4, 4, 6, 8, 48]))
    turn = np.arange(sides) * 2 * np.pi / sides + (np.pi / 4 if sides == 4 else 0.0)
    stretch = np.array([1.0, rng.uniform(0.6, 1.0) if sides == 4 else 1.0])
    size = reach_mm * rng.uniform(0.7, 1.3) * (1.414 if sides == 4 else 1.0)
    outline = np.stack([np.cos(turn), np.sin(turn)], 1) * stretch * size
    outline = outline @ _turned(float(rng.uniform(0, 2 * np.pi))) + rng.normal(0, 0.15 * reach_mm, 2)
    height, thick = float(rng.uniform(8, 45)), float(rng.uniform(3, 14))
    slope = height * float(rng.choice([0.0, 0.1, 0.35]))
    bend = np.linspace(0, np.pi, 7)
    crown = np.stack([np.cos(bend), np.sin(bend)], 1) * thick / 2 + (slope + thick / 2, height)
    profile = np.concatenate([[[slope + thick, -4.0]], crown, [[0.0, -0.2]]])
    ends = np.roll(outline, -1, 0)
    grown = outline * (1 + (slope + thick) / size)
    grown_ends = np.roll(grown, -1, 0)
    hulls = tuple(
        cv2.convexHull(np.array(quad, np.float32))
        for quad in zip(outline, ends, grown_ends, grown, strict=True)
    )
    paint = surface(rng, 256, 256) if rng.random() < 0.4 else _leather(rng)
    return Thing(swept(profile, outline), paint, float(rng.uniform(0.15, 0.8)), 0.0, hulls), outline


def thing(at: tuple[float, float], unit_mm: float, rng: Rng) -> Thing:
    """A coin, a cup or a pencil."""
    x, y = at
    draw = rng.random()
    if draw < 0.45:
        radius, high = unit_mm * float(rng.uniform(0.5, 0.95)), float(rng.uniform(1.2, 3.5))
        mesh = cylinder(np.array([x, y, 0.0]), np.array([x, y, high]), radius)
        metal = float(rng.random() < 0.6)
        base = np.array([0.35, 0.6, 0.75]) if metal else colour(rng)
        paint = np.full((8, 8, 3), base * rng.uniform(0.7, 1.2), np.float32)
        return Thing(mesh, paint, float(rng.uniform(0.15, 0.5)), metal, (_ring(x, y, radius),))
    if draw < 0.7:
        radius, high = unit_mm * float(rng.uniform(1.3, 2.4)), float(rng.uniform(40, 90))
        turn = np.arange(48) * 2 * np.pi / 48
        outline = np.stack([np.cos(turn), np.sin(turn)], 1) * (radius - 3) + (x, y)
        profile = np.array(
            [[3.0, 0], [3.0, high - 1], [2, high], [1, high], [0, high - 1], [0.0, 1], [3 - radius, 1]]
        )
        paint = np.full((8, 8, 3), colour(rng), np.float32)
        return Thing(
            swept(profile, outline), paint, float(rng.uniform(0.1, 0.6)), 0.0, (_ring(x, y, radius),)
        )
    return rod(at, float(rng.uniform(0, np.pi)), float(rng.uniform(40, 140)), float(rng.uniform(2, 5)), rng)


def rod(at: tuple[float, float], way: float, length: float, radius: float, rng: Rng) -> Thing:
    """A pencil or stick that lies on the table about `at`."""
    half = np.array([np.cos(way), np.sin(way)]) * length / 2
    aside = np.array([-np.sin(way), np.cos(way)]) * radius
    middle = np.array(at)
    hull = np.array(
        [middle + half + aside, middle + half - aside, middle - half - aside, middle - half + aside]
    )
    ends = [np.array([*(middle + sign * half), radius]) for sign in (-1, 1)]
    paint = np.full((8, 8, 3), colour(rng), np.float32)
    mesh = cylinder(ends[0], ends[1], radius, 24)
    return Thing(mesh, paint, float(rng.uniform(0.2, 0.7)), 0.0, (cv2.convexHull(hull.astype(np.float32)),))


def prop(laid: LaidDie, rng: Rng) -> Thing:
    """The stick on which the raised side of a cocked die rests."""
    die, face = laid.model, laid.model.solid.faces[laid.down]
    normal = laid.rotation @ np.array(face.normal)
    tilt = float(np.arccos(np.clip(-normal[2], -1, 1)))
    raised = normal[:2] / np.linalg.norm(normal[:2])
    corners = np.array(die.solid.vertices_mm)[list(face.corners)] * die.size
    along = (corners @ laid.rotation.T + laid.position)[:, :2] @ raised
    far = float(rng.uniform(0.55, 0.85)) * float(np.ptp(along))
    radius = far * float(np.tan(tilt / 2))
    at = laid.position[:2] + raised * (along.min() + far - laid.position[:2] @ raised)
    way = float(np.arctan2(raised[0], -raised[1]))
    return rod((float(at[0]), float(at[1])), way, float(rng.uniform(8, 22)), radius, rng)


def _turned(angle: float) -> Array:
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _ring(x: float, y: float, radius: float) -> Array:
    turn = np.arange(16) * 2 * np.pi / 16
    hull = np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], 1).astype(np.float32)
    return np.asarray(cv2.convexHull(hull))


def _leather(rng: Rng) -> Array:
    """One colour with faint clouds."""
    paint: Array = np.clip(colour(rng) * (0.85 + 0.3 * noise(rng, 128, 128, coarse=6)[..., None]), 0, 1)
    return paint.astype(np.float32)
