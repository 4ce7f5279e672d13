"""Stages `percentile-views` and `percentile`: train the net that reads the two digits of a percentile die.

It is shown the tops of percentile dice upright, and those of other dice any way up. Turned otherwise two
digits are nothing to it, so that the turn in which it reads them is the right one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch.nn import functional

from games.dice import KINDS
from training import Array, Rng
from training.architectures import FaceModule
from training.augment import roughened, tinted
from training.course import Course, fill, write
from training.dice_sets import Model, model
from training.packs import lacking, legible, write_pack
from training.scenes import SMALL, Tilted, scene
from vision.recognition.classifiers import (
    CROP_PX,
    CROP_SPAN,
    FACE_SPAN,
    FIRST_PERCENT,
    NO_TENS,
    PLAIN,
    SYMBOL_PX,
    TENS_SHOWN,
    cut,
    levelled,
    square_at,
    warp,
)

SCENES: Final = 60
"""Rendered scenes in a pack."""
PERCENTILE, TEN_SIDED = 0.7, 0.2
"""Parts of the dice that are percentile dice, and that are plain d10, which differ in their digits alone."""
TENS: Final = tuple(f"{value % 10}0" for value in range(1, 11))
"""What a percentile die bears where a d10 bears 1 to 10."""
TEN_WRITTEN: Final = 0.3
"""Part of the plain d10 that bear a 10 in place of a 0."""
UPRIGHT, ASKEW = 18.0, 36.0
"""Degrees within which digits stand upright, and from which they do not; what is between is not shown."""
STANDING: Final = 0.6
"""Part of the views of percentile dice in which the digits stand upright."""
BESIDE: Final = 0.15
"""Part of them that show a place beside the top, where the digits of another face may stand."""
FAR_OFF: Final = (0.6, 1.3)
"""How far such a place is from the top's digits, in sides of their square."""
OFF, ZOOM = 0.07, 0.15
"""How far a view is off, in sides of the square, and the logarithm of how much nearer or farther it is."""
DOUBLE_NOUGHT: Final = 1
"""What 00 is in `WholeDie.tens`: it reads the same upside down."""
NOT_SHOWN: Final = -1
"""What a view is that shows neither upright nor crooked digits: nothing is learned from it."""
BATCH: Final = 96
RATE: Final = 2e-3


@dataclass(frozen=True)
class WholeDie:
    """A die as the reader cuts it out (uint8 CROP_PX × CROP_PX × 3), its tens, and where they stand.

    `tens` is NO_TENS for a die that bears no two digits on top, or none that can be read. `symbol` (4,) is
    the middle of what stands there, its up in degrees, and the side of its square, in pixels of the crop.
    """

    crop: Array
    tens: int
    symbol: Array


def percentile_or_other(unit: float, rng: Rng) -> Model:
    """A die drawn by chance: a percentile die, a plain d10, or one of another kind."""
    if unit < SMALL:
        return model("d6", rng, pips=1.0)
    draw = rng.random()
    if draw < PERCENTILE:
        return replace(model("d10", rng), texts=TENS, readable=True)
    if draw < PERCENTILE + TEN_SIDED:
        ten = "10" if rng.random() < TEN_WRITTEN else "0"
        return replace(model("d10", rng), texts=(*map(str, range(1, 10)), ten), readable=True)
    return model(KINDS[int(rng.integers(len(KINDS)))], rng)


def percentile_packs(packs: Path, numbers: range) -> None:
    """Makes the packs of these numbers that are not in `packs` yet."""
    for number, path in lacking(packs, "percentile", numbers):
        rng = np.random.default_rng((28, number))
        dice = [die for _ in range(SCENES) for die in whole_dice(rng)]
        write_pack(
            path,
            crops=np.array([die.crop for die in dice], np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
            tens=np.array([die.tens for die in dice], np.int16),
            symbols=np.array([die.symbol for die in dice], np.float32).reshape(-1, 4),
        )


def whole_dice(rng: Rng) -> list[WholeDie]:
    """The dice of a rendered scene that are as large as percentile dice are read."""
    shot = scene(rng, tilted=Tilted(0.0), die_of=percentile_or_other)
    dice = []
    for die in shot.dice:
        x, y, wide, high = die.box
        longer = max(wide, high)
        if longer < SMALL:
            continue
        percentile = KINDS[die.kind] == "d10" and die.text == TENS[die.value - 1]
        read = percentile and die.readable and legible(shot.frame, die.symbols)
        tens = 1 + die.value % 10 if read else NO_TENS
        middle, scale = (x + wide / 2, y + high / 2), CROP_PX / (CROP_SPAN * longer)
        crop = cut(shot.frame, *middle, CROP_SPAN * longer, CROP_PX)
        symbol = (die.symbols[0] - (*middle, 0, 0)) * (scale, scale, 1, scale)
        dice.append(WholeDie(crop, tens, symbol + (CROP_PX / 2, CROP_PX / 2, 0, 0)))
    return dice


def example(die: WholeDie, rng: Rng) -> tuple[Array, int]:
    """One view (3 × SYMBOL_PX × SYMBOL_PX) of a die, as far off as the die net is, and the tens it shows."""
    x, y, up_deg, span = die.symbol.tolist()
    turn_deg, tens, draw = float(rng.uniform(-180, 180)), NO_TENS, rng.random()
    at = np.array([x, y]) + rng.normal(0, OFF, 2) * span
    if die.tens == NO_TENS:
        pass
    elif draw < STANDING:
        turn_deg, tens = float(rng.uniform(-UPRIGHT, UPRIGHT)), die.tens
    elif draw < STANDING + BESIDE:
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(*FAR_OFF) * span
        at += far * np.array([np.cos(way), np.sin(way)])
    else:
        turn_deg = float(rng.uniform(ASKEW, 360 - ASKEW))
        if die.tens == DOUBLE_NOUGHT and abs(turn_deg - 180) < ASKEW:
            tens = DOUBLE_NOUGHT if abs(turn_deg - 180) < UPRIGHT else NOT_SHOWN
    side = FACE_SPAN * span * float(np.exp(rng.normal(0, ZOOM)))
    matrix = square_at((float(at[0]), float(at[1])), side, SYMBOL_PX, 90.0 - up_deg + turn_deg)
    crop = roughened(die.crop, rng, pips=False)
    return levelled(tinted(warp(crop, matrix, SYMBOL_PX), rng)), tens


def load(packs: Path) -> list[WholeDie]:
    """The dice of all packs of them."""
    dice = []
    for path in sorted(packs.glob("percentile[0-9]*.npz")):
        with np.load(path) as pack:
            rows = zip(pack["crops"], pack["tens"].tolist(), pack["symbols"], strict=True)
            dice += [WholeDie(*row) for row in rows]
    return dice


def begun(models: Path) -> FaceModule:
    """A net that knows what the face net does: two digits, though only where the die net finds a symbol."""
    shape = (3, SYMBOL_PX, SYMBOL_PX)
    faces, net = FaceModule(), FaceModule(TENS_SHOWN)
    fill(faces, models / "face.onnx", shape)
    known = faces.state_dict()
    rows = [PLAIN, *range(FIRST_PERCENT, FIRST_PERCENT + TENS_SHOWN - 1)]
    net.load_state_dict(known | {name: known[name][rows] for name in ("last.weight", "last.bias")})
    return net


def learn(work: Path, models: Path, *, minutes: float, start: str = "") -> None:
    """Trains for `minutes`, and writes the net into `models`. A run that was cut goes on where it was."""
    net = begun(models).to(memory_format=torch.channels_last)
    rng = np.random.default_rng()
    dice = load(work / "packs")
    with Course(net, work, "percentile", minutes=minutes, rate=RATE, start=start) as course:
        while course.goes_on():
            views, shown = zip(
                *(example(dice[i], rng) for i in rng.integers(0, len(dice), BATCH).tolist()), strict=True
            )
            x = torch.from_numpy(np.stack(views)).to(course.device, memory_format=torch.channels_last)
            tens = torch.tensor(shown).to(course.device)
            scores = course.says(x)
            right = float((scores.argmax(1) == tens)[tens != NOT_SHOWN].float().mean())
            loss = functional.cross_entropy(scores, tens, label_smoothing=0.01, ignore_index=NOT_SHOWN)
            course.take(loss, right)
    net.load_state_dict(torch.load(course.goal, weights_only=True))
    write(net.to("cpu"), models / "percentile.onnx", (3, SYMBOL_PX, SYMBOL_PX))
