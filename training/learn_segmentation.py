"""Stages `moving` and `segmentation`: the net that labels tray, dice and hands in moving frames."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training import Array, Rng
from training.architectures import SegmentationModule
from training.course import Course, write
from training.moving_scenes import example
from training.moving_trays import HEIGHT, WIDTH
from training.packs import lacking, write_pack

NAME = "segmentation"
PACK = 250
"""Scenes in a pack."""
BATCH = 16
RATE, LATER_RATE = 3e-3, 1e-3
"""The learning rates of a net that begins, and of one that goes on from its weights."""
DIE_WEIGHT = 2.0
"""Dice are small: a pixel of one counts so much more."""
KEPT = 0.5
"""Part of its weights that a net keeps when it goes on. Less: bare cloth that it knew becomes a hand."""
RELOAD = 300
"""Steps after which new packs are looked for."""
HELD_OUT = 8
"""One pack in this many is kept out."""


def scene_packs(folder: Path, numbers: Iterable[int]) -> None:
    """Draws the packs with these numbers that are not there yet."""
    for number, path in lacking(folder, "moving_", numbers):
        rng = np.random.default_rng((77, number))
        frames, empty, labels = zip(*(example(rng) for _ in range(PACK)), strict=True)
        write_pack(path, frames=np.stack(frames), empty=np.stack(empty), labels=np.stack(labels))


def load(paths: Iterable[Path]) -> tuple[Array, Array, Array]:
    """Frames and empty trays (n, h, w, 3) and classes (n, h, w) of some packs."""
    parts = []
    for path in paths:
        with np.load(path) as pack:
            parts.append((pack["frames"], pack["empty"], pack["labels"]))
    frames, empty, labels = (np.concatenate(some) for some in zip(*parts, strict=True))
    return frames, empty, labels


def training_packs(folder: Path) -> list[Path]:
    """The packs that are trained on."""
    return [p for p in sorted(folder.glob("moving_???.npz")) if int(p.stem[-3:]) % HELD_OUT != HELD_OUT - 1]


def batch(scenes: tuple[Array, Array, Array], rng: Rng) -> tuple[Tensor, Tensor]:
    """BATCH frames over their empty trays in [0, 1], and the classes."""
    frames, empty, labels = scenes
    chosen = rng.integers(len(frames), size=BATCH)
    x = np.concatenate([frames[chosen], empty[chosen]], axis=3).astype(np.float32) / 255
    y = labels[chosen].astype(np.int64)
    for i in range(BATCH):
        channels = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
        gain = rng.uniform(0.8, 1.2, 3)
        x[i] = np.clip(x[i][..., [*channels, *(channels + 3)]] * [*gain, *gain], 0, 1)
        if rng.random() < 0.5:
            x[i], y[i] = x[i, :, ::-1], y[i, :, ::-1]
        if rng.random() < 0.5:
            x[i], y[i] = x[i, ::-1], y[i, ::-1]
    pictures = torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))
    return pictures.contiguous(memory_format=torch.channels_last), torch.from_numpy(y)


def loss_of(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy, and how little of the dice is met (soft Dice loss)."""
    weights = torch.tensor([1.0, DIE_WEIGHT, 1.0], device=logits.device)
    entropy = functional.cross_entropy(logits, classes, weight=weights)
    chance = torch.softmax(logits, 1)
    wanted = functional.one_hot(classes, logits.shape[1]).permute(0, 3, 1, 2)
    met = (chance * wanted).sum((0, 2, 3))
    missed = 1 - (2 * met + 1) / (chance.sum((0, 2, 3)) + wanted.sum((0, 2, 3)) + 1)
    return entropy + missed[1:].mean()


def learn_segmentation(work: Path, models: Path, *, minutes: float, go_on: bool) -> None:
    """Trains for `minutes` on the packs in `work` and writes the net into `models`.

    A run that was cut goes on where it was. With `go_on` a net that is finished goes on from its weights; the
    result keeps a part of them (KEPT).
    """
    finished = work / f"{NAME}.pt"
    before = torch.load(finished, weights_only=True) if go_on and finished.exists() else None
    learn(work, minutes=minutes, start="" if before is None else NAME)
    weights = torch.load(finished, weights_only=True)
    if before is not None:
        for key, value in weights.items():
            if value.is_floating_point():
                value.lerp_(before[key], KEPT)
        torch.save(weights, finished)
    net = SegmentationModule()
    net.load_state_dict(weights)
    sides = {2: "height", 3: "width"}
    write(net, models / f"{NAME}.onnx", (6, HEIGHT, WIDTH), {"frame": sides, "said": sides})


def learn(work: Path, *, minutes: float, start: str = "") -> None:
    """Trains for `minutes`, from the weights `start` if it is named."""
    net = SegmentationModule().to(memory_format=torch.channels_last)
    folder = work / "packs"
    scenes: tuple[Array, Array, Array] | None = None
    rate = LATER_RATE if start else RATE
    with Course(net, work, NAME, minutes=minutes, rate=rate, start=start) as course:
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            if course.step % RELOAD == 0 or scenes is None:
                scenes = load(training_packs(folder))
            x, y = (part.to(course.device) for part in batch(scenes, rng))
            logits = course.says(x)
            right = (logits.argmax(1) == y)[y > 0].float().mean()
            course.take(loss_of(logits, y), float(right))
