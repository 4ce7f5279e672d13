"""How many dice are read at how many pixels to a millimetre: what docs/build-a-rig.md says of lenses.

    python -m benchmarks.resolution [--throws 100]

The frames are the simulated table's, of one die of each kind, made smaller. The smallest numeral of a die is
2 to 3 mm high.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np

from dicetable.simulated.judge import judge
from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.picture import SPAN_MM, WIDTH
from hardware.simulated.world import World
from vision.reader import DiceReader
from vision.reading import DieReading, Image, Reading

PX_PER_MM = (1.9, 2.3, 2.5, 3.0, 3.4, 3.7, WIDTH / SPAN_MM)


def smaller(frame: Image, part: float) -> Image:
    size = (round(frame.shape[1] * part), round(frame.shape[0] * part))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def in_whole_frame(die: DieReading, part: float) -> DieReading:
    """The die with its box in pixels of the whole frame."""
    x, y, wide, tall = (round(side / part) for side in die.box)
    return replace(die, box=(x, y, wide, tall))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--throws", type=int, default=100, help="throws of one die of each kind")
    throws = parser.parse_args().throws
    reader = DiceReader()
    counts = {px_per_mm: Counter[str]() for px_per_mm in PX_PER_MM}
    for seed in range(throws):
        world = World(seed, VirtualClock())
        world.camera.start()
        thrown = world.throw(KINDS)
        world.settle()
        frame = world.camera.frame(1.0)
        if frame is None:
            raise RuntimeError("the simulated camera gave no frame")
        for px_per_mm, count in counts.items():
            part = px_per_mm / (WIDTH / SPAN_MM)
            dice = reader.read(smaller(frame.pixels, part)).dice
            verdict = judge(world, thrown, Reading(tuple(in_whole_frame(die, part) for die in dice)))
            count.update(right=verdict.right, asked=verdict.asked, wrong=verdict.wrong)
    print("px/mm   right   asked   wrong   (% of dice)")
    for px_per_mm, count in counts.items():
        dice_thrown = count["right"] + count["asked"] + count["wrong"]
        shares = (100 * count[what] / dice_thrown for what in ("right", "asked", "wrong"))
        print(f"{px_per_mm:5.1f} " + "".join(f"{share:8.1f}" for share in shares))


if __name__ == "__main__":
    main()
