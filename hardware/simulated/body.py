"""Renders one simulated die: which face each pixel's ray meets, how that is lit, what is printed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hardware.simulated.faces import PX_PER_MM, printed
from hardware.simulated.picture import Layer
from hardware.simulated.view import HEIGHT, WIDTH

if TYPE_CHECKING:
    from hardware.ports import Pixels
    from hardware.simulated.die import Die, Floats, Pose
    from hardware.simulated.faces import Printed, Singles
    from hardware.simulated.light import Light
    from hardware.simulated.view import View

Indices: TypeAlias = npt.NDArray[np.intp]

SHIFT = 4
MARGIN = 3
FAST_PX = 1.5
"""A die that moves farther while the shutter is open is drawn at half the resolution."""


def render(
    die: Die, pose: Pose, view: View, light: Light, smear_px: tuple[float, float] = (0.0, 0.0)
) -> Layer | None:
    """The die as the camera sees it; None if it is out of view.

    A ray enters a convex body through the farthest of the planes that face the eye; the inverse of the
    distance along the ray is linear over the picture, so the faces are found without tracing anything.
    A die that moves by `smear_px` while the shutter is open is smeared, and need not be drawn so finely.
    """
    outline = view.project(pose.placed(die))
    fast = float(np.hypot(*smear_px))
    step = 2 if fast > FAST_PX else 1
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
    slopes = ((print_.normals[front] @ into.T) / ahead[front, None]).astype(np.float32)
    near = (slopes[:, :1] * xs)[:, None, :] + (slopes[:, 1:2] * ys + slopes[:, 2:])[:, :, None]
    which = near.argmin(axis=0)
    inverse = np.maximum(near.min(axis=0), np.float32(1e-6))
    chosen = front[which]
    ink = _ink(print_, chosen, inverse, xs, ys, into, eye) * _seen_flat(print_, eye)[chosen]
    pixel_mm = step * float(np.linalg.norm(view.eye_mm - pose.at_mm)) / view.focal
    soft = max(0.6, die.look.rounding * die.solid.height_mm * die.scale / pixel_mm)
    normals = (print_.normals @ pose.turn.T).astype(np.float32)[chosen]
    colours = _lit(die, pose, view, light, _blurred(normals, soft * 0.8), ink)
    cover = _cover((outline - low - (step - 1) / 2) / step, wide, tall, soft)
    if step == 1:
        return Layer(colours, cover, int(low[0]), int(low[1]))
    smear = _line(np.array(smear_px) / step)
    size = (wide * step, tall * step)
    smeared = (cv2.resize(cv2.filter2D(part, -1, smear), size) for part in (colours, cover))
    return Layer(
        np.asarray(next(smeared), np.uint8), np.asarray(next(smeared), np.float32), int(low[0]), int(low[1])
    )


def _seen_flat(print_: Printed, eye: Floats) -> Singles:
    """How much ink is left of each face: on one seen from the edge a lens makes out none."""
    sight = eye - print_.at_mm
    facing = np.einsum("fk,fk->f", print_.normals, sight) / np.linalg.norm(sight, axis=1)
    return np.asarray(np.clip((facing - 0.05) * 6, 0, 1), np.float32)


def _line(along_px: Floats) -> Singles:
    """A filter that smears along a line through its middle."""
    half = int(np.ceil(np.abs(along_px).max() / 2)) + 1
    line = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = np.rint((half + np.array([along_px, -along_px]) / 2) * (1 << SHIFT)).astype(np.int32)
    cv2.line(line, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_AA, SHIFT)
    return np.asarray(line / line.sum(), np.float32)


def _ink(
    print_: Printed, chosen: Indices, inverse: Singles, xs: Singles, ys: Singles, into: Floats, eye: Floats
) -> Singles:
    """What is printed where each ray meets its face."""
    axes = np.stack([print_.right, -print_.up], axis=1)
    slope = (axes @ into.T).astype(np.float32)
    offset = np.einsum("fkj,fj->fk", axes, eye - print_.at_mm).astype(np.float32)
    at = []
    for k in (0, 1):
        s = slope[:, k]
        along = s[:, 0][chosen] * xs + s[:, 1][chosen] * ys[:, None] + s[:, 2][chosen]
        at.append(
            (along / inverse + offset[:, k][chosen]) * np.float32(PX_PER_MM)
            + np.float32(print_.side / 2 - 0.5)
        )
    column = np.clip(at[0], 0, print_.side - 1) + (chosen * print_.side).astype(np.float32)
    return np.asarray(cv2.remap(print_.ink, column, at[1], cv2.INTER_LINEAR), np.float32)


def _cover(outline: Floats, wide: int, tall: int, soft: float) -> Singles:
    """How much of each pixel the die covers: its outline with the corners rounded."""
    mask = np.zeros((tall, wide), np.uint8)
    hull = cv2.convexHull(outline.astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
    steep = 1.3 * soft
    blurred = _blurred(mask, soft * 0.7)
    share = blurred * np.float32(steep / 255) + np.float32(0.5 - 0.5 * steep)
    return np.asarray(np.clip(share, 0, 1), np.float32)


def _blurred(values: Singles | Pixels, sigma_px: float) -> Singles:
    """Nearly a Gaussian blur, and much faster."""
    side = max(3, round(sigma_px * 2.4) | 1)
    return np.asarray(cv2.blur(values, (side, side)), np.float32)


def _lit(die: Die, pose: Pose, view: View, light: Light, normals: Singles, ink: Singles) -> Pixels:
    """Its colours under the lamps; the normals (H×W×3) need not have length 1."""
    sight = view.eye_mm - pose.at_mm
    sight = sight / np.linalg.norm(sight)
    half = light.toward + sight
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    count = len(light.strength)
    rows = np.concatenate([[[0, 0, 1.0]], light.toward, half]).astype(np.float32)
    along = cv2.transform(normals, rows) / np.sqrt(np.einsum("hwk,hwk->hw", normals, normals))[..., None]
    along = np.maximum(along, 0)
    diffuse = along[..., 0] * np.float32(0.28 * light.around) + np.float32(0.72 * light.around)
    shine = np.zeros_like(diffuse)
    for i, strength in enumerate(light.strength.tolist()):
        diffuse += np.float32(strength) * along[..., 1 + i]
        shine += np.float32(strength) * power(along[..., 1 + count + i])
    printed_part = diffuse * ink
    parts = np.stack([diffuse - printed_part, printed_part, shine], axis=2)
    colours = np.array([die.look.body, die.look.ink, (die.look.gloss,) * 3]).T * 255
    return np.asarray(cv2.convertScaleAbs(cv2.transform(parts, colours.astype(np.float32))), np.uint8)


def power(values: Singles) -> Singles:
    """The values to the 32nd power: how sharply a die shines."""
    for _ in range(5):
        values = values * values
    return values
