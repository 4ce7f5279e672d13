"""What lens, sensor and file do to a picture: glare, cast, blur, noise, JPEG, grey."""

from __future__ import annotations

import cv2
import numpy as np

from training.types import Array, Rng


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
