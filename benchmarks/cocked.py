"""How many cocked dice are read as sure, and how many flat ones are called cocked, by kind and tilt.

    python -m benchmarks.cocked [--throws 200] [--seed 70000] [--traced FOLDER]

The dice are those of simulated tables: of each throw two to four lean on another die or the wall. Each frame
is read on a rig that is calibrated by its markers and knows the empty tray, on the same rig after it read
four other throws, with the lens calibrated too, and with nothing known. With `--traced` path-traced scenes
are read as well, whose cameras hang lower than a rig's, so that the lens must be calibrated; those that the
folder lacks are made first (`--scenes`), which takes `training/requirements.txt` and some seconds a scene.
Intervals are exact, of 95 % (Clopper and Pearson).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from scipy.stats import beta

from games.dice import KINDS, Kind
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.places import off_level_deg
from hardware.simulated.world import World
from vision.motion.background import downsample
from vision.reader import DiceReader
from vision.reading import Box, DieReading, Image, iou
from vision.tray.camera import FocalLength
from vision.tray.markers import IDS, Markers, find_markers
from vision.tray.pose import SQUARE_MM, Tray, learn
from vision.tray.tracking import focal_from_dice

if TYPE_CHECKING:
    from training.body import RenderLens

FLAT_DEG = 2.0
"""A die that is less off the level is flat."""
BANDS = ((2.0, 6.0), (6.0, 12.0), (12.0, 90.0), (15.0, 90.0))
"""The tilts that are counted together, in degrees."""
TILTS = ("leaning:3-6", "leaning:6-12", "leaning:12-25", "leaning:12-25")
"""What is drawn for a simulated throw."""
ABOVE_DEG = 25.0
"""A camera that is farther from the vertical is no rig's."""
MARKERS_AT = 0.38
"""How far from the middle of a path-traced frame its markers are put, in parts of its side."""
CORNER_PX = 0.2
"""Standard deviation by which a marker's corner is found beside its place."""
THROWS_BEFORE = 4
"""Throws that a rig reads before, whose dice tell it the focal length."""
LENS_ERROR = 0.005
"""Relative error of the focal length of a calibrated lens."""
SAME = 0.4
"""IoU from which a reading is of a die."""


@dataclass(frozen=True)
class Lies:
    """A die as it lies: `box` in pixels, `tilt_deg` off lying flat; `legible` if a person could read it."""

    kind: Kind
    box: Box
    tilt_deg: float
    legible: bool = True


@dataclass(frozen=True)
class Case:
    """A frame, what is known of the rig, and the truth; no markers: nothing is known of it.

    `sides` is the focal length in parts of the frame's longer side, `before` are frames of earlier throws.
    Where there are none, the camera does not hang as high as a rig's.
    """

    frame: Image
    markers: Markers | None
    background: Image | None
    dice: tuple[Lies, ...]
    sides: float | None = None
    before: tuple[Image, ...] = ()


def simulated(seed: int) -> Case:
    """A throw of one die of each kind on a simulated table."""
    world = World(seed, VirtualClock(), real=False)
    chance = np.random.default_rng(seed)
    world.camera.start()
    empty = now(world)
    before = []
    for _ in range(THROWS_BEFORE):
        world.throw([KINDS[i] for i in chance.permutation(len(KINDS))])
        world.settle()
        before.append(now(world))
    world.inject(parse(TILTS[seed % len(TILTS)]))
    thrown = world.throw([KINDS[i] for i in chance.permutation(len(KINDS))])
    world.settle()
    frame = now(world)
    boxes = {die.lying.die.number: die.box for die in world.truth().dice}
    dice = tuple(Lies(die.kind, boxes[die.die.number], off_level_deg(die)) for die in thrown)
    sides = world.view.focal / max(frame.shape)
    return Case(frame, find_markers(empty), downsample(empty), dice, sides, tuple(before))


def now(world: World) -> Image:
    return world.camera.noise.on(world.seen(world.clock.now_s()))


def trace(folder: Path, scenes: int, seed: int) -> None:
    """Path-traces the scenes that the folder lacks: two to four of their dice lean."""
    from training.scenes import Tilted
    from training.traced import thrown_scene

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(scenes):
        path = folder / f"{number:04}.png"
        if path.exists():
            continue
        rng = np.random.default_rng((seed, number))
        low, high = ((6.0, 12.0), (12.0, 25.0), (15.0, 30.0))[number % 3]
        shot, lens = thrown_scene(rng, Tilted(1.0, low, high))
        told = {
            "lean_deg": shot.lean_deg,
            "sides": lens.focal / max(shot.frame.shape),
            "markers": {int(n): corners.tolist() for n, corners in marked(lens, rng).items()},
            "dice": [
                {
                    "kind": KINDS[die.kind],
                    "box": [round(v) for v in die.box],
                    "tilt_deg": die.tilt_deg,
                    "legible": die.readable or die.cocked,
                }
                for die in shot.dice
            ],
        }
        path.with_suffix(".json").write_text(json.dumps(told), encoding="utf-8")
        cv2.imwrite(str(path), shot.frame)


def marked(lens: RenderLens, rng: np.random.Generator) -> Markers:
    """Where markers near the corners of the frame would be found."""
    across = np.array(lens.centre)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 2 * MARKERS_AT * across + across
    found = {}
    for number, (x, y) in zip(IDS, corners, strict=True):
        ray = np.array([(x - across[0]) / lens.focal, (y - across[1]) / lens.focal, 1.0]) @ lens.rotation
        middle = lens.position - ray * lens.position[2] / ray[2]
        right, down = lens.rotation[0, :2], lens.rotation[1, :2]
        turn = np.arctan2(right[1], right[0])
        way = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        square = SQUARE_MM * (1, -np.sign(np.linalg.det(np.stack([right, down]))))
        floor = np.column_stack([square @ way.T + middle[:2], np.zeros(4)])
        found[number] = lens.project(floor) + rng.normal(0, CORNER_PX, (4, 2))
    return found


def traced(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.png")):
        told = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        above = told["lean_deg"] < ABOVE_DEG
        markers = {int(n): np.array(corners) for n, corners in told["markers"].items()}
        dice = tuple(Lies(d["kind"], tuple(d["box"]), d["tilt_deg"], d["legible"]) for d in told["dice"])
        frame = np.asarray(cv2.imread(str(path)), np.uint8)
        yield Case(frame, markers if above else None, None, dice, told.get("sides"))


Counts = dict[tuple[str, str], list[tuple[bool, bool, bool]]]
"""Of each kind and band whether each die was sure, was called cocked, and has people asked whether it is."""


def count(cases: Iterable[Case], reader: DiceReader) -> dict[str, Counts]:
    """What is said of the dice, by what is known of the rig."""
    told: dict[str, Counts] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        for name, tray in known(case, reader):
            add(told[name], case.dice, reader.read(case.frame, tray, case.background).dice)
        add(told["nothing known"], case.dice, reader.read(case.frame).dice)
    return told


def known(case: Case, reader: DiceReader) -> Iterator[tuple[str, Tray]]:
    """The tray as its rig knows it, more and more."""
    tray = None if case.markers is None else learn(case.markers)
    if tray is None:
        return
    if case.before:
        yield "calibrated", tray
        yield f"calibrated, after {len(case.before)} throws", after(case, tray, reader)
    if case.sides is not None:
        yield "calibrated with its lens", tray.with_focal(FocalLength(case.sides, LENS_ERROR))


def after(case: Case, tray: Tray, reader: DiceReader) -> Tray:
    """The tray after the throws before were read."""
    for frame in case.before:
        tops = reader.read(frame, tray, case.background).tops
        tray = tray.with_focal(focal_from_dice(tray, frame.shape, tops))
    return tray


def add(counts: Counts, dice: Sequence[Lies], readings: Sequence[DieReading]) -> None:
    for die in dice:
        seen = max(readings, key=lambda one: iou(one.box, die.box), default=None)
        if seen is not None and iou(seen.box, die.box) < SAME:
            seen = None
        cocked = seen is not None and seen.cocked
        said = (
            seen is not None and seen.sure,
            cocked,
            cocked and seen is not None and seen.value is not None,
        )
        if die.tilt_deg < FLAT_DEG:
            if die.legible:
                counts[die.kind, "flat"].append(said)
            continue
        for low, high in BANDS:
            if low <= die.tilt_deg < high:
                counts[die.kind, band(low, high)].append(said)


def band(low: float, high: float) -> str:
    return f"{low:g}-{high:g}" if high < 90 else f">={low:g}"


def interval(struck: int, of: int) -> tuple[float, float]:
    """The exact 95 % interval of a share."""
    low = float(beta.ppf(0.025, struck, of - struck + 1)) if struck else 0.0
    high = float(beta.ppf(0.975, struck + 1, of - struck)) if struck < of else 1.0
    return low, high


def share(struck: int, of: int) -> str:
    if not of:
        return "none"
    low, high = interval(struck, of)
    return f"{struck}/{of} {100 * struck / of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def report(name: str, counts: Counts) -> None:
    print(f"\n{name}")
    bands = [band(*limits) for limits in BANDS]
    for kind in ("all", *KINDS):
        rows = {
            which: [
                one for (k, w), said in counts.items() if w == which and kind in ("all", k) for one in said
            ]
            for which in ("flat", *bands)
        }
        flat = rows["flat"]
        print(f"  {kind:4} flat: sure {share(sum(s for s, _, _ in flat), len(flat))}, "
              f"called cocked {share(sum(c for _, c, _ in flat), len(flat))}, "
              f"asked about {sum(a for _, _, a in flat)}")  # fmt: skip
        for which in bands:
            print(f"       {which}: sure {share(sum(s for s, _, _ in rows[which]), len(rows[which]))}, "
                  f"asked about {sum(a for _, _, a in rows[which])}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="how many cocked dice are read as sure")
    parser.add_argument("--throws", type=int, default=200, help="simulated throws of six dice")
    parser.add_argument("--seed", type=int, default=70000)
    parser.add_argument("--traced", type=Path, help="folder of path-traced scenes")
    parser.add_argument("--scenes", type=int, default=0, help="make this number of path-traced scenes first")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = DiceReader()
    seeds = range(args.seed, args.seed + args.throws)
    for name, counts in count((simulated(seed) for seed in seeds), reader).items():
        report(f"simulated, {name}", counts)
    if args.traced is not None:
        trace(args.traced, args.scenes, args.seed)
        for name, counts in count(traced(args.traced), reader).items():
            report(f"path-traced, {name}", counts)


if __name__ == "__main__":
    main()
