"""Mitsuba, as far as scenes on a table need it: meshes, stuff, lamps, a camera; light followed by chance."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from training.mesh import Mesh
from training.rig import RenderLens
from training.types import Array

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
    """A mesh made of some stuff."""
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
