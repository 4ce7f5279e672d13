"""Stages `tops` and `numerals`: train the die net."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from games.dice import KINDS
from training import Array, Rng
from training.architectures import TopsModule
from training.augment import roughened, tinted
from training.course import Course, fill, write
from training.packs import Crop, Shelf, found_symbols, is_boxed, rendered_packs
from vision.reader import DiceReader
from vision.recognition.classifiers import (
    BODIES,
    BOX,
    COCKED,
    CROP_PX,
    CROP_SPAN,
    DIE_PX,
    DIE_SPAN,
    MAPS,
    NO_DIE,
    SPAN,
    STRIDE,
    TURNS,
    UNREADABLE,
    die_view,
    warp,
)

BATCH = 32
RATE = 2e-3
SHARES = {
    "burks_black_tray": 0.02,
    "catan_pips": 0.04,
    "rune_pips_grey": 0.1,
    "ucffool_d20": 0.04,
    "ucffool_mixed": 0.03,
}
"""The part of each batch that comes from a source of photographs; the rest is rendered."""
CELLS = DIE_PX // STRIDE
COCKED_PART = 0.1
"""The part of the rendered crops that are cocked, beside those that come by chance."""
ZOOM, SHIFT = 0.12, 0.055
"""How far the detector's boxes are off, as it trains on them: logarithm of their side, and parts of it."""
MENDED = 0.4
"""How much less off the boxes are that it has mended itself, which half of the views show."""
SQUARE = 0.5
"""The part of the views that are turned by quarter turns alone: there a die's box is still known."""


def targets(symbols: Array, pips: bool) -> Array:
    """The symbol maps (MAPS, CELLS, CELLS) for symbols (n, 4) in pixels of the view."""
    maps = np.zeros((MAPS, CELLS, CELLS), np.float32)
    ys, xs = np.mgrid[0:CELLS, 0:CELLS]
    for x, y, up_deg, span in symbols:
        u, v = x / STRIDE, y / STRIDE
        i, j = int(v), int(u)
        if not (0 <= i < CELLS and 0 <= j < CELLS):
            continue
        bell = np.exp(-((xs + 0.5 - u) ** 2 + (ys + 0.5 - v) ** 2) / (2 * 0.8**2))
        maps[0] = np.maximum(maps[0], bell)
        maps[1:4, i, j] = (u - j, v - i, np.log(span / SPAN))
        maps[0, i, j] = 1
        maps[4:, i, j] = 0
        for quarter in range(4 if pips else 1):
            place = ((up_deg + 90 * quarter) % 360) / 360 * TURNS
            low = int(place)
            maps[4 + low % TURNS, i, j] += (1 - (place - low)) / (4 if pips else 1)
            maps[4 + (low + 1) % TURNS, i, j] += (place - low) / (4 if pips else 1)
    return maps


def example(shelf: Shelf, rng: Rng) -> tuple[Array, int, Array, Array, float]:
    """One view (DIE_PX × DIE_PX × 3), body class, box (BOX,), symbol maps, and whether its symbols are known.

    The box is nan where it is not known.
    """
    crop = shelf.draw(rng)
    if shelf.rendered and rng.random() < COCKED_PART:
        crop = next((one for one in (shelf.draw(rng) for _ in range(50)) if one.body == COCKED), crop)
    rough = MENDED if rng.random() < 0.5 else 1.0
    zoom = float(np.exp(rng.normal(0, rough * ZOOM)))
    square = rng.random() < SQUARE
    if square:
        angle = 90.0 * int(rng.integers(4)) if crop.turnable else 0.0
    else:
        angle = float(rng.uniform(0, 360) if crop.turnable else rng.normal(0, 8))
    shift = rng.normal(0, rough * SHIFT, 2) * CROP_PX / CROP_SPAN
    body = crop.body
    beside = body != NO_DIE and rng.random() < 0.02
    if beside:
        way = rng.uniform(0, 2 * np.pi)
        shift = rng.uniform(0.45, 0.65) * CROP_PX / CROP_SPAN * np.array([np.cos(way), np.sin(way)])
        body = NO_DIE
    matrix = die_view(angle, zoom, (float(shift[0]), float(shift[1])))
    view = warp(roughened(crop.pixels, rng, pips=crop.pips), matrix, DIE_PX)
    symbols = crop.symbols[~np.isnan(crop.symbols[:, 0])].copy()
    symbols[:, :2] = symbols[:, :2] @ matrix[:, :2].T + matrix[:, 2]
    symbols[:, 2] += angle
    symbols[:, 3] *= float(np.hypot(*matrix[0, :2]))
    box = np.full(BOX, np.nan, np.float32)
    if square and crop.boxed and body not in (UNREADABLE, NO_DIE):
        box[:2] = (matrix @ (CROP_PX / 2, CROP_PX / 2, 1) / DIE_PX - 0.5) * DIE_SPAN
        box[2] = -np.log(zoom)
    if beside:
        symbols = symbols[:0]
    known = crop.rendered or body in (COCKED, NO_DIE)
    return tinted(view, rng), body, box, targets(symbols, crop.pips), float(known)


def batch(renders: Shelf, photos: dict[str, Shelf], rng: Rng) -> tuple[Tensor, ...]:
    """BATCH views in [0, 1], body classes, boxes, symbol maps and whether those are known."""
    drawn = []
    for source, shelf in photos.items():
        drawn += [example(shelf, rng) for _ in range(int(rng.binomial(BATCH, SHARES[source])))]
    drawn += [example(renders, rng) for _ in range(BATCH - len(drawn))]
    return batch_of(drawn)


def batch_of(drawn: Sequence[tuple[Array, int, Array, Array, float]]) -> tuple[Tensor, ...]:
    """Some views in [0, 1], body classes, boxes, symbol maps and whether those are known; see `example`."""
    x = torch.from_numpy(np.stack([d[0] for d in drawn]).transpose(0, 3, 1, 2).copy()).float().div_(255)
    return (
        x.contiguous(memory_format=torch.channels_last),
        torch.tensor([d[1] for d in drawn]),
        torch.from_numpy(np.stack([d[2] for d in drawn])),
        torch.from_numpy(np.stack([d[3] for d in drawn])),
        torch.tensor([d[4] for d in drawn]),
    )


def loss_of(output: Tensor, bodies: Tensor, boxes: Tensor, maps: Tensor, known: Tensor) -> Tensor:
    """How wrong a batch is; `known`: all symbols of this one are known, so elsewhere there are none.

    Cross entropy of the body; absolute error of the box; focal loss on the symbols' middles; place, side and
    turn where a middle is.
    """
    loss = functional.cross_entropy(output[:, :BODIES], bodies, label_smoothing=0.01)
    off = (output[:, BODIES : BODIES + BOX] - boxes.nan_to_num()).abs() * ~boxes.isnan()
    guess = output[:, BODIES + BOX :].reshape(-1, MAPS, CELLS, CELLS)
    score = torch.sigmoid(guess[:, 0]).clamp(1e-4, 1 - 1e-4)
    middle = (maps[:, 0] == 1).float()
    found = -torch.log(score) * (1 - score) ** 2 * middle
    empty = -torch.log(1 - score) * score**2 * (1 - maps[:, 0]) ** 4 * (1 - middle)
    empty *= known[:, None, None]
    place = functional.l1_loss(guess[:, 1:4], maps[:, 1:4], reduction="none").sum(1) * middle
    turn = -(torch.log_softmax(guess[:, 4:], 1) * maps[:, 4:]).sum(1) * middle
    each = (found + empty + place + 0.7 * turn).sum((1, 2))
    count = middle.sum().clamp(min=1)
    total: Tensor = 1.5 * loss + each.sum() / count + 15 * off.mean()
    return total


def learn(
    work: Path,
    *,
    minutes: float,
    without: tuple[str, ...] = (),
    start: str = "",
    rate: float = RATE,
    found: bool = False,
) -> None:
    """Trains for `minutes`; `without` names sources of photographs kept out.

    `start` names weights to go on from; `found` lets the exported nets find symbols in the photographs, which
    are labelled by value alone, so that those teach places and ways up too. A run that was cut goes on where
    it was.
    """
    net = TopsModule().to(memory_format=torch.channels_last)
    renders, photos = Shelf(rendered=True), {}
    for source in SHARES:
        if source not in without:
            photos[source] = Shelf(rendered=False)
            path = work / "packs" / f"photo_{source}.npz"
            if found:
                photos[source].add(found_symbols(path, DiceReader()), boxed=is_boxed(path))
            else:
                photos[source].take(path)
            if (mined := work / "packs" / f"mined_{source}.npz").exists():
                photos[source].take(mined)
    with Course(net, work, "tops", minutes=minutes, rate=rate, start=start) as course:
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            if course.step % 300 == 0 or not renders.names:
                renders.take_all(work / "packs")
            x, bodies, *rest = (part.to(course.device) for part in batch(renders, photos, rng))
            output = course.says(x)
            right = float((output[:, :BODIES].argmax(1) == bodies).float().mean())
            course.take(loss_of(output, bodies, *rest), right)


def learn_found(work: Path, *, minutes: float, without: tuple[str, ...] = ()) -> None:
    """Goes on with photographs whose symbols the exported nets have found."""
    learn(work, minutes=minutes, without=without, start="tops", rate=RATE / 2, found=True)


NAME = "numerals"
NUMERALS_RATE = 3e-4
DRAWN = {"large": 5, "raster": 5, "render": 7, "mined": 9, "photo": 6}
"""How many views of a batch come from where; `large` are the rasterised d6 with a numeral."""
TAUGHT = 1.5
"""How much what the released net says counts, against the labels, each by its part of the batch."""
PART = 0.5
"""How far from the released net to the one that has learnt the written one lies."""
SHAPE = (3, DIE_PX, DIE_PX)
D6 = KINDS.index("d6")
STAGES = {"raster": "rasterised", "mined": "mined", "render": "scenes"}
"""The stages that make packs, by what they are drawn as."""


class LargeNumerals(Shelf):
    """The crops of d6 with numerals alone."""

    def draw(self, rng: Rng) -> Crop:
        """Any of them; rarely another, where a shelf has next to none."""
        for _ in range(60):
            crop = super().draw(rng)
            if crop.body == D6 and not crop.pips:
                break
        return crop


def learn_numerals(work: Path, models: Path, *, minutes: float, without: tuple[str, ...] = ()) -> None:
    """Trains for `minutes` on the packs in `work`, from the net in `models`; writes that anew."""
    teacher, net = TopsModule(), TopsModule()
    for one in (teacher, net):
        fill(one, models / "die.onnx", SHAPE)
        one.to(memory_format=torch.channels_last)
    teacher.eval()
    shelves = shelves_of(work / "packs", without)
    with Course(net, work, NAME, minutes=minutes, rate=NUMERALS_RATE) as course:
        net.eval()  # the batch norms are folded: no statistics are kept
        teacher.to(course.device)
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            x, large, *truth = (part.to(course.device) for part in numerals_batch(shelves, rng))
            with torch.no_grad():
                target = teacher(x)
            output = course.says(x)
            bodies = truth[0]
            by_label = large | (bodies == NO_DIE)
            loss = TAUGHT * unlike(output[~by_label], target[~by_label])
            if by_label.any():
                labelled = loss_of(output[by_label], *(part[by_label] for part in truth))
                loss = loss + 2 * by_label.float().mean() * labelled
            course.take(loss, float((output[:, :BODIES].argmax(1) == bodies).float().mean()))
    learnt = torch.load(course.goal, map_location="cpu", weights_only=True)
    weights = teacher.cpu().state_dict()
    for key, value in weights.items():
        if value.is_floating_point():
            value.lerp_(learnt[key], PART)
    net.cpu().load_state_dict(weights)
    write(net.to(memory_format=torch.contiguous_format), models / "die.onnx", SHAPE)


def shelves_of(packs: Path, without: tuple[str, ...]) -> dict[str, list[Shelf]]:
    """The crops that each of DRAWN draws from."""
    shelves: dict[str, list[Shelf]] = {
        "large": [LargeNumerals(rendered=True)],
        "raster": [Shelf(rendered=True)],
        "mined": [Shelf(rendered=True)],
        "render": [Shelf(rendered=True)],
        "photo": [Shelf(rendered=False) for source in SHARES if source not in without],
    }
    for path in rendered_packs(packs):
        name = "mined" if path.stem.startswith("render9") else path.stem[:6]
        for one in ("large", name) if name == "raster" else (name,):
            for shelf in shelves.get(one, ()):
                shelf.take(path)
    for source, shelf in zip((one for one in SHARES if one not in without), shelves["photo"], strict=True):
        shelf.take(packs / f"photo_{source}.npz")
        if (mined := packs / f"mined_{source}.npz").exists():
            shelf.take(mined)
    for name in ("raster", "mined", "render"):
        if not shelves[name][0].names:
            raise FileNotFoundError(f"{packs} has no packs of the stage {STAGES[name]}: run that first")
    return shelves


def numerals_batch(shelves: dict[str, list[Shelf]], rng: Rng) -> tuple[Tensor, ...]:
    """Views in [0, 1], whether each is of `large`, and the truth as in `learn_tops.batch`."""
    names = [name for name, count in DRAWN.items() for _ in range(count)]
    drawn = [example(shelves[name][int(rng.integers(len(shelves[name])))], rng) for name in names]
    x, *truth = batch_of(drawn)
    return x, torch.tensor([name == "large" for name in names]), *truth


def unlike(output: Tensor, target: Tensor) -> Tensor:
    """How much a net's output for some views differs from its teacher's."""
    body = functional.kl_div(
        torch.log_softmax(output[:, :BODIES], 1), torch.softmax(target[:, :BODIES], 1), reduction="batchmean"
    )
    box = slice(BODIES, BODIES + BOX)
    off = (output[:, box] - target[:, box]).abs().mean()
    mine, his = (all_[:, BODIES + BOX :].reshape(-1, MAPS, CELLS, CELLS) for all_ in (output, target))
    here = torch.sigmoid(his[:, 0])
    middle = (torch.sigmoid(mine[:, 0]) - here) ** 2
    place = (mine[:, 1:4] - his[:, 1:4]).abs().sum(1)
    turn = functional.kl_div(
        torch.log_softmax(mine[:, 4:], 1), torch.softmax(his[:, 4:], 1), reduction="none"
    ).sum(1)
    maps = (middle + here * (place + turn)).sum((1, 2)).mean()
    return body + maps + 5 * off
