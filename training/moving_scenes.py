"""Frames of a tray in which people throw, drawn at random, with what each pixel shows.

Everything varies far more than it does over a real tray: felt, lamps, shadows, skin, sleeves, dice in the
hand, in the air and at rest, cups, things that people leave lying, and what a camera does to the picture.
The net learns from these which pixels are dice and which are a hand or another thing.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np

from games.dice import KINDS, SOLIDS
from training import Array, Rng
from vision.motion.segmentation import DIE, OTHER, TRAY

WIDTH, HEIGHT = 160, 96
FINE = 2
"""Scenes are drawn this much finer than they are shown to the net."""
WIDE, TALL = WIDTH * FINE, HEIGHT * FINE
YS, XS = np.mgrid[0:TALL, 0:WIDE].astype(np.float32)
UNKNOWN = 0.25
"""Share of the frames in which the empty tray is not known: the frame itself stands for it."""
SHADED = 0.2
"""Share of the frames whose picture of the empty tray shows the shadow of something out of view."""
DIM = 0.3
"""Share of the frames that are dim, and of the hands that are in the shade."""
LAMPLIT = 0.25
"""Share of the frames in the warm light of a lamp, or in a cold one."""
LET_GO = 0.4
"""Share of the hands before whose fingers dice roll that they have just let go."""
SMEARED = 0.15
"""A moving die's smear is measured by its cover, or by this. More: only the middle of a long one is a die."""
Colour: TypeAlias = Array
Part: TypeAlias = tuple[slice, slice]
SHAPES: dict[str, tuple[Array, list[list[int]]]] = {
    kind: (np.array(solid.vertices_mm, np.float32), [list(face.corners) for face in solid.faces])
    for kind, (solid, *_) in SOLIDS.items()
}


@dataclass
class Scene:
    """A picture in the making (float32, TALL × WIDE × 3, levels) and what each pixel shows (uint8)."""

    picture: Array
    labels: Array


def example(rng: Rng) -> tuple[Array, Array, Array]:
    """A frame and the empty tray (uint8, HEIGHT × WIDTH × 3 BGR), and the classes of the frame's pixels."""
    tray = empty_tray(rng)
    scene = Scene(tray.copy(), np.full((TALL, WIDE), TRAY, np.uint8))
    die_px = float(rng.uniform(5.0, 15.0)) * FINE
    dice_set = [die_colours(rng, tray) for _ in range(int(rng.integers(1, 4)))]
    style = rng.random()
    for _ in range(int(rng.integers(0, 7)) if style < 0.8 else 0):
        lay_die(scene, rng, die_px, dice_set, speed=0.0)
    for _ in range(int(rng.integers(1, 7)) if rng.random() < 0.55 else 0):
        lay_die(scene, rng, die_px, dice_set, speed=float(rng.uniform(0.2, 2.2)))
    if rng.random() < 0.22:
        cup(scene, rng, die_px)
    if rng.random() < 0.12:
        thing(scene, rng, die_px)
    hands = int(rng.choice((0, 1, 2), p=(0.25, 0.67, 0.08)))
    for _ in range(hands):
        hand(scene, rng, die_px, dice_set)
    if not hands and rng.random() < 0.3:
        stray_shadow(scene.picture, rng)
    if rng.random() < SHADED:
        stray_shadow(tray, rng)
    picture, known = lights(rng, scene.picture, tray)
    frame, empty = seen_by_camera(rng, picture, known)
    if rng.random() < UNKNOWN:
        empty = frame.copy()
    labels = np.asarray(cv2.resize(scene.labels, (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST), np.uint8)
    ways = slice(None, None, int(rng.choice((-1, 1)))), slice(None, None, int(rng.choice((-1, 1))))
    frame, empty, labels = (np.ascontiguousarray(picture[ways]) for picture in (frame, empty, labels))
    return frame, empty, labels


def colour(rng: Rng) -> Colour:
    hsv = np.array([[[rng.uniform(0, 180), 255 * rng.uniform(0, 1), rng.uniform(12, 250)]]])
    return cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def noise(rng: Rng, cells: float) -> Array:
    """Smooth noise, TALL × WIDE, about -1 … 1, with so many blobs across."""
    size = max(2, round(cells)), max(2, round(cells * TALL / WIDE))
    blobs = rng.normal(0, 0.5, (size[1], size[0])).astype(np.float32)
    return np.asarray(cv2.resize(blobs, (WIDE, TALL), interpolation=cv2.INTER_CUBIC))


def surface(rng: Rng, base: Colour) -> Array:
    """Cloth, wood, leather or paint of this colour."""
    grain = sum(
        noise(rng, cells) * np.float32(rng.uniform(0, most)) for cells, most in ((6, 9), (40, 8), (160, 9))
    )
    picture = base + np.asarray(grain)[..., None] * rng.uniform(0.3, 1.2, 3).astype(np.float32)
    if rng.random() < 0.25:  # wood, or stripes
        angle, every = rng.uniform(0, np.pi), rng.uniform(6, 40)
        waves = np.sin((XS * np.cos(angle) + YS * np.sin(angle) + 6 * noise(rng, 5)) / every * 2 * np.pi)
        picture += waves[..., None] * rng.uniform(2, 25)
    for _ in range(int(rng.integers(0, 3))):  # folds and seams
        line = np.zeros((TALL, WIDE), np.float32)
        start, end = (rng.uniform(-0.2, 1.2, (2, 2)) * (WIDE, TALL)).astype(int).tolist()
        cv2.line(line, start, end, 1.0, int(rng.integers(1, 4)), cv2.LINE_AA)
        picture += cv2.GaussianBlur(line, (0, 0), rng.uniform(0.5, 4))[..., None] * rng.uniform(-25, 20)
    return np.asarray(picture, np.float32)


def empty_tray(rng: Rng) -> Array:
    """The tray with nothing in it, with or without rim, table and markers."""
    picture = surface(rng, colour(rng))
    if rng.random() < 0.75:
        corners = tray_corners(rng)
        inside = np.zeros((TALL, WIDE), np.float32)
        cv2.fillPoly(inside, [corners.round().astype(np.int32)], 1.0, cv2.LINE_AA)
        rim = surface(rng, colour(rng) * 0.8)
        if rng.random() < 0.4:
            rim = picture * rng.uniform(0.7, 1.15)
        wide = rng.uniform(3, 22)
        border = cv2.dilate(inside, np.ones((int(wide), int(wide)), np.uint8))[..., None]
        outside = surface(rng, colour(rng)) * (1 - border) + rim * border
        if rng.random() < 0.4:
            outside += ((XS + YS) % rng.uniform(30, 200) < 8)[..., None] * rng.uniform(-30, 30)
        part = inside[..., None]
        dark = 1 - small_blur(1 - inside, rng.uniform(2, 14)) * rng.uniform(0, 0.7)
        picture = (picture * dark[..., None]) * part + outside * (1 - part)
        if rng.random() < 0.5:
            way = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
            way[:, 2] = rng.normal(0, 8, 2)
            walls = small_blur(
                cv2.warpAffine(1 - inside, way, (WIDE, TALL), borderValue=1.0), rng.uniform(0.6, 4)
            )
            picture = picture * (1 - (walls * inside * rng.uniform(0.1, 0.7))[..., None])
        if len(corners) == 4 and rng.random() < 0.6:
            markers(picture, rng, corners)
    if rng.random() < 0.3:
        clutter(picture, rng)
    return np.clip(picture, 2, 253)


def tray_corners(rng: Rng) -> Array:
    """The outline (n, 2) of a tray's floor: mostly a rectangle, else round or with six or eight sides."""
    if rng.random() < 0.5:
        margins = rng.uniform(-0.05, 0.16, 4) * (WIDE, TALL, WIDE, TALL)
        left, top, right, bottom = margins.tolist()
        square = [(left, top), (WIDE - right, top), (WIDE - right, TALL - bottom), (left, TALL - bottom)]
        return np.array(square) + rng.normal(0, 4, (4, 2))
    sides = int(rng.choice((4, 6, 8, 40), p=(0.25, 0.25, 0.1, 0.4)))
    angles = rng.uniform(0, 2 * np.pi) + np.arange(sides) * 2 * np.pi / sides
    radius = TALL * rng.uniform(0.36, 0.62)
    middle = np.array((WIDE, TALL)) * rng.normal(0.5, 0.06, 2)
    squeezed = np.array((rng.uniform(0.9, 1.25), rng.uniform(0.85, 1.0)))
    return np.asarray(middle + radius * squeezed * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def markers(picture: Array, rng: Rng, corners: Array) -> None:
    side = int(rng.uniform(12, 26))
    middle = corners.mean(axis=0)
    for corner in corners:
        x, y = (corner + (middle - corner) * rng.uniform(0.06, 0.13)).astype(int)
        cells = np.where(rng.random((6, 6)) < 0.5, 25.0, 225.0).astype(np.float32)
        cells[0] = cells[-1] = cells[:, 0] = cells[:, -1] = 25
        paper = np.pad(cells, 1, constant_values=228)
        left, top = x - side // 2, y - side // 2
        if left >= 0 and top >= 0 and left + side <= WIDE and top + side <= TALL:
            patch = cv2.resize(paper, (side, side), interpolation=cv2.INTER_AREA)
            picture[top : top + side, left : left + side] = patch[..., None]


def clutter(picture: Array, rng: Rng) -> None:
    """Prints, stains and things that belong to the table."""
    for _ in range(int(rng.integers(1, 6))):
        at = tuple((rng.uniform(0, 1, 2) * (WIDE, TALL)).astype(int).tolist())
        size = int(rng.uniform(3, 30))
        shade = colour(rng).tolist()
        if rng.random() < 0.5:
            cv2.circle(picture, at, size, shade, int(rng.choice((-1, 1, 2))), cv2.LINE_AA)
        else:
            points = at + rng.normal(0, size, (int(rng.integers(2, 9)), 2))
            cv2.polylines(
                picture, [points.astype(np.int32)], False, shade, int(rng.integers(1, 4)), cv2.LINE_AA
            )


def die_colours(rng: Rng, tray: Array) -> tuple[Colour, Colour, float]:
    """Body, print and how much the felt shines through."""
    like = rng.random()
    if like < 0.15:  # hardly other than the felt
        body = tray[TALL // 2, WIDE // 2] * rng.uniform(0.6, 1.35) + rng.normal(0, 12, 3)
    elif like < 0.27:
        body = skin(rng)
    else:
        body = colour(rng) if rng.random() < 0.7 else np.full(3, rng.choice((22.0, 215.0, 240.0)))
    ink = np.full(3, 235.0 if body.mean() < 120 else 20.0) if rng.random() < 0.7 else colour(rng)
    clear = float(rng.uniform(0.15, 0.6)) if rng.random() < 0.2 else 0.0
    return np.clip(body, 5, 250).astype(np.float32), ink.astype(np.float32), clear


def turned(rng: Rng, *, flat: bool, faces: list[list[int]], corners: Array) -> Array:
    """The corners after any turn; `flat` on one face."""
    axis = rng.normal(0, 1, 3)
    angle = rng.uniform(0, 2 * np.pi)
    turn = cv2.Rodrigues(axis / np.linalg.norm(axis) * angle)[0]
    if flat:
        face = corners[faces[int(rng.integers(len(faces)))][:3]]
        down = np.cross(face[1] - face[0], face[2] - face[0])
        down = down / np.linalg.norm(down) * np.sign(down @ face.mean(axis=0))
        axis = np.cross(down, (0, 0, -1.0))
        far = float(np.linalg.norm(axis))
        about = axis / max(far, 1e-6) * math.atan2(far, float(down @ (0, 0, -1.0)))
        spin = cv2.Rodrigues(np.array([0, 0, angle]))[0]
        turn = spin @ cv2.Rodrigues(about)[0]
    return np.asarray(corners @ turn.T, np.float32)


def die_picture(
    rng: Rng, die_px: float, dice_set: list[tuple[Colour, Colour, float]], *, flat: bool
) -> tuple[Array, Array]:
    """A die from above: its picture (float32, n × n × 3) and cover (n × n, 0 … 1)."""
    kind = rng.choice(KINDS) if rng.random() < 0.55 else "d6"
    corners, faces = SHAPES[str(kind)]
    body, ink, clear = dice_set[int(rng.integers(len(dice_set)))]
    corners = turned(rng, flat=flat, faces=faces, corners=corners)
    lean = rng.normal(0, 0.16, 2)
    size = die_px * rng.uniform(0.85, 1.15) / 16
    places = (corners[:, :2] + corners[:, 2:] * lean) * size
    half = int(np.abs(places).max()) + 3
    picture = np.zeros((2 * half, 2 * half, 3), np.float32)
    cover = np.zeros((2 * half, 2 * half), np.float32)
    lamp = rng.normal(0, 0.5, 3) + (0, 0, 1.2)
    lamp /= np.linalg.norm(lamp)
    pips = kind == "d6" and rng.random() < 0.6
    for face in faces:
        points = corners[face]
        out = np.cross(points[1] - points[0], points[2] - points[0])
        out = out / np.linalg.norm(out) * np.sign(out @ points.mean(axis=0))
        if out @ (lean[0], lean[1], 1.0) < 0.03:
            continue
        lit = 0.55 + 0.6 * max(0.0, float(out @ lamp))
        outline = (places[face] + half).round().astype(np.int32)
        cv2.fillConvexPoly(picture, outline, np.clip(body * lit, 0, 255).tolist(), cv2.LINE_AA)
        cv2.fillConvexPoly(cover, outline, 1.0, cv2.LINE_AA)
        print_face(picture, rng, places[face] + half, np.clip(ink * lit, 0, 255), pips=pips)
    if rng.random() < 0.15:
        picture += rng.normal(0, 35, picture.shape[:2])[..., None].astype(np.float32)
    if rng.random() < 0.3:
        at = tuple((half + rng.normal(0, half / 3, 2)).astype(int).tolist())
        cv2.circle(picture, at, max(1, int(die_px / 10)), (250, 250, 250), -1, cv2.LINE_AA)
    return picture, cover * (1 - clear)


def print_face(picture: Array, rng: Rng, corners: Array, ink: Colour, *, pips: bool) -> None:
    """Pips or a numeral on one face, as its corners lie."""
    middle = corners.mean(axis=0)
    across, down = (corners[0] - middle) * 0.55, (corners[1] - middle) * 0.55
    if pips and len(corners) == 4:
        spots = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (0.5, 0.5), (-0.5, -0.5)]
        for i in rng.permutation(len(spots))[: int(rng.integers(1, 7))]:
            u, v = spots[i]
            at = middle + across * u + down * v
            radius = max(0.8, float(np.linalg.norm(across)) * 0.2)
            cv2.circle(
                picture,
                tuple((at * 8).astype(int).tolist()),
                int(radius * 8),
                ink.tolist(),
                -1,
                cv2.LINE_AA,
                3,
            )
        return
    high = float(np.linalg.norm(across)) * rng.uniform(0.5, 1.1)
    points = middle + (rng.uniform(-0.5, 0.5, (5, 2)) * high * (0.8, 1.2))
    cv2.polylines(
        picture, [(points * 8).astype(np.int32)], False, ink.tolist(), max(1, round(high / 5)), cv2.LINE_AA, 3
    )


def lay_die(
    scene: Scene,
    rng: Rng,
    die_px: float,
    dice_set: list[tuple[Colour, Colour, float]],
    *,
    speed: float,
    at: Array | None = None,
    within: Array | None = None,
) -> None:
    """A die at rest (`speed` 0) or one that moves so many of its sizes a frame, smeared by the exposure."""
    high = float(rng.uniform(0, 2.5)) if speed else 0.0
    picture, cover = die_picture(rng, die_px * (1 + 0.05 * high), dice_set, flat=not speed and at is None)
    n = len(cover)
    at = rng.uniform(0.02, 0.98, 2) * (WIDE, TALL) if at is None else at
    if speed:
        way = rng.normal(0, 1, 2)
        way *= speed * die_px * rng.uniform(0.1, 1.0) / np.linalg.norm(way)
        smeared = np.zeros((n + 2 * int(die_px * 1.6), n + 2 * int(die_px * 1.6)), np.float32)
        layers = np.zeros((*smeared.shape, 3), np.float32)
        steps = max(2, int(np.linalg.norm(way)) + 1)
        for i in range(steps):
            x, y = (int(die_px * 1.6) + way * (i / (steps - 1) - 0.5)).astype(int).clip(0, len(smeared) - n)
            smeared[y : y + n, x : x + n] += cover / steps
            layers[y : y + n, x : x + n] += picture * cover[..., None] / steps
        picture, cover = layers / np.maximum(smeared, 1e-3)[..., None], smeared
    if (placed := in_scene((at - len(cover) / 2).astype(int), len(cover))) is None:
        return
    there, own = placed
    cover = cover[own] if within is None else cover[own] * within[there]
    shade(scene, rng, cover, (0.08 + 0.25 * high) * die_px, there)
    part = cover[..., None]
    scene.picture[there] = scene.picture[there] * (1 - part) + picture[own] * part
    solid = max(float(cover.max()), SMEARED)
    scene.labels[there][cover / solid > 0.4] = DIE


def in_scene(corner: Array, side: int) -> tuple[Part, Part] | None:
    """Where a square patch with this upper left corner lies in the scene, and which part of it does."""
    x, y = corner.tolist()
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + side, WIDE), min(y + side, TALL)
    if x0 >= x1 or y0 >= y1:
        return None
    return np.s_[y0:y1, x0:x1], np.s_[y0 - y : y1 - y, x0 - x : x1 - x]


def shade(
    scene: Scene, rng: Rng, cover: Array, away_px: float, there: Part = np.s_[:, :], lamps: int | None = None
) -> None:
    """Lets a thing throw its shadow, in the colour that is left of the light there."""
    for _ in range(int(rng.integers(0, 3)) if lamps is None else lamps):
        way = rng.normal(0, 1, 2)
        way *= away_px * rng.uniform(0.3, 1.5) / max(float(np.linalg.norm(way)), 1e-3)
        soft = max(0.6, away_px * rng.uniform(0.1, 0.5))
        left = np.clip(rng.uniform(0.2, 0.95) * rng.uniform(0.85, 1.15, 3), 0.12, 1.0).astype(np.float32)
        more = 0 if there == np.s_[:, :] else int(np.abs(way).max() + 2 * soft) + 1
        y0, x0 = (0, 0) if not more else (max(0, part.start - more) for part in there)
        y1, x1 = (TALL, WIDE) if not more else (part.stop + more for part in there)
        ground = scene.picture[y0:y1, x0:x1]
        shift = way + (0, 0) if not more else way + (there[1].start - x0, there[0].start - y0)
        moved = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
        dark = cv2.warpAffine(cover, moved, (ground.shape[1], ground.shape[0]))
        dark = small_blur(dark, soft)
        ground *= 1 - dark[..., None] * (1 - left)


def small_blur(mask: Array, sigma: float) -> Array:
    """A wide Gaussian blur, worked out on a smaller copy."""
    by = max(1, int(sigma / 2.5))
    if by == 1:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma))
    size = max(1, mask.shape[1] // by), max(1, mask.shape[0] // by)
    small = cv2.GaussianBlur(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), (0, 0), sigma / by)
    return np.asarray(cv2.resize(small, (mask.shape[1], mask.shape[0])))


def stray_shadow(picture: Array, rng: Rng) -> None:
    """Lets something out of view throw its shadow."""
    blob = np.clip(noise(rng, rng.uniform(2, 6)) * 3 + rng.uniform(-1, 0.5), 0, 1)
    picture *= 1 - blob[..., None] * rng.uniform(0.05, 0.75) * rng.uniform(0.75, 1, 3).astype(np.float32)


def lights(rng: Rng, picture: Array, tray: Array) -> tuple[Array, Array]:
    """Both pictures under lamps, which may have changed a little between them."""
    lamp = 1 + np.float32(rng.uniform(0, 0.5)) * noise(rng, 2)
    if rng.random() < 0.3:  # a spot of light
        x, y = rng.uniform(0, 1, 2) * (WIDE, TALL)
        far = (XS - x) ** 2 + (YS - y) ** 2
        lamp = lamp + np.exp(-far / np.float32(rng.uniform(400, 20000))) * np.float32(rng.uniform(0, 0.8))
    tint = rng.uniform(0.85, 1.15, 3).astype(np.float32)
    if rng.random() < LAMPLIT:
        warm = np.float32(rng.uniform(-0.2, 0.4))
        tint *= np.array((1 - warm, 1, 1 + warm), np.float32)
    changed = np.ones((TALL, WIDE), np.float32)
    if rng.random() < 0.6:  # the camera's exposure, or a cloud
        changed += 0.06 * noise(rng, 2) + np.float32(rng.normal(0, 0.06))
    known = tray * lamp[..., None] * tint
    return picture * (lamp * changed)[..., None] * tint, known


def seen_by_camera(rng: Rng, picture: Array, known: Array) -> tuple[Array, Array]:
    """Both pictures as the same camera gives them, small: blur, tone, noise and compression."""
    dim = rng.random() < DIM
    level = rng.uniform(0.2, 0.6) if dim else rng.uniform(0.6, 1.25)
    gamma = rng.uniform(0.75, 1.3)
    blur = rng.uniform(0, 1.1) if rng.random() < 0.6 else 0.0
    grain = rng.uniform(0, 10 if dim else 7)
    colourful = rng.uniform(0.5, 1.3)
    quality = int(rng.uniform(35, 96)) if rng.random() < 0.6 else None
    shift = rng.normal(0, 0.25, 2) if rng.random() < 0.4 else np.zeros(2)
    made = []
    for seen in (picture, known):
        small = cv2.resize(
            np.clip(seen * np.float32(level), 0, 255), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA
        )
        if seen is known:
            small = cv2.warpAffine(
                small,
                np.array([[1, 0, shift[0]], [0, 1, shift[1]]]),
                (WIDTH, HEIGHT),
                borderMode=cv2.BORDER_REFLECT,
            )
        small = 255 * (small / 255) ** gamma
        grey = small.mean(axis=2, keepdims=True)
        small = grey + (small - grey) * colourful
        if blur:
            small = cv2.GaussianBlur(small, (0, 0), blur)
        grains = rng.standard_normal((HEIGHT, WIDTH, 4), np.float32) * np.float32(grain / 2)
        small = small + grains[..., :3] + grains[..., 3:]
        out = np.clip(small, 0, 255).astype(np.uint8)
        if quality is not None:
            out = cv2.imdecode(
                cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR
            )
        made.append(out)
    return made[0], made[1]


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


SKINS = np.array(
    [(175, 200, 235), (140, 175, 222), (105, 140, 205), (80, 115, 170), (55, 80, 125), (35, 48, 75)]
)


def skin(rng: Rng) -> Colour:
    if rng.random() < 0.12:
        return colour(rng)
    first = rng.uniform(0, len(SKINS) - 1)
    i = int(first)
    mixed = SKINS[i] + (SKINS[min(i + 1, len(SKINS) - 1)] - SKINS[i]) * (first - i)
    return np.asarray(np.clip(mixed * rng.uniform(0.8, 1.15) + rng.normal(0, 8, 3), 8, 250), np.float32)


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


def skinned(rng: Rng, height: Array, scenery: Array, cuff: Array, back: Array) -> Array:
    """The look of a hand and arm of this height, the sleeve from the cuff on."""
    smooth = cv2.GaussianBlur(height, (0, 0), 1.0)
    slope = np.stack([-cv2.Sobel(smooth, cv2.CV_32F, k, 1 - k, ksize=3) / 8 for k in (1, 0)], axis=2)
    out = np.concatenate([slope, np.ones((TALL, WIDE, 1), np.float32)], axis=2)
    out /= np.linalg.norm(out, axis=2, keepdims=True)
    lamp = rng.normal(0, 0.45, 3) + (0, 0, 1.0)
    lit = 0.45 + 0.65 * np.clip(out @ (lamp / np.linalg.norm(lamp)), 0, 1)
    lit = lit * (1 + 0.06 * noise(rng, 60) + 0.05 * noise(rng, 12))
    if rng.random() < DIM:  # against the light, or below the other arm
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


def line_kernel(way: Array, long_px: float) -> Array:
    """What smears a picture along this way."""
    n = int(long_px) | 1
    kernel = np.zeros((n, n), np.float32)
    half = way / np.linalg.norm(way) * (n // 2)
    ends = (n // 2 - half).astype(int), (n // 2 + half).astype(int)
    cv2.line(kernel, tuple(ends[0].tolist()), tuple(ends[1].tolist()), 1.0)
    return kernel / kernel.sum()


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
