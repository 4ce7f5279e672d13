"""Stage `mined`: packs cut where the detector points, so that `tops` learns what passes for a die."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import cv2
import numpy as np

from training.no_dice import is_no_die
from training.packs import Pack
from training.photos import whole_die
from training.scenes import DieLabel, scene
from training.sources import SOURCES
from vision.detection import iou
from vision.reader import DiceReader
from vision.reading import Detection
from vision.recognition.classifiers import NO_DIE

if TYPE_CHECKING:
    from pathlib import Path

    from vision.detection import Detector

SCENES = 100
"""Scenes in a pack."""
FIRST = 900
"""Number of the first of these packs: `scenes` makes those before."""
HIT, MISS = 0.45, 0.1
"""IoU with a die from which a detection is that die, and under which it is none."""


def mine_packs(folder: Path, count: int) -> None:
    """Makes `count` packs from new scenes with the exported detector; those that are there already stay."""
    cv2.setNumThreads(1)
    detector = DiceReader().detector
    for number in range(FIRST, FIRST + count):
        path = folder / f"render{number}.npz"
        if not path.exists():
            mined_pack(number, detector).write(path)


def mined_pack(number: int, detector: Detector) -> Pack:
    """Crops at the detector's places in SCENES scenes: the dice as it boxes them, and what is no die."""
    rng = np.random.default_rng((21, number))
    pack = Pack()
    for _ in range(SCENES):
        shot = scene(rng)
        for detection in detector.candidates(shot.frame):
            best = max(shot.dice, key=lambda die: _share(die, detection), default=None)
            share = 0.0 if best is None else _share(best, detection)
            if best is None or share < MISS:
                pack.keep(shot.frame, (*detection.middle, detection.longer), NO_DIE)
            elif share >= HIT:
                pack.keep_die(shot.frame, best, detection.sides, turnable=shot.lean_deg < 25)
    return pack


def mine_photos(photos: Path, folder: Path, without: tuple[str, ...]) -> None:
    """Makes a pack of what passes for a die and is none, of each source of `photos`/train that lacks one."""
    detector = DiceReader().detector
    for source in SOURCES:
        path = folder / f"mined_{source}.npz"
        if source not in without and not path.exists():
            mined_photos(photos / "train" / source, detector).write(path)


def mined_photos(folder: Path, detector: Detector) -> Pack:
    """Crops at the detector's places in photographs: heaps of labelled dice and parts of one."""
    pack = Pack()
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        frame = cv2.imread(str(folder / label["image"]))
        if frame is None:
            raise OSError(f"{folder / label['image']} cannot be read")
        boxes = [die["bbox"] or whole_die(frame) for die in label["dice"]]
        dice = [Detection(x, y, w, h, 1.0) for x, y, w, h in filter(None, boxes)]
        for detection in detector.candidates(np.asarray(frame, np.uint8)):
            if is_no_die(detection, dice, detector.settings):
                pack.keep(frame, (*detection.middle, detection.longer), NO_DIE)
    return pack


def _share(die: DieLabel, detection: Detection) -> float:
    return iou(Detection(*die.box, 1.0), detection)
