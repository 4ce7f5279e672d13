"""How an owner's dice are read: enrolled with four pictures of each face, and after throws that were learned.

Each source gives the labels of some pictures and the answers to them, at three stages: nothing enrolled, all
faces enrolled, and `LEARNED` throws later. `benchmarks.trust` counts them and publishes them.

Simulated tables are calibrated: the tray and the empty tray are known, the dice were seen to be thrown, and
two frames are read. Their owner lays one die of each kind on every face, as `dicetable enrol --camera` asks,
and players throw all six. Photographs are read one by one. Each fifth of a source is judged with dice that
were enrolled and learned from the other pictures alone, and a picture counts as a throw.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import cv2
import numpy as np

from dicetable.commands.read import die_json
from dicetable.eye.enrolling import FaceTaker, NotTakenError
from games.dice import KINDS, Die, every_face
from hardware.photograph import load_photograph
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying
from hardware.simulated.places import at_random
from hardware.simulated.world import World, box_in_frame
from vision.frames import downsample
from vision.reader import DiceReader
from vision.reading import Box, Image, Reading, iou
from vision.recognition.enrolled import EnrolledDice, Gallery, Origin, Prototype
from vision.recognition.fusion import Views
from vision.tray.markers import find_markers
from vision.tray.pose import Tray, learn

PICTURES: Final = 4
"""Pictures that the owner takes of each face."""
LEARNED: Final = 30
"""Throws that the table has learned at the last stage."""
JUDGED: Final = 30
"""Throws on each simulated table that are judged."""
TABLES: Final = range(880_000, 880_005)
"""Seeds of the simulated tables."""
PHOTOGRAPHS: Final = ("photos/dev/msd_webcam", "photos/dev/colorful_touching")
"""Sources that show the same dice again and again, and of most faces enough pictures."""
FOLDS: Final = 5
STAGES: Final = {
    "plain": "nothing",
    "enrolled": f"{PICTURES} pictures of each face",
    "learned": f"the same, and {LEARNED} throws",
}
"""What the reader knows of the dice at each stage."""
SAME: Final = 0.4
"""IoU from which a reading is of a labelled die."""
Labels: TypeAlias = list[dict[str, Any]]
Judged: TypeAlias = dict[str, list[tuple[Labels, dict[str, Any]]]]
"""The labels of each picture and the answer to it, as `dicetable read --json` gives it, at each stage."""


@cache
def reader() -> DiceReader:
    """The reader of this process, on one thread."""
    cv2.setNumThreads(1)
    return DiceReader()


def answer(reading: Reading) -> dict[str, Any]:
    return {"dice": [die_json(die, 1) for die in reading.dice]}


def taught(gallery: Gallery, own: EnrolledDice, frame: Image, reading: Reading, truth: Labels) -> Gallery:
    """The gallery after a throw that counted: a sure value is believed, another seat confirms a right one."""
    for die in reading.dice:
        if die.kind is None or die.value is None:
            continue
        shown = (die.kind, die.value)
        right = any(
            (label["type"], label["value"]) == shown and iou(die.box, label["bbox"]) >= SAME
            for label in truth
        )
        if die.sure or right:
            origin = Origin(1, 1, 1, "2026-11-30", not die.sure)
            crop = reader().crop(frame, die.box)
            gallery = reader().taught(gallery, own, crop, shown, origin)
    return gallery


class OwnTable:
    """A calibrated simulated table with one die of each kind."""

    def __init__(self, seed: int) -> None:
        self.world = World(seed, VirtualClock(), real=False)
        self.chance = np.random.default_rng([seed, 88])
        self.world.camera.start()
        self.empty = self.frame()
        tray = learn(find_markers(self.empty))
        if tray is None:
            raise RuntimeError("the markers are not seen")
        self.tray: Tray = tray
        self.background = downsample(self.empty)
        self.dice = {die.kind: die for die in self.world.pick(KINDS, set())}

    def frame(self) -> Image:
        return self.world.camera.noise.on(self.world.picture_at(self.world.clock.now_s()))

    def enrolled(self) -> EnrolledDice:
        """The dice, each laid PICTURES times on each face."""
        taker = FaceTaker(self.empty, reader())
        pictures: list[tuple[Die, Prototype]] = []
        for face in every_face(KINDS) * PICTURES:
            taken = None
            while taken is None:
                self.lay(at_random(self.chance, [self.dice[face[0]]], [], [face[1]]))
                try:
                    taken = taker.take(self.frame(), face)
                except NotTakenError:
                    continue
            pictures.append((face, taken.prototype))
        return EnrolledDice.of(pictures)

    def lay(self, lying: Sequence[Lying]) -> None:
        self.world.lay(lying)
        self.world.settle()

    def throw(self) -> tuple[tuple[Image, Image], Labels]:
        """Two frames of the dice after a throw, and their labels."""
        self.world.throw(KINDS)
        self.world.settle()
        truth = [
            {"type": die.kind, "value": die.value, "bbox": box_in_frame(die, self.world.view)}
            for die in self.world.lying
        ]
        return (self.frame(), self.frame()), truth

    def read(self, frames: Sequence[Image], own: EnrolledDice | None) -> Reading:
        """The reading of settled dice, as `vision.observer` reads them."""
        readings: list[Reading] = []
        views: dict[Box, Views] = {}
        for frame in frames:
            lying = [die.box for reading in readings for die in reading.dice if die.sure]
            views = {box: views[box] for box in lying}
            readings.append(
                reader().read(
                    frame, self.tray, self.background, own, lying=lying, thrown=seen_to_roll, views=views
                )
            )
        return reader().agree(readings)


def seen_to_roll(_box: Box) -> bool:
    return True


def simulated(seed: int) -> Judged:
    """The answers of a simulated table about its own dice."""
    table = OwnTable(seed)
    own = table.enrolled()
    gallery = Gallery()
    for _ in range(LEARNED):
        frames, truth = table.throw()
        reading = table.read(frames, gallery.joined_to(own))
        gallery = taught(gallery, own, frames[-1], reading, truth)
    known = dict(zip(STAGES, (None, own, gallery.joined_to(own)), strict=True))
    judged: Judged = {stage: [] for stage in STAGES}
    for _ in range(JUDGED):
        frames, truth = table.throw()
        for stage, dice in known.items():
            judged[stage].append((truth, answer(table.read(frames, dice))))
    return judged


def photographed(folder: Path, fold: int) -> Judged:
    """The answers to one fifth of a source's photographs, with dice from the others."""
    items = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines() if line.strip()]
    first, end = (len(items) * part // FOLDS for part in (fold, fold + 1))
    others = [*items[:first], *items[end:]]
    random.Random(fold).shuffle(others)
    own = enrolled_from(folder, others)
    gallery = Gallery()
    for item in others[-LEARNED:]:
        frame = load_photograph(folder / item["image"]).pixels
        reading = reader().read(frame, enrolled=gallery.joined_to(own))
        gallery = taught(gallery, own, frame, reading, boxed(item["dice"]))
    known = dict(zip(STAGES, (None, own, gallery.joined_to(own)), strict=True))
    judged: Judged = {stage: [] for stage in STAGES}
    for item in items[first:end]:
        photograph = load_photograph(folder / item["image"])
        for stage, dice in known.items():
            reading = reader().read(photograph.pixels, enrolled=dice)
            said = {"dice": [die_json(die, photograph.scale) for die in reading.dice]}
            judged[stage].append((item["dice"], said))
    return judged


def enrolled_from(folder: Path, items: Iterable[dict[str, Any]]) -> EnrolledDice:
    """The dice of the first photographs that show each face, at most PICTURES of each."""
    have = Counter[Die]()
    pictures: list[tuple[Die, Prototype]] = []
    for item in items:
        wanted = [label for label in boxed(item["dice"]) if have[label["type"], label["value"]] < PICTURES]
        if not wanted:
            continue
        frame = load_photograph(folder / item["image"]).pixels
        detections = reader().detector.detect(frame)
        for label in wanted:
            best = max(detections, key=lambda detection: iou(detection.sides, label["bbox"]), default=None)
            face = (label["type"], label["value"])
            if best is not None and iou(best.sides, label["bbox"]) >= SAME and have[face] < PICTURES:
                have[face] += 1
                pictures.append((face, reader().prototype(frame, best)))
    return EnrolledDice.of(pictures)


def boxed(labels: Labels) -> Labels:
    """The labels that name a face and its place."""
    return [label for label in labels if label["type"] and label["value"] and label.get("bbox")]


def joined(parts: Iterable[Judged]) -> Judged:
    """The pictures of several tables, or folds, in one."""
    parts = list(parts)
    return {stage: [pair for part in parts for pair in part[stage]] for stage in STAGES}
