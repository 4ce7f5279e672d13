"""Stages for judging only: labelled scenes (`shots`), rendered sixes and nines (`six-nine-judged`)."""

import json
import logging
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from games.dice import KINDS, Kind
from training import Array, Rng
from training.augment import degrade
from training.body import LaidDie, render, resting
from training.dice_sets import Model, model
from training.materials import surface
from training.scenes import any_lens, any_light, compose, ground, labels, scene, shadows
from vision.reader import DiceReader
from vision.reading import Box, iou

SHOTS = 250
"""Scenes that are rendered."""
SHOTS_SEED = 4242
"""No pack is drawn from it."""
SHOTS_SLANT_DEG = 30.0
"""The camera is not farther off the vertical: lower, a side is as well seen as the top."""


def render_shots(folder: Path) -> None:
    """Writes SHOTS scenes and labels.jsonl; a die that must not be read is labelled as a cocked one is."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    seeds = iter(range(3 * SHOTS))
    while len(lines) < SHOTS:
        shot = scene(np.random.default_rng((SHOTS_SEED, next(seeds))), side=640)
        if shot.lean_deg > SHOTS_SLANT_DEG:
            continue
        name = f"{len(lines):04}.png"
        cv2.imwrite(str(folder / name), shot.frame)
        dice: list[dict[str, object]] = []
        for die in shot.dice:
            label: dict[str, object] = {"type": KINDS[die.kind], "value": die.value, "bbox": list(die.box)}
            dice.append(label if die.readable else {**label, "cocked": True})
        lines.append(json.dumps({"image": name, "dice": dice}))
    (folder / "labels.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


log = logging.getLogger(__name__)
SEED: Final = 40269
"""No pack is drawn from it, and no limit was chosen on it."""
SIDE: Final = 400
"""Pixels along a frame."""
ACROSS: Final = 3
"""Dice along a frame."""
PX: Final = (44.0, 76.0)
"""Pixels along a 16 mm die, least and most."""
SLANT_DEG: Final = 8.0
"""Standard deviation of the camera's angle off the vertical."""
SAME: Final = 0.3
"""IoU from which a reading is of a die."""
VALUES: Final = (6, 9)


@dataclass(frozen=True)
class Style:
    """A kind, its numerals upside down in their faces or not, and `line`: line, dot or none."""

    kind: Kind
    reversed: bool
    line: str

    @property
    def name(self) -> str:
        """Name of the shot: `d10 foot to the tip, line`."""
        return f"{self.kind}{' foot to the tip' if self.reversed else ''}, {self.line}"


MAKES: Final[tuple[tuple[Kind, bool], ...]] = (
    ("d10", False), ("d10", True), ("d12", False), ("d20", False),
)  # fmt: skip
STYLES: Final = tuple(
    Style(kind, upside_down, line) for kind, upside_down in MAKES for line in ("line", "dot", "none")
)


@dataclass(frozen=True)
class Count:
    """Counts of `dice`: right, asked (not found, not sure), and sure but wrong: `swapped` are 6 for 9."""

    dice: int
    right: int
    asked: int
    swapped: int
    wrong: int


def die_of(style: Style, rng: Rng) -> Model:
    """A die of that style, else drawn by chance, with numerals that everybody can read."""
    while True:
        die = model(style.kind, rng)
        if not die.readable:
            continue
        turns = 1 if style.reversed else 0 if style.kind == "d10" else die.turns
        return replace(die, style=replace(die.style, six_nine=style.line), turns=turns)


def shot(style: Style, rng: Rng) -> tuple[Array, list[tuple[Box, int]]]:
    """A frame (uint8 SIDE × SIDE × 3) of sixes and nines, with the box and value of each legible one."""
    unit = float(np.exp(rng.uniform(*np.log(PX))))
    lens = any_lens(rng, SIDE, unit, float(np.radians(abs(rng.normal(0, SLANT_DEG)))))
    light = any_light(rng)
    picture = surface(rng, SIDE, SIDE)
    picture *= np.float32(min(1.25, light.ambient + 0.75 * float(light.strengths @ light.directions[:, 2])))
    placed: list[LaidDie] = []
    steps = (np.arange(ACROSS) + 0.5) * SIDE / ACROSS
    for x in steps:
        for y in steps:
            die = die_of(style, rng)
            shows = int(rng.choice(VALUES))
            faces = range(len(die.solid.faces))
            down = next(face for face in faces if die.solid.value_on_table(face) == shows)
            at = ground(lens, *(np.array([x, y]) + rng.normal(0, 6, 2)))
            placed.append(resting(die, down, rng.uniform(0, 2 * np.pi), 0.0, 0.0, at))
    shadows(picture, placed, lens, light, unit, rng)
    patches = [render(die, lens, light, rng) for die in placed]
    owner = compose(picture, placed, patches)
    picture *= np.float32(np.clip(rng.uniform(0.35, 0.65) / max(0.02, float(picture.mean())), 0.6, 2.5))
    found: list[tuple[Box, int]] = []
    for seen in labels(placed, patches, owner, lens):
        if seen.readable:
            x, y, w, h = map(round, seen.box)
            found.append(((x, y, w, h), seen.value))
    return degrade(np.clip(picture, 0, 1), rng, strength=0.7), found


def count(style: Style, dice: int, reader: DiceReader) -> Count:
    """What the reader says of at least `dice` dice of a style."""
    rng = np.random.default_rng((SEED, STYLES.index(style)))
    seen: Counter[str] = Counter()
    while seen.total() < dice:
        frame, shown = shot(style, rng)
        read = reader.read(frame).dice
        for box, value in shown:
            overlaps = [iou(die.box, box) for die in read]
            most = max(overlaps, default=0.0)
            best = read[overlaps.index(most)] if most >= SAME else None
            if best is None or not best.sure:
                seen["asked"] += 1
            elif (best.kind, best.value) == (style.kind, value):
                seen["right"] += 1
            else:
                seen["swapped" if best.value == sum(VALUES) - value else "wrong"] += 1
    return Count(seen.total(), seen["right"], seen["asked"], seen["swapped"], seen["wrong"])


def judge_six_nine(work: Path, dice: int) -> None:
    """Logs the count of each style, and writes them to `work`/six_nine.json."""
    reader, counts = DiceReader(), {}
    for style in STYLES:
        counts[style.name] = asdict(count(style, dice, reader))
        log.info("%s: %s", style.name, counts[style.name])
    (work / "six_nine.json").write_text(json.dumps(counts, indent=1), encoding="utf-8")
