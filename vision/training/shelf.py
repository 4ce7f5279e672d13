"""The crops of some packs, drawn from by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from vision.dice_nets import NO_DIE
from vision.training.types import Array, Rng

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ("crops", "bodies", "values", "marks", "pips", "turnable")
"""What a pack tells of its crops."""
JUDGED = ("render000", "traced000")
"""Packs that no net is trained on."""


def rendered_packs(folder: Path) -> list[Path]:
    """The finished rendered and traced packs of a folder that may be trained on."""
    packs = sorted([*folder.glob("render*.npz"), *folder.glob("traced*.npz")])
    return [path for path in packs if path.stem not in JUDGED and ".part" not in path.name]


@dataclass(frozen=True, slots=True)
class Crop:
    """One stored crop; fields as in vision.training.packs.Pack. Marks are known of rendered ones alone."""

    pixels: Array
    body: int
    value: int
    marks: Array
    pips: bool
    turnable: bool
    rendered: bool


@dataclass
class Shelf:
    """The crops of the packs taken so far."""

    rendered: bool
    packs: list[dict[str, Array]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def take(self, path: Path) -> None:
        """Adds a pack's crops, once."""
        if path.name in self.names:
            return
        with np.load(path) as pack:
            self.packs.append({key: pack[key] for key in KEYS})
        self.names.add(path.name)

    def take_all(self, folder: Path) -> None:
        """Adds the rendered packs that have come since."""
        for path in rendered_packs(folder):
            self.take(path)

    def draw(self, rng: Rng) -> Crop:
        """Any crop; where there is no die at all, another is drawn more often than not."""
        sizes = np.cumsum([len(pack["bodies"]) for pack in self.packs])
        at = int(rng.integers(sizes[-1]))
        part = int(np.searchsorted(sizes, at, side="right"))
        i = at - (int(sizes[part - 1]) if part else 0)
        if self.packs[part]["bodies"][i] == NO_DIE and rng.random() < 0.6:
            i = int(rng.integers(len(self.packs[part]["bodies"])))
        return self.crop(part, i)

    def crop(self, part: int, i: int) -> Crop:
        """The crop `i` of the pack `part`."""
        pack = self.packs[part]
        return Crop(
            pack["crops"][i],
            int(pack["bodies"][i]),
            int(pack["values"][i]),
            pack["marks"][i],
            bool(pack["pips"][i]),
            bool(pack["turnable"][i]),
            self.rendered,
        )
