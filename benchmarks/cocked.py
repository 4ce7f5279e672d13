"""How many cocked dice are read as sure, and how many flat ones are called cocked, by kind and tilt.

    python -m benchmarks.cocked [--throws 200] [--seed 70000]

The dice are those of simulated tables: of each throw two to four lean on another die or the wall. Each frame
is read on a rig that is calibrated by its markers and knows the empty tray, on the same rig after it read
four other throws, with the lens calibrated too, and with nothing known. Intervals are exact, of 95 %
(Clopper and Pearson).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np
from scipy.stats import beta

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying
from hardware.simulated.faults import parse
from hardware.simulated.places import off_level_deg
from hardware.simulated.world import World, box_in_frame
from vision.frames import downsample
from vision.reader import DiceReader
from vision.reading import Box, DieReading, Image, iou
from vision.tray.camera import FocalLength
from vision.tray.markers import find_markers
from vision.tray.pose import Tray, learn
from vision.tray.tracking import focal_from_dice

FLAT_DEG = 2.0
"""A die that is less off the level is flat."""
BANDS = ((2.0, 6.0), (6.0, 12.0), (12.0, 90.0), (15.0, 90.0))
"""The tilts that are counted together, in degrees."""
TILTS = ("leaning:3-6", "leaning:6-12", "leaning:12-25", "leaning:12-25")
"""Tilts that are drawn for a simulated throw, in degrees."""
THROWS_BEFORE = 4
"""Throws that a rig reads before, whose dice tell it the focal length."""
LENS_ERROR = 0.005
"""Relative error of the focal length of a calibrated lens."""
SAME = 0.4
"""IoU from which a reading is of a die."""
Counts = dict[tuple[str, str], list[tuple[bool, bool, bool]]]
"""Whether each die of a kind and band was sure, was called cocked, or has people asked."""


def measure(seeds: Iterable[int], reader: DiceReader) -> dict[str, Counts]:
    """Reads a throw of one die of each kind at each table, by how much is known of the rig."""
    told: dict[str, Counts] = defaultdict(lambda: defaultdict(list))
    for seed in seeds:
        world = World(seed, VirtualClock(), real=False)
        chance = np.random.default_rng(seed)
        world.camera.start()
        empty = now(world)
        before = []
        for _ in range(THROWS_BEFORE):
            throw(world, chance)
            before.append(now(world))
        world.inject(parse(TILTS[seed % len(TILTS)]))
        thrown = throw(world, chance)
        frame, background = now(world), downsample(empty)
        dice = [(die, box_in_frame(die, world.view)) for die in thrown]
        tray = learn(find_markers(empty))
        for name, known in trays(tray, world, before, background, reader) if tray is not None else ():
            add(told[name], dice, reader.read(frame, known, background).dice)
        add(told["nothing known"], dice, reader.read(frame).dice)
    return told


def throw(world: World, chance: np.random.Generator) -> list[Lying]:
    thrown = world.throw([KINDS[i] for i in chance.permutation(len(KINDS))])
    world.settle()
    return thrown


def now(world: World) -> Image:
    return world.camera.noise.on(world.picture_at(world.clock.now_s()))


def trays(
    tray: Tray, world: World, before: Sequence[Image], background: Image, reader: DiceReader
) -> Iterator[tuple[str, Tray]]:
    """The tray as its rig knows it, more and more."""
    yield "calibrated", tray
    after = tray
    for frame in before:
        tops = reader.read(frame, after, background).tops
        after = after.with_focal(focal_from_dice(after, frame.shape, tops))
    yield f"calibrated, after {len(before)} throws", after
    sides = world.view.focal / max(before[0].shape)
    yield "calibrated with its lens", tray.with_focal(FocalLength(sides, LENS_ERROR))


def add(counts: Counts, dice: Iterable[tuple[Lying, Box]], readings: Sequence[DieReading]) -> None:
    for die, box in dice:
        seen = max(readings, key=lambda one: iou(one.box, box), default=None)
        if seen is not None and iou(seen.box, box) < SAME:
            seen = None
        cocked = seen is not None and seen.cocked
        said = (
            seen is not None and seen.sure,
            cocked,
            cocked and seen is not None and seen.value is not None,
        )
        tilt_deg = off_level_deg(die)
        if tilt_deg < FLAT_DEG:
            counts[die.kind, "flat"].append(said)
        for low, high in BANDS:
            if low <= tilt_deg < high:
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
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = DiceReader()
    seeds = range(args.seed, args.seed + args.throws)
    for name, counts in measure(seeds, reader).items():
        report(f"simulated, {name}", counts)


if __name__ == "__main__":
    main()
