"""Variation drawn anew each time a stored crop or canvas is shown to a net."""

from __future__ import annotations

import cv2
import numpy as np

from training.types import Array, Rng
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
"""Pixels along a stored crop that is made coarser: numerals that are coarser still cannot be read …"""
COARSE_PIPS = 20
"""… but pips can."""


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
