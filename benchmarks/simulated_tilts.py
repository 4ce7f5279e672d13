"""Makes packs of simulated dice whose tilt is known, for the training stages `attitude` and `cocked-weights`.

    python -m benchmarks.simulated_tilts FOLDER [--packs 100] [--thrown 73]

They lie beside the rendered and path-traced packs of `python -m training tilts`, which may not know
the simulated table. Their tables are others than those that `benchmarks.cocked` measures. In most packs dice
lie anywhere apart from each other; in the others (`--thrown`) they were thrown with physics, as in games, so
that they lie against walls, each other and markers, in stronger shadows.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from games.dice import KINDS, Kind
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying
from hardware.simulated.picture import HEIGHT, WIDTH, Light, Projection
from hardware.simulated.places import at_random, cocked, off_level_deg
from hardware.simulated.world import World, box_in_frame
from training.body import RenderLens
from training.scenes import DieTruth
from training.tilts import TiltPack
from vision.reader import DiceReader

FRAMES = 40
"""Tables in a pack."""
OF_EACH = (4, 4, 1, 1, 1, 1)
"""Dice of each kind on a table of a pack: the d4 and the d6 are hardest to measure."""
FIRST_SEED = 100000
FIRST_THROWN = 800000
MOST_LEAN = 7
TABLES, THROWS = 30, 2
"""Tables in a pack of thrown dice, and throws on each."""
SIX_SIDED = 0.6
"""Part of the throws that are of d6 alone."""
HANDFUL = (6, 13)
"""How many dice a throw of d6 alone has: at least, and less than."""
FEW, LEANT, MOST_LEAN_THROWN = 40, (0.5, 0.9), (4, 6)
"""Part of the throws in which some dice are made to lean, and the largest number of them. The first FEW packs
of thrown dice use the first value of each pair, later ones the second."""
HARD = 0.5
"""Part of the tables whose light is harder than usual: its lamps this much more aside."""
LOWER = 1.5
DARK_AROUND = (0.15, 0.4)
"""The light around the lamps of such a table."""
SPANS_DEG = ((3.0, 12.0), (8.0, 26.0), (3.0, 26.0))


def pack(number: int, reader: DiceReader) -> TiltPack:
    """The pack of this number whose dice lie anywhere."""
    made = TiltPack()
    for seed in range(FIRST_SEED + FRAMES * number, FIRST_SEED + FRAMES * (number + 1)):
        world = World(seed, VirtualClock(), real=False)
        world.camera.start()
        rng = np.random.default_rng((77, seed))
        lying = at_random(rng, world.pick(mixed(rng), set()), [])
        add(made, world, leant(rng, lying, int(rng.integers(0, MOST_LEAN + 1))), reader)
    return made


def thrown_pack(number: int, reader: DiceReader) -> TiltPack:
    """The pack of this number whose dice were thrown with physics."""
    made = TiltPack()
    many = int(number >= FEW)
    for seed in range(FIRST_THROWN + TABLES * number, FIRST_THROWN + TABLES * (number + 1)):
        world = World(seed, VirtualClock(), real=True)
        world.camera.start()
        rng = np.random.default_rng((78, seed))
        if rng.random() < HARD:
            world.stage.light = hard(rng, world.light)
        for _ in range(THROWS):
            lying = world.throw(six_sided(rng) if rng.random() < SIX_SIDED else mixed(rng))
            if rng.random() < LEANT[many]:
                lying = [lying[i] for i in rng.permutation(len(lying))]
                lying = leant(rng, lying, int(rng.integers(1, MOST_LEAN_THROWN[many] + 1)))
            add(made, world, lying, reader)
    return made


def mixed(rng: np.random.Generator) -> list[Kind]:
    return [KINDS[i] for i in rng.permutation(np.repeat(np.arange(len(KINDS)), OF_EACH))]


def six_sided(rng: np.random.Generator) -> list[Kind]:
    return ["d6"] * int(rng.integers(*HANDFUL))


def hard(rng: np.random.Generator, light: Light) -> Light:
    """Lowers the lamps, with less light around: their shadows are long and dark."""
    toward = light.toward * (LOWER, LOWER, 1.0)
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    around = float(rng.uniform(*DARK_AROUND))
    level = light.strength * light.toward[:, 2] * (1 - around) / (1 - light.around)
    return replace(light, toward=toward, strength=level / toward[:, 2], around=around)


def leant(rng: np.random.Generator, lying: list[Lying], lean: int) -> list[Lying]:
    """The dice; the first `lean` of them lean on others or on a wall."""
    span = SPANS_DEG[int(rng.integers(len(SPANS_DEG)))]
    placed = list(lying)
    for i in range(lean):
        others = [die for j, die in enumerate(placed) if j < i or j >= lean]
        placed[i] = cocked(rng, placed[i], others, span)
    return placed


def add(made: TiltPack, world: World, lying: list[Lying], reader: DiceReader) -> None:
    """Keeps what is read of the world's next frame, on which the dice lie so."""
    world.lay(lying)
    world.settle()
    frame = world.camera.noise.on(world.picture_at(world.clock.now_s()))
    made.add(frame, [truth(die, world.view) for die in lying], reader)


def truth(lying: Lying, view: Projection) -> DieTruth:
    """A die as this camera sees it."""
    die = lying.die
    normals = np.array([face.normal for face in die.solid.faces]) @ lying.pose.turn.T
    down = int(normals[:, 2].argmin())
    middle = ((WIDTH - 1) / 2, (HEIGHT - 1) / 2)
    across = RenderLens(view.rotation, view.eye_mm, view.focal, middle, 0.0).across(lying.pose.at_mm)
    return DieTruth(
        KINDS.index(die.kind),
        die.solid.value_on_table(down),
        box_in_frame(lying, view),
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
        np.array(symbol.centre) * die.scale
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
    parser.add_argument("--packs", type=int, default=100, help="of dice that lie anywhere")
    parser.add_argument("--thrown", type=int, default=73, help="of dice thrown with physics")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    reader = DiceReader()
    for name, make, count in (("sim", pack, args.packs), ("sim-thrown", thrown_pack, args.thrown)):
        for number in range(count):
            path = args.folder / f"{name}{number:03}.npz"
            if not path.exists():
                make(number, reader).write(path)


if __name__ == "__main__":
    main()
