"""Varies a picture: what lens, sensor and file do to it, and what changes each time a net sees it."""

import cv2
import numpy as np

from training import Array, Rng
from vision.recognition.classifiers import CROP_PX


def tinted(picture: Array, rng: Rng) -> Array:
    """The uint8 picture with other gains, gamma and contrast; at times grey, swapped, inverted."""
    draw = rng.random()
    if draw < 0.12:
        picture = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    elif draw < 0.4:
        picture = np.ascontiguousarray(picture[..., rng.permutation(3)])
    steps = np.linspace(0, 1, 256, dtype=np.float32)[:, None]
    table = (
        steps ** np.exp(rng.normal(0, 0.2, 3)) * np.exp(rng.normal(0, 0.1, 3)) * np.exp(rng.normal(0, 0.12))
    )
    table = (table - 0.5) * np.exp(rng.normal(0, 0.2)) + 0.5
    if rng.random() < 0.08:
        table = 1 - table
    return np.asarray(cv2.LUT(picture, (np.clip(table, 0, 1) * 255).astype(np.uint8)[None]))


SHADED = 0.3
"""The part of the crops that are shaded."""
COARSEST, FINEST = 36, 90
"""Pixels along a stored crop that is made coarser: numerals that are coarser still cannot be read."""
COARSE_PIPS = 20
"""Pixels along a crop of pips that is made coarser: they can be read where numerals can't."""


def roughened(crop: Array, rng: Rng, *, pips: bool) -> Array:
    """A crop (uint8, CROP_PX × CROP_PX × 3), of pips or not, at times shaded, coarser, blurred, grainy."""
    if rng.random() < SHADED:
        crop = shaded(crop, rng)
    draw = rng.random()
    if draw < (0.3 if pips else 0.2):
        least = COARSE_PIPS if pips else COARSEST
        low = int(np.exp(rng.uniform(np.log(least), np.log(FINEST))))
        crop = cv2.resize(crop, (low, low), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(crop, (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    elif draw < 0.35:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.5, 1.4))
    if rng.random() < 0.25:
        grain = rng.normal(0, rng.uniform(2, 9), (CROP_PX, CROP_PX, 1)).astype(np.float32)
        crop = np.clip(crop + grain, 0, 255).astype(np.uint8)
    return crop


def shaded(crop: Array, rng: Rng) -> Array:
    """A stored crop with lighter and darker places in it, as of shadows and of lights mirrored dimly."""
    cells = int(rng.integers(2, 6))
    coarse = rng.normal(0, rng.uniform(0.05, 0.25), (cells, cells)).astype(np.float32)
    light = cv2.resize(coarse, (CROP_PX, CROP_PX), interpolation=cv2.INTER_CUBIC)
    return np.asarray(cv2.convertScaleAbs(crop * np.exp(light)[..., None]))


def canvas_shown(canvas: Array, boxes: Array, rng: Rng) -> tuple[Array, Array]:
    """A stored canvas and its boxes (k, 5), turned by quarter turns, mirrored, near, far, and tinted."""
    side = canvas.shape[0]
    boxes = boxes.copy()
    if rng.random() < 0.5:
        canvas = canvas[:, ::-1]
        boxes[:, 1] = side - boxes[:, 1] - boxes[:, 3]
    if rng.random() < 0.5:
        canvas = canvas[::-1]
        boxes[:, 2] = side - boxes[:, 2] - boxes[:, 4]
    if rng.random() < 0.5:
        canvas = canvas.transpose(1, 0, 2)
        boxes = boxes[:, [0, 2, 1, 4, 3]]
    if rng.random() < 0.2:  # nearer: what is on a die is no die
        zoom = float(np.exp(rng.uniform(np.log(1.5), np.log(4))))
        part = int(side / zoom)
        x0, y0 = (int(v) for v in rng.integers(0, side - part + 1, 2))
        canvas = cv2.resize(np.ascontiguousarray(canvas[y0 : y0 + part, x0 : x0 + part]), (side, side))
        boxes[:, 1:] = (boxes[:, 1:] - (x0, y0, 0, 0)) * (side / part)
    elif rng.random() < 0.15:  # farther: a heap of dice is no die
        times = int(rng.choice([2, 4]))
        canvas = np.tile(
            cv2.resize(canvas, (side // times,) * 2, interpolation=cv2.INTER_AREA), (times, times, 1)
        )
        known = boxes[boxes[:, 0] >= 0] / (1, *(times,) * 4)
        steps = [side // times * k for k in range(times)]
        boxes = np.concatenate([known + (0, x, y, 0, 0) for y in steps for x in steps])
    return tinted(np.ascontiguousarray(canvas), rng), boxes


def degrade(picture: Array, rng: Rng, *, strength: float = 1.0) -> Array:
    """The float32 picture in [0, 1] (BGR) as a camera would store it: uint8 h × w × 3."""
    tall, wide = picture.shape[:2]
    out = picture
    if rng.random() < 0.25 * strength:
        y, x = np.mgrid[0:tall, 0:wide].astype(np.float32)
        spread = max(tall, wide) * rng.uniform(0.05, 0.3)
        glare = np.exp(-((x - rng.uniform(0, wide)) ** 2 + (y - rng.uniform(0, tall)) ** 2) / (2 * spread**2))
        out = out + glare[..., None] * rng.uniform(0.1, 0.7)
    slope = rng.normal(0, 0.15, 2)
    ramp = (
        1
        + slope[0] * np.linspace(-1, 1, wide, dtype=np.float32)[None]
        + slope[1] * np.linspace(-1, 1, tall, dtype=np.float32)[:, None]
    )
    cast = 1 + rng.normal(0, 0.09 * strength, 3)
    gain = np.exp(rng.normal(0, 0.14 * strength))
    out = np.clip(out * ramp[..., None] * (cast * gain), 0, None)
    out = np.clip(out, 0, 1) ** np.exp(rng.normal(0, 0.18 * strength))
    if rng.random() < 0.3:
        out = np.clip((out - 0.5) * rng.uniform(0.6, 1.7) + 0.5, 0, 1)
    out = out.astype(np.float32)
    blur = rng.random()
    if blur < 0.5 * strength:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.0))
    elif blur < 0.58 * strength:
        length = int(rng.integers(2, 6))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1.0)
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    if rng.random() < 0.6:
        spread = rng.exponential(0.013) * strength
        out = out + rng.normal(0, spread, (tall, wide, int(rng.choice([1, 3])))).astype(np.float32)
    if rng.random() < 0.2:
        out = out + rng.uniform(0.3, 1.2) * (out - cv2.GaussianBlur(out, (0, 0), 1.2))
    stored = (np.clip(out, 0, 1) * 255).astype(np.uint8)
    if rng.random() < 0.13:
        stored = cv2.cvtColor(cv2.cvtColor(stored, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.7:
        _, file = cv2.imencode(".jpg", stored, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])
        stored = np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR), np.uint8)
    return stored
