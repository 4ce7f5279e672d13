"""Games with several faults at a time: every pair of the simulator's faults, with several seeds each.

    python -m tests.dicetable.commands.sweep [--seeds N] [--after N] [--games N] [--minutes N] [--jobs N]

The faults strike independently of each other, so that a game with five of them plays ten pairs. For each seed
the games are a covering array of strength 2: every pair meets in one of them. They are played in an order
shuffled once and for all, so that a part of them is a fair sample, and one sweep can be done in several
runs: `--after` the games that were played before. In each all its faults must strike, and it must come to its
end, without a traceback, and misread no die that lies flat. A cocked die that is read as if it lay flat is a
known weakness of the reader; it is counted, and is no failure.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import signal
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from multiprocessing import get_context
from random import Random
from typing import TYPE_CHECKING, NoReturn

import cv2

from dicetable.__main__ import main as dicetable
from games.registry import GAMES
from hardware.simulated.faults import FAULTS, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

SEEDS = 20
TOGETHER = 5
"""Faults in a game."""
SHORT = ("--rounds", "1", "--fps", "15")
"""Games are short and the camera is slow, so that all of them take some hours and not a day."""
COUNTED = ("thrown", "right", "asked", "wrong", "wrong_cocked")
"""Of the dice of a game, as its summary says them."""
LONGEST_S = 600
"""A game that takes more processor time hangs; most take some seconds. A busy machine only takes longer."""


@dataclass(frozen=True)
class Case:
    """One game with its faults."""

    game: str
    seed: int
    faults: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """After `dicetable`."""
        faults = [word for name in self.faults for word in ("--fault", name)]
        return ["simulate", "--game", self.game, "--seed", str(self.seed), *SHORT, *faults]


@dataclass(frozen=True)
class Played:
    """How a game went: its dice, and why it did not come to its end, if so."""

    case: Case
    counts: Counter[str]
    failure: str = ""

    @property
    def misread(self) -> int:
        """Dice that lay flat and were read as another value."""
        return self.counts["wrong"] - self.counts["wrong_cocked"]


@dataclass
class Result:
    """All games of a sweep."""

    played: list[Played] = field(default_factory=list)

    @property
    def bad(self) -> list[Played]:
        """Those that failed."""
        return [game for game in self.played if game.failure or game.misread]

    def lines(self) -> Iterator[str]:
        """What there is to say about it."""
        dice = sum((game.counts for game in self.played), Counter[str]())
        unfinished = sum(bool(game.failure) for game in self.played)
        yield f"{len(self.played)} games played, {unfinished} of them not to their end"
        yield ", ".join(f"{dice[name]} {name}" for name in COUNTED)
        for name in FAULTS:
            games = [game for game in self.played if name in game.case.faults]
            wrong = sum(game.counts["wrong"] > 0 for game in games)
            misread = sum(game.misread > 0 for game in games)
            if wrong:
                yield f"{name}: wrong in {wrong} of {len(games)} games; in {misread} a die that lay flat"
        for game in self.bad:
            why = game.failure or f"misread, though they lay flat: {game.misread}"
            yield f"dicetable {' '.join(game.case.arguments)}: {why}"


def cases(seeds: int = SEEDS) -> list[Case]:
    """All of them, shuffled; the games take turns."""
    games = sorted(GAMES.keys() - {"rolls"})  # any dice fit it, so too few or other dice are no fault
    names = [kind.name for kind in FAULTS.values() if kind.part != "cheat"]
    covered = ((seed, group) for seed in range(1, seeds + 1) for group in covering(names, Random(seed)))
    ordered = [Case(games[number % len(games)], seed, group) for number, (seed, group) in enumerate(covered)]
    Random(1).shuffle(ordered)
    return ordered


def covering(names: Sequence[str], chance: Random) -> Iterator[tuple[str, ...]]:
    """Groups of names in which all pairs occur, built greedily: each name is the one with most new pairs."""
    new = {name: set(names) - {name} for name in names}
    while any(new.values()):
        group: list[str] = []
        while len(group) < min(TOGETHER, len(names)):
            others = [name for name in chance.sample(names, len(names)) if name not in group]
            group.append(max(others, key=lambda one: (len(new[one].intersection(group)), len(new[one]))))
        for name in group:
            new[name].difference_update(group)
        yield tuple(group)


def play(case: Case) -> Played:
    """Plays the game in this process, with one thread."""

    def too_long(*_: object) -> NoReturn:
        raise TimeoutError(f"took more than {LONGEST_S} s of processor time")

    cv2.setNumThreads(1)
    out, err = io.StringIO(), io.StringIO()
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = dicetable([*case.arguments, "--json"])
    except Exception:  # noqa: BLE001 - whatever it is, it is what the sweep looks for
        return Played(case, Counter(), traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    lines = [json.loads(line) for line in out.getvalue().splitlines()] or [{}]
    summary = lines[-1]
    counts = Counter({name: summary.get(name, 0) for name in COUNTED})
    over = summary.get("event") == "summary" and code == (1 if counts["wrong"] else 0)
    if not over:
        return Played(case, counts, f"exit code {code}: {err.getvalue().strip()}")
    struck = {line["told"] for line in lines if line["event"] == "fault"}
    spared = [name for name in case.faults if parse(name).description not in struck]
    return Played(case, counts, f"never struck: {', '.join(spared)}" if spared else "")


def sweep(
    games: Iterable[Case], jobs: int, until_s: float = float("inf"), told: Callable[[Played], object] = id
) -> Result:
    """Plays them, in that many processes; begins none after that time of the monotonic clock.

    `told` is called with each as it ends.
    """
    result = Result()
    waiting = iter(games)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        running = {pool.submit(play, case) for case in itertools.islice(waiting, jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result.played.append(future.result())
                told(result.played[-1])
            if time.monotonic() < until_s:
                running |= {pool.submit(play, case) for case in itertools.islice(waiting, len(done))}
    return result


def say(line: str) -> None:
    """Prints it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Plays and prints; 1 if anything failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help=f"default {SEEDS}")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="leave out the first N games")
    parser.add_argument("--games", type=int, metavar="N", help="at most N games; default all")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N", help="begin none later")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; default 1")
    args = parser.parse_args()
    every = cases(args.seeds)

    def told(game: Played) -> None:
        counts = " ".join(f"{name}={game.counts[name]}" for name in COUNTED)
        say(f"dicetable {' '.join(game.case.arguments)}: {game.failure or counts}")

    games = every[args.after :][: args.games]
    result = sweep(games, args.jobs, time.monotonic() + 60 * args.minutes, told)
    say(f"\nof {len(every)} games in all, after the first {args.after}:")
    for line in result.lines():
        say(line)
    return 1 if result.bad else 0


if __name__ == "__main__":
    sys.exit(main())
