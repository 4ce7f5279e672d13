"""Stage `numerals`: goes on with the released die net, so that numerals that fill a d6's face are read.

Labels teach only those, and what is no die, with much of what the detector took for one. For all other views
the released net is the teacher, so that nothing else changes. What is written lies half way between the two.

Sources: Z. Li and D. Hoiem, Learning without forgetting, ECCV 2016; M. Wortsman et al., Robust fine-tuning of
zero-shot models, CVPR 2022.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from games.dice import KINDS
from training.architectures import TopsModule
from training.course import Course
from training.export import write
from training.learn_tops import CELLS, SHARES, batch_of, blame, example
from training.shelf import Crop, Shelf, rendered_packs
from training.taken_up import fill
from training.types import Rng
from vision.recognition.classifiers import BODIES, BOX, DIE_PX, MAPS, NO_DIE

if TYPE_CHECKING:
    from pathlib import Path

NAME = "numerals"
RATE = 3e-4
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
    with Course(net, work, NAME, minutes=minutes, rate=RATE) as course:
        net.eval()  # the batch norms are folded: no statistics are kept
        teacher.to(course.device)
        rng = np.random.default_rng(course.step + 1)
        while course.goes_on():
            x, large, *truth = (part.to(course.device) for part in batch(shelves, rng))
            with torch.no_grad():
                told = teacher(x)
            said = course.says(x)
            bodies = truth[0]
            by_label = large | (bodies == NO_DIE)
            loss = TAUGHT * unlike(said[~by_label], told[~by_label])
            if by_label.any():
                labelled = blame(said[by_label], *(part[by_label] for part in truth))
                loss = loss + 2 * by_label.float().mean() * labelled
            course.take(loss, float((said[:, :BODIES].argmax(1) == bodies).float().mean()))
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


def batch(shelves: dict[str, list[Shelf]], rng: Rng) -> tuple[Tensor, ...]:
    """Views in [0, 1], whether each is of `large`, and the truth as in `learn_tops.batch`."""
    names = [name for name, count in DRAWN.items() for _ in range(count)]
    drawn = [example(shelves[name][int(rng.integers(len(shelves[name])))], rng) for name in names]
    x, *truth = batch_of(drawn)
    return x, torch.tensor([name == "large" for name in names]), *truth


def unlike(said: Tensor, told: Tensor) -> Tensor:
    """How much what a net says of some views differs from what the teacher told of them."""
    body = functional.kl_div(
        torch.log_softmax(said[:, :BODIES], 1), torch.softmax(told[:, :BODIES], 1), reduction="batchmean"
    )
    box = slice(BODIES, BODIES + BOX)
    off = (said[:, box] - told[:, box]).abs().mean()
    mine, his = (all_[:, BODIES + BOX :].reshape(-1, MAPS, CELLS, CELLS) for all_ in (said, told))
    here = torch.sigmoid(his[:, 0])
    middle = (torch.sigmoid(mine[:, 0]) - here) ** 2
    place = (mine[:, 1:4] - his[:, 1:4]).abs().sum(1)
    turn = functional.kl_div(
        torch.log_softmax(mine[:, 4:], 1), torch.softmax(his[:, 4:], 1), reduction="none"
    ).sum(1)
    maps = (middle + here * (place + turn)).sum((1, 2)).mean()
    return body + maps + 5 * off
