"""Stage `scenes`: renders scenes once and keeps what the nets train on, crops and small frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.crops import COCKED, NO_DIE, ROOM, STORED, UNREADABLE, class_of, cut
from vision.training.scenes import Scene, scene
from vision.training.types import Array, Rng

if TYPE_CHECKING:
    from pathlib import Path

CANVAS = 192
"""Pixels along a stored frame for the detector."""
BOXES = 64
"""Most boxes that a stored frame keeps."""
SCENES = 150
"""Scenes in a pack."""


@dataclass
class Pack:
    """Crops (STORED × STORED × 3), classes, whether they turn; canvases, boxes (kind, x, y, w, h)."""

    crops: list[Array] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    turnable: list[bool] = field(default_factory=list)
    canvases: list[Array] = field(default_factory=list)
    boxes: list[Array] = field(default_factory=list)
    _small: dict[int, list[tuple[Array, Array]]] = field(default_factory=dict)

    def add(self, shot: Scene, rng: Rng) -> None:
        """Keeps a scene's dice, a place where none lies, and the frame at some reduced size."""
        side = shot.frame.shape[0]
        boxes = np.array([d.box for d in shot.dice]).reshape(-1, 4)
        turnable = shot.lean_deg < 25
        for die, (x, y, w, h) in zip(shot.dice, boxes, strict=True):
            label = class_of(die.kind, die.value) if die.readable else COCKED if die.cocked else UNREADABLE
            self._keep(shot.frame, (x + w / 2, y + h / 2, ROOM * max(w, h)), label, turnable)
        size = (
            float(np.median(boxes[:, 2:].max(1)))
            if len(boxes)
            else float(np.exp(rng.uniform(np.log(21), np.log(150))))
        )
        for _ in range(2):
            x, y = rng.uniform(0, side, 2)
            span = size * rng.uniform(0.5, 1.6)
            far = (
                np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - (x, y)).max(1) if len(boxes) else np.array([np.inf])
            )
            if far.min() > 0.55 * size:
                self._keep(shot.frame, (x, y, ROOM * span), NO_DIE, True)
        self._shrink(shot, boxes, size, rng)

    def _keep(self, frame: Array, square: tuple[float, float, float], label: int, turnable: bool) -> None:
        self.crops.append(cut(frame, *square, STORED))
        self.classes.append(label)
        self.turnable.append(turnable)

    def _shrink(self, shot: Scene, boxes: Array, size: float, rng: Rng) -> None:
        """Puts the frame, reduced so that its dice are 7 to 36 pixels, on a canvas alone or among others."""
        side = shot.frame.shape[0]
        wanted = float(np.exp(rng.uniform(np.log(7), np.log(36))))
        whole = int(np.clip(side * min(1.0, wanted / size), 52, side))
        scale = whole / side
        small = cv2.resize(shot.frame, (whole, whole), interpolation=cv2.INTER_AREA)
        cell = CANVAS if whole >= CANVAS else CANVAS // 2 if whole >= CANVAS // 2 else CANVAS // 4
        if whole < cell:
            small, scale = cv2.resize(shot.frame, (cell, cell), interpolation=cv2.INTER_AREA), cell / side
            whole = cell
        x0, y0 = (int(rng.integers(0, whole - cell + 1)) for _ in range(2))
        kinds = np.array([d.kind for d in shot.dice]).reshape(-1, 1)
        rows = np.hstack([kinds, boxes * scale - (x0, y0, 0, 0)])
        middle = rows[:, 1:3] + rows[:, 3:] / 2
        rows = rows[((middle > 0) & (middle < cell)).all(1)]
        waiting = self._small.setdefault(cell, [])
        waiting.append((small[y0 : y0 + cell, x0 : x0 + cell], rows))
        across = CANVAS // cell
        if len(waiting) == across * across:
            canvas = np.zeros((CANVAS, CANVAS, 3), np.uint8)
            found = []
            for k, (tile, rows) in enumerate(waiting):
                y, x = k // across * cell, k % across * cell
                canvas[y : y + cell, x : x + cell] = tile
                found.append(rows + (0, x, y, 0, 0))
            kept = np.concatenate(found)[:BOXES]
            self.canvases.append(canvas)
            self.boxes.append(np.vstack([kept, np.full((BOXES - len(kept), 5), -1.0)]).astype(np.float32))
            waiting.clear()

    def write(self, path: Path) -> None:
        """Writes the pack whole, or not at all."""
        part = path.with_suffix(".part.npz")
        np.savez(
            part,
            crops=np.array(self.crops, np.uint8),
            classes=np.array(self.classes, np.int16),
            turnable=np.array(self.turnable, bool),
            canvases=np.array(self.canvases, np.uint8).reshape(-1, CANVAS, CANVAS, 3),
            boxes=np.array(self.boxes, np.float32).reshape(-1, BOXES, 5),
        )
        part.rename(path)


def render_packs(folder: Path, numbers: range) -> None:
    """Renders the packs of these numbers that are not in `folder` yet; pack 0 is kept for judging."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for number in numbers:
        path = folder / f"render{number:03}.npz"
        if path.exists():
            continue
        rng = np.random.default_rng((20, number))
        pack = Pack()
        for _ in range(SCENES):
            pack.add(scene(rng), rng)
        pack.write(path)
