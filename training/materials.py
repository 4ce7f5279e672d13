"""What dice and tables are made of: noise, marble, speckle, wood, cloth, metal, as small colour pictures."""

import colorsys
from dataclasses import dataclass

import cv2
import numpy as np

from training import Array, Rng

USUAL = 0.5
"""Part of the dice whose ink is one of the usual ones whatever their body is."""
LOOKS = ("opaque", "marbled", "speckled", "translucent", "metal", "split", "swirled")


def colour(rng: Rng) -> Array:
    """A BGR colour, float32 in [0, 1]; blacks, whites and ivory as often as real dice have them."""
    draw = rng.random()
    if draw < 0.17:
        grey = rng.uniform(0.8, 1.0)
        rgb = (grey, grey * rng.uniform(0.9, 1), grey * rng.uniform(0.75, 1))
    elif draw < 0.32:
        grey = rng.uniform(0.02, 0.15)
        rgb = (grey, grey, grey)
    elif draw < 0.4:
        grey = rng.uniform(0.2, 0.7)
        rgb = (grey, grey, grey)
    else:
        rgb = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.35, 1), rng.uniform(0.25, 1))
    return np.array(rgb[::-1], np.float32)


def contrasting(base: Array, least: float, rng: Rng) -> Array:
    """A BGR colour that differs from `base` by at least `least` in some channel-weighted distance."""
    for _ in range(20):
        found = colour(rng)
        if np.abs(found - base) @ np.array([0.2, 0.5, 0.3]) > least:
            return found
    return np.full(3, 0.95 if base.mean() < 0.5 else 0.05, np.float32)


def standing_out(base: Array, second: Array, rng: Rng) -> Array:
    """A BGR ink legible on both colours: gold, silver, white or black more often than another."""
    often = np.array([[0.35, 0.6, 0.8], [0.8, 0.8, 0.8], [1, 1, 1], [0.03, 0.03, 0.03]], np.float32)
    tried = [*rng.permutation(often) * np.float32(rng.uniform(0.85, 1.1)), *(colour(rng) for _ in range(8))]
    if rng.random() < 0.25:
        tried = tried[::-1]
    apart = [min(float(np.abs(ink - body).mean()) for body in (base, second)) for ink in tried]
    enough = rng.uniform(0.15, 0.3)
    first = next((i for i, far in enumerate(apart) if far > enough), int(np.argmax(apart)))
    return np.clip(tried[first], 0, 1).astype(np.float32)


def noise(rng: Rng, height: int, width: int, *, coarse: int = 3, octaves: int = 4) -> Array:
    """Cloudy noise, float32 height × width, about [0, 1]."""
    out = np.zeros((height, width), np.float32)
    total = 0.0
    for k in range(octaves):
        cells = coarse * 2**k + 1
        layer = rng.random((cells, cells), dtype=np.float32)
        out += cv2.resize(layer, (width, height), interpolation=cv2.INTER_LINEAR) * 0.55**k
        total += 0.55**k
    return out / total


@dataclass(frozen=True)
class Material:
    """A die's body: its look, two colours, the ink and how light plays on it."""

    look: str
    base: Array
    second: Array
    ink: Array
    opacity: float
    gloss: float
    sharpness: float
    depth: float
    wear: float


def material(rng: Rng) -> Material:
    """A die's material drawn by chance."""
    look = str(rng.choice(LOOKS, p=[0.26, 0.18, 0.08, 0.1, 0.05, 0.05, 0.28]))
    base = colour(rng)
    ink = contrasting(base, rng.uniform(0.2, 0.5), rng)
    if look == "metal":
        base = np.array([0.55, 0.6, 0.62], np.float32) * rng.uniform(0.6, 1.3)
        if rng.random() < 0.4:
            base = base * np.array([0.45, 0.8, 1.1], np.float32)
        ink = contrasting(base, 0.3, rng)
    second: Array = np.clip(base + rng.normal(0, 0.22, 3), 0, 1).astype(np.float32)
    if look == "swirled":
        second = contrasting(base, rng.uniform(0.15, 0.4), rng)
        ink = standing_out(base, second, rng)
    elif look in ("split", "speckled") or rng.random() < 0.2:
        second = colour(rng)
        if np.abs(second - ink).mean() < 0.25:  # the numeral must stay legible on both colours
            second = 0.4 * second + 0.6 * base
    if rng.random() < USUAL:
        ink = standing_out(base, second, rng)
    return Material(
        look=look,
        base=base,
        second=second.astype(np.float32),
        ink=ink,
        opacity=float(rng.uniform(0.45, 0.85)) if look == "translucent" else 1.0,
        gloss=float(rng.choice([0.0, rng.uniform(0.05, 0.3), rng.uniform(0.3, 0.9)], p=[0.25, 0.45, 0.3])),
        sharpness=float(np.exp(rng.uniform(np.log(6), np.log(90)))),
        depth=float(rng.choice([0.0, 1.0, 2.5, -1.0], p=[0.35, 0.35, 0.2, 0.1])),
        wear=float(rng.choice([0.0, 0.0, rng.uniform(0.1, 0.5)])),
    )


def body_picture(stuff: Material, rng: Rng, side: int) -> Array:
    """The body's own colour without light, float32 side × side × 3 in [0, 1]."""
    if stuff.look in ("marbled", "translucent", "split"):
        cloud: Array = noise(rng, side, side, coarse=int(rng.integers(2, 5)))
        if stuff.look == "marbled" and rng.random() < 0.5:
            cloud = 0.5 + 0.5 * np.sin(cloud * rng.uniform(10, 30))
        spread = 0.03 if stuff.look == "split" else 0.25
        mix: Array = np.clip((cloud - 0.5) / spread + 0.5, 0, 1)[..., None]
    elif stuff.look == "swirled":
        mix = swirls(rng, side)[..., None]
    elif stuff.look == "speckled":
        grains = cv2.GaussianBlur(rng.random((side, side), dtype=np.float32), (0, 0), rng.uniform(0.8, 2.2))
        cut = np.quantile(grains, rng.uniform(0.55, 0.9))
        mix = np.clip((grains - cut) * 30 + 0.5, 0, 1)[..., None]
    else:
        mix = 0.15 * noise(rng, side, side)[..., None]
    out: Array = stuff.base * (1 - mix) + stuff.second * mix
    if stuff.look == "swirled":
        out *= pearl(noise(rng, side, side, coarse=2), rng)[..., None]
    return out.astype(np.float32)


def swirls(rng: Rng, side: int) -> Array:
    """How much of a second colour is where two are stirred into each other, float32 side × side in [0, 1]."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    pull = side * float(rng.uniform(0.2, 1.2))
    right, down = (pull * (noise(rng, side, side, coarse=2, octaves=2) - 0.5) for _ in range(2))
    cloud = cv2.GaussianBlur(
        noise(rng, side, side, coarse=int(rng.integers(1, 4)), octaves=2), (0, 0), 0.03 * side
    )
    stirred = cv2.remap(cloud, x + right, y + down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    cut = np.quantile(stirred, rng.uniform(0.3, 0.7))
    return np.asarray(np.clip((stirred - cut) / float(rng.uniform(0.02, 0.15)) + 0.5, 0, 1), np.float32)


def pearl(cloud: Array, rng: Rng) -> Array:
    """The brightness of a body with mother-of-pearl in it, where its clouds, about [0, 1], are so dense."""
    return np.asarray(1 + rng.uniform(0, 0.9) * (cloud - 0.5), np.float32)


def surface(rng: Rng, height: int, width: int) -> Array:
    """A table's picture seen from above, float32 height × width × 3 in [0, 1]."""
    kind = str(
        rng.choice(
            ["plain", "felt", "weave", "wood", "stone", "print", "squares"],
            p=[0.25, 0.18, 0.13, 0.16, 0.1, 0.13, 0.05],
        )
    )
    base, other = colour(rng), colour(rng)
    if kind in ("plain", "felt", "weave"):
        other = np.clip(base + rng.normal(0, 0.12, 3), 0, 1).astype(np.float32)
    cloud = noise(rng, height, width, coarse=2, octaves=3)
    mix: Array
    if kind == "plain":
        mix = cloud * rng.uniform(0, 0.5)
    elif kind == "felt":
        mix = cloud * 0.4 + rng.normal(0, rng.uniform(0.1, 0.5), (height, width))
        mix = np.asarray(cv2.GaussianBlur(mix.astype(np.float32), (0, 0), rng.uniform(0.5, 1.2)))
    elif kind == "weave":
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        turn = rng.uniform(0, np.pi)
        u, v = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        period = rng.uniform(3, 14)
        mix = (
            0.5
            + 0.25 * np.sin(u * 2 * np.pi / period)
            + 0.25 * np.sin(v * 2 * np.pi / period * rng.choice([0, 1, 0.5]))
        )
        mix = mix + 0.3 * (cloud - 0.5)
    elif kind == "wood":
        long = noise(rng, height, max(8, width // 12), coarse=4, octaves=5)
        grain = cv2.resize(long, (width, height), interpolation=cv2.INTER_LINEAR)
        mix = 0.5 + 0.5 * np.sin(grain * rng.uniform(15, 60))
        brown = np.array([0.25, 0.42, 0.62], np.float32)
        base = np.clip(brown * rng.uniform(0.4, 1.5), 0, 1)
        other = base * rng.uniform(0.6, 0.95)
    elif kind == "stone":
        grains = cv2.GaussianBlur(
            rng.random((height, width), dtype=np.float32), (0, 0), rng.uniform(0.7, 2.5)
        )
        mix = np.clip((grains - grains.mean()) / (grains.std() + 1e-6) * 0.4 + 0.3, 0, 1)
    elif kind == "squares":
        y, x = np.mgrid[0:height, 0:width]
        size = int(rng.integers(20, 90))
        mix = ((x // size + y // size) % 2).astype(np.float32)
    else:
        return printed(rng, height, width)
    mix = np.clip(mix, 0, 1)[..., None].astype(np.float32)
    out: Array = base * (1 - mix) + other * mix
    return out.astype(np.float32)


def printed(rng: Rng, height: int, width: int) -> Array:
    """A busy printed cloth or poster: shapes, letters, dots and figures, float32 height × width × 3."""
    out = np.empty((height, width, 3), np.uint8)
    out[:] = colour(rng) * 255
    for _ in range(int(rng.integers(15, 60))):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        size = int(rng.integers(6, 70))
        paint = tuple(float(c) * 255 for c in colour(rng))
        shape = rng.integers(6)
        if shape == 0:
            cv2.circle(out, (x, y), size // 2, paint, int(rng.choice([-1, 1, 3])), cv2.LINE_AA)
        elif shape == 1:
            box = cv2.boxPoints(((x, y), (size * rng.uniform(0.4, 2), size), rng.uniform(0, 90)))
            cv2.fillPoly(out, [box.astype(np.int32)], paint, cv2.LINE_AA)
        elif shape == 2:
            text = "".join(rng.choice(list("ABCDEFGHKMNPRSTUVXYZ0123456789"), int(rng.integers(1, 8))))
            cv2.putText(
                out,
                text,
                (x, y),
                int(rng.integers(0, 5)),
                size / 40,
                paint,
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
        elif shape == 3:
            points = rng.normal(0, size, (int(rng.integers(3, 6)), 2)) + (x, y)
            cv2.fillPoly(out, [points.astype(np.int32)], paint, cv2.LINE_AA)
        elif shape == 4:
            to = (int(x + rng.normal(0, 120)), int(y + rng.normal(0, 120)))
            cv2.line(out, (x, y), to, paint, int(rng.integers(1, 9)), cv2.LINE_AA)
        else:
            step = max(4, size // 3)
            for i in range(int(rng.integers(1, 4))):
                for j in range(int(rng.integers(1, 4))):
                    cv2.circle(out, (x + i * step, y + j * step), max(1, step // 4), paint, -1, cv2.LINE_AA)
    return cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.2)).astype(np.float32) / 255
