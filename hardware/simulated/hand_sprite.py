"""Draws people's hands flat: skin or a glove, a ring, a watch, a sleeve, a cup, and fingers that open.

A hand is modelled as rods with round ends over a plane: u to the right, v back along the arm, both in mm from
the tip of the stretched middle finger, and a height above. Each way of holding it is drawn once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator

from hardware.ports import Pixels
from hardware.simulated.die import Bgr, Floats, Singles
from hardware.simulated.picture import Light, soften

SKIN = (105.0, 140.0, 205.0)
"""The colour (BGR) of a light hand."""
SKINS: tuple[Bgr, ...] = (
    (172, 195, 236),
    (140, 172, 224),
    (112, 148, 206),
    (84, 118, 178),
    (60, 88, 140),
    (42, 60, 98),
    (28, 38, 62),
)
"""The colours of skins, BGR, from very light to very dark."""
PEOPLE = 3
"""Different pairs of hands at one table."""
Rod: TypeAlias = tuple[float, float, float, float, float, float, float, float]
"""A bone: u, v, height and radius at one end, then at the other, mm."""
PX_PER_MM = 1.8
LEFT_MM, TOP_MM, WIDE_MM, LONG_MM = -80.0, -45.0, 160.0, 315.0
"""The part of the plane that is drawn."""
FINGERS = (
    (-21.0, 84.0, -0.13, 74.0, 9.0),
    (-2.0, 79.0, -0.02, 79.0, 9.4),
    (16.0, 84.0, 0.09, 73.0, 8.9),
    (32.0, 94.0, 0.22, 58.0, 7.8),
)
"""Each finger: u and v of its knuckle, its angle to the arm when spread, its length and its radius."""
BONES = (0.46, 0.30, 0.24)
STRETCHED_DEG, FIST_DEG = np.array([6.0, 10.0, 6.0]), np.array([66.0, 92.0, 45.0])
LEVELS = 4
"""Fingers are drawn curled by this many steps."""
CUP_MM = (41.0, 33.0, 82.0)
"""Radii of a dice cup at its mouth and at its foot, and its length."""
MOUTH_MM = -28.0
"""The v of a held cup's mouth."""
PALM_LINES = (
    ((-30, 118), (-8, 102), (22, 104)),
    ((-30, 122), (-2, 126), (20, 142)),
    ((-26, 116), (-14, 138), (-12, 158)),
)
STEEPEST = 2.2
HIDDEN_MM = 22.0
"""Parts of fingers farther below the palm-down hand's middle are not seen."""
ONTO_PLANE = np.array(
    [[1 / PX_PER_MM, 0, LEFT_MM + 0.5 / PX_PER_MM], [0, 1 / PX_PER_MM, TOP_MM + 0.5 / PX_PER_MM], [0, 0, 1]]
)
"""The affine map from a sprite's pixels to its plane, mm."""
PALM: tuple[Rod, ...] = (
    (-16.0, 92.0, 0.0, 18.0, -13.0, 148.0, 0.0, 21.0),
    (2.0, 90.0, 0.0, 20.0, 2.0, 150.0, 0.0, 22.0),
    (22.0, 98.0, 0.0, 18.0, 14.0, 148.0, 0.0, 20.0),
)
ARM: tuple[Rod, ...] = (
    (0.0, 150.0, 0.0, 25.0, 0.0, 210.0, 0.0, 26.0),
    (0.0, 210.0, 0.0, 26.0, 0.0, 420.0, 0.0, 42.0),
)


@dataclass(frozen=True, slots=True)
class Person:
    """How a person's hand looks; colours are BGR, 0 … 255.

    The palm of a glove has the colour of its back. The sleeve begins `sleeve_mm` from the fingertips and may
    have stripes of a second colour. `cup` is the colour of its dice cup, `size` 1 for an average man's hand;
    `grain` is the seed of its smaller marks.
    """

    skin: Bgr
    palm: Bgr
    glove: bool
    sleeve: Bgr
    sleeve_mm: float
    stripe: Bgr
    ring: Bgr | None
    watch: Bgr | None
    cup: Bgr
    size: float
    left: bool
    grain: int


def random_person(rng: Generator, felt: Floats) -> Person:
    """A person's hands at random; one sleeve in seven has the felt's colour."""
    tone = float(rng.uniform(0, len(SKINS) - 1))
    lower = min(int(tone), len(SKINS) - 2)
    skin = np.array(SKINS[lower]) * (lower + 1 - tone) + np.array(SKINS[lower + 1]) * (tone - lower)
    skin = np.clip(skin * rng.normal(1, 0.05, 3), 15, 245)
    palm = np.maximum(skin * 1.06, skin * 0.45 + np.array(SKINS[2]) * 0.5)
    glove = bool(rng.random() < 0.12)
    if glove:
        skin = palm = rng.uniform(15, 235, 3)
    sleeve = felt * rng.uniform(0.9, 1.1) if rng.random() < 0.15 else rng.uniform(12, 235, 3)
    stripe = rng.uniform(12, 235, 3) if rng.random() < 0.3 else sleeve
    gold = (90.0, 175.0, 215.0) if rng.random() < 0.5 else (200.0, 200.0, 200.0)
    return Person(
        plain_bgr(skin),
        plain_bgr(palm),
        glove,
        plain_bgr(sleeve),
        float(rng.choice([rng.uniform(165, 220), rng.uniform(220, 320), 999.0], p=[0.45, 0.3, 0.25])),
        plain_bgr(stripe),
        gold if rng.random() < 0.35 and not glove else None,
        plain_bgr(rng.uniform(10, 210, 3)) if rng.random() < 0.35 else None,
        plain_bgr(np.array([38.0, 60.0, 105.0]) * rng.uniform(0.4, 1.5) * rng.normal(1, 0.1, 3)),
        float(rng.uniform(0.84, 1.06)),
        bool(rng.random() < 0.35),
        int(rng.integers(2**31)),
    )


def plain_bgr(colour: Floats) -> Bgr:
    blue, green, red = np.clip(colour, 0, 255).tolist()
    return blue, green, red


@dataclass(frozen=True, slots=True)
class Sprite:
    """A hand on its plane: its colours, what it covers (0 … 255), and the part over dice in its palm."""

    pixels: Pixels
    cover: Pixels
    over: Pixels


def sprite_size() -> tuple[int, int]:
    return round(WIDE_MM * PX_PER_MM), round(LONG_MM * PX_PER_MM)


def on_sprite(u_mm: float, v_mm: float) -> tuple[int, int]:
    return round((u_mm - LEFT_MM) * PX_PER_MM), round((v_mm - TOP_MM) * PX_PER_MM)


@lru_cache(maxsize=96)
def draw_hand(person: Person, level: int, palm_up: bool, cup: bool, turned: int, light: Light) -> Sprite:
    """The hand with its fingers curled by that level; `turned` is the arm's angle in steps of 30 degrees."""
    mirrored = person.left != palm_up
    curl = 0.62 if cup else level / LEVELS
    fingers = [finger(spec, curl, palm_up, person.grain + i) for i, spec in enumerate(FINGERS)]
    fingers.append(thumb(curl, palm_up))
    wide, long = sprite_size()
    height = np.full((long, wide), -1000.0, np.float32)
    for rod in ARM:
        raise_rod(height, rod, 0.62)
    for rod in PALM:
        raise_rod(height, rod, 0.62)
    height = smoothed(height, 6.0)
    body = height.copy()
    for rods in fingers:
        for rod in rods:
            raise_rod(height, rod, 1.0)
    albedo = skin_colours(person, fingers, palm_up)
    if person.watch is not None and person.sleeve_mm > 200:
        strap(albedo, height, person.watch)
    if person.sleeve_mm < 900:
        sleeve(albedo, height, person)
    if cup:
        held_cup(albedo, height, person.cup)
    if mirrored:
        height, body = (np.ascontiguousarray(part[:, ::-1]) for part in (height, body))
        albedo = np.ascontiguousarray(albedo[:, ::-1])
    cover = (height > -900).astype(np.uint8) * 255
    pixels = shaded(albedo, height, turned, light, person.glove)
    split = float(body[body > -900].mean()) + 12
    over = np.where(height > split, cover, 0).astype(np.uint8)
    return Sprite(pixels, cv2.GaussianBlur(cover, (0, 0), 0.8), cv2.GaussianBlur(over, (0, 0), 0.8))  # type: ignore[arg-type]  # OpenCV's types


def finger(spec: tuple[float, ...], curl: float, palm_up: bool, grain: int) -> list[Rod]:
    """The bones of a finger; palm up they curl upwards."""
    u, v, angle, length, radius = spec
    z, bend = 0.0, 0.0
    angle = angle * (1.15 - curl) + 0.05 * float(np.sin(grain))
    bends = np.radians(STRETCHED_DEG + (FIST_DEG - STRETCHED_DEG) * curl * (1 + 0.12 * np.sin(grain * 1.7)))
    rods: list[Rod] = []
    for part, more, thick in zip(BONES, bends, ((1.08, 1.0), (1.0, 0.94), (0.94, 0.82)), strict=True):
        bend += float(more)
        far, up = length * part * float(np.cos(bend)), length * part * float(np.sin(bend))
        end = u + far * float(np.sin(angle)), v - far * float(np.cos(angle)), z + (up if palm_up else -up)
        rods.append((u, v, z, radius * thick[0], *end, radius * thick[1]))
        u, v, z = end
    return rods


def thumb(curl: float, palm_up: bool) -> list[Rod]:
    """The bones of the thumb, which comes in front of the palm as the hand closes."""
    up = (10.0 if palm_up else -6.0) * curl
    middle = -47 + 20 * curl, 114 - 6 * curl
    tip = -62 + 48 * curl, 88 - 2 * curl
    return [
        (-22.0, 150.0, 0.0, 16.0, *middle, up, 11.0),
        (*middle, up, 10.5, *tip, up * 2, 8.5),
    ]


def raise_rod(height: Singles, rod: Rod, flat: float) -> None:
    """Raises the landscape to the rod's upper side, flattened by that factor."""
    u0, v0, z0, r0, u1, v1, z1, r1 = rod
    left, top = on_sprite(min(u0 - r0, u1 - r1) - 1, min(v0 - r0, v1 - r1) - 1)
    right, bottom = on_sprite(max(u0 + r0, u1 + r1) + 1, max(v0 + r0, v1 + r1) + 1)
    left, top = max(left, 0), max(top, 0)
    part = height[top:bottom, left:right]
    xs = ((left + np.arange(part.shape[1]) + 0.5) / PX_PER_MM + LEFT_MM).astype(np.float32)
    ys = ((top + np.arange(part.shape[0]) + 0.5) / PX_PER_MM + TOP_MM).astype(np.float32)[:, None]
    along = np.array([u1 - u0, v1 - v0])
    share = np.clip(((xs - u0) * along[0] + (ys - v0) * along[1]) / max(float(along @ along), 1e-6), 0, 1)
    away = (xs - u0 - share * along[0]) ** 2 + (ys - v0 - share * along[1]) ** 2
    inside = (r0 + share * (r1 - r0)) ** 2 - away
    top_side = z0 + share * (z1 - z0) + flat * np.sqrt(np.maximum(inside, 0))
    np.copyto(part, top_side.astype(np.float32), where=(inside > 0) & (top_side > part))


def smoothed(height: Singles, sigma_mm: float) -> Singles:
    solid = (height > -900).astype(np.float32)
    sigma = sigma_mm * PX_PER_MM
    smooth = np.asarray(soften(np.where(solid > 0, height, 0).astype(np.float32), sigma))
    return np.where(solid > 0, smooth / np.maximum(np.asarray(soften(solid, sigma)), 1e-3), -1000).astype(
        np.float32
    )


def skin_colours(person: Person, fingers: Sequence[Sequence[Rod]], palm_up: bool) -> Singles:
    """The colours of skin or glove, with nails, creases and a ring."""
    albedo = plain_skin(person, palm_up).copy()
    if person.glove:
        return albedo
    visible = [[rod for rod in rods if palm_up or rod[6] > -HIDDEN_MM] for rods in fingers]
    red, marks = reddened(visible), creases(visible, palm_up)
    albedo *= 1 - red[..., None] * np.array([0.13, 0.12, 0.0], np.float32)
    albedo *= 1 - 0.22 * cv2.GaussianBlur(marks, (0, 0), 0.9)[..., None]
    if not palm_up:
        nail = [min(part * 1.15 + 18, 250) for part in person.skin]
        for u0, v0, _, _, u1, v1, _, radius in (rods[-1] for rods in visible if len(rods) > 1):
            angle = float(np.degrees(np.arctan2(v1 - v0, u1 - u0)))
            place = on_sprite(u1 + 0.15 * (u1 - u0), v1 + 0.15 * (v1 - v0))
            axes = round(radius * 0.75 * PX_PER_MM), round(radius * 0.55 * PX_PER_MM)
            cv2.ellipse(albedo, place, axes, angle, 0, 360, nail, -1, cv2.LINE_AA)
    if person.ring is not None:
        u0, v0, _, radius, u1, v1, _, _ = fingers[2][0]
        u, v = 0.55 * u1 + 0.45 * u0, 0.55 * v1 + 0.45 * v0
        ends = [on_sprite(u + side * radius, v - side * radius * 0.1) for side in (-1, 1)]
        cv2.line(albedo, ends[0], ends[1], person.ring, round(3.4 * PX_PER_MM), cv2.LINE_AA)
    return albedo


def reddened(fingers: Sequence[Sequence[Rod]]) -> Singles:
    """Where the skin is redder: at the fingertips and the joints."""
    wide, long = sprite_size()
    red = np.zeros((long, wide), np.float32)
    for rods in fingers:
        for i, rod in enumerate(rods):
            radius_mm, much = (9, 1.0) if i == len(rods) - 1 else (7, 0.6)
            cv2.circle(red, on_sprite(rod[4], rod[5]), round(radius_mm * PX_PER_MM), much, -1)
    return np.asarray(soften(red, 4 * PX_PER_MM), np.float32)


def creases(fingers: Sequence[Sequence[Rod]], palm_up: bool) -> Singles:
    wide, long = sprite_size()
    marks = np.zeros((long, wide), np.float32)
    for rod in (rod for rods in fingers for rod in rods[:-1]):
        across = np.array([-(rod[5] - rod[1]), rod[4] - rod[0]])
        across = across / max(float(np.hypot(*across)), 1e-6) * rod[7] * 0.7
        for off in (-1.2, 1.2):
            ends = [on_sprite(rod[4] + side * across[0], rod[5] + side * across[1] + off) for side in (-1, 1)]
            cv2.line(marks, ends[0], ends[1], 1.0, 1, cv2.LINE_AA)
    for line in PALM_LINES if palm_up else ():
        points = np.array([on_sprite(*point) for point in line], np.int32)
        cv2.polylines(marks, [points], isClosed=False, color=1.0, thickness=2, lineType=cv2.LINE_AA)
    return marks


@lru_cache(maxsize=8)
def plain_skin(person: Person, palm_up: bool) -> Singles:
    rng = np.random.default_rng([person.grain, palm_up])
    wide, long = sprite_size()
    blotches = cv2.resize(
        rng.standard_normal((44, 17), np.float32), (wide, long), interpolation=cv2.INTER_CUBIC
    )
    fine = cv2.GaussianBlur(rng.standard_normal((long, wide), np.float32), (0, 0), 1.0)
    colour = np.array(person.palm if palm_up else person.skin, np.float32)
    return np.asarray((1 + 0.035 * blotches + 0.05 * fine)[..., None] * colour, np.float32)


def strap(albedo: Singles, height: Singles, colour: Bgr) -> None:
    _, top = on_sprite(0, 178)
    _, bottom = on_sprite(0, 196)
    on = height[top:bottom] > -900
    albedo[top:bottom][on] = colour
    height[top:bottom][on] += 2.0
    place = on_sprite(0, 187)
    dial = np.zeros(height.shape, np.uint8)
    cv2.circle(dial, place, round(17 * PX_PER_MM), 255, -1)
    albedo[dial > 0] = np.array(colour) * 0.3 + 150
    height[dial > 0] = np.maximum(height[dial > 0], height[place[1], place[0]] + 3)
    cv2.circle(albedo, place, round(13 * PX_PER_MM), [part * 0.4 + 20 for part in colour], -1, cv2.LINE_AA)


def sleeve(albedo: Singles, height: Singles, person: Person) -> None:
    rng = np.random.default_rng(person.grain + 1)
    cloth = np.full(height.shape, -1000.0, np.float32)
    raise_rod(cloth, (0.0, person.sleeve_mm + 32, 4.0, 40.0, 0.0, 460.0, 4.0, 56.0), 0.7)
    _, top = on_sprite(0, person.sleeve_mm)
    cloth[:top] = -1000
    on = cloth > -900
    tall, wide = height.shape
    folds = cv2.resize(rng.standard_normal((30, 4), np.float32), (wide, tall), interpolation=cv2.INTER_CUBIC)
    height[on] = (cloth + 2.2 * folds)[on]
    ys = np.arange(tall)[:, None] // round(7 * PX_PER_MM) % 2
    colour = np.where(ys[..., None] > 0, person.stripe, person.sleeve).astype(np.float32)
    albedo[on] = np.broadcast_to(colour, albedo.shape)[on]


def held_cup(albedo: Singles, height: Singles, colour: Bgr) -> None:
    mouth, foot, long = CUP_MM
    shape = np.full(height.shape, -1000.0, np.float32)
    raise_rod(shape, (0.0, MOUTH_MM, 0.0, mouth, 0.0, MOUTH_MM + long, 0.0, foot), 0.8)
    _, top = on_sprite(0, MOUTH_MM)
    shape[:top] = -1000
    shape[on_sprite(0, MOUTH_MM + long)[1] :] = -1000
    on = (shape > -900) & (height < -900)
    height[on] = shape[on]
    albedo[on] = colour
    hole = on_sprite(0, MOUTH_MM)
    axes = round((mouth - 3) * PX_PER_MM), round(9 * PX_PER_MM)
    cv2.ellipse(albedo, hole, axes, 0, 0, 360, [part * 0.25 for part in colour], -1, cv2.LINE_AA)


def shaded(albedo: Singles, height: Singles, turned: int, light: Light, glove: bool) -> Pixels:
    solid = height > -900
    beside = cv2.dilate(
        height, np.ones((9, 9), np.uint8)
    )  # or the outline would be drawn as a steep dark edge
    base = np.maximum(np.where(solid, height, beside), -40)
    soft = np.asarray(cv2.GaussianBlur(base, (0, 0), 1.6), np.float32)
    du = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3) / 8 * PX_PER_MM
    dv = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3) / 8 * PX_PER_MM
    np.clip(du, -STEEPEST, STEEPEST, out=du)
    np.clip(dv, -STEEPEST, STEEPEST, out=dv)
    inverse = 1 / np.sqrt(du**2 + dv**2 + 1)
    angle = turned * np.pi / 6
    away = np.array([np.cos(angle), np.sin(angle)])
    right = np.array([-away[1], away[0]])
    lit = light.around * (0.62 + 0.38 * inverse)
    shine = np.zeros_like(inverse)
    for toward, strength in zip(light.toward.tolist(), light.strength.tolist(), strict=True):
        u, v = float(right @ toward[:2]), float(away @ toward[:2])
        lit += strength * np.maximum((-du * u - dv * v + toward[2]) * inverse, 0)
        half = np.array([u, v, toward[2] + 1])
        half /= np.linalg.norm(half)
        shine += strength * np.maximum((-du * half[0] - dv * half[1] + half[2]) * inverse, 0) ** (
            40 if glove else 16
        )
    inside = np.where(solid, height, base.min())
    deep = np.clip((soften(np.asarray(inside, np.float32), 3.5 * PX_PER_MM) - inside - 1.0) / 14, 0, 0.55)
    lit *= 1 - deep
    return np.asarray(
        np.clip(albedo * lit[..., None] + (22 if glove else 14) * shine[..., None], 0, 255), np.uint8
    )
