"""The crops of some packs, drawn from by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from training.types import Array, Rng
from vision.recognition.classifiers import NO_DIE

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ("crops", "bodies", "values", "symbols", "pips", "told", "turnable")
"""What a pack tells of its crops."""
JUDGED = ("render000", "traced000", "raster000")
"""Packs that no net is trained on."""
ROUGH = ("mined", "render9", "photo_rune")
"""Packs whose crops were not cut about true boxes: mined ones, which training.mined numbers from 900,
and rune_pips_grey, whose labels hold the top face alone."""
PARTS = {"traced": 0.2, "raster": 0.35}
"""The part of the rendered crops that is path-traced, or rasterised, as soon as there are any."""


def rendered_packs(folder: Path) -> list[Path]:
    """The finished packs of renders in a folder that may be trained on."""
    packs = sorted(path for name in ("render", *PARTS) for path in folder.glob(f"{name}*.npz"))
    return [path for path in packs if path.stem not in JUDGED and ".part" not in path.name]


def is_boxed(path: Path) -> bool:
    """Whether a pack's crops were cut about true boxes."""
    return not path.stem.startswith(ROUGH)


@dataclass(frozen=True, slots=True)
class Crop:
    """One stored crop; fields as in training.packs.Pack. Symbols are known of rendered ones alone.

    `boxed` tells that the crop was cut about the die's true box, not where something found it.
    """

    pixels: Array
    body: int
    value: int
    symbols: Array
    pips: bool
    told: bool
    turnable: bool
    rendered: bool
    boxed: bool


@dataclass
class Shelf:
    """The crops of the packs taken so far."""

    rendered: bool
    packs: list[dict[str, Array]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    _parts: list[str] = field(default_factory=list)
    _boxed: list[bool] = field(default_factory=list)
    _reach: Array = field(default_factory=lambda: np.zeros(0))

    def add(self, pack: dict[str, Array], *, part: str = "", boxed: bool = False) -> None:
        """Adds a pack's crops, if any; those of one of PARTS have that part of all."""
        if not len(pack["bodies"]):
            return
        self.packs.append(pack)
        self._parts.append(part)
        self._boxed.append(boxed)
        shares = np.array([float(len(pack["bodies"])) for pack in self.packs])
        parts = np.array(self._parts)
        others = ~np.isin(parts, list(PARTS))
        for name, share in PARTS.items():
            shares[parts == name] *= share / max(1.0, shares[parts == name].sum())
        rest = 1 - sum(share for name, share in PARTS.items() if name in self._parts)
        shares[others] *= rest / max(1.0, shares[others].sum())
        self._reach = np.cumsum(shares)
        self._reach /= self._reach[-1]

    def take(self, path: Path) -> None:
        """Adds a pack's crops, once."""
        if path.name in self.names:
            return
        with np.load(path) as pack:
            self.add(
                {key: pack[key] for key in KEYS},
                part=path.stem[:6],
                boxed=is_boxed(path),
            )
        self.names.add(path.name)

    def take_all(self, folder: Path) -> None:
        """Adds the rendered packs that have come since."""
        for path in rendered_packs(folder):
            self.take(path)

    def draw(self, rng: Rng) -> Crop:
        """Any crop; where there is no die at all, another is drawn more often than not."""
        part = int(np.searchsorted(self._reach, rng.random(), side="right"))
        i = int(rng.integers(len(self.packs[part]["bodies"])))
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
            pack["symbols"][i],
            bool(pack["pips"][i]),
            bool(pack["told"][i]),
            bool(pack["turnable"][i]),
            self.rendered,
            self._boxed[part],
        )
