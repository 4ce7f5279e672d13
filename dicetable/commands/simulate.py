"""`dicetable simulate`: a whole game on a simulated table, its throws read from rendered pixels."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands

FRAMES = 2
"""Frames that must agree on each throw."""
SEATS = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal")


@dataclass
class Tally:
    """Dice thrown, and how the reader did on them; `ms` is the time of each reading."""

    thrown: int = 0
    right: int = 0
    asked: int = 0
    wrong: int = 0
    ms: list[float] = field(default_factory=list)


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser("simulate", help="play a game on a simulated table, read from its pixels")
    parser.add_argument("--game", choices=["six_by_6"], default="six_by_6", help="default: six_by_6")
    parser.add_argument("--seats", type=int, default=2, metavar="N", help="players, 1 to 8; default 2")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="all chance follows from it; default 1"
    )
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="sets to play; default 1")
    parser.add_argument(
        "--json", action="store_true", help="one JSON line for each throw, a summary at the end"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays to the end; 1 if a wrong value was accepted."""
    from dicetable.commands import usage

    usage.require(args.command, "--seats", args.seats, 1, len(SEATS))
    usage.require(args.command, "--rounds", args.rounds, 1, 1000)
    usage.require(args.command, "--seed", args.seed, 0, 2**53)
    tally = play(args)
    if args.json:
        summary = {"event": "summary", **vars(tally)}
        print(json.dumps(summary), flush=True)
    else:
        print(f"{tally.thrown} dice thrown: {tally.right} right, {tally.asked} asked, {tally.wrong} wrong")
    return 1 if tally.wrong else 0


def play(args: argparse.Namespace) -> Tally:
    """One whole game; dice that a throw left doubtful are thrown again."""
    from dicetable import story
    from dicetable.eye.look import look
    from dicetable.session import Accepted, Session
    from dicetable.simulated_throws import Thrower, judge
    from games.match import Match
    from hardware.simulated.table import SimulatedTable
    from hardware.system_clock import SystemClock

    session = Session(Match.new(args.game, SEATS[: args.seats], {"sets": args.rounds}, seed=args.seed))
    table = SimulatedTable(args.seed, SystemClock())
    thrower = Thrower(table)
    table.start()
    tally = Tally()
    while not session.over:
        awaited = story.awaited(session.match)
        thrown = thrower.throw(session.match.prompt)
        seen = look(table, FRAMES)
        if seen is None:
            raise RuntimeError("the simulated camera gave no frame")
        verdict = judge(table, thrown, seen.reading)
        tally.thrown += len(thrown)
        tally.right += verdict.right
        tally.asked += verdict.asked
        tally.wrong += verdict.wrong
        tally.ms.append(round(seen.reading_ms, 1))
        answer = session.offer(seen.reading)
        saw = story.dice_line(seen.reading.dice)
        if isinstance(answer, Accepted):
            thrower.accepted(session.match)
            lines = story.consequences(session.match, answer.events)
        else:
            lines = [answer.text]
        if args.json:
            accepted = isinstance(answer, Accepted)
            told = {"event": "throw", "awaited": awaited, "saw": saw, "accepted": accepted, "told": lines}
            print(json.dumps(told), flush=True)
        else:
            print(f"{awaited}: {saw}")
            for line in lines:
                print(f"    {line}")
    ending = story.awaited(session.match)
    if args.json:
        print(json.dumps({"event": "over", "result": ending, "state": session.match.state()}), flush=True)
    else:
        print(f"{ending} ({story.scores(session.match)})")
    return tally
