"""Makes packs of simulated dice whose tilt is known, for the training stages `attitude` and `cocked-weights`.

    python -m benchmarks.simulated_tilts FOLDER [--packs 100]

They lie beside the rendered and path-traced packs of `python -m vision.training tilts`, which may not know
the simulated table. Their tables are others than those that `benchmarks.cocked` measures.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from games.dice import KINDS
from hardware.simulated.clock import VirtualClock
from hardware.simulated.cocked import cocked, off_level_deg
from hardware.simulated.projection import HEIGHT, WIDTH
from hardware.simulated.resting import at_random
from hardware.simulated.truth import box
from hardware.simulated.world import World
from vision.reader import DiceReader
from vision.training.rig import RenderLens
from vision.training.tilts import TiltPack, TiltTruth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hardware.simulated.die import Lying
    from hardware.simulated.projection import Projection

FRAMES = 40
"""Tables in a pack ..."""
OF_EACH = (4, 4, 1, 1, 1, 1)
"""... and dice of each kind on a table: the d4 and the d6 are hardest to measure."""
FIRST_SEED = 100000
MOST_LEAN = 7
SPANS_DEG = ((3.0, 12.0), (8.0, 26.0), (3.0, 26.0))


def pack(number: int, reader: DiceReader) -> TiltPack:
    """The pack of this number."""
    made = TiltPack()
    for seed in range(FIRST_SEED + FRAMES * number, FIRST_SEED + FRAMES * (number + 1)):
        world = World(seed, VirtualClock(), real=False)
        world.camera.start()
        rng = np.random.default_rng((77, seed))
        kinds = [KINDS[i] for i in rng.permutation(np.repeat(np.arange(len(KINDS)), OF_EACH))]
        lying = at_random(rng, world.pick(kinds, set()), [])
        lean = int(rng.integers(0, MOST_LEAN + 1))
        span = SPANS_DEG[int(rng.integers(len(SPANS_DEG)))]
        for i in range(lean):
            others = [die for j, die in enumerate(lying) if j < i or j >= lean]
            lying[i] = cocked(rng, lying[i], others, span)
        world.lay(lying)
        world.settle()
        frame = world.camera.noise.on(world.seen(world.clock.now_s()))
        made.add(frame, [truth(die, world.view) for die in lying], reader)
    return made


def truth(lying: Lying, view: Projection) -> TiltTruth:
    """A die as this camera sees it."""
    die = lying.die
    normals = np.array([face.normal for face in die.solid.faces]) @ lying.pose.turn.T
    down = int(normals[:, 2].argmin())
    middle = ((WIDTH - 1) / 2, (HEIGHT - 1) / 2)
    across = RenderLens(view.rotation, view.eye_mm, view.focal, middle, 0.0).across(lying.pose.at_mm)
    return TiltTruth(
        KINDS.index(die.kind),
        die.solid.value_on_table(down),
        box(lying, view),
        off_level_deg(lying),
        across @ -normals[down],
        across[:, 2],
        symbols(lying, down, view),
    )


def symbols(lying: Lying, down: int, view: Projection) -> NDArray[np.float64]:
    """Where the symbols are seen that tell the value, (n, 2)."""
    die = lying.die
    upper, value = die.solid.opposite(down), die.solid.value_on_table(down)
    places = [
        np.array(symbol.at) * die.scale
        for i, face in enumerate(die.solid.faces)
        if i != down and upper in (None, i)
        for symbol in face.symbols
        if symbol.value == value
    ]
    return view.project(np.array(places) @ lying.pose.turn.T + lying.pose.at_mm)


def main() -> None:
    """Makes the packs that the folder lacks."""
    parser = argparse.ArgumentParser(description="packs of simulated dice of known tilt")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packs", type=int, default=100)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    reader = DiceReader()
    for number in range(args.packs):
        path = args.folder / f"sim{number:03}.npz"
        if not path.exists():
            pack(number, reader).write(path)


if __name__ == "__main__":
    main()
