"""Stages `photos` and `mined`: packs from labelled photographs, and from what the detector takes for dice."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from games.dice import KINDS
from training import Array
from training.packs import BOXES, CANVAS, Pack, lacking
from training.scenes import DieLabel, scene
from vision.detection import holds_others, iou
from vision.reader import DiceReader
from vision.reading import Detection
from vision.recognition.classifiers import NO_DIE

SOURCES = ("burks_black_tray", "catan_pips", "rune_pips_grey", "ucffool_d20", "ucffool_mixed")
OBLIQUE = ("catan_pips", "rune_pips_grey")
"""Sources whose picture must stay upright: which side is on top shows only by what is up."""
LOOSE: dict[str, float] = {"rune_pips_grey": 0.9}
"""How much of a label's box a die fills where labels were drawn wide."""


def whole_die(frame: Array) -> tuple[float, float, float, float] | None:
    """The box (x, y, w, h) of the one die on a plain ground, by colour against the picture's rim."""
    small = cv2.GaussianBlur(frame, (0, 0), 2).astype(np.float32)
    rim = np.concatenate(
        [
            small[:8].reshape(-1, 3),
            small[-8:].reshape(-1, 3),
            small[:, :8].reshape(-1, 3),
            small[:, -8:].reshape(-1, 3),
        ]
    )
    spread = np.median(np.abs(rim - np.median(rim, 0)), 0) * 4 + 6
    lab = np.abs(small - np.median(rim, 0)) / spread
    far = (lab.max(2) * 12).clip(0, 255).astype(np.uint8)
    _, mask = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return None
    x, y, w, h, area = (float(v) for v in stats[1 + int(np.argmax(stats[1:, 4]))])
    side = max(frame.shape[:2])
    fits = 0.2 * side < max(w, h) < 0.7 * side and 0.7 < w / h < 1.45 and area > 0.5 * w * h
    return (x, y, w, h) if fits else None


def labelled_pictures(
    folder: Path, chosen: Callable[[int], Iterable[int]] = range
) -> Iterator[tuple[Array, list[dict[str, Any]]]]:
    """The pictures of a source's folder with the labels of their dice; those of `chosen` of their count."""
    lines = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for number in chosen(len(lines)):
        label = json.loads(lines[number])
        frame = cv2.imread(str(folder / label["image"]))
        if frame is None:
            raise OSError(f"{folder / label['image']} cannot be read")
        yield np.asarray(frame, np.uint8), label["dice"]


def photo_pack(folder: Path) -> Pack:
    """The crops and canvases of one source's folder."""
    rng = np.random.default_rng(7)
    pack = Pack()
    source = folder.name
    for frame, dice in labelled_pictures(folder):
        rows = []
        for die in dice:
            box = die["bbox"] or whole_die(frame)
            if box is None or die["type"] is None or die["value"] is None:
                continue
            x, y, w, h = box
            kind = KINDS.index(die["type"])
            fill = LOOSE.get(source, 1.0)
            square = (x + w / 2, y + h / 2, fill * max(w, h))
            pack.keep(frame, square, kind, value=die["value"], turnable=source not in OBLIQUE)
            rows.append([kind, x + w * (1 - fill) / 2, y + h * (1 - fill) / 2, w * fill, h * fill])
        if rows and source != "catan_pips":
            _empty_places(pack, frame, np.array(rows), rng)
            _canvas(pack, frame, np.array(rows), (9, 26), rng)
            if rng.random() < 0.35:  # dice too large for one pass: their pips and numerals are no dice
                _canvas(pack, frame, np.array(rows), (36, 150), rng)
    return pack


def _empty_places(pack: Pack, frame: Array, rows: Array, rng: np.random.Generator) -> None:
    """Adds crops of the frame where none of its dice lies."""
    tall, wide = frame.shape[:2]
    size = float(np.median(rows[:, 3:].max(1)))
    for _ in range(2):
        x, y = rng.uniform(0, wide), rng.uniform(0, tall)
        span = size * rng.uniform(0.5, 1.6)
        far = np.abs(rows[:, 1:3] + rows[:, 3:] / 2 - (x, y)).max(1)
        if far.min() > 0.6 * size + 0.3 * span:
            pack.keep(frame, (x, y, span), NO_DIE)


def _canvas(
    pack: Pack, frame: Array, rows: Array, sizes: tuple[float, float], rng: np.random.Generator
) -> None:
    """Adds a part of the frame, downsampled so that its dice have `sizes` pixels, on a plain canvas."""
    size = float(np.median(rows[:, 3:].max(1)))
    scale = min(1.0, float(np.exp(rng.uniform(*np.log(sizes)))) / size)
    small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    x0, y0 = (int(rng.integers(0, max(1, small.shape[axis] - CANVAS + 1))) for axis in (1, 0))
    part = small[y0 : y0 + CANVAS, x0 : x0 + CANVAS]
    pad = (CANVAS - part.shape[0], CANVAS - part.shape[1])
    canvas = cv2.copyMakeBorder(
        part, 0, pad[0], 0, pad[1], cv2.BORDER_CONSTANT, value=[float(v) for v in frame[0, 0]]
    )
    kept = np.array(rows, np.float32)
    kept[:, 1:] *= scale
    kept[:, 1:3] -= (x0, y0)
    middle = kept[:, 1:3] + kept[:, 3:] / 2
    kept = kept[((middle > 0) & (middle < CANVAS)).all(1)][:BOXES]
    pack.canvases.append(canvas)
    pack.boxes.append(np.vstack([kept, np.full((BOXES - len(kept), 5), -1.0)]).astype(np.float32))


def photo_packs(photos: Path, folder: Path) -> None:
    """Makes the pack of every source that is in `photos`/train and not in `folder` yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in SOURCES:
        path = folder / f"photo_{source}.npz"
        if (photos / "train" / source).is_dir() and not path.exists():
            photo_pack(photos / "train" / source).write(path)


PART = 0.45
"""Side of a detection, in parts of the labelled die that it lies on, under which it is a pip or a numeral."""


def is_no_die(detection: Detection, dice: Sequence[Detection]) -> bool:
    """Whether a detection is a heap of these labelled dice, or a part of one."""
    on = [die for die in dice if die.holds(detection.middle)]
    is_part = bool(on) and all(detection.longer < PART * die.longer for die in on)
    return is_part or holds_others(detection, dice)


SCENES = 100
"""Scenes in a pack."""
FIRST = 900
"""Number of the first of these packs: `scenes` makes those before."""
HIT, MISS = 0.45, 0.1
"""IoU with a die from which a detection is that die, and under which it is none."""


def mine(folder: Path, count: int, photos: Path, without: tuple[str, ...]) -> None:
    """Makes packs with the exported detector; those that are there already stay.

    `count` of new scenes hold crops at its places: the dice as it boxes them, and what is no die. One of each
    source of `photos`/train holds what it takes for dice there and is none.
    """
    detector = DiceReader().detector
    for number, path in lacking(folder, "render", range(FIRST, FIRST + count)):
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
        pack.write(path)
    for source in SOURCES:
        path = folder / f"mined_{source}.npz"
        if source in without or path.exists():
            continue
        pack = Pack()
        for frame, labels in labelled_pictures(photos / "train" / source):
            boxes = [die["bbox"] or whole_die(frame) for die in labels]
            dice = [Detection(x, y, w, h, 1.0) for x, y, w, h in filter(None, boxes)]
            for detection in detector.candidates(frame):
                if is_no_die(detection, dice):
                    pack.keep(frame, (*detection.middle, detection.longer), NO_DIE)
        pack.write(path)


def _share(die: DieLabel, detection: Detection) -> float:
    return iou(Detection(*die.box, 1.0), detection)
