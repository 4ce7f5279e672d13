"""`dicetable simulate`: whole games on a simulated table, with throws read from rendered pixels."""

import argparse
import json
import os
import select
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from common import texts
from dicetable.commands.usage import (
    CommandError,
    Commands,
    add_games_option,
    add_own_games,
    add_rules_options,
    chosen_rules,
    named_game,
    require,
)
from dicetable.eye.messages import EyeMessage
from dicetable.ledger.entries import Closed, MemoryJournal, Revealed, Thrown
from dicetable.simulated.cheats import Cheats
from dicetable.simulated.eye import SimulatedEye, step
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.judge import judge
from dicetable.simulated.people import People, WantedGame
from dicetable.table import display
from dicetable.table.acceptance import Void
from dicetable.table.display import narrated
from dicetable.table.game_list import GameList
from dicetable.table.table import Table
from games.players import LEVELS
from games.prompts import OverPrompt
from games.registry import GAMES, find
from hardware.simulated.clock import PacedClock, VirtualClock
from hardware.simulated.faults import Fault, FaultError, described, parse
from hardware.simulated.world import FaultInjection, World, run_command
from vision.reading import Settled, Unsettled

SEATS = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal")
LONGEST_S = 4 * 3600.0
"""A game that takes longer than this on the simulated table's clock has hung."""


class LineReader:
    """Reads a stream without waiting; None, or a stream that has ended, gives no lines."""

    def __init__(self, stream: TextIO | None) -> None:
        self.descriptor = None if stream is None else stream.fileno()
        self.rest = b""

    def lines(self) -> Sequence[str]:
        while self.descriptor is not None and select.select([self.descriptor], [], [], 0)[0]:
            chunk = os.read(self.descriptor, 4096)
            if not chunk:
                self.descriptor = None
            self.rest += chunk
        *lines, self.rest = self.rest.split(b"\n")
        return [line.decode(errors="replace").strip() for line in lines if line.strip()]


@dataclass
class Tally:
    """How many dice were thrown, and how they were read.

    `ms` is the time of each reading; `doubts` counts the dice asked about, by reason. `cheats` counts those
    tried and accepted, `honest` the outcomes of throws without a fault, and `cocked` the dice that came to
    rest cocked and those of them that were read as sure.
    """

    thrown: int = 0
    right: int = 0
    asked: int = 0
    wrong: int = 0
    ms: list[float] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)
    wrong_cocked: int = 0
    cheats: Counter[str] = field(default_factory=lambda: Counter(tried=0, accepted=0))
    honest: Counter[str] = field(default_factory=Counter)
    cocked: Counter[str] = field(default_factory=lambda: Counter(dice=0, sure=0))


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("simulate", help=text)
    parser.add_argument(
        "--game",
        default="six_by_6",
        metavar="NAME",
        help=f"{', '.join(GAMES)} or each; default: %(default)s",
    )
    add_games_option(parser)
    add_rules_options(parser)
    parser.add_argument(
        "--seats",
        type=int,
        metavar="N",
        help="number of players; default: 2, or the fewest that the game allows",
    )
    parser.add_argument(
        "--house",
        type=int,
        default=0,
        metavar="N",
        help="at how many of the seats the house plays; default 0",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of all randomness; default 1")
    parser.add_argument(
        "--rounds",
        type=int,
        default=1,
        metavar="N",
        help="number of hands, rounds or sets to play; default 1",
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME[:N]",
        help="inject this fault again and again (`--fault help` lists them); may be repeated",
    )
    parser.add_argument(
        "--throw",
        choices=("hand", "tower", "cup", "mixed"),
        default="hand",
        help="how dice are thrown: out of a hand, from a tower, from a cup, or mixed; default hand",
    )
    parser.add_argument(
        "--fps", type=int, default=30, metavar="N", help="frames per second of the camera; default 30"
    )
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="play in real time; you can type faults meanwhile (NAME[:N], clear, faults)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print a line of JSON for each event, and a summary at the end"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays to the end; 1 if a wrong value was read as sure or a cheat was accepted."""
    require(args.command, "--rounds", args.rounds, 1, 999)
    require(args.command, "--fps", args.fps, 1, 30)
    require(args.command, "--seed", args.seed, 0, 2**53)
    if "help" in args.fault:
        print("\n".join(described()))
        return 0
    try:
        faults = [parse(text) for text in args.fault]
    except FaultError as error:
        raise CommandError(f"dicetable {args.command}: --fault: {error}", 2) from None
    add_own_games(args.command, args.games)
    named_game(args.command, args.game, "each")
    args.house_rules = chosen_rules(args.command, args)
    games = list(GAMES) if args.game == "each" else [args.game]
    fewest = max(find(game).fewest_seats for game in games)
    if args.seats is None:
        args.seats = max(2, fewest)
    require(args.command, "--seats", args.seats, fewest, len(SEATS))
    require(args.command, "--house", args.house, 0, args.seats - 1)
    tally = Tally()
    try:
        for game in games:
            SimulatedGame(args, game, tally, faults).play()
    except HangsError as error:
        raise CommandError(f"dicetable {args.command}: {error}") from None
    if args.json:
        print(json.dumps({"event": "summary", **vars(tally), "throw": args.throw}), flush=True)
    else:
        print(f"{tally.thrown} dice thrown: {tally.right} right, {tally.asked} asked, {tally.wrong} wrong")
        if tally.doubts:
            why = [f"{count} {doubt.replace('_', ' ')}" for doubt, count in tally.doubts.most_common()]
            print(f"asked because: {', '.join(why)}")
    return 1 if tally.wrong or tally.cheats["accepted"] else 0


class HangsError(Exception):
    """The simulated players and the table are stuck; the text says where."""


class SimulatedGame:
    """Plays and reports one game."""

    def __init__(self, args: argparse.Namespace, game: str, tally: Tally, faults: Sequence[Fault]) -> None:
        seats = SEATS[: args.seats]
        self.json = args.json
        self.realtime = args.realtime
        self.tally = tally
        self.clock = PacedClock() if args.realtime else VirtualClock()
        self.world = World(args.seed, self.clock, fps=args.fps, style=args.throw)
        self.eye = SimulatedEye(self.world)
        self.typed = LineReader(sys.stdin if args.realtime else None)
        cheats = [fault for fault in faults if fault.kind.part == "cheat"]
        self.cheats = Cheats(self.world, cheats, args.seed)
        others = [fault for fault in faults if fault not in cheats]
        self.fault_injection = FaultInjection(self.world, others, args.seed)
        self.journal = MemoryJournal()
        rules = args.house_rules
        games = GameList([rules] if rules else ())
        self.table = Table(self.journal, lambda: args.seed, names=seats, strict=True, games=games)
        self.hands = Hands(self.world)
        level = LEVELS["sharp"]
        players = {seat: level(args.seed + number) for number, seat in enumerate(seats)}
        wanted = WantedGame(game, seats, args.rounds, rules, args.house)
        self.people = People(self.table, self.hands, Finger(self.world.panel), wanted, players, self.cheats)
        self.reported = 0
        self.judged: list[Any] = []

    def play(self) -> None:
        self.eye.start()
        begun_s = self.clock.now_s()
        match = None
        while self.clock.now_s() < begun_s + LONGEST_S:
            now_s = step(self.clock, self.world.panel, self.eye, self.table, self.compare)
            match = self.table.state.match or match
            self.report_entries()
            closed = self.journal.entries and isinstance(self.journal.entries[-1], Closed)
            if closed or (match is not None and isinstance(match.prompt, OverPrompt)):
                break
            self.people.step(now_s)
            for fault in self.fault_injection.step():
                self.people.honest.spoiled()
                self.say({"event": "fault", "told": fault.description}, [f"  * {fault.description}"])
            self.table.report("panel", self.world.panel.degraded)
            for typed in self.typed.lines():
                for answer in run_command(self.world, typed):
                    self.say({"event": "fault", "told": answer}, [answer])
        else:
            raise HangsError(f"the game hangs at {list(self.table.view.lines)}")
        if match is None:
            raise HangsError("no game was opened")
        self.tally.cheats.update(tried=self.cheats.tried, accepted=self.cheats.accepted)
        self.tally.honest.update(self.people.honest.summary)
        result = display.awaited_line(match)
        line = {"event": "over", "result": result, "state": match.state()}
        self.say(line, [f"{result} ({', '.join(display.scores(match))})"])

    def compare(self, message: EyeMessage) -> None:
        """Compares each throw with the truth, once."""
        if self.realtime and isinstance(message, Unsettled):
            why = message.reason.value
            self.say({"event": "unsettled", "why": why}, [f"  ({texts.health.EYE[why]})"])
        if not isinstance(message, Settled):
            return
        outcome, thrown = self.table.outcome, self.hands.thrown
        if isinstance(outcome, Void) and outcome.reading is message.reading:
            self.people.honest.ends(accepted=False)
        shown_s = self.world.camera.shown_s(message.time_s)
        if shown_s < self.world.settled_at_s:  # also if it is stuck
            return
        if not thrown or thrown is self.judged or not self.world.lying:
            return
        self.judged = thrown
        verdict = judge(self.world, thrown, message.reading, shown_s)
        tally = self.tally
        tally.thrown += len(thrown)
        tally.right += verdict.right
        tally.asked += verdict.asked
        tally.wrong += verdict.wrong
        tally.doubts += verdict.doubts
        tally.wrong_cocked += verdict.wrong_cocked
        tally.cocked.update(dice=verdict.cocked, sure=verdict.cocked_sure)
        tally.ms.append(round(self.eye.reading_ms[-1], 1))
        if self.reported == len(self.journal.entries):
            saw, text = display.dice_line(message.reading.dice), self.table.sentence
            self.say({"event": "refused", "saw": saw, "told": text}, [f"  {saw or 'no dice'}", f"    {text}"])

    def report_entries(self) -> None:
        for entry in self.journal.entries[self.reported :]:
            if isinstance(entry, Revealed) or (isinstance(entry, Thrown) and not entry.by_hand):
                confirmed = any(die.confirmed_by is not None for die in entry.details)
                vouched = any(die.vouched_by is not None for die in entry.details)
                if isinstance(entry, Thrown):
                    self.people.honest.ends(accepted=True, confirmed=confirmed, vouched=vouched)
                by = {seat for die in entry.details for seat in (die.confirmed_by, die.vouched_by)}
                self.cheats.took(self.clock.now_s(), confirmed=bool(by - {None, "nobody"}))
            self.say(*narrated(entry, self.table.state.match))
        self.reported = len(self.journal.entries)

    def say(self, line: dict[str, Any], words: list[str]) -> None:
        if self.json:
            print(json.dumps(line), flush=True)
        else:
            # A decision without an event has no words.
            for sentence in words:
                print(sentence, flush=True)
