"""What a slow machine makes of honest throws: one that has only a part of the core that MS was measured on.

    python -m benchmarks.slow_machine [--shares 1 0.5 0.25] [--game six_shooter] [--seeds 41 42 43 44]

The simulated camera gives 30 frames a second. Time is virtual: a frame takes as long as its work does by
these figures, and of the frames that come meanwhile the eye gets the newest alone, as from a camera. So other
load on the machine that runs this changes nothing.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dicetable.commands import simulate
from dicetable.eye.messages import EyeMessage
from dicetable.simulated.eye import STEP_S, SimulatedEye
from hardware.simulated.world import World
from vision.nets import NAMES, load_nets
from vision.reader import DiceReader
from vision.reading import Net

MS: Final = {
    "detector": 0.072,
    "die": 1.05,
    "symbol": 0.18,
    "face": 0.155,
    "six_nine": 0.07,
    "attitude": 0.12,
    "segmentation": 1.7,
}
"""Milliseconds that a net takes for a picture, the detector for 32 × 32 pixels, on one quiet thread."""
AROUND: Final = 1.5
"""How many times as long it takes to use the nets."""
IDLE_MS, MOVING_MS = 1.5, 3.0
"""Milliseconds that any frame takes besides, and one more in which something moves."""


class SlowEye(SimulatedEye):
    """A simulated eye that has only a share of a core; `rates` are frames a second while something moves."""

    share = 1.0

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.net_ms = self.passed_s = 0.0
        self.rates: list[float] = []
        nets = load_nets()
        timed: dict[str, Any] = {name: self.timed(name, getattr(nets, name)) for name in NAMES}
        self.observer.reader = DiceReader(replace(nets, **timed))
        self.observer.segmenter.net = timed["segmentation"]
        self.observer.progress = partial(self.pass_time, self.observer.progress)

    def timed(self, name: str, net: Net) -> Net:
        def look(pictures: NDArray[Any]) -> NDArray[Any]:
            squares = pictures[0, 0].size / 32**2 if name == "detector" else 1.0
            self.net_ms += MS[name] * squares * len(pictures)
            return net(pictures)

        return look

    def pass_time(self, progress: Callable[[], None]) -> None:
        """Lets the time pass that the nets have taken since the last step of a reading."""
        spent_s = AROUND * self.net_ms / 1000 / self.share - self.passed_s
        self.clock.sleep(spent_s)
        self.passed_s += spent_s
        progress()

    def messages(self) -> Sequence[EyeMessage]:
        self.net_ms = self.passed_s = 0.0
        messages = super().messages()
        moves = not self.observer.motion.idle
        spent_s = (IDLE_MS + MOVING_MS * moves + AROUND * self.net_ms) / 1000 / self.share
        if moves:
            self.rates.append(1 / max(spent_s, STEP_S))
        self.clock.sleep(max(0.0, spent_s - self.passed_s - STEP_S))
        return messages


def played(share: float, game: str, seed: int) -> tuple[Counter[str], list[float]]:
    """What became of the throws of one game, and the rates of the frames in which something moved."""
    parser = argparse.ArgumentParser()
    simulate.add_parser(parser.add_subparsers(dest="command"), "")
    args = parser.parse_args(["simulate", "--game", game, "--seed", str(seed), "--json"])
    args.house_rules, args.seats = None, 2
    tally = simulate.Tally()
    SlowEye.share = share
    table = simulate.SimulatedGame(args, game, tally, [])
    vars(table)["say"] = lambda *_: None
    table.play()
    assert isinstance(table.eye, SlowEye)  # noqa: S101 - for the type checker
    counts = Counter({**tally.honest, "wrong": tally.wrong, "asked": tally.asked})
    return counts, table.eye.rates


def main() -> None:
    """Prints a line of JSON for each share of a processor."""
    parser = argparse.ArgumentParser(description="honest throws on a slow machine")
    parser.add_argument("--shares", type=float, nargs="+", default=[1.0, 0.5, 0.25])
    parser.add_argument("--game", default="six_shooter")
    parser.add_argument("--seeds", type=int, nargs="+", default=[41, 42, 43, 44])
    args = parser.parse_args()
    vars(simulate)["SimulatedEye"] = SlowEye
    for share in args.shares:
        counts: Counter[str] = Counter()
        rates: list[float] = []
        for seed in args.seeds:
            game, seen = played(share, args.game, seed)
            counts += game
            rates += seen
        slowest = float(np.percentile(rates, 5))
        told = {"share": share, **counts, "frames_per_s": round(median(rates)), "slowest": round(slowest, 1)}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
