"""Stage `shots`: whole rendered scenes, labelled as the photographs are, for judging only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import cv2
import numpy as np

from games.dice import KINDS
from training.scenes import scene

if TYPE_CHECKING:
    from pathlib import Path

SHOTS = 250
"""Scenes that are rendered."""
SEED = 4242
"""No pack is drawn from it."""
SLANT_DEG = 30.0
"""The camera is not farther off the vertical: lower, a side is as well seen as the top."""


def render_shots(folder: Path) -> None:
    """Writes SHOTS scenes and labels.jsonl; a die that must not be read is labelled as a cocked one is."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    seeds = iter(range(3 * SHOTS))
    while len(lines) < SHOTS:
        shot = scene(np.random.default_rng((SEED, next(seeds))), side=640)
        if shot.lean_deg > SLANT_DEG:
            continue
        name = f"{len(lines):04}.png"
        cv2.imwrite(str(folder / name), shot.frame)
        dice: list[dict[str, object]] = []
        for die in shot.dice:
            label: dict[str, object] = {"type": KINDS[die.kind], "value": die.value, "bbox": list(die.box)}
            dice.append(label if die.readable else {**label, "cocked": True})
        lines.append(json.dumps({"image": name, "dice": dice}))
    (folder / "labels.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
