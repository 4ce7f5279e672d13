"""What a die's faces look like, side by side in one picture: the body's colours, and ink."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from training.dice_sets import Model, inks
from training.lettering import SIDE
from training.materials import Material, pearl
from training.mesh import cell
from training.types import Array, Rng


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
            at, up = np.array(symbol.at), np.array(symbol.up)
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
