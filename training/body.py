"""Renders one die as a camera sees it: true geometry, edges rounded by smoothing its normals."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from training import Array, Rng
from training.dice_sets import UNCUT, Model, inks, inradius
from training.lettering import SIDE
from training.materials import body_picture


@dataclass(frozen=True)
class RenderLens:
    """A pinhole camera, one radial term: `rotation` 3 × 3, `position` (3,) in mm, `focal` in pixels."""

    rotation: Array
    position: Array
    focal: float
    centre: tuple[float, float]
    bend: float

    def project(self, points: Array) -> Array:
        """World points (n, 3) in millimetres to pixels (n, 2), float64."""
        seen = (points - self.position) @ self.rotation.T
        flat = seen[:, :2] / seen[:, 2:]
        flat = flat * (1 + self.bend * (flat**2).sum(1, keepdims=True))
        return np.asarray(flat * self.focal + np.asarray(self.centre), np.float64)

    def across(self, point: Array) -> Array:
        """The directions (2, 3) that run right and down in the picture, square to the sight of a point."""
        sight = point - self.position
        sight = sight / np.linalg.norm(sight)
        axes = self.rotation[:2] - (self.rotation[:2] @ sight)[:, None] * sight
        return np.asarray(axes / np.linalg.norm(axes, axis=1, keepdims=True))


@dataclass(frozen=True)
class RenderLight:
    """Directions toward each lamp (n, 3), their strengths (n,), and the light from all round."""

    directions: Array
    strengths: Array
    ambient: float
    sky: Array


@dataclass(frozen=True)
class LaidDie:
    """A die on the table z = 0, its face `down` below, flat or tipped.

    `rotation` (3, 3) turns its own frame into the world's, `position` (3,) is its middle in millimetres.
    """

    model: Model
    down: int
    rotation: Array
    position: Array
    cocked: bool

    @property
    def vertices(self) -> Array:
        """Its corners (n, 3) in the world, in millimetres."""
        return np.asarray(
            np.array(self.model.solid.vertices_mm) * self.model.size @ self.rotation.T + self.position
        )

    @property
    def value(self) -> int:
        return self.model.solid.value_on_table(self.down)

    @property
    def tops(self) -> list[int]:
        """The faces that carry the value: the upper one, or all but the lowest of a d4."""
        upper = self.model.solid.opposite(self.down)
        return [i for i in range(len(self.model.solid.faces)) if i != self.down and upper in (None, i)]


def resting(
    die: Model,
    down: int,
    yaw: float,
    tilt: float,
    toward: float,
    at: tuple[float, float],
    *,
    cocked: bool = False,
) -> LaidDie:
    """The die with face `down` on the table, turned by `yaw`, tipped by `tilt` (radians)."""
    normal = np.array(die.solid.faces[down].normal)
    rotation = _onto(normal, np.array([0.0, 0.0, -1.0]))
    rotation = _about(np.array([0.0, 0.0, 1.0]), yaw) @ rotation
    if tilt:
        rotation = _about(np.array([np.cos(toward), np.sin(toward), 0.0]), tilt) @ rotation
    points = np.array(die.solid.vertices_mm) * die.size @ rotation.T
    return LaidDie(die, down, rotation, np.array([at[0], at[1], -points[:, 2].min()]), cocked)


def _about(axis: Array, angle: float) -> Array:
    turned, _ = cv2.Rodrigues((axis / np.linalg.norm(axis) * angle).astype(np.float64))
    return np.asarray(turned)


def _onto(a: Array, b: Array) -> Array:
    axis = np.cross(a, b)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3) if a @ b > 0 else _about(np.array([1.0, 0.0, 0.0]), np.pi)
    return _about(axis, float(np.arctan2(length, a @ b)))


@dataclass(frozen=True)
class Cover:
    """What a die covers if nothing hides it: `alpha` and `top` h × w (float32 in [0, 1]), at pixel `origin`.

    `top` covers what carries the value; `symbols` (n, 4) are the numerals or the face of pips that say it:
    the middle x, y in the frame, the way up in degrees counter-clockwise from the picture's right, and the
    side of the symbol's square in pixels.
    """

    alpha: Array
    top: Array
    origin: tuple[int, int]
    symbols: Array


@dataclass(frozen=True)
class Patch(Cover):
    """A rendered die, with its `colour` h × w × 3."""

    colour: Array


def render(laid: LaidDie, lens: RenderLens, light: RenderLight, rng: Rng) -> Patch:
    """The die as the lens sees it."""
    die, vertices = laid.model, laid.vertices
    seen = lens.project(vertices)
    low = np.floor(seen.min(0)).astype(int) - 2
    high = np.ceil(seen.max(0)).astype(int) + 3
    wide, tall = int(high[0] - low[0]), int(high[1] - low[1])
    longest = max(wide, tall)
    fine = 1 if longest > 110 else 2 if longest > 48 else 3
    size = (wide * fine, tall * fine)

    def pixels(points: Array) -> Array:
        return (lens.project(points) - low) * fine - 0.5

    ink, normals, top, cover = _faces(laid, lens, pixels, size)
    wide_mm = float(np.linalg.norm(np.ptp(vertices[:, :2], axis=0)))
    pixel_mm = wide_mm / max(1.0, float(np.linalg.norm(np.ptp(seen, axis=0)))) / fine
    soft = max(0.6, die.rounding * die.size / pixel_mm)
    alpha = cv2.GaussianBlur(cover, (0, 0), soft * 0.6)
    alpha = np.clip((alpha - 0.5) * max(2.0, soft * 1.6) + 0.5, 0, 1)
    if die.ball < UNCUT:
        middle = pixels(laid.position[None])[0]
        radius = inradius(die.solid) * die.ball * die.size / pixel_mm
        disc = np.zeros_like(cover)
        cv2.circle(
            disc, (round(middle[0] * 16), round(middle[1] * 16)), round(radius * 16), 1.0, -1, cv2.LINE_AA, 4
        )
        alpha = alpha * disc
    smooth: Array = cv2.GaussianBlur(normals, (0, 0), soft)
    smooth /= np.linalg.norm(smooth, axis=2, keepdims=True) + 1e-6
    colour = _lit(laid, lens, light, smooth, ink, pixel_mm, rng)
    alpha_frame = cv2.resize(alpha, (wide, tall), interpolation=cv2.INTER_AREA)
    weighted = cv2.resize(colour * alpha[..., None], (wide, tall), interpolation=cv2.INTER_AREA)
    colour = weighted / np.maximum(alpha_frame, 1e-3)[..., None]
    top_frame = cv2.resize(top * alpha, (wide, tall), interpolation=cv2.INTER_AREA)
    return Patch(alpha_frame, top_frame, (int(low[0]), int(low[1])), upright(laid, lens), colour)


def _faces(
    laid: LaidDie, lens: RenderLens, pixels: Callable[[Array], Array], size: tuple[int, int]
) -> tuple[Array, Array, Array, Array]:
    """Ink, normals, the top's cover and the whole cover, from the faces turned to the lens."""
    die, vertices, tops = laid.model, laid.vertices, laid.tops
    wide, tall = size
    ink = np.zeros((tall, wide), np.float32)
    normals = np.zeros((tall, wide, 3), np.float32)
    top = np.zeros((tall, wide), np.float32)
    cover = np.zeros((tall, wide), np.float32)
    for i, face in enumerate(die.solid.faces):
        normal = laid.rotation @ np.array(face.normal)
        corners = vertices[list(face.corners)]
        if normal @ (lens.position - corners.mean(0)) <= 0:
            continue
        outline = pixels(corners)
        mask = np.zeros((tall, wide), np.float32)
        cv2.fillConvexPoly(mask, (outline * 16).round().astype(np.int32), 1.0, cv2.LINE_AA, 4)
        inside = mask > 0.5
        normals[inside] = normal
        cover = np.maximum(cover, mask)
        if i in tops:
            top = np.maximum(top, mask)
        for symbol, picture, side_mm in inks(die, face):
            at = laid.rotation @ np.array(symbol.centre) * die.size + laid.position
            up = laid.rotation @ np.array(symbol.up)
            right = np.cross(up, normal)
            half = side_mm / 2 * die.size
            square = np.array(
                [
                    at - right * half + up * half,
                    at + right * half + up * half,
                    at + right * half - up * half,
                    at - right * half - up * half,
                ]
            )
            source = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
            target = pixels(square).astype(np.float32)
            spread = float(np.linalg.norm(target[0] - target[2])) / (1.414 * SIDE)
            small = cv2.GaussianBlur(picture, (0, 0), 0.35 / spread) if spread < 0.6 else picture
            warped = cv2.warpPerspective(small, cv2.getPerspectiveTransform(source, target), (wide, tall))
            ink = np.maximum(ink, warped * mask)
    return ink, normals, top, cover


def _lit(
    laid: LaidDie, lens: RenderLens, light: RenderLight, normals: Array, ink: Array, pixel_mm: float, rng: Rng
) -> Array:
    """Colour under the lamps: diffuse, gloss, a mirrored room, engraving that catches light."""
    tall, wide = ink.shape
    stuff = laid.model.stuff
    body = cv2.resize(body_picture(stuff, rng, 64), (wide, tall), interpolation=cv2.INTER_LINEAR)
    if stuff.depth:
        deep = cv2.GaussianBlur(ink, (0, 0), max(0.5, 0.25 / pixel_mm))
        slope_x = cv2.Sobel(deep, cv2.CV_32F, 1, 0, ksize=3)
        slope_y = cv2.Sobel(deep, cv2.CV_32F, 0, 1, ksize=3)
        world_x, world_y = lens.rotation[0], lens.rotation[1]
        bump = slope_x[..., None] * world_x + slope_y[..., None] * world_y
        normals = normals + stuff.depth * 0.25 * bump.astype(np.float32)
        normals /= np.linalg.norm(normals, axis=2, keepdims=True) + 1e-6
    worn = ink * (1 - stuff.wear * np.clip(2 * body.mean(2) + rng.random() - 1, 0, 1)) if stuff.wear else ink
    albedo = body * (1 - worn[..., None]) + stuff.ink * worn[..., None]
    sight = lens.position - laid.position
    sight = sight / np.linalg.norm(sight)
    diffuse = np.full((tall, wide), light.ambient, np.float32) * (0.75 + 0.25 * normals[..., 2])
    shine = np.zeros((tall, wide), np.float32)
    for direction, strength in zip(light.directions, light.strengths, strict=True):
        diffuse += strength * np.clip(normals @ direction.astype(np.float32), 0, 1)
        half = direction + sight
        half = (half / np.linalg.norm(half)).astype(np.float32)
        shine += strength * np.clip(normals @ half, 0, 1) ** stuff.sharpness
    if stuff.look == "metal" or stuff.gloss > 0.3:
        facing = normals @ sight.astype(np.float32)
        mirror = 2 * facing[..., None] * normals - sight.astype(np.float32)
        room = 0.5 + 0.5 * np.sin(mirror @ light.sky[:3] * 3 + light.sky[3])
        if stuff.look == "metal":
            diffuse = 0.35 * diffuse + 0.9 * room * diffuse.mean()
        else:
            shine += 0.25 * room * (1.1 - np.clip(facing, 0, 1))
    out: Array = albedo * diffuse[..., None] + stuff.gloss * shine[..., None]
    return np.clip(out, 0, 1.2).astype(np.float32)


def upright(laid: LaidDie, lens: RenderLens) -> Array:
    """The symbols (n, 4) that say the value: one on the top face, or on a d4 one on each side seen well."""
    die, found = laid.model, []
    for i in laid.tops:
        face = die.solid.faces[i]
        normal = laid.rotation @ np.array(face.normal)
        for symbol, _, side_mm in inks(die, face):
            if symbol.value != laid.value:
                continue
            at = laid.rotation @ np.array(symbol.centre) * die.size + laid.position
            if normal @ (lens.position - at) <= 0:
                continue
            up = laid.rotation @ np.array(symbol.up)
            half = side_mm / 2 * die.size
            ends = lens.project(np.array([at, at + up * half, at + np.cross(up, normal) * half]))
            way = ends[1] - ends[0]
            span = float(np.linalg.norm(way) + np.linalg.norm(ends[2] - ends[0]))
            area = abs(float(way[0] * (ends[2] - ends[0])[1] - way[1] * (ends[2] - ends[0])[0]))
            found.append((area, *ends[0], float(np.degrees(np.arctan2(-way[1], way[0]))), span))
            break
    found.sort(reverse=True)
    large = [row for area, *row in found if area > 0.5 * found[0][0]]
    return np.array(large, np.float32).reshape(-1, 4)
