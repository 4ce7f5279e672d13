"""Renders one simulated die: numerals as pen strokes, all faces as one flat picture, the die in a frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import PIPS, Face, FaceSymbol
from hardware.ports import Pixels
from hardware.simulated.die import Die, Floats, Pose, Singles
from hardware.simulated.picture import HEIGHT, WIDTH, Layer, Light, Projection, motion_blur

Ink: TypeAlias = npt.NDArray[np.uint8]
Path: TypeAlias = list[tuple[float, float]]
STROKE_SHIFT = 6
"""Fractional bits of drawn coordinates."""
WIDE = 0.56
"""Width of a digit as a fraction of its height."""
APART = 0.2
"""Distance between the centres of neighbouring digits, as a fraction of their height."""
UNDERLINE = 0.27
"""Distance of the line below a 6 or 9."""
# Each digit stands on a box WIDE across and 1 high, from its lower left; a stroke is a line through points.
_H = WIDE / 2
PX_PER_MM = 7.0
FINE = 4
"""Faces are drawn this many times larger and then downsampled."""
IN_THE_MIDDLE = 0.7
"""Scale of the numerals at the edges of a d4, where three are close together."""
TALL = {"d4": 1.6, "d8": 1.3, "d10": 1.3, "d12": 1.2, "d20": 1.15, "d100": 1.0}
"""Height of a numeral as a fraction of the room around its centre."""
Indices: TypeAlias = npt.NDArray[np.intp]
SHIFT = 4
MARGIN = 3
NEAREST_MM = 60.0
"""A die whose corner is nearer to the lens, or behind it, is not drawn: it would fill the frame and more."""
SHARP_PX = 0.5
"""Motion blur below this is not drawn."""


def arc(x: float, y: float, across: float, up: float, start: float, end: float) -> Path:
    """An arc of an ellipse; degrees count from the right, counter-clockwise."""
    turns = np.radians(np.linspace(start, end, max(3, int(abs(end - start) / 9))))
    return [(x + across * float(np.cos(a)), y + up * float(np.sin(a))) for a in turns]


DIGITS: dict[str, list[Path]] = {
    "0": [arc(_H, 0.5, _H, 0.5, 0, 360)],
    "1": [[(0.06, 0.76), (_H + 0.03, 1.0), (_H + 0.03, 0.0)]],
    "2": [[*arc(_H, 0.71, _H - 0.01, 0.29, 165, -35), (0.0, 0.0), (WIDE, 0.0)]],
    "3": [[*arc(_H - 0.02, 0.75, _H - 0.04, 0.25, 150, -90)], [*arc(_H - 0.02, 0.26, _H, 0.26, 80, -150)]],
    "4": [[(0.43, 0.0), (0.43, 1.0), (0.0, 0.28), (WIDE + 0.02, 0.28)]],
    "5": [[(WIDE - 0.03, 1.0), (0.07, 1.0), (0.04, 0.56), *arc(_H - 0.03, 0.32, _H + 0.01, 0.32, 125, -145)]],
    "6": [[(0.42, 1.0), *arc(_H + 0.06, 0.32, _H + 0.06, 0.55, 125, 180)], arc(_H, 0.31, _H, 0.31, 0, 360)],
    "7": [[(0.0, 1.0), (WIDE, 1.0), (0.17, 0.0)]],
    "8": [arc(_H, 0.75, _H - 0.045, 0.25, 0, 360), arc(_H, 0.26, _H, 0.26, 0, 360)],
    "9": [
        [(0.14, 0.0), *arc(_H - 0.06, 0.68, _H + 0.06, 0.55, -55, 0)],
        arc(_H, 0.69, _H, 0.31, 0, 360),
    ],
}  # fmt: skip


def text_of(kind: str, value: int) -> str:
    """The text printed for the value: a d10's ten is a 0, a percentile die has two digits."""
    if kind == "d100":
        return f"{value:02d}"
    return "0" if kind == "d10" and value == 10 else str(value)


def underlined(kind: str, value: int) -> bool:
    """Whether a line distinguishes it from its upside-down self."""
    return value in (6, 9) and kind in ("d10", "d12", "d20")


def strokes(text: str, *, line: bool, slant: float) -> list[Path]:
    """The numeral's strokes around its centre, in heights of a digit, y up."""
    step = WIDE + APART
    left = -(len(text) * step - APART) / 2
    paths = [
        [(left + i * step + x, y - 0.5) for x, y in path]
        for i, digit in enumerate(text)
        for path in DIGITS[digit]
    ]
    if line:
        paths.append([(-WIDE / 2 + 0.04, -0.5 - UNDERLINE), (WIDE / 2 - 0.04, -0.5 - UNDERLINE)])
        paths = [[(x, y + UNDERLINE / 2) for x, y in path] for path in paths]
    return [[(x + slant * y, y) for x, y in path] for path in paths]


def draw_strokes(
    ink: Ink, paths: Sequence[Path], to_pixels: npt.NDArray[np.float64], thick_px: float
) -> None:
    """Draws strokes onto ink (H×W), mapping each point (x, y, 1) to pixels by a 2×3 matrix."""
    for path in paths:
        points = np.array([(x, y, 1.0) for x, y in path]) @ to_pixels.T
        spots = np.rint(points * (1 << STROKE_SHIFT)).astype(np.int32)
        cv2.polylines(ink, [spots], isClosed=False, color=255, thickness=max(1, round(thick_px)),
                      lineType=cv2.LINE_AA, shift=STROKE_SHIFT)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Printed:
    """A die's faces side by side.

    Attributes:
        ink: float32, side × (faces · side), 0 … 1.
        side: pixels along each face's square.
        right, up: faces × 3, the squares' axes in the die's frame.
        at_mm: faces × 3, the squares' middles.
        normals: faces × 3.
        reach_mm: faces, from the die's middle to each face.
    """

    ink: Singles
    side: int
    right: Floats
    up: Floats
    at_mm: Floats
    normals: Floats
    reach_mm: Floats


@lru_cache(maxsize=256)
def printed(die: Die) -> Printed:
    vertices = die.vertices_mm
    faces = die.solid.faces
    normals = np.array([face.normal for face in faces])
    middles = np.array([vertices[list(face.corners)].mean(axis=0) for face in faces])
    up = np.array([face.symbols[0].up for face in faces])
    right = np.cross(up, normals)
    far = max(
        float(np.linalg.norm(vertices[list(f.corners)] - m, axis=1).max())
        for f, m in zip(faces, middles, strict=True)
    )
    side = int(np.ceil(2 * far * PX_PER_MM)) + 4
    tiles = []
    for i, face in enumerate(faces):
        fine = np.zeros((side * FINE, side * FINE), np.uint8)
        for symbol in face.symbols:
            _draw_symbol(fine, die, face, symbol, middles[i], right[i], up[i])
        tiles.append(cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA))
    ink = cv2.GaussianBlur(np.concatenate(tiles, axis=1, dtype=np.float32), (0, 0), 0.7) / 255
    return Printed(
        np.asarray(ink, np.float32),
        side,
        right,
        up,
        middles,
        normals,
        np.einsum("ij,ij->i", normals, middles),
    )


def _draw_symbol(
    fine: Ink, die: Die, face: Face, symbol: FaceSymbol, middle: Floats, right: Floats, up: Floats
) -> None:
    """Draws one numeral, or the pips of one face, at its place on the face's square."""
    px = PX_PER_MM * FINE
    away = np.array(symbol.centre) * die.scale - middle
    standing = np.array(symbol.up)
    beside = np.cross(standing, np.array(face.normal))
    centre = fine.shape[0] / 2
    corners = die.vertices_mm[list(face.corners)]

    def to_pixels(unit_mm: float) -> Floats:
        """The map from the symbol's own units to pixels of the square."""
        x = np.array([beside @ right, standing @ right, away @ right]) * (unit_mm, unit_mm, 1.0) * px
        y = -np.array([beside @ up, standing @ up, away @ up]) * (unit_mm, unit_mm, 1.0) * px
        x[2] += centre
        y[2] += centre
        return np.stack([x, y])

    if die.kind == "d6":
        edge = float(np.linalg.norm(corners[0] - corners[1]))
        onto = to_pixels(edge * 0.26)
        radius = edge * die.look.pip_part / 2 * (1.35 if symbol.value == 1 else 1.0) * px
        for x, y in PIPS[symbol.value]:
            spot = onto @ (x, y, 1.0) * (1 << STROKE_SHIFT)
            cv2.circle(fine, (round(spot[0]), round(spot[1])), round(radius * (1 << STROKE_SHIFT)), 255, -1,
                       cv2.LINE_AA, STROKE_SHIFT)  # fmt: skip
        return
    line = underlined(die.kind, symbol.value)
    tall_mm = room_mm(corners, np.array(symbol.centre) * die.scale) * TALL[die.kind] * (0.88 if line else 1.0)
    tall_mm *= IN_THE_MIDDLE if die.solid.layout == "bottom" else 1.0
    paths = strokes(text_of(die.kind, symbol.value), line=line, slant=die.look.slant)
    draw_strokes(fine, paths, to_pixels(tall_mm), die.look.weight * tall_mm * px)


def room_mm(corners: Floats, point: Floats) -> float:
    along = np.roll(corners, -1, axis=0) - corners
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return float(np.linalg.norm(np.cross(along, point - corners), axis=1).min())


def render(
    die: Die, pose: Pose, view: Projection, light: Light, smear_px: tuple[float, float] | None = None
) -> Layer | None:
    """The die as the camera sees it; None if it is out of view.

    So is one close to the lens, or so fast that it crosses all of the frame during the exposure.

    A ray enters a convex body through the farthest of the planes that face the camera. The inverse of the
    distance along the ray is linear over the picture, so the faces are found without tracing.
    A die that moves by `smear_px` during the exposure is blurred and drawn at half resolution, because it is
    not read. A die that lies still is drawn at full quality.
    """
    corners = pose.placed(die)
    fast, step = (float(np.hypot(*smear_px)), 2) if smear_px else (0.0, 1)
    if ((corners - view.eye_mm) @ view.rotation[2]).min() < NEAREST_MM or fast > WIDTH:
        return None
    outline = view.project(corners)
    low = np.floor(outline.min(axis=0) - fast / 2).astype(int) - MARGIN
    high = np.ceil(outline.max(axis=0) + fast / 2).astype(int) + MARGIN + 1
    if (high <= 0).any() or (low >= (WIDTH, HEIGHT)).any():
        return None
    wide, tall = (-((low - high) // step)).tolist()
    print_ = printed(die)
    eye = (view.eye_mm - pose.at_mm) @ pose.turn
    into = view.rotation @ pose.turn
    ahead = print_.reach_mm - print_.normals @ eye
    front = np.flatnonzero(ahead < 0)
    middles = (np.array([WIDTH - 1, HEIGHT - 1]) - (step - 1)) / 2
    xs = ((low[0] + step * np.arange(wide) - middles[0]) / view.focal).astype(np.float32)
    ys = ((low[1] + step * np.arange(tall) - middles[1]) / view.focal).astype(np.float32)
    slopes = (print_.normals[front] @ into.T) / ahead[front, None]
    which, inverse = _met(slopes.astype(np.float32), xs, ys)
    of_faces = _of_faces(print_, front, slopes, pose, into, eye).take(which, axis=1, mode="clip")
    ink = _ink(print_, of_faces[3:], inverse, xs, ys)
    pixel_mm = step * float(np.linalg.norm(view.eye_mm - pose.at_mm)) / view.focal
    soft = max(0.6, die.look.rounding * die.solid.height_mm * die.scale / pixel_mm)
    normals = np.stack([_blurred(part, soft * 0.8) for part in of_faces[:3]])
    colours = _lit(die, pose, view, light, normals, ink)
    cover = _cover((outline - low - (step - 1) / 2) / step, wide, tall, soft)
    x, y = low.tolist()
    if smear_px is None:
        return Layer(colours, cover, x, y)
    smear = motion_blur(np.array(smear_px) / step) if fast > SHARP_PX else None
    size = (wide * step, tall * step)
    blurred, share = (
        cv2.resize(part if smear is None else cv2.filter2D(part, -1, smear), size)
        for part in (colours, cover)
    )
    return Layer(np.asarray(blurred, np.uint8), np.asarray(share, np.float32), x, y)


def _met(slopes: Singles, xs: Singles, ys: Singles) -> tuple[Indices, Singles]:
    """Which face each pixel's ray hits, H×W, and the inverse of its distance."""
    which = np.zeros((len(ys), len(xs)), np.intp)
    nearest = np.full(which.shape, np.inf, np.float32)
    for face, (right, down, ahead) in enumerate(slopes):
        inverse = right * xs + (down * ys + ahead)[:, None]
        np.copyto(which, face, where=inverse < nearest)
        np.minimum(nearest, inverse, out=nearest)
    return which, np.maximum(nearest, np.float32(1e-6), out=nearest)


def _of_faces(
    print_: Printed, front: Indices, slopes: Floats, pose: Pose, into: Floats, eye: Floats
) -> Singles:
    """The properties of each visible face, 11 × faces.

    Its normal on the tray; how much of its ink is visible, since a lens resolves none on a face seen from the
    edge; where its square begins in the picture of all squares; and the slopes over the picture, right, down
    and ahead, of where a ray hits the square: across and then down it, divided by the distance.
    """
    normals = print_.normals[front]
    sight = eye - print_.at_mm[front]
    facing = np.einsum("fk,fk->f", normals, sight) / np.linalg.norm(sight, axis=1)
    flat = np.clip((facing - 0.05) * 6, 0, 1)
    rows = [*(normals @ pose.turn.T).T, flat, front * print_.side]
    for axis in (print_.right[front], -print_.up[front]):
        offset = np.einsum("fj,fj->f", axis, sight) + (print_.side / 2 - 0.5) / PX_PER_MM
        rows += [*((axis @ into.T + offset[:, None] * slopes) * PX_PER_MM).T]
    return np.array(rows, np.float32)


def _ink(print_: Printed, of_faces: Singles, inverse: Singles, xs: Singles, ys: Singles) -> Singles:
    flat, begins = of_faces[:2]
    coordinates = []
    for right, down, ahead in (of_faces[2:5], of_faces[5:]):
        right *= xs
        right += np.multiply(down, ys[:, None], out=down)
        right += ahead
        right /= inverse
        coordinates.append(right)
    column = np.clip(coordinates[0], 0, print_.side - 1, out=coordinates[0])
    column += begins
    ink = cv2.remap(print_.ink, column, coordinates[1], cv2.INTER_LINEAR)
    return np.asarray(np.multiply(ink, flat, out=flat))


def _cover(outline: Floats, wide: int, tall: int, soft: float) -> Singles:
    """How much of each pixel the die covers: its outline with rounded corners."""
    mask = np.zeros((tall, wide), np.uint8)
    hull = cv2.convexHull(outline.astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
    steep = 1.3 * soft
    blurred = _blurred(mask, soft * 0.7)
    share = blurred * np.float32(steep / 255) + np.float32(0.5 - 0.5 * steep)
    return np.asarray(np.clip(share, 0, 1), np.float32)


def _blurred(values: Singles | Pixels, sigma_px: float) -> Singles:
    side = max(3, round(sigma_px * 2.4) | 1)
    return np.asarray(cv2.blur(values, (side, side)), np.float32)


def _lit(die: Die, pose: Pose, view: Projection, light: Light, normals: Singles, ink: Singles) -> Pixels:
    """The die's colours under the lamps; the normals (3×H×W) need not be of unit length."""
    sight = view.eye_mm - pose.at_mm
    sight = sight / np.linalg.norm(sight)
    half = light.toward + sight
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    count = len(light.strength)
    rows = np.concatenate([[[0, 0, 1.0]], light.toward, half]).astype(np.float32)
    along = (rows @ normals.reshape(3, -1)).reshape(-1, *ink.shape)
    np.maximum(along, 0, out=along)
    along /= cv2.magnitude(cv2.magnitude(normals[0], normals[1]), normals[2])
    weights = np.array([0.28 * light.around, *light.strength], np.float32)
    flat = along.reshape(len(rows), -1)
    diffuse = (weights @ flat[: 1 + count] + np.float32(0.72 * light.around)).reshape(ink.shape)
    shine = (weights[1:] @ power(flat[1 + count :])).reshape(ink.shape)
    printed_part = diffuse * ink
    diffuse -= printed_part
    colours = np.array([die.look.body, die.look.ink, (die.look.gloss,) * 3]).T * 255
    parts = cv2.merge([diffuse, printed_part, shine])
    return np.asarray(cv2.convertScaleAbs(cv2.transform(parts, colours.astype(np.float32))), np.uint8)


def power(values: Singles) -> Singles:
    """Raises the values to the 32nd power in place: the sharpness of a die's highlights."""
    for _ in range(5):
        np.multiply(values, values, out=values)
    return values
