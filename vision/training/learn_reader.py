"""Stage `reader`: trains the crop reader on the packs that are there, resumable at any step."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from games.dice import KINDS
from vision.training.augment import shown
from vision.training.crops import DICE, NO_DIE
from vision.training.nets import Reader
from vision.training.types import Array, Rng

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
BATCH = 32
SHARES = {
    "burks_black_tray": 0.02,
    "catan_pips": 0.04,
    "rune_pips_grey": 0.08,
    "ucffool_d20": 0.05,
    "ucffool_mixed": 0.03,
}
"""The part of each batch that comes from a source of photographs; the rest is rendered."""


@dataclass
class Shelf:
    """The crops of some packs, and which may be turned."""

    crops: list[Array] = field(default_factory=list)
    classes: list[Array] = field(default_factory=list)
    turnable: list[Array] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def take(self, path: Path) -> None:
        """Adds a pack's crops, once."""
        if path.name in self.names:
            return
        with np.load(path) as pack:
            self.crops.append(pack["crops"])
            self.classes.append(pack["classes"])
            self.turnable.append(pack["turnable"])
        self.names.add(path.name)

    def _pick(self, part: int, rng: Rng) -> int:
        """A crop of the part; where there is no die at all, another is drawn more often than not."""
        size = len(self.classes[part])
        i = int(rng.integers(size))
        return int(rng.integers(size)) if self.classes[part][i] == NO_DIE and rng.random() < 0.7 else i

    def draw(self, count: int, rng: Rng) -> list[tuple[Array, int]]:
        """Crops drawn by chance, each varied anew, with their classes."""
        found = []
        sizes = np.array([len(c) for c in self.classes])
        for part in rng.choice(len(sizes), count, p=sizes / sizes.sum()):
            i = self._pick(int(part), rng)
            label, turn = int(self.classes[part][i]), bool(self.turnable[part][i])
            found.append(shown(self.crops[part][i], label, turnable=turn, rng=rng))
        return found


def batch(renders: Shelf, photos: dict[str, Shelf], rng: Rng) -> tuple[torch.Tensor, torch.Tensor]:
    """One batch (BATCH, 3, 64, 128) in [0, 1] and its classes."""
    drawn = []
    for source, shelf in photos.items():
        drawn += shelf.draw(int(rng.binomial(BATCH, SHARES[source])), rng)
    drawn += renders.draw(BATCH - len(drawn), rng)
    pixels = np.stack([crop for crop, _ in drawn]).transpose(0, 3, 1, 2)
    x = torch.from_numpy(np.ascontiguousarray(pixels)).float().div_(255)
    return x.contiguous(memory_format=torch.channels_last), torch.tensor([label for _, label in drawn])


def _shares(groups: list[int]) -> torch.Tensor:
    """The matrix (CLASSES, groups) that sums probabilities over the classes of each group."""
    out = torch.zeros(len(groups), max(groups) + 1)
    out[torch.arange(len(groups)), torch.tensor(groups)] = 1
    return out


_KIND_OF = _shares([*(KINDS.index(kind) for kind, _ in DICE), 6, 7, 8])
_VALUE_OF = _shares([*(value - 1 for _, value in DICE), 20, 21, 22])


def blame(scores: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """Cross entropy of the class, and of its kind and its value each alone: a 7 is a 7 on every kind."""
    loss = functional.cross_entropy(scores, classes, label_smoothing=0.02)
    p = torch.softmax(scores, 1)
    for matrix in (_KIND_OF, _VALUE_OF):
        said, wanted = p @ matrix, matrix[classes].argmax(1)
        loss = loss + 0.5 * functional.nll_loss(torch.log(said + 1e-6), wanted)
    return loss


def learn(
    work: Path,
    *,
    minutes: float,
    name: str,
    without: tuple[str, ...] = (),
    start: str = "",
    rate: float = 2e-3,
) -> Path:
    """Trains for `minutes` (the learning rate falls to nothing over them) and returns the weights' path.

    `without` names sources of photographs kept out; `start` names weights to go on from. A run that was cut
    goes on where it was.
    """
    net = Reader().to(memory_format=torch.channels_last)
    goal = work / f"{name}.pt"
    half_done = work / f"{name}.part.pt"
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    spent, step = 0.0, 0
    if half_done.exists():
        state = torch.load(half_done, weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        spent, step = state["spent"], state["step"]
    elif start:
        net.load_state_dict(torch.load(work / f"{start}.pt", weights_only=True), strict=False)
    renders, photos = Shelf(), {}
    for source in SHARES:
        if source not in without:
            photos[source] = Shelf()
            photos[source].take(work / "packs" / f"photo_{source}.npz")
    rng = np.random.default_rng(step + 1)
    mean_loss, right = 4.0, 0.0
    kept = clock = time.monotonic()
    net.train()
    while spent < minutes * 60:
        if step % 200 == 0 or not renders.names:
            for path in sorted((work / "packs").glob("render*.npz")):
                if not path.name.startswith("render000") and ".part" not in path.name:
                    renders.take(path)
        x, y = batch(renders, photos, rng)
        warm = min(1.0, (step + 1) / 100)
        for group in optimizer.param_groups:
            group["lr"] = float(
                rate * warm * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * min(1.0, spent / (minutes * 60)))))
            )
        scores = net(x)
        loss = blame(scores, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        mean_loss += 0.02 * (float(loss.detach()) - mean_loss)
        right += 0.02 * (float((scores.argmax(1) == y).float().mean()) - right)
        step += 1
        now = time.monotonic()
        spent += now - clock
        clock = now
        if step % 50 == 0:
            log.info(
                "%s step %d, %.0f s, loss %.3f, right %.3f, %d packs",
                name,
                step,
                spent,
                mean_loss,
                right,
                len(renders.names),
            )
        if now - kept > 60:
            torch.save(
                {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "spent": spent, "step": step},
                half_done,
            )
            kept = now
    torch.save(net.state_dict(), goal)
    half_done.unlink(missing_ok=True)
    return goal
