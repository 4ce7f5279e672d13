"""Trays and dice in them, drawn at random, for the net that watches throws."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np

from games.dice import KINDS, SOLIDS
from training import Array, Rng
from vision.motion.segmentation import DIE

WIDTH, HEIGHT = 160, 96
FINE = 2
"""Scenes are drawn this much finer than they are shown to the net."""
WIDE, TALL = WIDTH * FINE, HEIGHT * FINE
YS, XS = np.mgrid[0:TALL, 0:WIDE].astype(np.float32)
SMEARED = 0.15
"""A moving die's smear is measured by its cover, or by this. More: only the middle of a long one is a die."""
Colour: TypeAlias = Array
Part: TypeAlias = tuple[slice, slice]
SHAPES: dict[str, tuple[Array, list[list[int]]]] = {
    kind: (np.array(solid.vertices_mm, np.float32), [list(face.corners) for face in solid.faces])
    for kind, (solid, *_) in SOLIDS.items()
}

SKINS = np.array(
    [(175, 200, 235), (140, 175, 222), (105, 140, 205), (80, 115, 170), (55, 80, 125), (35, 48, 75)]
)


@dataclass
class Scene:
    """A picture in the making (float32, TALL × WIDE × 3, levels) and what each pixel shows (uint8)."""

    picture: Array
    labels: Array


def colour(rng: Rng) -> Colour:
    hsv = np.array([[[rng.uniform(0, 180), 255 * rng.uniform(0, 1), rng.uniform(12, 250)]]])
    return cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def skin(rng: Rng) -> Colour:
    if rng.random() < 0.12:
        return colour(rng)
    first = rng.uniform(0, len(SKINS) - 1)
    i = int(first)
    mixed = SKINS[i] + (SKINS[min(i + 1, len(SKINS) - 1)] - SKINS[i]) * (first - i)
    return np.asarray(np.clip(mixed * rng.uniform(0.8, 1.15) + rng.normal(0, 8, 3), 8, 250), np.float32)


def noise(rng: Rng, cells: float) -> Array:
    """Smooth noise, TALL × WIDE, about -1 … 1; `cells` is how many blobs it has across."""
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
    """A die that moves by `speed` of its widths a frame and is smeared by the exposure; 0 is at rest."""
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


def line_kernel(way: Array, long_px: float) -> Array:
    """What smears a picture along this way."""
    n = int(long_px) | 1
    kernel = np.zeros((n, n), np.float32)
    half = way / np.linalg.norm(way) * (n // 2)
    ends = (n // 2 - half).astype(int), (n // 2 + half).astype(int)
    cv2.line(kernel, tuple(ends[0].tolist()), tuple(ends[1].tolist()), 1.0)
    return kernel / kernel.sum()
