"""What `dicetable roll --json` says beside what was thrown, on simulated tables and in clips.

    python -m benchmarks.rolls [--throws 500] [--seed 1] [--fps 30] [--clips 20] [--shared FOLDER]

Each simulated table throws any dice, or those of a formula, by simulated people who answer what is asked.
`--clips` are drawn on such tables and rolled with `--camera FILE`; so are the clips of others in the folder
`thrown` of the shared one. A die that is *sure* in a throw that counts is compared with the die at its place;
a die that was asked about has the value that people decided. *Wrong in silence*: a sure die with another kind
or value, a die that was not there, or one that was left out. *Leaning*: a sure die that lies cocked, so that
no value is right (docs/fair-throws.md). Both are listed on stderr.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from dicetable.__main__ import main as dicetable
from dicetable.commands import roll
from dicetable.commands.roll_game import RollLine, RollSettings, SimulatedRolls
from dicetable.commands.umpire import Word
from games.dice import KINDS
from hardware.recordings import RecordingWriter
from hardware.simulated.camera import FRAMES_PER_S
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World, box_in_frame

ROOT: Final = Path(__file__).resolve().parent.parent
A_TABLE: Final = 20
"""Throws on one table; the next one has another tray, light and dice."""
FORMULAS: Final = (None, "2d20kh+5", None, "4d6dl", None, "3d10-1", None, "8d6", None, "d4+d8+2d10+d12")
EMPTY_S: Final = 1.6
"""How long a drawn clip shows the empty tray, and how long it goes on once all dice lie still."""
OUTCOMES: Final = ("right", "asked", "wrong", "leaning")
LEANS_DEG: Final = 6
BESIDE: Final = 0.75
"""How far from its true place, by its size, a die may be told."""
REAL: Final = {"videos_tirada_1.mp4": (4, 1, 3, 1, 2), "videos_tirada_2.mp4": (3, 2, 1, 3, 2)}
"""Filmed throws of d6 with what they show; no one has noted where each lies."""


class TrueDie(NamedTuple):
    """A die as it lies, without a value if it leans; its centre is (x, y) in pixels if it is known."""

    kind: str
    value: int | None
    centre: tuple[float, float] | None = None
    size_px: float = 0.0


def boxed(kind: str, value: int | None, box: Sequence[float]) -> TrueDie:
    x, y, width, height = box
    return TrueDie(kind, value, (x + width / 2, y + height / 2), max(width, height))


def lying(world: World) -> list[TrueDie]:
    """The dice in the simulated tray, as they will lie."""
    return [boxed(die.kind, die.value, box_in_frame(die, world.view)) for die in world.lying]


class KnownRolls(SimulatedRolls):
    """Rolls on a simulated table that note what lies there beside each line, until there are enough."""

    seed_wanted = 0
    throws_wanted = 0
    fps = FRAMES_PER_S
    truths: Final[list[list[TrueDie]]] = []

    def __init__(self, settings: RollSettings, _seed: int, keyboard: int | None, screen: TextIO) -> None:
        super().__init__(settings, self.seed_wanted, keyboard, screen)
        self.world.camera.fps = self.fps

    def tell(self, line: RollLine) -> None:
        super().tell(line)
        self.truths.append(lying(self.world))

    def by_itself(self, now_s: float) -> str:
        enough = self.teller.number >= self.throws_wanted and self.teller.throw is None
        return "enough" if enough else super().by_itself(now_s)


def rolled(*arguments: str) -> list[dict[str, Any]]:
    """The lines of `dicetable roll --json`."""
    said = io.StringIO()
    with redirect_stdout(said):
        dicetable(["roll", "--json", *arguments])
    return [json.loads(line) for line in said.getvalue().splitlines()]


def at_its_place(die: TrueDie, told: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The told die that is this one; where places are not known, one of its kind and value."""
    if die.centre is None:
        return next((each for each in told if (each["kind"], each["value"]) == (die.kind, die.value)), None)
    places = {}
    for number, each in enumerate(told):
        if each["box"] is not None:
            x, y, width, height = each["box"]
            places[number] = math.dist((x + width / 2, y + height / 2), die.centre)
    nearest = min(places, key=places.__getitem__, default=None)
    if nearest is None or places[nearest] > BESIDE * die.size_px + 4:
        return None
    return told[nearest]


def compare(name: str, line: dict[str, Any], truth: Sequence[TrueDie]) -> Counter[str]:
    """The result of one throw's last line, and of each die of a throw that counts."""
    found = Counter([f"throws: {line['verdict']}"])
    if line["total"] is None:
        return found
    left = list(line["dice"])
    for die in truth:
        seen = at_its_place(die, left)
        if seen is not None:
            left.remove(seen)
        if seen is None:
            outcome = "wrong"
        elif not seen["sure"]:
            outcome = "asked"
        elif die.value is None:
            outcome = "leaning"
        else:
            outcome = "right" if (seen["kind"], seen["value"]) == (die.kind, die.value) else "wrong"
        found[outcome] += 1
        found[f"{die.kind} {outcome}"] += 1
        if outcome in ("wrong", "leaning"):
            print(f"{name}: {die} was told as {seen}", file=sys.stderr)
    # What people entered by hand has no place.
    strays = [die for die in left if die["sure"] and die["box"] is not None]
    found["wrong"] += len(strays)
    for die in strays:
        print(f"{name}: {die} was not there", file=sys.stderr)
    return found


def simulated(throws: int, seed: int) -> Counter[str]:
    """Throws on simulated tables, and what became of them."""
    found: Counter[str] = Counter()
    vars(roll)["SimulatedRolls"] = KnownRolls
    for table, done in enumerate(range(0, throws, A_TABLE)):
        formula = FORMULAS[(seed + table) % len(FORMULAS)]
        KnownRolls.seed_wanted = seed + table
        KnownRolls.throws_wanted = min(A_TABLE, throws - done)
        KnownRolls.truths.clear()
        lines = rolled("--camera", "simulated", *(["--expect", formula] if formula else []))
        last = {line["throw"]: at for at, line in enumerate(lines)}
        for number, at in last.items():
            name = f"seed {seed + table}, {formula or 'any dice'}, throw {number}"
            by_hand = bool(lines[at]["dice"]) and all(die["box"] is None for die in lines[at]["dice"])
            if by_hand:
                found["throws: entered by hand"] += 1
            else:
                found += compare(name, lines[at], KnownRolls.truths[at])
        told(f"simulated, {done + KnownRolls.throws_wanted} throws", found)
    return found


def drawn(path: Path, seed: int, fps: float) -> list[TrueDie]:
    """Draws a clip: an empty tray, one to six dice of any kinds are thrown, they lie there."""
    world = World(seed, VirtualClock(), fps=fps)
    world.camera.start()
    begin_s, end_s = world.clock.now_s(), math.inf
    writer = None
    while world.clock.now_s() < end_s:
        frame = world.camera.frame(1.0)
        if frame is None:
            continue
        writer = writer or RecordingWriter(path, *frame.pixels.shape[1::-1])
        writer.write(frame.pixels, frame.time_s)
        if end_s == math.inf and world.clock.now_s() > begin_s + EMPTY_S:
            kinds = world.chance.choice(KINDS, size=1 + seed % 6).tolist()
            world.throw(kinds)
            end_s = world.settled_at_s + EMPTY_S
    if writer is not None:
        writer.close()
    return lying(world)


def of_others(folder: Path) -> Iterator[tuple[Path, list[TrueDie], bool]]:
    """The labelled clips of a folder: each with what it shows, and whether the throw is honest."""
    for name, values in REAL.items():
        if (folder / name).exists():
            yield folder / name, [TrueDie("d6", value) for value in values], True
    labels = folder / "labels.jsonl"
    for label in map(json.loads, labels.read_text().splitlines() if labels.exists() else []):
        dice = [die for die in label["dice"] if die["in_tray"] and die.get("in_frame", True)]
        known = []
        for die in dice:
            value = die["value"] if die["tilt_deg"] < LEANS_DEG else None
            if "bbox" in die:
                known.append(boxed(die["type"], value, die["bbox"]))
            else:
                known.append(TrueDie(die["type"], value, tuple(die["centre"]), die["size_px"]))
        yield folder / label["clip"], known, label.get("honest", True)


def recorded(path: Path, truth: Sequence[TrueDie], *, honest: bool) -> Counter[str]:
    """What becomes of a clip of one throw."""
    lines = [line for line in rolled("--camera", str(path)) if line["verdict"] != Word.UNREAD]
    if not lines:
        return Counter({"throws: unread": 1})
    counted = [line for line in lines if line["total"] is not None]
    found = compare(path.name, (counted or lines)[0], truth)
    if len(counted) > 1 or (counted and not honest):
        found["wrong"] += 1
        print(f"{path.name}: {len(counted)} throws count", file=sys.stderr)
    return found


def told(name: str, found: Counter[str]) -> None:
    throws = {key.removeprefix("throws: "): number for key, number in found.items() if ": " in key}
    ways = ", ".join(f"{number} {key}" for key, number in sorted(throws.items()))
    dice = ", ".join(f"{found[key]} {key}" for key in OUTCOMES)
    print(f"{name}: {ways}; dice of those that count: {dice}", flush=True)


def by_kind(found: Counter[str]) -> Iterator[str]:
    """A row for each kind of die: how many were right, asked about and wrong."""
    for kind in KINDS:
        yield f"{kind:>5} " + " ".join(f"{found[f'{kind} {outcome}']:6}" for outcome in OUTCOMES)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rolls", description=(__doc__ or "").partition("\n")[0]
    )
    shared = Path(os.environ.get("DICETABLE_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--throws", type=int, default=500, help="on simulated tables")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="of the first table")
    parser.add_argument("--fps", type=float, default=FRAMES_PER_S, help="of simulated cameras")
    parser.add_argument("--clips", type=int, default=20, help="drawn clips")
    parser.add_argument("--shared", type=Path, default=shared, help="the folder with clips of others")
    args = parser.parse_args()
    sys.stdin = io.StringIO()  # people at a terminal would be asked
    print(f"seed {args.seed}")
    KnownRolls.fps = args.fps
    found = simulated(args.throws, args.seed)
    sums: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.clips):
            path = Path(folder) / f"{args.seed + number}.mkv"
            sums += recorded(path, drawn(path, args.seed + number, args.fps), honest=True)
            path.unlink()
    told(f"{args.clips} drawn clips", sums)
    found += sums
    for name in ("clips", "hard", "real"):
        sums = Counter()
        for path, truth, honest in of_others(args.shared / "thrown" / name):
            sums += recorded(path, truth, honest=honest)
        told(name, sums)
        found += sums
    told("all", found)
    print(f"{'kind':>5} " + " ".join(f"{outcome:>6}" for outcome in OUTCOMES), *by_kind(found), sep="\n")
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
