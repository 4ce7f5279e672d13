"""How the asked rate of the table's own dice falls as they are played with, and whether a reading gets wrong.

    python -m benchmarks.learning FOLDER… [--pictures 1] [--splits 4]
    python -m benchmarks.learning --rigs 4 [--throws 120] [--gloss 0.9]

Each FOLDER holds `labels.jsonl` and photographs of one die each. A random half of them is the past: the first
pictures of each face are enrolled, and the others are thrown one by one. After some throws the other half,
which nothing is learned from, is read with what the table knows then.

With `--rigs` the dice are those of simulated tables, one of each kind and all of them glossy. Each face is
enrolled in the first throws, in one light, and each throw after that comes in a light of its own. Two thirds
are the past. Dice of the same kinds from the next table are strangers.

A throw that is read for sure teaches what was read, right or wrong. A flat die that is doubted teaches its
true value, which another seat confirms, as where throws are strict. With `--mistaken` a part of all lessons
teach another face of the same kind instead. Sums over all splits or tables.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from dicetable.table.throw_rules import NOT_FLAT
from games.dice import FACES, KINDS, Die
from hardware.photograph import load_photograph
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying
from hardware.simulated.picture import random_light
from hardware.simulated.world import World, box_in_frame
from vision.reader import DiceReader
from vision.reading import Box, DieReading, Image, iou
from vision.recognition.doubts import of_usual_size
from vision.recognition.enrolled import EnrolledDice, Gallery, Origin
from vision.recognition.evidence import Recognized

POINTS = (0, 25, 50, 100, 200, 400)
"""After how many throws the held-out ones are read; and after the last."""
SAME = 0.4
"""IoU from which a reading is of a die."""
SHOWN = max(FACES.values())
"""Throws that show every face of every kind."""


@dataclass(frozen=True)
class Throw:
    """What is recognized in a frame, and for each die in it what it shows and its box, if that is known."""

    frame: Image
    found: list[Recognized]
    dice: tuple[tuple[Die, Box | None], ...]

    def of(self, box: Box | None) -> Callable[[DieReading], float]:
        """How well a reading fits a die: by IoU, or by size where nothing else lies in the frame."""
        return lambda read: iou(read.box, box) if box is not None else 1.0 + max(read.box[2:])


@dataclass(frozen=True)
class Table:
    """A reader and the table's own dice: those that were enrolled, and what was learned beside."""

    reader: DiceReader
    enrolled: EnrolledDice
    gallery: Gallery = field(default_factory=Gallery)
    mistaken: float = 0.0

    def readings(self, throw: Throw) -> list[DieReading | None]:
        """The reading of each die of a throw; None where nothing is read."""
        own = self.gallery.joined_to(self.enrolled)
        read = [die for one in throw.found for die in self.reader.judged(one, throw.frame, own)]
        read = of_usual_size(read, own.shows)
        out: list[DieReading | None] = []
        for _, box in throw.dice:
            fits = throw.of(box)
            best = max(read, key=fits, default=None)
            out.append(best if best is not None and fits(best) >= SAME else None)
        return out

    def after(self, throw: Throw, number: int) -> Table:
        """The table after it has learned from a throw."""
        gallery = self.gallery
        for (die, _), read in zip(throw.dice, self.readings(throw), strict=True):
            if read is None or read.kind is None or read.value is None or read.doubt in NOT_FLAT:
                continue
            counted: Die = (read.kind, read.value) if read.sure else die
            chance = np.random.default_rng((number, read.box[0]))
            if chance.random() < self.mistaken:
                kind, value = counted
                counted = (kind, (value + int(chance.integers(1, FACES[kind])) - 1) % FACES[kind] + 1)
            crop = self.reader.crop(throw.frame, read.box)
            origin = Origin(number, 0, number, "", confirmed=not read.sure)
            gallery = self.reader.taught(gallery, self.enrolled, crop, counted, origin)
        return replace(self, gallery=gallery)

    def score(self, throws: Sequence[Throw]) -> Counter[str]:
        """How many dice are read right, asked for, or read wrong."""
        said: Counter[str] = Counter()
        for throw in throws:
            for (die, _), read in zip(throw.dice, self.readings(throw), strict=True):
                sure = read is not None and read.sure
                right = read is not None and (read.kind, read.value) == die
                said["asked" if not sure else "right" if right else "wrong"] += 1
        return said

    def wrong_pictures(self, throws: Sequence[Throw]) -> int:
        """How many learned pictures show another face than they are kept for; rows are numbers of throws."""
        return sum(
            one.die not in [die for die, _ in throws[one.origin.row].dice] for one in self.gallery.pictures
        )


def photographs(folder: Path, reader: DiceReader) -> list[Throw]:
    """The labelled photographs of one die each."""
    throws = []
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        dice = tuple(((die["type"], die["value"]), None) for die in told["dice"])
        if len(dice) == 1 and None not in dice[0][0]:
            frame = load_photograph(folder / told["image"]).pixels
            throws.append(Throw(frame, reader.recognize(frame), dice))
    return throws


def simulated(seed: int, count: int, gloss: float, reader: DiceReader) -> list[Throw]:
    """Throws of one glossy die of each kind on a simulated table: first those that show every face."""
    world = World(seed, VirtualClock(), real=False)
    world.camera.start()
    world.dice = {
        kind: (replace(dice[0], look=replace(dice[0].look, gloss=gloss)),)
        for kind, dice in world.dice.items()
    }
    chance = np.random.default_rng(seed)
    throws = []
    for number in range(SHOWN + count):
        kinds = [KINDS[i] for i in chance.permutation(len(KINDS))]
        if number < SHOWN:
            thrown = world.throw(kinds, values=[number % FACES[kind] + 1 for kind in kinds])
        else:
            world.stage.light = random_light(chance)
            thrown = world.throw(kinds)
        world.settle()
        frame = world.camera.noise.on(world.seen(world.clock.now_s()))
        throws.append(Throw(frame, reader.recognize(frame), tuple(shown(thrown, world))))
    return throws


def shown(thrown: Sequence[Lying], world: World) -> Iterator[tuple[Die, Box]]:
    """What each thrown die shows, and its box."""
    for one in thrown:
        if one.value is not None:
            yield (one.die.kind, one.value), box_in_frame(one, world.view)


def enrolled(past: Sequence[Throw], pictures: int, reader: DiceReader) -> tuple[EnrolledDice, list[Throw]]:
    """The first pictures of each face, enrolled, and the throws that none was taken of."""
    taken: Counter[Die] = Counter()
    faces, rest = [], []
    for throw in past:
        used = False
        for die, box in throw.dice:
            if taken[die] < pictures and throw.found:
                best = max(throw.found, key=lambda one: closeness(one, box))
                faces.append((die, reader.prototype(throw.frame, best.detection)))
                taken[die] += 1
                used = True
        if not used:
            rest.append(throw)
    return EnrolledDice.of(faces), rest


def closeness(one: Recognized, box: Box | None) -> float:
    """How well a detection fits a die: by IoU, or by its score where nothing else lies in the frame."""
    place = one.detection
    return iou(place.sides, box) if box is not None else place.score


def curve(
    table: Table, rest: Sequence[Throw], later: Sequence[Throw], strangers: Sequence[Throw]
) -> Iterator[tuple[int, Counter[str]]]:
    """After how many throws the later ones were read, and how, with the strangers that were sure."""
    for number in range(len(rest) + 1):
        if number in POINTS or number == len(rest):
            said = table.score(later)
            told = table.score(strangers)
            said["stranger"], said["stranger sure"] = told.total(), told["right"] + told["wrong"]
            said["learned"] = len(table.gallery.pictures)
            said["learned wrong"] = table.wrong_pictures(rest)
            yield number, said
        if number < len(rest):
            table = table.after(rest[number], number)


def told(name: str, curves: Sequence[Sequence[tuple[int, Counter[str]]]]) -> None:
    print(
        f"{name}: {len(curves)} × {sum(curves[0][0][1][said] for said in ('right', 'asked', 'wrong'))} dice"
    )
    print("  throws | right | asked | wrong | learned (wrong) | strangers sure")
    shortest = min(curve[-1][0] for curve in curves)
    points = [point for point in POINTS if point < shortest]
    rows = [(str(point), [dict(curve)[point] for curve in curves]) for point in points]
    for point, counts in [*rows, ("all", [curve[-1][1] for curve in curves])]:
        s = sum(counts, Counter[str]())
        print(
            f"  {point:>6} | {s['right']:5} | {s['asked']:5} | {s['wrong']:5} | "
            f"{s['learned']:5} ({s['learned wrong']}) | {s['stranger sure']} of {s['stranger']}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--pictures", type=int, default=1, help="enrolled pictures of a face")
    parser.add_argument("--splits", type=int, default=4, help="random halves of each folder")
    parser.add_argument("--rigs", type=int, default=0, help="simulated tables")
    parser.add_argument("--throws", type=int, default=120, help="throws on each")
    parser.add_argument("--gloss", type=float, default=0.9, help="brightness of reflections, 0 to 1")
    parser.add_argument("--mistaken", type=float, default=0.0, help="part of the lessons that are wrong")
    parser.add_argument("--seed", type=int, default=81000)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = DiceReader()
    for folder in args.folders:
        throws = photographs(folder, reader)
        curves = []
        for split in range(args.splits):
            order = np.random.default_rng(split).permutation(len(throws))
            half = (
                [throws[i] for i in order[: len(throws) // 2]],
                [throws[i] for i in order[len(throws) // 2 :]],
            )
            own, rest = enrolled(half[0], args.pictures, reader)
            curves.append(list(curve(Table(reader, own, mistaken=args.mistaken), rest, half[1], ())))
        told(folder.name, curves)
    if args.rigs:
        curves = []
        throws = simulated(args.seed, args.throws, args.gloss, reader)
        for rig in range(args.rigs):
            other = simulated(args.seed + rig + 1, args.throws, args.gloss, reader)
            past, strangers = SHOWN + args.throws * 2 // 3, other[SHOWN : SHOWN + args.throws // 3]
            own, rest = enrolled(throws[:past], args.pictures, reader)
            table = Table(reader, own, mistaken=args.mistaken)
            curves.append(list(curve(table, rest, throws[past:], strangers)))
            throws = other
        told("simulated, glossy", curves)


if __name__ == "__main__":
    main()
