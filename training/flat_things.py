"""Flat things with signs on them that pass for dice: dominoes, screens, buttons, laid any way up."""

from __future__ import annotations

import cv2
import numpy as np

from training.lettering import lettering, numeral, pip_face
from training.materials import colour
from training.types import Array, Rng

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
