"""Variation drawn anew each time a stored crop or canvas is shown to a net."""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.crops import INPUT, NO_DIE, ROOM, STORED, both
from vision.training.types import Array, Rng


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


def shown(crop: Array, label: int, *, turnable: bool, rng: Rng) -> tuple[Array, int]:
    """A stored crop (STORED × STORED × 3, uint8) as the reader gets it, INPUT × 2 INPUT × 3; its class."""
    zoom = float(np.exp(rng.normal(0, 0.06)))
    angle = float(rng.uniform(0, 360) if turnable else rng.normal(0, 8))
    shift = rng.normal(0, 0.025, 2) * STORED / ROOM
    if label != NO_DIE and rng.random() < 0.02:  # beside the die: nothing to read
        way = rng.uniform(0, 2 * np.pi)
        shift = rng.uniform(0.4, 0.6) * STORED / ROOM * np.array([np.cos(way), np.sin(way)])
        label = NO_DIE
    if rng.random() < 0.12:
        low = int(rng.integers(30, 70))
        crop = cv2.resize(crop, (low, low), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(crop, (STORED, STORED), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.12:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.4, 0.9))
    out = both(crop, angle, zoom, (float(shift[0]), float(shift[1])))
    out = tinted(out, rng)
    if rng.random() < 0.25:
        grain = rng.normal(0, rng.uniform(2, 8), (INPUT, 2 * INPUT, 1)).astype(np.float32)
        out = np.clip(out + grain, 0, 255).astype(np.uint8)
    return out, label


def canvas_shown(canvas: Array, boxes: Array, rng: Rng) -> tuple[Array, Array]:
    """A stored canvas and its boxes (k, 5), flipped and turned by quarter turns and tinted."""
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
    return tinted(np.ascontiguousarray(canvas), rng), boxes
