"""Stage `symbols`: trains the net that reads one upright symbol, a numeral or a face of pips; resumable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training import Array, Rng
from training.architectures import SymbolModule
from training.augment import roughened, tinted
from training.course import Course
from training.learn_tops import SHARES
from training.packs import Crop, Shelf, found_symbols, only_found
from vision.reader import DiceReader
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, SYMBOL_PX, levelled, symbol_view, warp
from vision.recognition.fusion import TWO_WAYS

BATCH = 64
RATE = 2e-3
PHOTOS = 0.25
"""Part of the views that show photographs, where there are any."""
NOTHING = 0.22
"""Part of the views that show no symbol, or one that is not upright."""
SAME_UPSIDE_DOWN = (1, 6, 8, 9, 10, 11)
"""Values that look like a value, upside down, in some lettering: they never serve as unreadable."""
MARKED = (6, 9)
"""Values of SAME_UPSIDE_DOWN that do serve on a kind that has both: a line or dot distinguishes them."""


def example(crop: Crop, rng: Rng) -> tuple[Array, int]:
    """One view (3 × SYMBOL_PX × SYMBOL_PX) of a crop's symbol in [0, 1], and what it says."""
    pixels = tinted(roughened(crop.pixels, rng, pips=crop.pips), rng)
    symbols = crop.symbols[~np.isnan(crop.symbols[:, 0])]
    nothing = not len(symbols) or rng.random() < NOTHING
    value = crop.value
    if not len(symbols):
        x, y = CROP_PX / 2 + rng.normal(0, 0.15, 2) * CROP_PX / CROP_SPAN
        up, span = rng.uniform(0, 360), rng.uniform(0.3, 1.0) * CROP_PX / CROP_SPAN
    else:
        x, y, up, span = symbols[int(rng.integers(len(symbols)))]
        if crop.pips:
            up += 90 * int(rng.integers(4))
        unambiguous = value not in SAME_UPSIDE_DOWN or (
            value in MARKED and crop.told and crop.body in TWO_WAYS
        )
        if nothing and not crop.pips and unambiguous and rng.random() < 0.6:
            up += rng.uniform(60, 300) if value not in MARKED else rng.normal(180, 20)
        elif nothing:
            way = rng.uniform(0, 2 * np.pi)
            x, y = x + 0.8 * span * np.cos(way), y + 0.8 * span * np.sin(way)
            span *= rng.uniform(0.8, 1.2)
        elif crop.pips and value in (1, 4, 5) and rng.random() < 0.3:
            up += rng.uniform(0, 360)
    if nothing:
        value = 0
    up += rng.normal(0, 6)
    x, y = np.array([x, y]) + rng.normal(0, 0.045, 2) * span
    span *= float(np.exp(rng.normal(0, 0.09)))
    matrix = symbol_view(float(x), float(y), float(span), float(up))
    matrix[:, :2] = (np.eye(2) + rng.normal(0, 0.05, (2, 2))) @ matrix[:, :2]
    matrix[:, 2] += np.array([SYMBOL_PX / 2, SYMBOL_PX / 2]) - (matrix @ np.array([x, y, 1]))
    return levelled(warp(pixels, matrix, SYMBOL_PX)), value


def batch(renders: Shelf, photos: Shelf, share: float, rng: Rng) -> tuple[Tensor, Tensor]:
    """BATCH views and their values."""
    drawn: list[tuple[Array, int]] = []
    while len(drawn) < BATCH:
        crop = (photos if photos.packs and rng.random() < share else renders).draw(rng)
        if crop.value or rng.random() < 0.2:
            drawn.append(example(crop, rng))
    x = torch.from_numpy(np.stack([view for view, _ in drawn]))
    return x, torch.tensor([value for _, value in drawn])


def learn(
    work: Path,
    *,
    minutes: float,
    photos: Shelf | None = None,
    start: str = "",
    rate: float = RATE,
) -> None:
    """Trains for `minutes`. A run that was cut goes on where it was.

    `photos` are crops whose symbols the other net has found, drawn with the chance PHOTOS; `start` names
    weights to go on from.
    """
    net = SymbolModule().to(memory_format=torch.channels_last)
    renders = Shelf(rendered=True)
    with Course(net, work, "symbols", minutes=minutes, rate=rate, start=start) as course:
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            if course.step % 300 == 0 or not renders.names:
                renders.take_all(work / "packs")
            drawn = batch(renders, photos or Shelf(rendered=False), PHOTOS, rng)
            x, values = (part.to(course.device) for part in drawn)
            scores = course.says(x)
            right = float((scores.argmax(1) == values).float().mean())
            course.take(functional.cross_entropy(scores, values, label_smoothing=0.02), right)


def learn_found(work: Path, *, minutes: float, without: tuple[str, ...] = ()) -> None:
    """Goes on with photographs in which the exported net has found the symbols."""
    photos, reader = Shelf(rendered=False), DiceReader()
    for source in SHARES:
        if source not in without:
            photos.add(only_found(found_symbols(work / "packs" / f"photo_{source}.npz", reader)))
    learn(work, minutes=minutes, photos=photos, start="symbols", rate=RATE / 2)
