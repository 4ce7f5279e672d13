"""A hand as the camera sees it: on a plane that rises to the elbow, blurred by its motion, with a shadow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from hardware.simulated.picture import Layer, Thing
from hardware.simulated.projection import HEIGHT, WIDTH
from hardware.simulated.shadow import softened, taken
from hardware.simulated.sprite import LEVELS, ONTO_PLANE, Lamps, drawn, sprite_size

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from hardware.ports import Pixels
    from hardware.simulated.die import Floats
    from hardware.simulated.faces import Singles
    from hardware.simulated.hand import Visit
    from hardware.simulated.light import Light
    from hardware.simulated.person import Person
    from hardware.simulated.projection import Projection

SLOPE = 0.22
"""How steeply the arm rises."""
EXPOSURE_S = 0.01
COARSE = 4
"""A shadow is drawn at this fraction of the size; so is a hand that moves fast."""
FAST_PX = 10.0
TOPMOST = 1e6
"""The order of what is over all dice."""


def hand_state(visit: Visit, time_s: float) -> Hashable:
    """Changes whenever the hand of that visit looks different; None if it is away."""
    tip = visit.tip_mm(time_s)
    return None if tip is None else (visit.start_s, *tip.tolist(), round(visit.curl(time_s) * LEVELS))


def hand_things(visit: Visit, time_s: float, person: Person, view: Projection, light: Light) -> list[Thing]:
    """The hand of that visit then: all of it over the dice, or the palm under and its fingers over them."""
    tip = visit.tip_mm(time_s)
    if tip is None:
        return []
    level = round(visit.curl(time_s) * LEVELS)
    state = hand_state(visit, time_s)
    away = np.array(visit.away)
    right = np.array([-away[1], away[0], 0.0]) * person.size
    back = np.array([*away, SLOPE]) * person.size
    turned = round(float(np.arctan2(away[1], away[0])) / (np.pi / 6))
    sprite = drawn(person, level, visit.palm_up, visit.cup, turned, Lamps.of(light))
    onto = view.sheet(tip, right, back) @ ONTO_PLANE
    before, after = (visit.path(time_s - visit.start_s + by * EXPOSURE_S) for by in (-0.5, 0.5))
    smear = np.diff(view.project(np.array([before, after])), axis=0)[0]
    parts = [sprite.cover] if not visit.palm_up or visit.cup else [sprite.cover, sprite.over]
    layers = projected(sprite.pixels, parts, onto, smear)
    dark = fallen(sprite.cover, tip, right, back, view, light)
    if layers is None:
        return [Thing(state, TOPMOST, None, dark, tall=True)]
    if len(layers) == 1:
        return [Thing(state, TOPMOST, layers[0], dark, tall=True)]
    palm = tip + 40 * back
    return [
        Thing(state, view.order(palm) + 2, layers[0], dark, tall=True),
        Thing(state, TOPMOST, layers[1], None, tall=True),
    ]


def projected(pixels: Pixels, covers: Sequence[Pixels], onto: Floats, smear: Floats) -> list[Layer] | None:
    """The sprite in the frame, one layer for each cover; None if it is out of view."""
    box = in_view(onto)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    fast = float(np.hypot(*smear))
    step = COARSE if fast > FAST_PX else 1
    size = (-(-(x1 - x0) // step), -(-(y1 - y0) // step))
    into = np.array([[1 / step, 0, -x0 / step], [0, 1 / step, -y0 / step], [0, 0, 1]]) @ onto
    flags = cv2.INTER_AREA if step > 1 else cv2.INTER_LINEAR
    seen = [cv2.warpPerspective(part, into, size, flags=flags) for part in (pixels, *covers)]
    if step > 1:
        line = blur_line(smear / step)
        solid = cv2.merge([seen[1]] * 3)
        # Colours are weighted by what they cover, or the black around the hand would bleed into it.
        weighed = cv2.filter2D(cv2.multiply(seen[0], solid, scale=1 / 255), -1, line)
        shares = [cv2.filter2D(part, -1, line) for part in seen[1:]]
        colours = cv2.divide(weighed, cv2.merge([shares[0]] * 3), scale=255)
        seen = [cv2.resize(part, (size[0] * step, size[1] * step)) for part in (colours, *shares)]
    pixels = np.asarray(seen[0], np.uint8)
    shown = [np.asarray(part * np.float32(1 / 255), np.float32) for part in map(np.asarray, seen[1:])]
    return [Layer(pixels, cover, x0, y0) for cover in shown]


def blur_line(along_px: Floats) -> Singles:
    """A filter that blurs along a line."""
    half = int(np.ceil(np.abs(along_px).max() / 2)) + 1
    line = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = np.rint((half + np.array([along_px, -along_px]) / 2) * 16).astype(np.int32)
    cv2.line(line, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(line / line.sum(), np.float32)


def in_view(onto: Floats) -> tuple[int, int, int, int] | None:
    """The part of the frame that a sprite can cover; None if it is out of view."""
    wide, long = sprite_size()
    corners = np.array([[[0.0, 0.0], [wide, 0.0], [wide, long], [0.0, long]]])
    seen = cv2.perspectiveTransform(corners, onto)[0]
    x0, y0 = np.maximum(np.floor(seen.min(axis=0)), 0).astype(int).tolist()
    x1, y1 = np.minimum(np.ceil(seen.max(axis=0)), (WIDTH, HEIGHT)).astype(int).tolist()
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def fallen(
    cover: Pixels, tip: Floats, right: Floats, back: Floats, view: Projection, light: Light
) -> Layer | None:
    """The hand's shadow on the floor: one from each lamp, and a dim one below it from the light around."""
    small = np.diag([1 / COARSE, 1 / COARSE, 1.0])
    high = float(tip[2]) + 60 * float(back[2])
    per_mm = view.focal / float(np.linalg.norm(view.eye_mm)) / COARSE
    near = 0.7 / (1 + high / 40) * (1 - light.shares.sum(axis=0))
    masks = []
    for toward, soft in (
        *((toward, light.softness * 0.22 + 0.03) for toward in light.toward),
        (np.array([0.0, 0.0, 1.0]), 0.5),
    ):
        falls = np.eye(3) - np.outer(toward / toward[2], [0, 0, 1.0])
        onto = small @ view.sheet(falls @ tip, falls @ right, falls @ back) @ ONTO_PLANE
        mask = cv2.warpPerspective(cover, onto, (WIDTH // COARSE, HEIGHT // COARSE), flags=cv2.INTER_AREA)
        masks.append(softened(np.asarray(mask, np.uint8), max(0.5, soft * high * per_mm)))
    dark = taken(masks, [*light.shares, near])
    x, y, wide, tall = cv2.boundingRect(cv2.transform(dark, np.ones((1, 3))))
    if not wide:
        return None
    fine = cv2.resize(dark[y : y + tall, x : x + wide], (wide * COARSE, tall * COARSE))
    return Layer(np.asarray(fine, np.uint8), None, x * COARSE, y * COARSE)
