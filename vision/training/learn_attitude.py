"""Stage `attitude`: trains the net that tells where a die's top points, on dice whose tilt is known."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from games.dice import KINDS
from vision.recognition.attitude import EDGES, FEATURES, PLACE, Upright, features, rotation, upright
from vision.recognition.crops import CROP_PX
from vision.recognition.die_classifier import Orientation
from vision.training.tilts import HELD, symbol_of
from vision.training.types import Array, Rng

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

log = logging.getLogger(__name__)
COPIES = 3
"""How many changed copies of each die are added."""
ALIKE = {"d4": 1, "d6": 4, "d8": 3, "d10": 1, "d12": 5, "d20": 3}
"""Turns in which a kind's top face looks the same: makers turn numerals as they like."""
LEAST_PX = 20.0
"""Dice that are seen smaller are not shown …"""
MOST_ASLANT = 0.5
"""… nor those that are seen from so far aside (sine)."""
STEPS, BATCH, RATE = 5000, 256, 2e-3
HIDDEN, DEEP = 160, 64
DROPPED = 0.15
FREEDOM = 4.0
"""Degrees of freedom of the Student distribution that errors have: a few are far off."""
LEAST_ERROR, ERROR_STEP, TOP_STEP = 0.006, 0.05, 0.1
"""Least error that the net tells, and what its outputs are multiplied by."""


@dataclass(frozen=True)
class Sample:
    """A die as the reader found it, and where its top points (2,)."""

    die: Upright
    top: Array


class AttitudeMlp(nn.Module):
    """Features (n, FEATURES) to where the top points, right and down, and the error (n, 3).

    A linear part for each kind, and a small net for what is left.
    """

    def __init__(self, mean: Tensor, spread: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)
        self.first, self.second = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, DEEP)
        self.last = nn.Linear(DEEP, 3 * len(KINDS))
        self.linear = nn.Linear(EDGES + PLACE, 2 * len(KINDS))
        self.drop = nn.Dropout(DROPPED)
        nn.init.zeros_(self.linear.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Unlike the features, the outputs are those of the die's own kind alone."""
        seen = torch.clamp((x[:, : EDGES + PLACE] - self.mean) / self.spread, -4, 4)
        kind = x[:, EDGES + PLACE :]
        hidden = torch.relu(self.first(torch.cat([self.drop(seen), kind], 1)))
        hidden = torch.relu(self.second(self.drop(hidden)))
        own = (self.last(hidden).view(-1, len(KINDS), 3) * kind[:, :, None]).sum(1)
        straight = (self.linear(seen).view(-1, len(KINDS), 2) * kind[:, :, None]).sum(1)
        error = nn.functional.softplus(own[:, 2:]) * ERROR_STEP + LEAST_ERROR
        return torch.cat([(own[:, :2] + straight) * TOP_STEP, error], 1)


def samples(path: Path) -> list[Sample]:
    """The dice of a pack that are read right, large enough and from above."""
    with np.load(path) as pack:
        rows = {name: pack[name] for name in pack.files}
    sizes = rows["boxes"][:, 2:4]
    plain = rows["right"] & rows["on_top"] & (sizes.max(1) >= LEAST_PX)
    kept = np.asarray(plain & (np.linalg.norm(rows["plumbs"], axis=1) < MOST_ASLANT))
    return [
        Sample(
            Upright(
                rows["crops"][i],
                int(rows["kinds"][i]),
                symbol_of(rows, int(i)),
                float(sizes[i, 0] / sizes[i, 1]),
            ),
            rows["tops"][i],
        )
        for i in np.flatnonzero(kept)
    ]


def changed(sample: Sample, rng: Rng) -> Sample:
    """The same die as it might have been found: in another box, mirrored, another edge up, less sharp."""
    die, top = sample.die, sample.top
    crop, symbol = die.crop, die.symbol
    matrix: Array = cv2.getRotationMatrix2D(
        (CROP_PX / 2, CROP_PX / 2), 0.0, float(np.exp(rng.normal(0, 0.025)))
    )
    matrix[:, 2] += rng.normal(0, 1.5, 2)
    crop = cv2.warpAffine(crop, matrix, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE)
    x, y = (matrix @ (symbol.x, symbol.y, 1.0)).tolist()
    side = 360 / ALIKE[KINDS[die.kind]]
    up_deg = symbol.orientations[0].up_deg + side * int(rng.integers(ALIKE[KINDS[die.kind]]))
    if rng.random() < 0.5:
        crop, x, up_deg, top = (
            np.ascontiguousarray(crop[:, ::-1]),
            CROP_PX - 1 - x,
            180 - up_deg,
            top * (-1, 1),
        )
    if rng.random() < 0.3:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.5, 1.6))
    if rng.random() < 0.3:
        grain = rng.normal(0, rng.uniform(2, 7), crop.shape)
        crop = np.clip(crop + grain, 0, 255).astype(np.uint8)
    turned = replace(symbol, x=x, y=y, orientations=(Orientation(up_deg + float(rng.normal(0, 3)), 1.0),))
    return Sample(die._replace(crop=crop, symbol=turned), top)


def shown(dice: Sequence[Sample]) -> tuple[Array, Array]:
    """The features of dice (n, FEATURES) and where their tops point in the upright views (n, 2)."""
    turns = [upright(one.die.symbol.orientations[0].up_deg) for one in dice]
    tops = np.array([rotation(turn) @ one.top for turn, one in zip(turns, dice, strict=True)])
    return features([one.die for one in dice], turns), tops.astype(np.float32)


def learn_attitude(work: Path, models: Path) -> None:
    """Trains on the tilt packs in `work`; writes `models`/attitude.onnx. Takes a few minutes of one core."""
    paths = [path for path in sorted((work / "tilts").glob("*.npz")) if path.stem not in HELD]
    rng = np.random.default_rng(26)
    dice = [one for path in paths for one in samples(path)]
    log.info("%d dice", len(dice))
    x, tops = shown(dice + [changed(one, rng) for one in dice for _ in range(COPIES)])
    net = train(torch.from_numpy(x), torch.from_numpy(tops))
    for path in sorted((work / "tilts").glob("*.npz")):
        if path.stem in HELD:
            seen, true = shown(samples(path))
            told = net(torch.from_numpy(seen)).detach().numpy()
            off = np.degrees(np.linalg.norm(told[:, :2] - true, axis=1))
            log.info(
                "%s: off by %.1f° (half of them), %.1f° (nine in ten)",
                path.stem,
                *np.percentile(off, (50, 90)),
            )
    torch.onnx.export(
        net,
        (torch.zeros(1, FEATURES),),
        str(models / "attitude.onnx"),
        input_names=["frame"],
        output_names=["said"],
        dynamic_axes={"frame": {0: "views"}, "said": {0: "views"}},
        dynamo=False,
    )


def train(x: Tensor, tops: Tensor) -> AttitudeMlp:
    """The net after STEPS steps; the same each time."""
    torch.manual_seed(26)
    seen = x[:, : EDGES + PLACE]
    net = AttitudeMlp(seen.mean(0), seen.std(0) + 0.02)
    linear = list(net.linear.parameters())
    others = [weights for name, weights in net.named_parameters() if not name.startswith("linear")]
    optimizer = torch.optim.AdamW(
        [{"params": others, "weight_decay": 0.02}, {"params": linear, "weight_decay": 0.3}], lr=RATE
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for step in range(STEPS):
        rows = torch.randint(len(x), (BATCH,))
        told = net(x[rows])
        squared = ((told[:, :2] - tops[rows]) ** 2).sum(1)
        error = told[:, 2]
        chances = (FREEDOM / 2 + 1) * torch.log1p(squared / (FREEDOM * error**2)) + 2 * torch.log(error)
        optimizer.zero_grad()
        chances.mean().backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            log.info("step %d: %.3f", step, float(chances.mean()))
    net.eval()
    return net
