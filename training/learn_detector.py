"""Stage `detector`: trains the net that finds dice on the packs' canvases, resumable at any step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training import Array, Rng
from training.architectures import MAPS, STRIDE, DetectorModule
from training.augment import canvas_shown
from training.course import Course
from training.packs import CANVAS, rendered_packs

BATCH = 16
SMALLEST, LARGEST = 8.0, 26.0
"""Longer side in pixels of the dice that one pass must find; other sizes are found in other reductions."""
SLACK = 1.3
"""Dice up to this factor beyond the sizes count neither for nor against."""
CELLS = CANVAS // STRIDE
RATE = 2e-3
SOURCES = ("burks_black_tray", "rune_pips_grey", "ucffool_d20", "ucffool_mixed")
"""Folders of photographs whose boxes hold whole dice."""
PHOTOS = 0.25
"""The part of the canvases drawn that are photographs."""


def targets(boxes: Array) -> tuple[Array, Array]:
    """What the net should say of the boxes (k, 5): maps (MAPS, CELLS, CELLS), and the weight of each cell.

    The first map is a bell round each die's middle; the weight is 0 where a die of another size lies.
    """
    maps = np.zeros((MAPS, CELLS, CELLS), np.float32)
    weight = np.ones((CELLS, CELLS), np.float32)
    ys, xs = np.mgrid[0:CELLS, 0:CELLS]
    for kind, x, y, w, h in boxes:
        if kind < 0:
            continue
        longer = max(w, h)
        u, v = (x + w / 2) / STRIDE, (y + h / 2) / STRIDE
        i, j = int(v), int(u)
        if not (0 <= i < CELLS and 0 <= j < CELLS) or longer > LARGEST * SLACK * 1.6 or longer < 4:
            continue
        spread = max(0.55, longer / STRIDE * 0.16)
        bell = np.exp(-((xs + 0.5 - u) ** 2 + (ys + 0.5 - v) ** 2) / (2 * spread**2))
        if not SMALLEST <= longer <= LARGEST:
            weight[bell > 0.1] = 0
            continue
        maps[0] = np.maximum(maps[0], bell)
        maps[:, i, j] = (1, u - j, v - i, np.log(w / STRIDE), np.log(h / STRIDE))
    return maps, weight


def loss_of(output: Tensor, wanted: Tensor, weight: Tensor, sized: Tensor) -> Tensor:
    """Focal loss on the first map, absolute error on place and size; `sized` (n,) weighs the sizes."""
    score = torch.sigmoid(output[:, 0]).clamp(1e-4, 1 - 1e-4)
    middle = (wanted[:, 0] == 1).float()
    found = -torch.log(score) * (1 - score) ** 2 * middle
    empty = -torch.log(1 - score) * score**2 * (1 - wanted[:, 0]) ** 4 * (1 - middle)
    count = middle.sum().clamp(min=1)
    place = functional.l1_loss(output[:, 1:3], wanted[:, 1:3], reduction="none").sum(1)
    size = functional.l1_loss(output[:, 3:5], wanted[:, 3:5], reduction="none").sum(1) * sized[:, None, None]
    loss: Tensor = (((found + empty) * weight).sum() + ((place + 2 * size) * middle).sum()) / count
    return loss


def load(packs: list[Path]) -> tuple[Array, Array]:
    """The canvases (n, CANVAS, CANVAS, 3) and boxes (n, BOXES, 5) of some packs."""
    canvases, boxes = [], []
    for path in packs:
        with np.load(path) as pack:
            canvases.append(pack["canvases"])
            boxes.append(pack["boxes"])
    return np.concatenate(canvases), np.concatenate(boxes)


def batch(
    renders: tuple[Array, Array], photos: list[tuple[Array, Array, bool]], rng: Rng
) -> tuple[Tensor, ...]:
    """BATCH canvases in [0, 1], their maps, the weight of each cell and that of each canvas's sizes."""
    pixels, maps, weights, sized = [], [], [], []
    for _ in range(BATCH):
        exact = True
        canvases, boxes = renders
        if photos and rng.random() < PHOTOS:
            canvases, boxes, exact = photos[int(rng.integers(len(photos)))]
        i = int(rng.integers(len(canvases)))
        picture, rows = canvas_shown(canvases[i], boxes[i], rng)
        target, weight = targets(rows)
        pixels.append(picture.transpose(2, 0, 1))
        maps.append(target)
        weights.append(weight)
        sized.append(1.0 if exact else 0.1)
    x = torch.from_numpy(np.stack(pixels)).float().div_(255).contiguous(memory_format=torch.channels_last)
    return x, torch.from_numpy(np.stack(maps)), torch.from_numpy(np.stack(weights)), torch.tensor(sized)


def learn(work: Path, *, minutes: float, without: tuple[str, ...] = (), start: str = "") -> None:
    """Trains for `minutes`; `without` names sources of photographs kept out.

    `start` names weights to go on from. A run that was cut goes on where it was.
    """
    net = DetectorModule().to(memory_format=torch.channels_last)
    folder = work / "packs"
    photos = [
        (*load([folder / f"photo_{source}.npz"]), source != "rune_pips_grey")
        for source in SOURCES
        if source not in without
    ]
    renders: tuple[Array, Array] | None = None
    with Course(net, work, "detector", minutes=minutes, rate=RATE, start=start) as course:
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            if course.step % 400 == 0 or renders is None:
                renders = load(rendered_packs(folder))
            x, maps, weight, sized = (part.to(course.device) for part in batch(renders, photos, rng))
            course.take(loss_of(course.says(x), maps, weight, sized), 0.0)
