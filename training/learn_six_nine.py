"""Stage `six-nine`: trains the net that sees by a line or dot whether a 6 or 9 stands upright; resumable.

It is shown numerals drawn flat, among edges that say nothing about which way is up: neither the shape of a
face nor a maker's habit teaches it anything. It learns that numerals without line and dot may be either.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from games.dice import Kind
from training import Array, Rng
from training.architectures import SixNineModule
from training.augment import degrade, tinted
from training.course import Course
from training.dice_sets import model
from training.lettering import SIDE, Lettering, numeral, ornament
from training.materials import body_picture
from vision.recognition.classifiers import SIDE_SPAN, SYMBOL_PX, levelled, square_at, warp

KINDS: Final[tuple[Kind, ...]] = ("d10", "d12", "d20")
LINES: Final = ("line", "dot", "none")
SHARES: Final = (0.42, 0.36, 0.22)
DRAWN: Final = 3000
"""Numerals that are drawn before the first step; each step draws some anew."""
ANEW: Final = 1
PATCH_PX: Final = 72
PATCH_SPAN: Final = 2.2
"""Pixels along the picture of a numeral, and how many times its square that spans."""
SQUARE: Final = PATCH_PX / PATCH_SPAN
COARSEST: Final = 11.0
"""Pixels along the square of the smallest numerals: smaller ones show nothing."""
SEED: Final = 96
BATCH: Final = 96
RATE: Final = 2e-3


def patch(rng: Rng) -> tuple[Array, bool]:
    """An upright 6 or 9 (uint8 PATCH_PX × PATCH_PX × 3) as seen; whether a line or dot marks which."""
    kind = KINDS[int(rng.integers(len(KINDS)))]
    die = model(kind, rng)
    style = replace(die.style, six_nine=str(rng.choice(LINES, p=SHARES)))
    seed = int(rng.integers(2**31))
    ink = laid(
        numeral(str(rng.choice(["6", "9"])), style, np.random.default_rng(seed), mark_six_nine=True), 1.0, rng
    )
    border = ornament(kind, style, rng)
    if border is not None and rng.random() < 0.3:
        ink = np.maximum(ink, laid(border, 1.3, rng))
    ink = np.maximum(ink, others_beside(style, rng))
    body = cv2.resize(body_picture(die.stuff, rng, 64), (PATCH_PX, PATCH_PX)) * planes(rng)[..., None]
    picture = body + (die.stuff.ink - body) * (ink * rng.uniform(0.6, 1.0))[..., None]
    if rng.random() < 0.3:  # engraved: one rim in the light, one in the shade
        slope = np.gradient(cv2.GaussianBlur(ink, (0, 0), 0.8))[int(rng.integers(2))]
        picture = picture + (slope * rng.normal(0, 0.8)).astype(np.float32)[..., None]
    fine = float(np.exp(rng.uniform(np.log(COARSEST), np.log(1.4 * SQUARE)))) / SQUARE
    small = round(PATCH_PX * min(1.0, fine))
    seen = cv2.resize(picture.astype(np.float32), (small, small), interpolation=cv2.INTER_AREA)
    stored = degrade(np.clip(seen, 0, 1), rng, strength=0.7)
    return cv2.resize(stored, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_LINEAR), style.six_nine != "none"


def laid(ink: Array, size: float, rng: Rng) -> Array:
    """A symbol's ink (SIDE × SIDE) in the middle of the patch, seen a little aslant."""
    scale = size * SQUARE / SIDE
    matrix = np.hstack([(np.eye(2) + rng.normal(0, 0.07, (2, 2))) * scale, np.zeros((2, 1))])
    matrix[:, 2] = PATCH_PX / 2 - matrix[:, :2] @ np.full(2, SIDE / 2)
    small = cv2.GaussianBlur(ink, (0, 0), 0.4 / scale)
    return np.asarray(cv2.warpAffine(small, matrix, (PATCH_PX, PATCH_PX)), np.float32)


def others_beside(style: Lettering, rng: Rng) -> Array:
    """The numerals of the faces beside, any way up."""
    out = np.zeros((PATCH_PX, PATCH_PX), np.float32)
    for _ in range(int(rng.integers(0, 4))):
        text = str(int(rng.integers(0, 21)))
        ink = numeral(text, style, rng, mark_six_nine=text in ("6", "9"))
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.95, 1.3) * SQUARE
        at = PATCH_PX / 2 + far * np.array([np.cos(way), np.sin(way)])
        matrix = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), float(rng.uniform(0, 360)), SQUARE / SIDE)
        matrix[:, :2] = np.diag(rng.uniform(0.6, 1.0, 2)) @ matrix[:, :2]
        matrix[:, 2] = at - matrix[:, :2] @ np.full(2, SIDE / 2)
        out = np.maximum(out, cv2.warpAffine(ink, matrix, (PATCH_PX, PATCH_PX)))
    return out


def planes(rng: Rng) -> Array:
    """How light falls on the face and on those beyond its edges, which lie any way round it."""
    y, x = (np.mgrid[0:PATCH_PX, 0:PATCH_PX] - PATCH_PX / 2).astype(np.float32)
    light = np.ones((PATCH_PX, PATCH_PX), np.float32)
    for _ in range(int(rng.integers(0, 6))):
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.55, 1.1) * SQUARE
        beyond = np.clip((x * np.cos(way) + y * np.sin(way) - far) / rng.uniform(1, 4) + 0.5, 0, 1)
        light *= 1 + beyond * np.float32(rng.uniform(-0.6, 0.4))
    return np.asarray(light * rng.uniform(0.5, 1.2), np.float32)


def example(picture: Array, rng: Rng) -> Array:
    """One upright view (3 × SYMBOL_PX × SYMBOL_PX) of a patch, as far off as the die net is."""
    picture = tinted(picture, rng)
    at = PATCH_PX / 2 + rng.normal(0, 0.06, 2) * SQUARE
    span = SIDE_SPAN * SQUARE * float(np.exp(rng.normal(0, 0.12)))
    matrix = square_at((float(at[0]), float(at[1])), span, SYMBOL_PX, float(rng.normal(0, 8)))
    return levelled(warp(picture, matrix, SYMBOL_PX))


def learn(work: Path, *, minutes: float, start: str = "") -> None:
    """Trains for `minutes`. A run that was cut goes on where it was."""
    net = SixNineModule().to(memory_format=torch.channels_last)
    drawn = drawn_patches(work)
    rng = np.random.default_rng()
    with Course(net, work, "six_nine", minutes=minutes, rate=RATE, start=start) as course:
        while course.goes_on():
            for _ in range(ANEW):
                drawn[int(rng.integers(DRAWN))] = patch(rng)
            x, upright = (part.to(course.device) for part in batch(drawn, rng))
            odds = 2 * course.says(x)[:, 0]
            right = float((((odds > 0) == (upright > 0.5)) | (upright == 0.5)).float().mean())
            course.take(functional.binary_cross_entropy_with_logits(odds, upright), right)


def drawn_patches(work: Path) -> list[tuple[Array, bool]]:
    """The patches of every file of them in `work`, or DRAWN new ones, which are kept there."""
    path = work / "patches.npz"
    if not path.exists():
        rng = np.random.default_rng(SEED)
        drawn = [patch(rng) for _ in range(DRAWN)]
        np.savez(
            path, pictures=np.stack([one for one, _ in drawn]), told=np.array([marked for _, marked in drawn])
        )
    with np.load(path) as stored:
        return list(zip(stored["pictures"], stored["told"].tolist(), strict=True))


def batch(drawn: list[tuple[Array, bool]], rng: Rng) -> tuple[Tensor, Tensor]:
    """BATCH views, half of them upside down, and the probability that each is upright."""
    chosen = [drawn[int(i)] for i in rng.integers(0, len(drawn), BATCH)]
    views = np.stack([example(picture, rng) for picture, _ in chosen])
    upright = rng.random(BATCH) < 0.5
    views[~upright] = views[~upright, :, ::-1, ::-1]
    marked = np.array([each for _, each in chosen])
    return torch.from_numpy(views), torch.from_numpy(np.where(marked, upright, 0.5).astype(np.float32))
