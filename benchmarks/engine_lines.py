"""Seconds that `dicetable engine` takes for 10,000 lines of random games, start of the process included.

python -m benchmarks.engine_lines [--lines 10000] [--runs 5]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

from games.match import Match
from games.players import LEVELS
from games.registry import GAMES
from games.requests import encode
from games.tabletop import Tabletop

SEATS = ["ann", "bob", "cat", "dan"]


def recorded(lines: int) -> bytes:
    """`count` requests: one random game of each kind after the other, with four seats."""
    found: list[bytes] = []
    seed = 0
    while len(found) < lines:
        for game in GAMES:
            seed += 1
            players = {seat: LEVELS["random"](seed) for seat in SEATS}
            first, *requests = Tabletop(Match.new(game, SEATS, seed=seed), players, seed).play(500).log
            del first["draws"]
            found += map(encode, [first, *requests])
    return b"".join(found[:lines])


def main() -> None:
    """Prints the median and the range."""
    parser = argparse.ArgumentParser(description="time for the engine to answer lines")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    given = recorded(args.lines)
    times = []
    for _ in range(args.runs):
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "dicetable", "engine"], input=given, capture_output=True, check=True
        )
        times.append(time.perf_counter() - begun)
        if done.stdout.count(b'{"ok":true') != args.lines:
            sys.exit("the engine did not accept every line")
    print(f"{args.lines} lines: {statistics.median(times):.2f} s ({min(times):.2f} … {max(times):.2f})")


if __name__ == "__main__":
    main()
