"""Renders one simulated die: which face each pixel's ray hits, how that is lit, what is printed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hardware.simulated.faces import PX_PER_MM, printed
from hardware.simulated.picture import Layer
from hardware.simulated.projection import HEIGHT, WIDTH

if TYPE_CHECKING:
    from cv2.typing import MatLike

    from hardware.ports import Pixels
    from hardware.simulated.die import Die, Floats, Pose
    from hardware.simulated.faces import Printed, Singles
    from hardware.simulated.light import Light
    from hardware.simulated.projection import Projection

Indices: TypeAlias = npt.NDArray[np.intp]

SHIFT = 4
MARGIN = 3
NEAREST_MM = 60.0
"""A die whose corner is nearer to the lens, or behind it, is not drawn: it would fill the frame and more."""
SHARP_PX = 0.5
"""Motion blur below this is not drawn."""


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
    smear = _line(np.array(smear_px) / step) if fast > SHARP_PX else None
    seen, share = (_moved(part, smear, (wide * step, tall * step)) for part in (colours, cover))
    return Layer(np.asarray(seen, np.uint8), np.asarray(share, np.float32), x, y)


def _moved(part: MatLike, smear: Singles | None, size: tuple[int, int]) -> MatLike:
    """The picture blurred and enlarged to its size in the frame."""
    return cv2.resize(part if smear is None else cv2.filter2D(part, -1, smear), size)


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


def _line(along_px: Floats) -> Singles:
    """A filter that blurs along a line through its middle."""
    half = int(np.ceil(np.abs(along_px).max() / 2)) + 1
    line = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = np.rint((half + np.array([along_px, -along_px]) / 2) * (1 << SHIFT)).astype(np.int32)
    cv2.line(line, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_AA, SHIFT)
    return np.asarray(line / line.sum(), np.float32)


def _ink(print_: Printed, of_faces: Singles, inverse: Singles, xs: Singles, ys: Singles) -> Singles:
    """What is printed where each ray hits its face."""
    flat, begins = of_faces[:2]
    at = []
    for right, down, ahead in (of_faces[2:5], of_faces[5:]):
        right *= xs
        right += np.multiply(down, ys[:, None], out=down)
        right += ahead
        right /= inverse
        at.append(right)
    column = np.clip(at[0], 0, print_.side - 1, out=at[0])
    column += begins
    ink = cv2.remap(print_.ink, column, at[1], cv2.INTER_LINEAR)
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
    """Approximates a Gaussian blur, much faster."""
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
