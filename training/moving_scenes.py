"""Frames of a tray in which people throw, drawn at random, with what each pixel shows.

Everything varies far more than it does over a real tray: felt, lamps, shadows, skin, sleeves, dice in the
hand, in the air and at rest, cups, things that people leave lying, and what a camera does to the picture.
The net learns from these which pixels are dice and which are a hand or another thing.
"""

import cv2
import numpy as np

from training import Array, Rng
from training.moving_hands import cup, hand, thing
from training.moving_trays import (
    FINE,
    HEIGHT,
    TALL,
    WIDE,
    WIDTH,
    XS,
    YS,
    Scene,
    die_colours,
    empty_tray,
    lay_die,
    noise,
)
from vision.motion.segmentation import TRAY

UNKNOWN = 0.25
"""Share of the frames in which the empty tray is not known: the frame itself stands for it."""
SHADED = 0.2
"""Share of the frames whose picture of the empty tray shows the shadow of something out of view."""
DIM = 0.3
"""Share of the frames that are dim."""
LAMPLIT = 0.25
"""Share of the frames in the warm light of a lamp, or in a cold one."""


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
