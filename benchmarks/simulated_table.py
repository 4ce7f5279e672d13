"""What the simulated table costs: a frame of 1280×720 on one thread, by what goes on in it.

    python -m benchmarks.simulated_table

    python -m benchmarks.simulated_table --paths 60

Times are of the process, in milliseconds, from asking for a frame to having it; the bound is 15 for a changed
frame, next to nothing for an unchanged one. Dice are thrown by cheap poses; physics is listed apart.

With `--paths` that many throws of six dice out of a hand are compared, with physics and without: how far and
how long each die moves clear of the hand's outline, and how fast it is at most meanwhile.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import cv2
import numpy as np

from games.dice import KINDS, Kind
from hardware.simulated import physics
from hardware.simulated.camera import FRAMES_PER_S
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.path import STEPS_PER_S
from hardware.simulated.world import World

SEEDS = range(4)
CASES: dict[str, list[Kind]] = {
    "one d6 rolls": ["d6"],
    "six d6 roll": ["d6"] * 6,
    "six of all kinds roll": list(KINDS),
    "six d20 roll": ["d20"] * 6,
    "fifteen d6 roll": ["d6"] * 15,
}
PERCENTILES = [5, 25, 50, 75, 95]
STILL_MM = 0.5
"""A die that moves less from frame to frame lies."""
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
    return made.clock.now_s() > made.settled_at_s


def rolling(kinds: list[Kind]) -> list[float]:
    """Frames in which such dice roll; what is printed on them was drawn before."""
    took: list[float] = []
    for seed in SEEDS:
        made = world(seed)
        for _ in range(2):
            made.throw(kinds)
            begins_s = min(roll.start_s for roll in made.present)
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
    started = time.process_time()
    doing()
    return 1000 * (time.process_time() - started)


def paths(throws: int, *, real: bool) -> dict[str, list[float]]:
    """What each die does clear of the hand: the way (mm), the time (ms) and the peak speed (mm/s)."""
    found: dict[str, list[float]] = {"free path mm": [], "time clear ms": [], "peak mm/s": []}
    for seed in range(throws):
        made = World(seed, VirtualClock(), real=real)
        made.throw(list(KINDS))
        rolls = made.present
        free_s = min(roll.start_s + roll.clip.free / STEPS_PER_S for roll in rolls)
        times = np.arange(free_s, made.rest_s + 1 / FRAMES_PER_S, 1 / FRAMES_PER_S)
        clear = np.array([clear_of_hand(made, float(time_s)) for time_s in times])
        for i, roll in enumerate(rolls):
            at = np.array(
                [roll.clip.step_and_pose(float(time_s) - roll.start_s)[1].at_mm for time_s in times]
            )
            steps = np.linalg.norm(np.diff(at, axis=0), axis=1) * (clear[1:, i] & clear[:-1, i])
            moves = steps > STILL_MM
            found["free path mm"].append(float(steps.sum()))
            found["time clear ms"].append(float(moves.sum()) * 1000 / FRAMES_PER_S)
            found["peak mm/s"].append(float(steps.max(initial=0)) * FRAMES_PER_S)
    return found


def clear_of_hand(made: World, time_s: float) -> list[bool]:
    """Whether each die is farther from the hand in the frame than it is large."""
    hand = (made.masks(time_s).labels == 1).astype(np.uint8)
    far = cv2.distanceTransform(1 - hand, cv2.DIST_L2, 3) if hand.any() else np.full(hand.shape, np.inf)
    clear = []
    for roll in made.present:
        _, pose = roll.clip.step_and_pose(time_s - roll.start_s)
        x, y = made.view.project(pose.at_mm[None])[0].round().astype(int).tolist()
        inside = 0 <= x < hand.shape[1] and 0 <= y < hand.shape[0]
        reach_px = roll.clip.lying.die.reach_mm * made.view.focal / float(np.linalg.norm(made.view.eye_mm))
        clear.append(bool(inside and far[y, x] > reach_px))
    return clear


def compare_paths(throws: int) -> None:
    """One JSON line for each measure, with percentiles of both kinds of path."""
    both = {"physics": paths(throws, real=True), "drawn": paths(throws, real=False)}
    for name in both["drawn"]:
        told = {
            kind: np.percentile(values[name], PERCENTILES).round().astype(int).tolist()
            for kind, values in both.items()
        }
        print(json.dumps({"case": name, "percentiles": PERCENTILES, **told}), flush=True)


def main() -> None:
    """Prints one JSON line for each case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--paths", type=int, default=0, metavar="N", help="compare the paths of N throws")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.paths:
        compare_paths(args.paths)
        return
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
