"""Hands over a tray, cups, and things that people leave there, drawn at random."""

import cv2
import numpy as np

from training import Array, Rng
from training.moving_trays import (
    TALL,
    WIDE,
    XS,
    YS,
    Colour,
    Scene,
    clutter,
    colour,
    lay_die,
    line_kernel,
    noise,
    shade,
    skin,
    surface,
)
from vision.motion.segmentation import OTHER

SHADED = 0.3
"""Share of the hands that are in the shade."""
LET_GO = 0.4
"""Share of the hands before whose fingers dice roll that they have just let go."""


def hand(scene: Scene, rng: Rng, die_px: float, dice_set: list[tuple[Colour, Colour, float]]) -> None:
    """A hand with its arm: spread, pointing, gripping or a fist; often with dice in it or just let go."""
    mm = die_px / 16 * rng.uniform(1.0, 1.5)
    knuckles, back = reach(rng)
    aside = np.array([-back[1], back[0]]) * rng.choice((-1, 1))
    curled, spread = rng.uniform(0.05, 1.1) if rng.random() < 0.7 else 0.05, rng.uniform(0.3, 1.6)
    fingers: list[tuple[Array, Array, float]] = []
    for i, (x, long) in enumerate(((-28, 72), (-10, 82), (9, 78), (26, 62))):
        bend = curled * rng.uniform(0.6, 1.3)
        way = -back + aside * (x / 60 * spread + rng.normal(0, 0.08))
        way /= np.linalg.norm(way)
        root = knuckles + aside * x * mm
        joint = root + way * long * 0.5 * mm * max(0.25, 1 - bend * 0.5)
        tip = joint + (way + aside * rng.normal(0, 0.15)) * long * 0.5 * mm * (1 - min(1.4, 1.3 * bend))
        radius = (8.5 if i < 3 else 7.5) * rng.uniform(0.9, 1.15) * mm
        fingers += [(root, joint, radius), (joint, tip, radius * 0.92)]
    root = knuckles + back * 45 * mm + aside * -34 * mm
    tip = root - back * rng.uniform(15, 60) * mm + aside * -rng.uniform(-25, 40) * mm
    fingers.append((root, tip, 10 * mm))
    palm = [
        (knuckles + aside * x * mm, knuckles + (back * 75 + aside * x * 0.7) * mm, 17 * mm)
        for x in (-20, 0, 19)
    ]
    wrist = knuckles + back * 85 * mm
    elbow = wrist + back * 2 * WIDE + aside * rng.normal(0, 60)
    arm = [(wrist, elbow, rng.uniform(24, 34) * mm)]
    height = rods([*fingers, *palm, *arm])
    cover = np.clip(height / (2.0 * mm), 0, 1)
    picture = skinned(rng, height, scene.picture, knuckles + back * rng.uniform(70, 190) * mm, back)
    if rng.random() < 0.5:
        nails(picture, rng, [tip for _, tip, _ in fingers[1::2]], mm)
    if rng.random() < 0.1:
        carried_cup(scene, rng, die_px, knuckles, back)
    held = int(rng.integers(1, 6)) if rng.random() < 0.45 else 0
    below = held and rng.random() < 0.5
    places = [
        knuckles + (back * rng.uniform(-55, 35) + aside * rng.uniform(-32, 32)) * mm for _ in range(held)
    ]
    if below:
        for at in places:
            lay_die(scene, rng, die_px * 1.08, dice_set, speed=float(rng.choice((0.0, 0.6))), at=at)
    if rng.random() < LET_GO:
        for tip in rng.permutation([tip for _, tip, _ in fingers])[: int(rng.integers(1, 6))]:
            at = tip + (aside * rng.uniform(-1, 1) - back * rng.uniform(0, 2.5)) * die_px
            lay_die(scene, rng, die_px * 1.03, dice_set, speed=float(rng.uniform(0, 1.6)), at=at)
    smear = rng.uniform(0, 1.3) * die_px if rng.random() < 0.45 else 0.0
    if smear > 1:
        way = back + aside * rng.normal(0, 0.6)
        kernel = line_kernel(way, smear)
        cover = np.asarray(cv2.filter2D(cover, -1, kernel), np.float32)
        picture = np.asarray(cv2.filter2D(picture, -1, kernel), np.float32)
    shade(scene, rng, cover, rng.uniform(8, 150) * mm, lamps=int(rng.integers(1, 3)))
    part = cover[..., None]
    scene.picture = scene.picture * (1 - part) + picture * part
    scene.labels[cover > 0.45] = OTHER
    if held and not below:
        fingers_over = np.clip(1 - rods([one for one in fingers if rng.random() < 0.5]) / (2.0 * mm), 0, 1)
        for at in places:
            lay_die(
                scene,
                rng,
                die_px * 1.1,
                dice_set,
                speed=float(rng.choice((0.0, 0.0, 0.5))),
                at=at,
                within=fingers_over,
            )


def reach(rng: Rng) -> tuple[Array, Array]:
    """Where a hand's knuckles are, and the way it came from: in over any edge."""
    side = int(rng.choice(4, p=(0.4, 0.2, 0.2, 0.2)))
    inside = rng.uniform(-0.12, 0.75)
    across = rng.uniform(0.0, 1.0)
    at, back = {
        0: ((across, 1 - inside), (0, 1)),
        1: ((across, inside), (0, -1)),
        2: ((inside, across), (-1, 0)),
        3: ((1 - inside, across), (1, 0)),
    }[side]
    angle = rng.normal(0, 0.4)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array(at) * (WIDE, TALL), turn @ np.array(back, float)


def rods(parts: list[tuple[Array, Array, float]]) -> Array:
    """The height of rods with round ends (from, to, radius in pixels) at each pixel; 0 beside them."""
    height = np.zeros((TALL, WIDE), np.float32)
    for start, end, radius in parts:
        low = np.floor(np.minimum(start, end) - radius - 1).astype(int).clip(0, (WIDE, TALL))
        high = np.ceil(np.maximum(start, end) + radius + 1).astype(int).clip(0, (WIDE, TALL))
        part = slice(low[1], high[1]), slice(low[0], high[0])
        xs, ys = XS[part], YS[part]
        if not xs.size:
            continue
        along = end - start
        share = np.clip(
            ((xs - start[0]) * along[0] + (ys - start[1]) * along[1]) / max(float(along @ along), 1e-6), 0, 1
        )
        away = (xs - start[0] - share * along[0]) ** 2 + (ys - start[1] - share * along[1]) ** 2
        height[part] = np.maximum(height[part], np.sqrt(np.maximum(radius**2 - away, 0)))
    return height


def skinned(rng: Rng, height: Array, scenery: Array, cuff: Array, back: Array) -> Array:
    """The look of a hand and arm of this height, the sleeve from the cuff on."""
    smooth = cv2.GaussianBlur(height, (0, 0), 1.0)
    slope = np.stack([-cv2.Sobel(smooth, cv2.CV_32F, k, 1 - k, ksize=3) / 8 for k in (1, 0)], axis=2)
    out = np.concatenate([slope, np.ones((TALL, WIDE, 1), np.float32)], axis=2)
    out /= np.linalg.norm(out, axis=2, keepdims=True)
    lamp = rng.normal(0, 0.45, 3) + (0, 0, 1.0)
    lit = 0.45 + 0.65 * np.clip(out @ (lamp / np.linalg.norm(lamp)), 0, 1)
    lit = lit * (1 + 0.06 * noise(rng, 60) + 0.05 * noise(rng, 12))
    if rng.random() < SHADED:  # against the light, or below the other arm
        lit = lit * rng.uniform(0.2, 0.8)
    bare = np.broadcast_to(skin(rng), scenery.shape).copy()
    along = (XS - cuff[0]) * back[0] + (YS - cuff[1]) * back[1]
    if rng.random() < 0.65:
        felt = scenery[int(rng.integers(TALL)), int(rng.integers(WIDE))] * rng.uniform(0.7, 1.2)
        cloth = surface(rng, felt if rng.random() < 0.25 else colour(rng))
        if rng.random() < 0.3:
            cloth += ((along % rng.uniform(8, 30)) < rng.uniform(2, 10))[..., None] * rng.uniform(-60, 60)
        bare = np.where((along > 0)[..., None], cloth, bare)
    elif rng.random() < 0.5:  # a watch or a bracelet
        wide = rng.uniform(4, 14)
        bare[np.abs(along) < wide] = colour(rng)
    return np.asarray(np.clip(bare * lit[..., None], 0, 255), np.float32)


def nails(picture: Array, rng: Rng, tips: list[Array], mm: float) -> None:
    """Paints a nail, or what shines on the skin, on each of these finger tips."""
    shine = colour(rng) if rng.random() < 0.4 else np.full(3, rng.uniform(120, 250))
    for tip in tips:
        at, size = (tip * 8).astype(int), float(rng.uniform(3.5, 6.5)) * mm
        axes = max(1, round(size * 8)), max(1, round(size * 8 * rng.uniform(0.6, 1)))
        cv2.ellipse(
            picture, at.tolist(), axes, float(rng.uniform(0, 180)), 0, 360, shine.tolist(), -1, cv2.LINE_AA, 3
        )


def carried_cup(scene: Scene, rng: Rng, die_px: float, at: Array, back: Array) -> None:
    """A cup in a hand, seen into or from its side while it is poured out."""
    radius = die_px * rng.uniform(1.6, 2.8)
    way = -back + rng.normal(0, 0.6, 2)
    mouth = at + way * radius * rng.uniform(0.2, 1.6)
    cover = np.clip(rods([(at, mouth, radius)]) / 3, 0, 1)
    outside = colour(rng)
    picture = np.full(scene.picture.shape, outside * rng.uniform(0.6, 1.1), np.float32)
    inside = int(radius * rng.uniform(0.7, 0.95)), int(radius * rng.uniform(0.2, 0.95))
    angle = float(np.degrees(np.arctan2(way[1], way[0])) + 90)
    centre = mouth.astype(int).tolist()
    cv2.ellipse(picture, centre, inside, angle, 0, 360, (outside * rng.uniform(0.1, 0.6)).tolist(), -1)
    cv2.ellipse(picture, centre, inside, angle, 0, 360, (outside * 1.2).tolist(), 1, cv2.LINE_AA)
    shade(scene, rng, cover, die_px * rng.uniform(0.5, 4), lamps=1)
    part = cover[..., None]
    scene.picture = scene.picture * (1 - part) + np.clip(picture, 0, 255) * part
    scene.labels[cover > 0.5] = OTHER


def cup(scene: Scene, rng: Rng, die_px: float) -> None:
    """A cup upside down, or one that is carried, seen from its side."""
    radius = die_px * rng.uniform(1.8, 3.2)
    at = rng.uniform(0, 1, 2) * (WIDE, TALL)
    top = at + rng.normal(0, 0.6, 2) * radius
    height = rods([(at, top, radius)])
    cover = np.clip(height / 3, 0, 1)
    base = colour(rng) if rng.random() < 0.8 else scene.picture[TALL // 2, WIDE // 2] * rng.uniform(0.7, 1.2)
    ring = np.hypot(XS - top[0], YS - top[1]) / radius
    picture = base * (0.7 + 0.3 * np.clip(1 - ring, 0, 1) + 0.15 * (np.abs(ring - 0.8) < 0.08))[..., None]
    shade(scene, rng, cover, die_px * rng.uniform(0.5, 2), lamps=1)
    part = cover[..., None]
    scene.picture = scene.picture * (1 - part) + np.clip(picture, 0, 255) * part
    scene.labels[cover > 0.5] = OTHER


def thing(scene: Scene, rng: Rng, die_px: float) -> None:
    """A card, a phone, a glass or a stick that someone left there or holds."""
    size = die_px * rng.uniform(2.5, 7)
    at, angle = rng.uniform(0, 1, 2) * (WIDE, TALL), rng.uniform(0, np.pi)
    box = cv2.boxPoints(
        ((float(at[0]), float(at[1])), (size, size * rng.uniform(0.25, 1)), np.degrees(angle))
    )
    cover = np.zeros((TALL, WIDE), np.float32)
    cv2.fillPoly(cover, [box.round().astype(np.int32)], 1.0, cv2.LINE_AA)
    shade(scene, rng, cover, die_px * rng.uniform(0.1, 1))
    picture = surface(rng, colour(rng))
    clutter(picture, rng)
    part = cover[..., None]
    scene.picture = scene.picture * (1 - part) + picture * part
    scene.labels[cover > 0.5] = OTHER
