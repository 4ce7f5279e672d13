"""Stage `attitude`: trains the net that measures where a die's top points, on dice whose tilt is known."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from games.dice import KINDS
from training import Array, Rng
from training.architectures import AttitudeModule
from training.course import fill, write
from training.tilts import HELD, symbol_of
from vision.recognition.attitude import (
    ATTITUDE_FEATURES,
    PIXELS,
    VIEW_PX,
    UprightDie,
    attitude_features,
    rotation,
    upright,
)
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Orientation

log = logging.getLogger(__name__)
SIMULATED = "sim"
"""How the names of simulated packs begin: there are most of them, and they look alike."""
THROWN = "sim-thrown"
"""How those of dice begin that were thrown with physics: they lie against walls, markers and each other."""
SHARES = {THROWN: 0.48, SIMULATED: 0.2, "": 0.32}
"""How much of what is shown comes from packs whose names begin so; the last are rendered and path-traced."""
COPIES = {THROWN: 1, SIMULATED: 1, "": 5}
"""How many changed copies of each die are added."""
CLOSELY, LOOSELY, LOOSE = 0.02, 0.08, 0.4
"""Standard deviation by which the edges of a changed copy's box are off, in parts of its longer side; the
same, and how often, as of a box that holds a shadow too, or a part of what lies beside the die."""
ALIKE = {"d4": 1, "d6": 4, "d8": 3, "d10": 1, "d12": 5, "d20": 3}
"""Turns in which a kind's top face looks the same: makers turn numerals as they like."""
LEAST_PX = 20.0
"""Dice that are seen smaller are not shown."""
MOST_ASLANT = 0.5
"""Dice that are seen from farther aside (sine) are not shown."""
STEPS, BATCH, RATE = 20000, 512, 2e-3
STEPS_ON, RATE_ON = 16700, 1.5e-3
"""Steps and learning rate of a net that goes on from the released one."""
FREEDOM = 4.0
"""Degrees of freedom of the Student distribution that errors have: a few are far off."""
LIGHT = 0.15
"""Standard deviation of the logarithm of what each colour channel is multiplied by."""
SWAPPED = 0.3
"""Part of the views whose red and blue are swapped."""
SHADED, DARKEST = 0.3, 0.6
"""Part of the views that a shadow falls on, and how much of the light it takes at most."""
BESIDE, PLAIN = 0.35, 0.3
"""Part of the views beside whose die something else is put, and how often that has one colour alone: a wall,
the paper of a marker."""
GRAIN = 3.0
"""Standard deviation of the pixels of such a thing."""


@dataclass(frozen=True)
class Shown:
    """What the net is shown of dice.

    Views (n, PIXELS), uint8, then places and kinds (n, PLACE + kinds), where the tops point in them (n, 2),
    and how often each is shown (n,).
    """

    views: Array
    places: Array
    tops: Array
    often: Array

    def rows(self, some: Array | slice = slice(None)) -> Tensor:
        """The features (n, FEATURES) of some of them."""
        return torch.from_numpy(
            np.concatenate([self.views[some].astype(np.float32), self.places[some]], axis=1)
        )


@dataclass(frozen=True)
class Sample:
    """A die as the reader found it, and where its top points (2,)."""

    die: UprightDie
    top: Array


def samples(path: Path) -> list[Sample]:
    """The dice of a pack that are read right, large enough and from above."""
    with np.load(path) as pack:
        rows = {name: pack[name] for name in pack.files}
    sizes = rows["boxes"][:, 2:4]
    plain = rows["right"] & rows["on_top"] & (sizes.max(1) >= LEAST_PX)
    kept = np.asarray(plain & (np.linalg.norm(rows["plumbs"], axis=1) < MOST_ASLANT))
    return [
        Sample(
            UprightDie(
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
    """The die as it might have been found: in another box, mirrored, another edge up, less sharp."""
    die, top = sample.die, sample.top
    wide, high = (1.0, 1 / die.aspect) if die.aspect >= 1 else (die.aspect, 1.0)
    left, upper, right, lower = rng.normal(0, LOOSELY if rng.random() < LOOSE else CLOSELY, 4)
    wide, high = wide + right - left, high + lower - upper
    scale = 1 / max(wide, high)
    matrix: Array = cv2.getRotationMatrix2D((CROP_PX / 2, CROP_PX / 2), 0.0, scale)
    matrix[:, 2] -= np.array([left + right, upper + lower]) / 2 * scale * CROP_PX / CROP_SPAN
    crop = cv2.warpAffine(die.crop, matrix, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE)
    symbol = replace(die.symbol, span=die.symbol.span * scale)
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
    return Sample(die._replace(crop=crop, symbol=turned, aspect=wide / high), top)


def shown(dice: Sequence[Sample]) -> Shown:
    """Dice as the net is shown them."""
    turns = [upright(one.die.symbol.orientations[0].up_deg) for one in dice]
    rows = attitude_features([one.die for one in dice], turns)
    tops = np.array([rotation(turn) @ one.top for turn, one in zip(turns, dice, strict=True)])
    return Shown(
        rows[:, :PIXELS].astype(np.uint8),
        rows[:, PIXELS:],
        tops.astype(np.float32),
        np.ones(len(dice), np.float32),
    )


def learn_attitude(work: Path, models: Path, *, go_on: bool = False) -> None:
    """Trains on the tilt packs in `work`; writes `models`/attitude.onnx.

    It takes about two hours of two cores, and minutes of a GPU.
    """
    paths = sorted((work / "tilts").glob("*.npz"))
    sources: dict[str, list[Shown]] = {source: [] for source in SHARES}
    for path in paths:
        if path.stem not in HELD:
            sources[_source(path)].append(_pack(path))
    for source, packs in sources.items():
        for pack in packs:
            pack.often[:] = SHARES[source] / sum(len(each.tops) for each in packs)
    all_packs = [pack for packs in sources.values() for pack in packs]
    dice = Shown(
        *(np.concatenate([getattr(pack, each.name) for pack in all_packs]) for each in fields(Shown))
    )
    log.info("%d dice and copies", len(dice.tops))
    net = train(dice, models / "attitude.onnx" if go_on else None)
    for path in paths:
        if path.stem in HELD:
            seen = shown(samples(path))
            output = net(seen.rows()).detach().numpy()
            off = np.degrees(np.linalg.norm(output[:, :2] - seen.tops, axis=1))
            log.info(
                "%s: off by %.1f° (half of them), %.1f° (nine in ten)",
                path.stem,
                *np.percentile(off, (50, 90)),
            )
    write(net, models / "attitude.onnx", (ATTITUDE_FEATURES,))


def _source(path: Path) -> str:
    """Which of SHARES a pack is of."""
    return next(source for source in SHARES if path.stem.startswith(source))


def _pack(path: Path) -> Shown:
    """The dice of a pack with their changed copies."""
    rng = np.random.default_rng((26, *path.stem.encode()))
    dice = samples(path)
    return shown(dice + [changed(one, rng) for one in dice for _ in range(COPIES[_source(path)])])


def train(dice: Shown, begun: Path | None = None) -> AttitudeModule:
    """The net after STEPS steps from nothing, or STEPS_ON from a released one.

    On one processor it is the same each time.
    """
    torch.manual_seed(26)
    rng = np.random.default_rng(26)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = AttitudeModule()
    steps, rate = STEPS, RATE
    if begun is not None:
        fill(net, begun, (ATTITUDE_FEATURES,))
        net.train()
        for part in net.modules():
            if isinstance(part, nn.BatchNorm2d):  # folded into the convolutions: no statistics are kept
                part.eval()
        steps, rate = STEPS_ON, RATE_ON
    net.to(device)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=0.02, lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    chance = dice.often / dice.often.sum()
    for step in range(steps):
        some = rng.choice(len(chance), BATCH, p=chance)
        with device:
            output = net(shaded(beside(relit(dice.rows(some).to(device)))))
        squared = ((output[:, :2] - torch.from_numpy(dice.tops[some]).to(device)) ** 2).sum(1)
        error = output[:, 2]
        chances = (FREEDOM / 2 + 1) * torch.log1p(squared / (FREEDOM * error**2)) + 2 * torch.log(error)
        optimizer.zero_grad()
        chances.mean().backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            log.info("step %d: %.3f", step, chances.mean().item())
    return net.cpu().eval()


def relit(rows: Tensor) -> Tensor:
    """The views (n, FEATURES) in other light and colours."""
    count = len(rows)
    views = rows[:, :PIXELS].view(count, -1, 3) * torch.exp(LIGHT * torch.randn(count, 1, 3))
    swapped = torch.rand(count, 1, 1) < SWAPPED
    views = torch.where(swapped, views.flip(2), views)
    return torch.cat([views.view(count, -1), rows[:, PIXELS:]], 1)


def shaded(rows: Tensor) -> Tensor:
    """The views (n, FEATURES), some with the edge of a shadow across."""
    count = len(rows)
    angle, far = _drawn(count, 0, 2 * np.pi), _drawn(count, -0.8, 0.8)
    soft, dark = torch.exp(_drawn(count, -4, -1)), _drawn(count, 0, DARKEST)
    across, down = _places()
    beyond = (across * torch.cos(angle) + down * torch.sin(angle) - far) / soft
    light = 1 - dark * torch.sigmoid(beyond) * (torch.rand(count, 1, 1) < SHADED)
    views = rows[:, :PIXELS].view(count, VIEW_PX, VIEW_PX, 3) * light[..., None]
    return torch.cat([views.view(count, -1), rows[:, PIXELS:]], 1)


def beside(rows: Tensor) -> Tensor:
    """The views (n, FEATURES), some with a part of another view, or of a plain thing, at one side.

    So dice lie in games: against another, the wall or a marker.
    """
    count = len(rows)
    views = rows[:, :PIXELS].view(count, VIEW_PX, VIEW_PX, 3)
    angle, far = _drawn(count, 0, 2 * np.pi), _drawn(count, 0.6, 1.05)
    ahead, aside = torch.cos(angle), torch.sin(angle)
    across, down = _places()
    outward, along = across * ahead + down * aside, down * ahead - across * aside
    slant, middle, half = _drawn(count, -0.4, 0.4), _drawn(count, -0.8, 0.8), _drawn(count, 0.25, 1.75)
    there = (outward + slant * along > far) & ((along - middle).abs() < half)
    there &= torch.rand(count, 1, 1) < BESIDE
    away, turn = _drawn(count, 0.9, 1.6), _drawn(count, 0, 2 * np.pi)
    x, y = across - ahead * away, down - aside * away
    turned = torch.stack(
        [torch.cos(turn) * x - torch.sin(turn) * y, torch.sin(turn) * x + torch.cos(turn) * y], -1
    )
    others = views[torch.randperm(count)].permute(0, 3, 1, 2)
    others = nn.functional.grid_sample(others, turned, padding_mode="border", align_corners=True)
    plain = torch.rand(count, 1, 1, 3) * 255 + torch.randn(count, VIEW_PX, VIEW_PX, 1) * GRAIN
    put = torch.where(torch.rand(count, 1, 1, 1) < PLAIN, plain, others.permute(0, 2, 3, 1))
    views = torch.where(there[..., None], put, views)
    return torch.cat([views.reshape(count, -1), rows[:, PIXELS:]], 1)


def _drawn(count: int, low: float, high: float) -> Tensor:
    """A number from `low` to `high` for each view (n, 1, 1)."""
    return low + (high - low) * torch.rand(count, 1, 1)


def _places() -> tuple[Tensor, Tensor]:
    """How far right and down of its middle each pixel of a view is, -1 … 1."""
    line = torch.linspace(-1, 1, VIEW_PX)
    down, across = torch.meshgrid(line, line, indexing="ij")
    return across, down
