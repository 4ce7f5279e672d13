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


def render(die: Die, pose: Pose, view: View, light: Light) -> Layer | None:
    """The die as the camera sees it; None if it is out of view.

    A ray enters a convex body through the farthest of the planes that face the eye; the inverse of the
    distance along the ray is linear over the picture, so the faces are found without tracing anything.
    """
    outline = view.project(pose.placed(die))
    low = np.floor(outline.min(axis=0)).astype(int) - MARGIN
    high = np.ceil(outline.max(axis=0)).astype(int) + MARGIN + 1
    if (high <= 0).any() or (low >= (WIDTH, HEIGHT)).any():
        return None
    wide, tall = (high - low).tolist()
    print_ = printed(die)
    eye = (view.eye_mm - pose.at_mm) @ pose.turn
    into = view.rotation @ pose.turn
    ahead = print_.reach_mm - print_.normals @ eye
    front = np.flatnonzero(ahead < 0)
    xs = ((np.arange(low[0], high[0]) - (WIDTH - 1) / 2) / view.focal).astype(np.float32)
    ys = ((np.arange(low[1], high[1]) - (HEIGHT - 1) / 2) / view.focal).astype(np.float32)
    slopes = ((print_.normals[front] @ into.T) / ahead[front, None]).astype(np.float32)
    near = (slopes[:, :1] * xs)[:, None, :] + (slopes[:, 1:2] * ys + slopes[:, 2:])[:, :, None]
    which = near.argmin(axis=0)
    inverse = np.maximum(near.min(axis=0), np.float32(1e-6))
    chosen = front[which]
    ink = _ink(print_, chosen, inverse, xs, ys, into, eye)
    pixel_mm = float(np.linalg.norm(view.eye_mm - pose.at_mm)) / view.focal
    soft = max(0.6, die.look.rounding * die.solid.height_mm * die.scale / pixel_mm)
    normals = (print_.normals @ pose.turn.T).astype(np.float32)[chosen]
    smooth = _blurred(normals, soft * 0.8)
    colours = _lit(die, pose, view, light, smooth, ink)
    return Layer(colours, _cover(outline - low, wide, tall, soft), int(low[0]), int(low[1]))


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
