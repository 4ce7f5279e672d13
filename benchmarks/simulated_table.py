"""What the simulated table costs: a frame of 1280×720 on one thread, by what goes on in it.

    python -m benchmarks.simulated_table

Times are of the process, in milliseconds, from asking for a frame to having it; the bound is 15 for a changed
frame, next to nothing for an unchanged one. Dice are thrown by cheap poses; what physics adds is told apart.
"""

from __future__ import annotations

import json
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import cv2

from games.dice import KINDS
from hardware.simulated import physics
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.dice import Kind

SEEDS = range(4)
CASES: dict[str, list[Kind]] = {
    "one d6 rolls": ["d6"],
    "six d6 roll": ["d6"] * 6,
    "six of all kinds roll": list(KINDS),
    "six d20 roll": ["d20"] * 6,
    "fifteen d6 roll": ["d6"] * 15,
}
FAULTS = ("hand:600", "flicker", "drift", "glare", "bump", "torn")


def world(seed: int, *, real: bool = False) -> World:
    """A table whose first frame is drawn."""
    made = World(seed, VirtualClock(), real=real)
    made.camera.start()
    made.camera.frame(1)
    return made


def frames(made: World, enough: Callable[[], bool]) -> tuple[list[float], list[float]]:
    """Milliseconds of the frames that changed and of those that did not, until it is enough."""
    changed: list[float] = []
    unchanged: list[float] = []
    while not enough():
        before = made.picture.changes, made.lens.key
        started = time.process_time()
        made.camera.frame(1)
        took = 1000 * (time.process_time() - started)
        (unchanged if (made.picture.changes, made.lens.key) == before else changed).append(took)
    return changed, unchanged


def still(made: World) -> bool:
    """Whether the dice have come to rest."""
    return made.clock.now_s() > made.settled_at_s


def rolling(kinds: list[Kind]) -> list[float]:
    """Frames in which such dice roll; what is printed on them was drawn before."""
    took: list[float] = []
    for seed in SEEDS:
        made = world(seed)
        for _ in range(2):
            made.throw(kinds)
            begins_s = min(roll.start_s for roll in made.people.present)
            made.clock.sleep(begins_s - made.clock.now_s())
            last, _ = frames(made, partial(still, made))
        took += last
    return took


def faulty(fault: str) -> list[float]:
    """Frames while the fault is at work and six dice lie."""
    made = world(1)
    made.throw(["d6"] * 6)
    made.settle()
    made.camera.frame(1)
    made.inject(parse(fault))
    if fault == "torn":
        made.throw(["d6"] * 6)
    end_s = made.clock.now_s() + 4
    return frames(made, lambda: made.clock.now_s() > end_s)[0]


def unchanged() -> list[float]:
    """Frames of six dice that lie."""
    made = world(1)
    made.throw(["d6"] * 6)
    made.settle()
    made.camera.frame(1)
    end_s = made.clock.now_s() + 5
    return frames(made, lambda: made.clock.now_s() > end_s)[1]


def timed(doing: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.process_time()
    doing()
    return 1000 * (time.process_time() - started)


def main() -> None:
    """Prints one JSON line for each case."""
    cv2.setNumThreads(1)
    for name, kinds in CASES.items():
        report(f"frame, {name}", rolling(kinds))
    for fault in FAULTS:
        report(f"frame, fault {fault}", faulty(fault))
    report("frame, unchanged", unchanged())
    report("a table made and its first frame", [timed(partial(world, s)) for s in SEEDS])
    made = World(1, VirtualClock(), real=False)
    report("a throw of six dice, cheap poses", [timed(lambda: made.throw(KINDS)) for _ in range(50)])
    if physics.available():
        real = World(1, VirtualClock(), real=True)
        real.throw(KINDS)
        report("a throw of six dice, physics", [timed(lambda: real.throw(KINDS)) for _ in range(50)])


def report(name: str, took: list[float]) -> None:
    """One line."""
    ordered = sorted(took)
    told = {
        "case": name,
        "n": len(took),
        "median_ms": round(median(took), 2),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 2),
        "max_ms": round(ordered[-1], 2),
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
