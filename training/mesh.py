"""Dice and other things as triangle meshes, and the pictures of their faces."""

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from games.dice import Face, Solid
from training import Array, Rng
from training.dice_sets import Model, inks
from training.lettering import SIDE
from training.materials import Material, pearl

EDGE_STEPS = np.array([0.0, 0.04, 0.09, 0.16, 0.28, 0.5, 0.72, 0.84, 0.91, 0.96])
"""Where the points of a face's edge lie, as parts of it; close together where corners are rounded."""
MARGIN = 1.04
"""A face's cell in the picture of all faces spans this many times what the face needs."""


@dataclass(frozen=True)
class Mesh:
    """Points (n, 3) in millimetres, their normals, their places (n, 2) in a picture, triangles (m, 3).

    Places run from 0 to 1, right and up.
    """

    points: Array
    normals: Array
    places: Array
    triangles: Array


@dataclass(frozen=True)
class Cell:
    """A face's square in the picture of all faces, which has `across` × `across` such squares.

    `middle` is the face's middle, `right` and `up` its axes, `half` half the square's side, all of the solid
    in its common size.
    """

    column: int
    row: int
    across: int
    middle: Array
    right: Array
    up: Array
    half: float

    def flat(self, points: Array) -> Array:
        """Points (n, 3) of the solid to (n, 2) in the square, from −1 to 1, right and up."""
        off = points - self.middle
        return np.stack([off @ self.right, off @ self.up], 1) / self.half


def cell(solid: Solid, number: int) -> Cell:
    face = solid.faces[number]
    across = int(np.ceil(np.sqrt(len(solid.faces))))
    corners = np.array(solid.vertices_mm)[list(face.corners)]
    middle = corners.mean(0)
    up = np.array(face.symbols[0].up)
    right = np.cross(up, np.array(face.normal))
    off = corners - middle
    half = MARGIN * float(max(np.abs(off @ right).max(), np.abs(off @ up).max()))
    return Cell(number % across, number // across, across, middle, right, up, half)


def rounded(solid: Solid, rounding_mm: float, ball_mm: float) -> Mesh:
    """The solid with edges rounded to this radius, and cut to a ball; its faces keep their places."""
    vertices = np.array(solid.vertices_mm)
    inner = float(vertices[solid.faces[0].corners[0]] @ np.array(solid.faces[0].normal))
    radius = min(rounding_mm, 0.4 * inner)
    parts: list[tuple[Array, Array, Array]] = []
    start = 0
    for number, face in enumerate(solid.faces):
        points, triangles = _fan(vertices[list(face.corners)], radius)
        own = cell(solid, number)
        places = (own.flat(points) / 2 + 0.5 + (own.column, own.row)) / own.across
        parts.append((points, places, triangles + start))
        start += len(points)
    points, places, triangles = (np.concatenate(column) for column in zip(*parts, strict=True))
    core = _nearest(points, vertices * (1 - radius / inner), solid.faces, inner - radius)
    normals = points - core
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points = core + radius * normals
    far = np.linalg.norm(points, axis=1, keepdims=True)
    beyond = far > ball_mm
    return Mesh(
        np.where(beyond, points / far * ball_mm, points),
        np.where(beyond, points / far, normals),
        places,
        triangles,
    )


def _fan(corners: Array, radius: float) -> tuple[Array, Array]:
    """A flat face as rings of points about its middle, close together near the rim."""
    ends = np.roll(corners, -1, 0)
    rim = (corners[:, None] + EDGE_STEPS[:, None] * (ends - corners)[:, None]).reshape(-1, 3)
    middle = corners.mean(0)
    reach = float(np.linalg.norm((corners + ends) / 2 - middle, axis=1).min())
    turn = min(0.8, 1.3 * radius / reach)
    rings = np.concatenate([[0.35 * (1 - turn), 0.75 * (1 - turn)], 1 - turn * (1 - np.linspace(0, 1, 6))])
    points = np.concatenate([middle[None], *(middle + s * (rim - middle) for s in rings)])
    around = len(rim)
    i = np.arange(around)
    following = (i + 1) % around
    triangles = [np.stack([np.zeros_like(i), 1 + i, 1 + following], 1)]
    for ring in range(len(rings) - 1):
        a, b = 1 + ring * around, 1 + (ring + 1) * around
        triangles.append(np.stack([a + i, b + i, b + following], 1))
        triangles.append(np.stack([a + i, b + following, a + following], 1))
    return points, np.concatenate(triangles)


def _nearest(points: Array, vertices: Array, faces: tuple[Face, ...], inner: float) -> Array:
    """The nearest place of the convex body to each point outside of it."""
    normals = np.array([face.normal for face in faces])
    height = points @ normals.T - inner
    feet = points[:, None] - height[..., None] * normals
    inside = ((feet @ normals.T).max(-1) <= inner + 1e-7) & (height > -1e-9)
    near = np.where(inside, np.abs(height), np.inf)
    best = near.argmin(1)
    found = feet[np.arange(len(points)), best]
    distance = near[np.arange(len(points)), best]
    rims = [[*face.corners, face.corners[0]] for face in faces]
    for one, other in sorted({(min(pair), max(pair)) for rim in rims for pair in pairwise(rim)}):
        along = vertices[other] - vertices[one]
        part = np.clip((points - vertices[one]) @ along / (along @ along), 0, 1)
        foot = vertices[one] + part[:, None] * along
        far = np.linalg.norm(points - foot, axis=1)
        closer = far < distance
        found[closer], distance[closer] = foot[closer], far[closer]
    return found


def swept(profile: Array, outline: Array) -> Mesh:
    """A rim: the profile (p, 2), distance outward and height, from outside in, led along the outline (k, 2).

    The outline runs counter-clockwise about what the rim encloses.
    """
    before, after = np.roll(outline, 1, 0) - outline, np.roll(outline, -1, 0) - outline
    before /= np.linalg.norm(before, axis=1, keepdims=True)
    after /= np.linalg.norm(after, axis=1, keepdims=True)
    outward = np.stack([after[:, 1], -after[:, 0]], 1) + np.stack([-before[:, 1], before[:, 0]], 1)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    mitre = 1 / np.maximum(0.3, (outward * np.stack([after[:, 1], -after[:, 0]], 1)).sum(1))
    rows = []
    for out, height in profile:
        flat = outline + outward * (mitre * out)[:, None]
        rows.append(np.concatenate([flat, np.full((len(outline), 1), height)], 1))
    return _woven(np.array(rows))


def cylinder(start: Array, end: Array, radius: float, sides: int = 40) -> Mesh:
    """A rod or disc from one end's middle to the other's, with flat ends."""
    along = (end - start) / np.linalg.norm(end - start)
    aside = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 else [1.0, 0.0, 0.0])
    aside /= np.linalg.norm(aside)
    across = np.cross(along, aside)
    turn = np.arange(sides) * 2 * np.pi / sides
    ring = radius * (np.cos(turn)[:, None] * aside + np.sin(turn)[:, None] * across)
    chamfer = 0.06 * min(radius, float(np.linalg.norm(end - start)))
    rows = [
        start + 0 * ring,
        start + ring * (1 - chamfer / radius),
        start + ring + along * chamfer,
        end + ring - along * chamfer,
        end + ring * (1 - chamfer / radius),
        end + 0 * ring,
    ]
    return _woven(np.array(rows))


def _woven(rows: Array) -> Mesh:
    """Rows (p, k, 3) of points, each closed in itself, joined by triangles that face outward."""
    deep, around = rows.shape[:2]
    closed = np.concatenate([rows, rows[:, :1]], 1)
    lengths = np.linalg.norm(np.diff(closed, axis=1), axis=2).max(0).cumsum()
    u = np.concatenate([[0.0], lengths / lengths[-1]])
    places = np.stack(np.broadcast_arrays(u[None], np.linspace(0, 1, deep)[:, None]), 2)
    i = np.arange(around)
    triangles = []
    for row in range(deep - 1):
        a, b = row * (around + 1) + i, (row + 1) * (around + 1) + i
        triangles += [np.stack([a, a + 1, b], 1), np.stack([a + 1, b + 1, b], 1)]
    corners = np.concatenate(triangles).ravel()  # each triangle is flat and has corners of its own
    points = closed.reshape(-1, 3)[corners]
    flat = np.cross(points[1::3] - points[::3], points[2::3] - points[::3])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-12
    own = np.arange(len(points)).reshape(-1, 3)
    return Mesh(points, np.repeat(flat, 3, 0), places.reshape(-1, 2)[corners], own)


@dataclass(frozen=True)
class Skin:
    """Pictures of all faces, rows from the bottom up: `colour` n × n × 3 (BGR, as displayed), `ink` n × n."""

    colour: Array
    ink: Array


def skin(die: Model, size: int, rng: Rng) -> Skin:
    """The die's faces in a picture of size × size pixels."""
    across = cell(die.solid, 0).across
    side = size // across
    ink = np.zeros((across * side, across * side), np.float32)
    places = np.zeros((*ink.shape, 3), np.float32)
    for number, face in enumerate(die.solid.faces):
        own = cell(die.solid, number)
        part = (
            slice(own.row * side, (own.row + 1) * side),
            slice(own.column * side, (own.column + 1) * side),
        )
        steps = own.half * ((np.arange(side) + 0.5) / side * 2 - 1)
        places[part] = own.middle + steps[None, :, None] * own.right + steps[:, None, None] * own.up
        for symbol, picture, side_mm in inks(die, face):
            at, up = np.array(symbol.centre), np.array(symbol.up)
            right = np.cross(up, np.array(face.normal))
            half = side_mm / 2
            ends = own.flat(
                np.array([at - right * half + up * half, at + (right + up) * half, at - (right + up) * half])
            )
            target = ((ends / 2 + 0.5) * side - 0.5).astype(np.float32)
            source = np.array([[0, 0], [SIDE, 0], [0, SIDE]], np.float32) - 0.5
            spread = float(np.linalg.norm(target[1] - target[0])) / SIDE
            plain = cv2.GaussianBlur(picture, (0, 0), 0.4 / spread) if spread < 0.7 else picture
            laid = cv2.warpAffine(
                plain, cv2.getAffineTransform(source, target), (side, side), flags=cv2.INTER_CUBIC
            )
            ink[part] = np.maximum(ink[part], np.clip(laid, 0, 1))
    body = _body(die.stuff, places, rng)
    whole = (size, size)
    return Skin(cv2.resize(body, whole), cv2.resize(ink, whole))


def _body(stuff: Material, places: Array, rng: Rng) -> Array:
    """The body's colours at places (n, n, 3) in millimetres: clouds, veins and specks run through the die."""
    if stuff.look == "opaque" and np.array_equal(stuff.base, stuff.second):
        return np.broadcast_to(stuff.base, places.shape).astype(np.float32)
    shine = np.ones(places.shape[:2], np.float32)
    if stuff.look == "swirled":
        shine = pearl(clouds(places, 8.0, 3, rng), rng)
        pull = np.stack([clouds(places, 10.0, 2, rng) for _ in range(3)], -1) - 0.5
        stirred = clouds(places + float(rng.uniform(4, 20)) * pull, float(rng.uniform(6, 14)), 2, rng)
        cut = np.quantile(stirred, rng.uniform(0.3, 0.7))
        mix: Array = np.clip((stirred - cut) / rng.uniform(0.02, 0.15) + 0.5, 0, 1)
    elif stuff.look in ("marbled", "translucent", "split"):
        cloud = clouds(places, float(rng.uniform(8, 16)), 4, rng)
        if stuff.look == "marbled" and rng.random() < 0.5:
            cloud = 0.5 + 0.5 * np.sin(cloud * rng.uniform(10, 30))
        spread = 0.03 if stuff.look == "split" else 0.25
        mix = np.clip((cloud - 0.5) / spread + 0.5, 0, 1)
    elif stuff.look == "speckled":
        grains = clouds(places, float(rng.uniform(0.8, 2.5)), 1, rng)
        mix = np.clip((grains - np.quantile(grains, rng.uniform(0.55, 0.9))) * 12 + 0.5, 0, 1)
    else:
        mix = 0.15 * clouds(places, 10.0, 2, rng)
    body = stuff.base + (stuff.second - stuff.base) * mix[..., None]
    return (body * shine[..., None]).astype(np.float32)


def clouds(places: Array, largest_mm: float, octaves: int, rng: Rng) -> Array:
    """Noise through space at places (n, n, 3), about [0, 1], its largest clouds so large."""
    out = np.zeros(places.shape[:2], np.float32)
    total = 0.0
    for octave in range(octaves):
        lattice = rng.random((16, 16, 16), dtype=np.float32)
        at = places / (largest_mm / 2**octave) + rng.uniform(0, 16, 3).astype(np.float32)
        low = np.floor(at)
        part = (at - low).astype(np.float32)
        part = part * part * (3 - 2 * part)
        i = low.astype(np.int32)
        fx, fy, fz = part[..., 0], part[..., 1], part[..., 2]
        (x, y, z), (x1, y1, z1) = (i % 16).transpose(2, 0, 1), ((i + 1) % 16).transpose(2, 0, 1)
        near = lattice[x, y, z] * (1 - fx) + lattice[x1, y, z] * fx
        far = lattice[x, y, z1] * (1 - fx) + lattice[x1, y, z1] * fx
        near += fy * (lattice[x, y1, z] * (1 - fx) + lattice[x1, y1, z] * fx - near)
        far += fy * (lattice[x, y1, z1] * (1 - fx) + lattice[x1, y1, z1] * fx - far)
        out += (near + fz * (far - near)) * 0.55**octave
        total += 0.55**octave
    return out / total
