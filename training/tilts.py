"""Stage `tilts`: packs of dice as the reader finds them in whole scenes, with the tilt of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from training.scenes import Scene, Tilted, scene
from training.types import Array, Rng
from vision.reading import iou
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Orientation, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from vision.reader import DiceReader
    from vision.recognition.recognizer import Recognized

SCENES = 60
"""Rendered scenes in a pack …"""
TRACED = 12
"""… and path-traced ones."""
SAME = 0.5
"""IoU from which a detection and a die are one."""
ABOVE_DEG = 25.0
"""A camera that is farther from the vertical shows a side as well as the top."""
ON_TOP = 0.2
"""A symbol that is farther from that of the top, in parts of the die's box, is on another face."""
HELD = (
    "tilts000", "tilts001", "tilts-traced000", "sim000", "sim001", "sim002", "sim020",
    "sim-thrown000", "sim-thrown001", "sim-thrown002",
)  # fmt: skip
"""Packs that the net never sees: they tell how good it is, and the weights are fitted to them."""
TILTS = (Tilted(0.55, 3.0, 26.0), Tilted(0.25, 5.0, 40.0), Tilted(0.0))
"""How many dice of a scene are tilted, and how far."""
OFTEN = (0.6, 0.15, 0.25)
"""How often each of these is drawn."""


@dataclass(frozen=True)
class TiltTruth:
    """A die as it lies.

    `kind` and `value`, its `box` (x, y, w, h) in pixels, `tilt_deg`, the directions of its top and straight
    up (training.scenes.DieLabel), and where the symbol on its top is seen (n, 2).
    """

    kind: int
    value: int
    box: tuple[float, float, float, float]
    tilt_deg: float
    top: Array
    plumb: Array
    symbols: Array


@dataclass
class TiltPack:
    """What the reader finds of dice whose tilt is known; one row for each that it has a symbol of."""

    rows: list[dict[str, object]] = field(default_factory=list)
    scenes: int = 0

    def add(self, frame: Array, dice: list[TiltTruth], reader: DiceReader) -> None:
        """Keeps the dice of a scene that the reader finds."""
        for seen in reader.recognize(np.asarray(frame, np.uint8)):
            die = max(dice, key=lambda one: iou(seen.detection.sides, one.box), default=None)
            if die is not None and iou(seen.detection.sides, die.box) >= SAME:
                self.keep(seen, die, reader.confidence(seen), frame.shape)
        self.scenes += 1

    def keep(self, seen: Recognized, die: TiltTruth, confidence: float, shape: tuple[int, ...]) -> None:
        """Keeps one, if it has a symbol with an orientation."""
        said, box = seen.prediction, seen.detection
        symbol = said.symbol
        if symbol is None or not symbol.orientations:
            return
        scale = CROP_SPAN * box.longer / CROP_PX
        at = np.array(box.middle) + (np.array([symbol.x, symbol.y]) - CROP_PX / 2) * scale
        off = np.linalg.norm(die.symbols - at, axis=1).min() / box.longer if len(die.symbols) else 1.0
        self.rows.append(
            {
                "crops": seen.crop,
                "kinds": said.best[0],
                "right": said.best == (die.kind, die.value),
                "on_top": off < ON_TOP,
                "symbols": (symbol.x, symbol.y, symbol.span, symbol.score),
                "ups": symbol.orientations[0].up_deg,
                "confidences": confidence,
                "said": (said.cocked, said.unreadable, said.no_die),
                "boxes": (box.x, box.y, box.width, box.height, box.score),
                "shapes": shape[:2],
                "tilts": die.tilt_deg,
                "tops": die.top,
                "plumbs": die.plumb,
                "scenes": self.scenes,
            }
        )

    def write(self, path: Path) -> None:
        """Writes the pack whole, or not at all."""
        part = path.with_suffix(".part.npz")
        columns: dict[str, Any] = {name: np.array([row[name] for row in self.rows]) for name in self.rows[0]}
        np.savez(part, **columns)
        part.rename(path)


def truths(shot: Scene) -> list[TiltTruth]:
    """The dice of a scene; those with letters, or hidden, too."""
    return [
        TiltTruth(die.kind, die.value, die.box, die.tilt_deg, die.top, die.plumb, die.symbols[:, :2])
        for die in shot.dice
    ]


def drawn(rng: Rng) -> Tilted:
    """How the dice of a scene are tilted."""
    return TILTS[int(rng.choice(len(TILTS), p=OFTEN))]


def tilt_packs(folder: Path, numbers: range, traced: range) -> None:
    """Makes the packs of these numbers that are not in `folder` yet; packs 0 are kept for judging."""
    from vision.reader import DiceReader

    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    reader = DiceReader()
    for name, scenes in ((f"tilts{n:03}", rendered(n)) for n in numbers):
        _make(folder / f"{name}.npz", scenes, reader)
    for name, scenes in ((f"tilts-traced{n:03}", path_traced(n)) for n in traced):
        _make(folder / f"{name}.npz", scenes, reader)


def _make(path: Path, scenes: Iterator[Scene], reader: DiceReader) -> None:
    if path.exists():
        return
    pack = TiltPack()
    for shot in scenes:
        pack.add(shot.frame, truths(shot), reader)
    pack.write(path)


def rendered(number: int) -> Iterator[Scene]:
    """The scenes of a pack."""
    rng = np.random.default_rng((24, number))
    for _ in range(SCENES):
        shot = scene(rng, tilted=drawn(rng))
        if shot.lean_deg < ABOVE_DEG:
            yield shot


def path_traced(number: int) -> Iterator[Scene]:
    """The scenes of a pack of path-traced ones, each as several cameras take it."""
    from training.traced import traced_scene

    rng = np.random.default_rng((25, number))
    for _ in range(TRACED):
        yield from traced_scene(rng, tilted=drawn(rng))


def symbol_of(rows: Mapping[str, Array], number: int) -> Symbol:
    """The symbol of a row of a pack, with its likeliest orientation."""
    x, y, span, score = rows["symbols"][number].tolist()
    return Symbol(x, y, span, score, (Orientation(float(rows["ups"][number]), 1.0),))
