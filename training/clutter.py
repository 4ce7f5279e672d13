"""What lies about a table and is no die: coins, cups, cards, pens, telephones, hands, trays' edges."""

import cv2
import numpy as np

from training import Array, Rng
from training.lettering import lettering, numeral, pip_face
from training.materials import colour

SIZES = {"domino": (1.2, 3.0), "screen": (4.0, 9.0), "button": (0.5, 1.6)}
"""How long each may be, in sides of a die."""


def lay(name: str, picture: Array, at: tuple[float, float], unit: float, rng: Rng) -> None:
    """Lays one of SIZES into the float32 picture, in place, among dice of `unit` pixels."""
    flat = {"domino": domino, "screen": screen, "button": button}[name](rng)
    longer = unit * float(rng.uniform(*SIZES[name]))
    tall, wide = picture.shape[:2]
    middle = (flat.shape[1] / 2, flat.shape[0] / 2)
    matrix = cv2.getRotationMatrix2D(middle, float(rng.uniform(0, 360)), longer / max(flat.shape[:2]))
    matrix[:, 2] += np.array(at) - middle
    spread = longer / max(flat.shape[:2])
    soft = cv2.GaussianBlur(flat, (0, 0), 0.4 / spread) if spread < 0.7 else flat
    seen = cv2.warpAffine(soft, matrix, (wide, tall), flags=cv2.INTER_LINEAR)
    cover = seen[..., 3:]
    shift = np.array([[1, 0, rng.uniform(-4, 4)], [0, 1, rng.uniform(-4, 4)]], np.float32)
    shadow = cv2.GaussianBlur(cv2.warpAffine(cover, shift, (wide, tall)), (0, 0), rng.uniform(0.5, 4))
    picture *= 1 - 0.5 * shadow[..., None]
    picture[:] = picture * (1 - cover) + seen[..., :3] * np.float32(rng.uniform(0.6, 1.0))


def domino(rng: Rng) -> Array:
    """A domino, 192 × 96 × 4: its colour and cover."""
    bone, ink = colour(rng), colour(rng)
    out = np.ones((192, 96, 4), np.float32)
    out[..., :3] = bone
    style = lettering(rng, pips=True)
    for top in (0, 96):
        if rng.random() < 0.9:
            pips = cv2.resize(pip_face(int(rng.integers(1, 7)), style, rng), (80, 80))[..., None]
            part = out[top + 8 : top + 88, 8:88, :3]
            part[:] = part * (1 - pips) + ink * pips
    cv2.line(out, (6, 96), (90, 96), (*(float(c) for c in ink), 1.0), int(rng.integers(1, 5)), cv2.LINE_AA)
    return out


def screen(rng: Rng) -> Array:
    """A telephone's screen full of coloured squares with signs on them, 192 × 112 × 4."""
    out = np.ones((192, 112, 4), np.float32)
    out[..., :3] = colour(rng) * float(rng.uniform(0.1, 1))
    across = int(rng.integers(2, 6))
    step = 104 // across
    side = int(step * rng.uniform(0.6, 0.9))
    for y in range(8, 192 - step, step):
        for x in range(6, 112 - step, step):
            paint = colour(rng)
            out[y : y + side, x : x + side, :3] = paint
            text = str(rng.choice(list("0123456789AKfe+")))
            ink = numeral(text, lettering(rng, pips=False), rng, mark_six_nine=False)
            if rng.random() < 0.15:
                ink = pip_face(int(rng.integers(1, 7)), lettering(rng, pips=True), rng)
            ink = cv2.resize(ink, (side, side), interpolation=cv2.INTER_AREA)[..., None]
            part = out[y : y + side, x : x + side, :3]
            part[:] = part * (1 - ink) + (1 - paint) * ink
    return out


def button(rng: Rng) -> Array:
    """A round button with holes, or a coin with a dot or two, 96 × 96 × 4."""
    out = np.zeros((96, 96, 4), np.float32)
    body, dark = colour(rng), colour(rng)
    cv2.circle(out, (48, 48), 46, (*(float(c) for c in body), 1.0), -1, cv2.LINE_AA)
    rim = (*(float(c) for c in np.clip(body * rng.uniform(0.5, 1.3), 0, 1)), 1.0)
    cv2.circle(out, (48, 48), int(rng.integers(34, 45)), rim, int(rng.integers(1, 5)), cv2.LINE_AA)
    holes = int(rng.choice([1, 2, 3, 4, 5]))
    far = 0.0 if holes == 1 else float(rng.uniform(10, 24))
    for k in range(holes):
        turn = 2 * np.pi * k / holes
        at = (int(48 + far * np.cos(turn)), int(48 + far * np.sin(turn)))
        size = int(rng.uniform(8, 26) if holes == 1 else rng.uniform(3, 8))
        cv2.circle(out, at, size, (*(float(c) for c in dark), 1.0), -1, cv2.LINE_AA)
    return out


THINGS = (
    *("coin", "cup", "card", "pen", "telephone", "blob", "chip", "pips", "tile", "marker"),
    *SIZES,
)


def edges(picture: Array, rng: Rng) -> None:
    """Draws a tray's rim or a mat's edge into the float32 picture, in place."""
    tall, wide = picture.shape[:2]
    paint = tuple(float(c) for c in colour(rng))
    thick = int(rng.integers(3, 40))
    if rng.random() < 0.25:
        centre = (int(wide * rng.uniform(0.3, 0.7)), int(tall * rng.uniform(0.3, 0.7)))
        radius = int(max(wide, tall) * rng.uniform(0.42, 0.7))
        outside = np.ones((tall, wide), np.uint8)
        cv2.circle(outside, centre, radius, 0, -1)
        picture[outside > 0] = picture[outside > 0] * 0.2 + np.array(paint, np.float32) * 0.8
        cv2.circle(picture, centre, radius, tuple(c * 0.7 for c in paint), thick // 2 + 1, cv2.LINE_AA)
        return
    box = cv2.boxPoints(
        (
            (wide * rng.uniform(0.35, 0.65), tall * rng.uniform(0.35, 0.65)),
            (wide * rng.uniform(0.7, 1.3), tall * rng.uniform(0.7, 1.3)),
            rng.uniform(-12, 12),
        )
    )
    outside = np.ones((tall, wide), np.uint8)
    cv2.fillPoly(outside, [box.astype(np.int32)], 0)
    picture[outside > 0] = picture[outside > 0] * 0.15 + np.array(paint, np.float32) * 0.85
    shade = float(rng.uniform(0.4, 1.3))
    cv2.polylines(picture, [box.astype(np.int32)], True, tuple(c * shade for c in paint), thick, cv2.LINE_AA)


def _marker(picture: Array, at: tuple[float, float], side: float, rng: Rng) -> None:
    """A printed square marker, as lies in a tray's corners."""
    codes = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    code = cv2.aruco.generateImageMarker(codes, int(rng.integers(50)), 48)
    code = cv2.copyMakeBorder(code, 6, 6, 6, 6, cv2.BORDER_CONSTANT, value=255)
    tall, wide = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((30, 30), float(rng.normal(0, 8)), side / 60)
    matrix[:, 2] += np.array([at[0] - 30, at[1] - 30])
    ink = cv2.warpAffine(code, matrix, (wide, tall), flags=cv2.INTER_AREA).astype(np.float32) / 255
    cover = cv2.warpAffine(np.ones((60, 60), np.float32), matrix, (wide, tall))[..., None]
    light = float(rng.uniform(0.3, 1.0))
    picture[:] = picture * (1 - cover) + (0.06 + 0.9 * ink[..., None]) * light * cover


def thing(picture: Array, unit: float, rng: Rng) -> None:
    """Draws one thing that is no die, about as large as dice of `unit` pixels, in place."""
    tall, wide = picture.shape[:2]
    x, y = float(rng.uniform(0, wide)), float(rng.uniform(0, tall))
    paint = colour(rng)
    shape = str(rng.choice(THINGS))
    if shape == "marker":
        _marker(picture, (x, y), unit * float(rng.uniform(0.5, 1.8)), rng)
        return
    if shape in SIZES:
        lay(shape, picture, (x, y), unit, rng)
        return
    layer = np.zeros((tall, wide), np.float32)
    if shape in ("coin", "chip"):
        radius = unit * rng.uniform(0.45, 1.1)
        cv2.circle(layer, (int(x), int(y)), max(2, int(radius)), 1.0, -1, cv2.LINE_AA)
        _put(picture, layer, paint, rng)
        ring = tuple(float(c) for c in np.clip(paint * rng.uniform(0.5, 1.4), 0, 1))
        cv2.circle(
            picture,
            (int(x), int(y)),
            max(1, int(radius * 0.85)),
            ring,
            max(1, int(radius * 0.08)),
            cv2.LINE_AA,
        )
        draw = rng.random()
        if draw < 0.35:  # a dotted token is no die either
            dot = max(1, int(radius * rng.uniform(0.12, 0.4)))
            cv2.circle(picture, (int(x), int(y)), dot, ring, -1, cv2.LINE_AA)
        elif draw < 0.8:
            _stamp(
                picture,
                (x, y),
                radius,
                str(rng.choice(["1", "2", "5", "10", "20", "50", "€", "A", "25"])),
                ring,
                rng,
            )
        return
    if shape == "cup":
        radius = unit * rng.uniform(1.5, 3.5)
        cv2.circle(layer, (int(x), int(y)), int(radius), 1.0, -1, cv2.LINE_AA)
        _put(picture, layer, paint, rng)
        inner = tuple(float(c) for c in paint * rng.uniform(0.2, 0.8))
        cv2.circle(picture, (int(x + radius * 0.05), int(y)), int(radius * 0.85), inner, -1, cv2.LINE_AA)
        return
    size = {
        "card": (3.5, 5.0),
        "pen": (0.5, 8.0),
        "telephone": (4.0, 8.0),
        "tile": (1.0, 1.0),
        "pips": (1.0, 1.0),
        "blob": (1.0, 1.0),
    }[shape]
    stretch = rng.uniform(0.7, 1.3, 2)
    rect = ((x, y), (unit * size[0] * stretch[0], unit * size[1] * stretch[1]), float(rng.uniform(0, 180)))
    if shape == "blob":
        points = (rng.normal(0, unit * 0.5, (7, 2)) + (x, y)).astype(np.int32)
        cv2.fillPoly(layer, [cv2.convexHull(points)], 1.0, cv2.LINE_AA)
    else:
        cv2.fillPoly(layer, [cv2.boxPoints(rect).astype(np.int32)], 1.0, cv2.LINE_AA)
    if shape != "pips":
        _put(picture, layer, paint * (0.1 if shape == "telephone" else 1), rng)
    printed = tuple(float(c) for c in colour(rng))
    if shape in ("card", "tile"):
        _stamp(
            picture,
            (x, y),
            unit * rng.uniform(0.4, 1.0),
            str(rng.choice(list("AKQJ234567890")) + rng.choice(["", "0", "5"])),
            printed,
            rng,
        )
    elif shape == "pips":  # printed flat on the cloth: no die
        style = lettering(rng, pips=True)
        ink = cv2.resize(
            pip_face(int(rng.integers(1, 7)), style, rng),
            (max(6, int(unit)),) * 2,
            interpolation=cv2.INTER_AREA,
        )
        _blend(picture, ink, (x, y), printed)


def _stamp(
    picture: Array, at: tuple[float, float], radius: float, text: str, paint: tuple[float, ...], rng: Rng
) -> None:
    ink = numeral(text, lettering(rng, pips=False), rng, mark_six_nine=False)
    side = max(6, int(radius * 1.3))
    turn = cv2.getRotationMatrix2D((48, 48), float(rng.uniform(0, 360)), 1)
    ink = cv2.resize(cv2.warpAffine(ink, turn, (96, 96)), (side, side), interpolation=cv2.INTER_AREA)
    _blend(picture, ink, at, paint)


def _blend(picture: Array, ink: Array, at: tuple[float, float], paint: tuple[float, ...]) -> None:
    side = ink.shape[0]
    x0, y0 = int(at[0] - side / 2), int(at[1] - side / 2)
    if x0 < 0 or y0 < 0 or x0 + side > picture.shape[1] or y0 + side > picture.shape[0]:
        return
    part = picture[y0 : y0 + side, x0 : x0 + side]
    part[:] = part * (1 - ink[..., None]) + np.array(paint, np.float32) * ink[..., None]


def _put(picture: Array, layer: Array, paint: Array, rng: Rng) -> None:
    """Lays the layer down with its shadow."""
    shift = np.array([[1, 0, rng.uniform(-6, 6)], [0, 1, rng.uniform(-6, 6)]], np.float32)
    shadow = cv2.GaussianBlur(cv2.warpAffine(layer, shift, layer.shape[::-1]), (0, 0), rng.uniform(1, 5))
    picture *= 1 - 0.5 * shadow[..., None]
    picture[:] = picture * (1 - layer[..., None]) + paint.astype(np.float32) * layer[..., None]


def hand(shape: tuple[int, int], unit: float, rng: Rng) -> tuple[Array, Array]:
    """A hand or a sleeve that reaches in from an edge: its colour h × w × 3 and cover h × w, float32."""
    tall, wide = shape
    cover = np.zeros(shape, np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle)])
    start = np.array([wide / 2, tall / 2]) - way * max(wide, tall) * 0.75
    palm = np.array([wide / 2, tall / 2]) + rng.normal(0, 0.25, 2) * (wide, tall)
    cv2.line(cover, _whole(start), _whole(palm), 1.0, max(4, int(unit * 3.2)), cv2.LINE_AA)
    for spread in np.linspace(-0.6, 0.6, 4) + rng.normal(0, 0.1):
        tip = palm + unit * rng.uniform(2.5, 4.5) * np.array([np.cos(angle + spread), np.sin(angle + spread)])
        cv2.line(cover, _whole(palm), _whole(tip), 1.0, max(3, int(unit * 1.0)), cv2.LINE_AA)
    skin = (
        np.array([0.45, 0.6, 0.85], np.float32) * rng.uniform(0.35, 1.1)
        if rng.random() < 0.75
        else colour(rng)
    )
    depth = cv2.GaussianBlur(cover, (0, 0), max(1.0, unit * 0.4))
    return np.clip(skin * (0.4 + 0.6 * depth[..., None]), 0, 1).astype(np.float32), cover


def _whole(point: Array) -> tuple[int, int]:
    return int(point[0]), int(point[1])
