"""Whether the table accepts what was thrown, and nothing else: honest throws of all games, and every cheat.

    python -m benchmarks.acceptance [--throws 1000] [--seed 5000] [--fps 30 15] [--pixels] [--json]
    python -m benchmarks.acceptance --cheats [NAME …] --throws 100 …
    python -m benchmarks.acceptance --reveals --throws 100 …
    python -m benchmarks.acceptance --limit segmentation.LEAST_ALONE 2 3 6 inf --fps 30 [--cheats] …

Simulated tables in virtual time, strict throws. Each table plays one game as its rules prompt; hands over the
tray, dice that touch, light that flickers, drifts and glares are mixed in, and in one of ten throws a die
leans. Where dice are revealed one cup is lifted, or two in turn, or a hand passes over the dice; `--reveals`
does nothing else. Frames are drawn once and watched at each of the rates. What lies in the tray is the truth
in place of what the nets read, so that motion alone decides; with `--pixels` the reader reads it. With
`--limit` several observers watch the same frames, one for each value of a limit of `vision.motion`: this
draws the curve of a limit, and a value that switches it off shows whether it matters.

Printed by rate and kind: tried, accepted, void, confirmed (another seat is asked for a die's value), vouched
(it is asked whether the throw was fair, and nothing else), unanswered, and false (accepted, but not what was
thrown; of a cheat: accepted without asking another seat), with the exact upper bound of 95 % (Clopper and
Pearson, one-sided). Reveals are not held to be thrown and are no part of `honest`, nor are
throws in which a die leans, by itself or made to. Throws with an unexpected outcome are listed on stderr.
Ctrl-C prints what was counted until then.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import count, product
from typing import Final, TypeAlias

import cv2
import numpy as np

from dicetable.simulated.cheats import Cheats
from dicetable.table.acceptance import (
    Acceptance,
    Accepted,
    NeedsConfirmation,
    Outcome,
    Rejected,
    Void,
    Waiting,
)
from dicetable.table.baseline import remembered
from dicetable.table.table_state import Awaited
from games.dice import FACES, Die, Kind
from games.game import PlayerView
from games.match import Match
from games.players import RandomPlayer
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from games.registry import GAMES
from games.requests import Act, Dice
from hardware.ports import Frame, Pixels
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying
from hardware.simulated.faults import FAULTS, parse
from hardware.simulated.places import at_random
from hardware.simulated.world import World
from tests.dicetable.simulated.true_reading import true_die
from training.calibrate import most_risk
from vision.observer import Observer
from vision.reader import DiceReader
from vision.reading import Reading, Settled
from vision.tray.markers import find_markers
from vision.tray.pose import learn

Result: TypeAlias = tuple[str, str, str, str]
"""Result of one throw: frames per second and limit, kind, which of OUTCOMES, what the panel says."""
Limit: TypeAlias = tuple[str, float]
"""One of the limits in `vision.motion`, as module.NAME, and its value."""
OUTCOMES: Final = ("accepted", "void", "confirmed", "vouched", "unanswered", "false")

NEEDS_DICE: Final = ("cheat_turn", "cheat_lift", "cheat_push")
"""The cheats with dice of the throw before."""
CHEATS: Final = tuple(name for name, kind in FAULTS.items() if kind.part == "cheat")
A_TABLE: Final = 12
"""Throws at one table; the next table plays the next game."""
ENOUGH_REVEALS: Final = 3
OF_CUPS: Final = "liars_dice"
PATIENCE_S: Final = 2.5
"""The table has to answer this long after all dice lie still."""
READ_S: Final = 0.8
"""After this longer time, what a cheat left lying has been read too."""
SPOILT_S: Final = 0.8
"""How long the light stays bad after that."""
HOVERS_S: Final = 0.6
EARLY_S: Final = 0.3
"""A hand that passes over revealed dice appears at most so long before or after the cup is gone."""
UNSEEN_MM: Final = 0.5
"""A die that is so near to where it comes to rest is read as if it lay there."""
SOME: Final[dict[str, tuple[str, ...]]] = {
    "plain": (),
    "hand": (),
    "touching": ("touching:2",),
    "flicker": ("flicker:0.2",),
    "drift": ("drift:0.7",),
    "glare": ("glare:0.4",),
    "leaning": ("leaning:1",),
}
"""The kinds of honest throws, and what goes wrong in each."""
HONEST: Final = "honest"
LEANING: Final = "leaning"
REVEAL: Final = "reveal"
REVEALS: Final = ("reveal", "reveal_hand", "reveal_two")
"""The kinds of reveals: a cup is lifted; then a hand passes over the dice; or two cups are lifted in turn."""
CUP: Final = "cheat_cup"
MOST_UNDER: Final = 5
SHARES: Final = (0.48, 0.12, 0.10, 0.07, 0.07, 0.06, 0.10)


class TrueReader(DiceReader):
    """Says what lies in the tray by the truth, without looking at a frame."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.taken_s: dict[int, float] = {}

    def took(self, frame: Frame) -> None:
        """A frame was taken: what lay in the tray then is what it shows."""
        self.taken_s[id(frame.pixels)] = frame.time_s

    def read(self, frame: Pixels, *_: object, **__: object) -> Reading:
        """All dice that lie open in the tray in this frame, or rock there by less than can be seen."""
        now_s = self.taken_s[id(frame)]
        cups = [cup for cup in self.world.cups if now_s < cup.uncovered_s]
        under = {lying.die.number for cup in cups for lying in cup.dice}
        dice = []
        for roll in self.world.rolls:
            lying = roll.clip.lying
            if roll.in_tray and roll.start_s <= now_s < roll.gone_s and lying.die.number not in under:
                pose = roll.clip.step_and_pose(now_s - roll.start_s)[1]
                if pose.near(lying.pose, lying.die, UNSEEN_MM):
                    dice.append(replace(true_die(self.world, lying), position_mm=place(lying)))
        return Reading(tuple(sorted(dice, key=lambda die: die.box[1::-1])))

    def agree(self, readings: Sequence[Reading]) -> Reading:
        return readings[-1]


def place(lying: Lying) -> tuple[float, float]:
    x, y = lying.top_mm[:2].tolist()
    return x, y


@contextmanager
def limited(limit: Limit | None) -> Iterator[None]:
    """Sets a limit, in all modules that know it, for a while."""
    if limit is None:
        yield
        return
    module, name = limit[0].rsplit(".", 1)
    usual = getattr(import_module(f"vision.motion.{module}"), name)
    ours = [one for called, one in list(sys.modules.items()) if called.startswith("vision.")]
    holders = [one for one in ours if getattr(one, name, None) is usual]
    for one in holders:
        setattr(one, name, limit[1])
    try:
        yield
    finally:
        for one in holders:
            setattr(one, name, usual)


@dataclass
class Watcher:
    """One camera rate: an observer, and the acceptance of its readings with its outcomes for this throw."""

    fps: int
    limit: Limit | None
    observer: Observer
    acceptance: Acceptance = field(default_factory=lambda: Acceptance(strict=True))
    newest: Reading = field(default_factory=lambda: Reading(()))
    outcomes: list[tuple[float, Outcome]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.acceptance.set_baseline(())

    @property
    def label(self) -> str:
        """The rate, and the limit if one is set."""
        return f"{self.fps}" if self.limit is None else f"{self.fps}, {self.limit[0]} {self.limit[1]:g}"

    def watch(self, frame: Frame) -> None:
        """Observes one frame, and judges what it shows."""
        if isinstance(self.observer.reader, TrueReader):
            self.observer.reader.took(frame)
        with limited(self.limit):
            seen = self.observer.observe(frame.pixels, frame.time_s)
        if isinstance(seen, Settled):
            self.settled(seen, frame.time_s)
        elif seen is not None:
            self.acceptance.unsettled()

    def settled(self, seen: Settled, now_s: float) -> None:
        self.newest = seen.reading
        outcome = self.acceptance.settled(seen, now_s)
        if outcome is not None and not isinstance(outcome, Waiting):
            self.outcomes.append((now_s, outcome))

    def first(self, since_s: float) -> tuple[float, Outcome] | None:
        """The first outcome from then on that decides about dice, and is no mere word to people."""
        decisive = (pair for pair in self.outcomes if not isinstance(pair[1], Rejected))
        return next((pair for pair in decisive if pair[0] >= since_s), None)

    def fooled(self, since_s: float) -> str:
        """Whether what a cheat led to from then on was accepted, by one of OUTCOMES."""
        for at_s, outcome in self.outcomes:
            if isinstance(outcome, Accepted | NeedsConfirmation):
                what = "false" if isinstance(outcome, Accepted) else asked_in(outcome)
                return what if at_s >= since_s else "void"
        return "void" if self.outcomes else "unanswered"


class Table:
    """One simulated table, at which one game is played; `reveals`: what is thrown is not watched."""

    def __init__(
        self,
        seed: int,
        rates: Sequence[int],
        *,
        pixels: bool,
        reveals: bool = False,
        limits: Sequence[Limit | None] = (None,),
    ) -> None:
        self.world = World(seed, VirtualClock(), fps=max(rates))
        self.chance = np.random.default_rng([seed, 31])
        self.world.camera.start()
        self.pixels = pixels
        self.reveals = reveals
        frame = self.world.camera.frame(1.0)
        if frame is None:
            raise RuntimeError("the simulated camera gives no frame")
        tray = learn(find_markers(frame.pixels))
        self.watchers = []
        for fps, limit in product(sorted(rates, reverse=True), limits):
            reader = DiceReader() if pixels else TrueReader(self.world)
            with limited(limit):
                self.watchers.append(Watcher(fps, limit, Observer(tray, frame.pixels, reader=reader)))
        self.frames = 0
        self.players: dict[str, RandomPlayer] = {}
        self.match: Match | None = None
        self.game = OF_CUPS if reveals else list(GAMES)[seed % len(GAMES)]
        self.seed = seed
        self.next_match()
        self.run_until(self.world.clock.now_s() + 1.0)

    def next_match(self) -> None:
        """Opens another match of the table's game."""
        seats = [f"seat{n}" for n in range(max(2, GAMES[self.game].fewest_seats))]
        self.match = Match.new(self.game, seats, seed=int(self.chance.integers(2**31)))
        self.players = {seat: RandomPlayer(self.seed + n) for n, seat in enumerate(seats)}

    def prompt(self) -> tuple[Match, ThrowPrompt | RevealPrompt]:
        """The match where it waits for dice; what people decide before is decided at random."""
        while True:
            match = self.match
            if match is None or isinstance(match.prompt, OverPrompt):
                self.next_match()
            elif isinstance(match.prompt, ActPrompt):
                seat = match.prompt.seat
                view = PlayerView(match.game, seat, match.prompt, match.current, ())
                self.match = match.apply(Act(seat, self.players[seat].act(view)))
            elif self.reveals and isinstance(match.prompt, ThrowPrompt):
                kinds = self.chosen(match, match.prompt)[0]
                self.match = match.apply(
                    Dice([(kind, int(self.chance.integers(1, FACES[kind] + 1))) for kind in kinds])
                )
            else:
                return match, match.prompt

    def step(self) -> None:
        frame = self.world.camera.frame(1.0)
        if frame is None:
            return
        self.frames += 1
        for watcher in self.watchers:
            if self.frames % (self.watchers[0].fps // watcher.fps) == 0:
                watcher.watch(frame)

    def run_until(self, time_s: float) -> None:
        while self.world.clock.now_s() < time_s:
            self.step()

    def run_until_answered(self, since_s: float) -> None:
        """Watches until every watcher has answered, or patience is at its end."""
        self.run_until(self.world.settled_at_s)
        end_s = max(self.world.settled_at_s, self.world.clock.now_s()) + PATIENCE_S
        while self.world.clock.now_s() < end_s and not all(w.first(since_s) for w in self.watchers):
            self.step()

    def begin(self, awaited: Awaited) -> None:
        """These dice are awaited from now on."""
        for watcher in self.watchers:
            watcher.acceptance.consent()
            watcher.acceptance.prompt(awaited, self.world.clock.now_s())
            watcher.outcomes.clear()

    def honest(self) -> list[Result]:
        """One honest throw; for each rate the throw's kind and its outcome."""
        match, prompt = self.prompt()
        world, now_s = self.world, self.world.clock.now_s()
        kind = str(self.chance.choice(list(SOME), p=SHARES))
        if isinstance(prompt, ThrowPrompt):
            kinds, aside = self.chosen(match, prompt)
            self.begin(Awaited(prompt.dice, (prompt.count,), match.aside))
            for fault in SOME[kind]:
                world.inject(parse(fault))
            if kind == "hand":
                world.hover(now_s, HOVERS_S)
            thrown = world.throw(kinds, aside)
            if any(lying.value is None for lying in thrown):
                kind = LEANING
        else:
            kind = str(self.chance.choice(REVEALS))
            dice = prompt.dice
            if kind != "reveal_two":
                dice = dice[: int(self.chance.integers(1, MOST_UNDER + 1))]
            self.begin(Awaited(dice, (len(dice),), reveal=True))
            thrown = self.reveal(dice, kind)
        self.run_until(world.settled_at_s + SPOILT_S * bool(SOME.get(kind)))
        world.clear()
        self.run_until_answered(now_s)
        truth = Counter((lying.kind, lying.value) for lying in thrown)
        firsts = [(watcher.label, watcher.first(now_s)) for watcher in self.watchers]
        self.over(match, thrown)
        if kind in REVEALS:
            firsts = [
                (w.label, w.first(now_s) or (w.outcomes[-1] if w.outcomes else None)) for w in self.watchers
            ]
        return [(label, kind, *result_of(first[1] if first else None, truth)) for label, first in firsts]

    def reveal(self, kinds: Sequence[Kind], kind: str) -> list[Lying]:
        """A cup with these dice is set on the cleared tray and lifted; more than it holds are laid there."""
        self.world.throw([])
        dice = at_random(self.chance, self.world.pick(kinds, set()), [])
        try:
            if kind == "reveal_two" and len(dice) > 1:
                shown = self.reveal_two(dice)
            else:
                shown = self.world.reveal(dice)
        except ValueError:
            self.world.lay(dice)
            return dice
        if kind == "reveal_hand":
            over_s = self.world.settled_at_s + float(self.chance.uniform(-EARLY_S, EARLY_S))
            self.world.hover(over_s, HOVERS_S)
        return shown

    def reveal_two(self, dice: Sequence[Lying]) -> list[Lying]:
        """Reveals dice under two cups, which are lifted one after the other."""
        for part in (dice[: len(dice) // 2], dice[len(dice) // 2 :]):
            self.world.cover([lying.kind for lying in part], [lying.value or 1 for lying in part])
        return self.world.lift_cups()

    def over(self, match: Match, thrown: Sequence[Lying]) -> None:
        """The game goes on with these dice if it can; what lies there now lies there from before."""
        dice = [(lying.kind, lying.value) for lying in thrown if lying.value is not None]
        if isinstance(match.prompt, RevealPrompt) and len(dice) < len(match.prompt.dice):
            self.match = None
        elif dice and len(dice) == len(thrown):
            self.match = match.apply(Dice(dice))
        for watcher in self.watchers:
            watcher.acceptance.prompt(None, self.world.clock.now_s())
            watcher.acceptance.set_baseline(remembered(watcher.newest.dice))

    def chosen(self, match: Match, prompt: ThrowPrompt) -> tuple[list[Kind], list[Lying]]:
        """The dice that are thrown, and those that stay in the tray as they count."""
        counted: Counter[Die] = Counter(match.aside)
        aside = []
        for lying in self.world.lying:
            if lying.value is not None and counted[lying.kind, lying.value]:
                counted[lying.kind, lying.value] -= 1
                aside.append(lying)
        view = PlayerView(match.game, prompt.seat, prompt, match.current, ())
        return list(self.players[prompt.seat].pick(view, prompt)), aside

    def cheat(self, name: str) -> list[Result]:
        """One cheat, after a throw if it needs its dice; as `honest`, or nothing if it cannot be tried."""
        if name == CUP:
            return self.cheat_at_cup()
        match, prompt = self.prompt()
        if not isinstance(prompt, ThrowPrompt):
            self.match = None
            match, prompt = self.prompt()
        if not isinstance(prompt, ThrowPrompt):  # a game that is played under cups alone
            return []
        self.run_until(self.world.settled_at_s + READ_S)
        kinds, aside = self.chosen(match, prompt)
        awaited = Awaited(tuple(kinds), (len(kinds),), match.aside)
        self.begin(awaited)
        thrown: list[Lying] = []
        if name in NEEDS_DICE:
            thrown = self.world.throw(kinds, aside)
            self.run_until_answered(self.world.clock.now_s())
        for watcher in self.watchers:
            watcher.acceptance.set_baseline(remembered(watcher.newest.dice))
        self.begin(awaited)
        cheats = Cheats(self.world, [parse(name)], int(self.chance.integers(2**31)))
        results = []
        if cheats.begins(kinds, aside):
            while (until_s := cheats.goes_on()) is not None:
                self.run_until(until_s)
            if cheats.counts_from_s < float("inf"):
                self.run_until_answered(cheats.counts_from_s)
                results = [(w.label, name, w.fooled(cheats.counts_from_s), "") for w in self.watchers]
        self.over(match, thrown)
        return results

    def cheat_at_cup(self) -> list[Result]:
        """A cheat where a cup is lifted. The dice that were under it may be accepted: nothing else."""
        self.world.throw([])
        self.run_until(self.world.settled_at_s + READ_S)
        kinds: list[Kind] = ["d6"] * int(self.chance.integers(1, MOST_UNDER + 1))
        for watcher in self.watchers:
            watcher.acceptance.set_baseline(remembered(watcher.newest.dice))
        self.begin(Awaited(tuple(kinds), (len(kinds),), reveal=True))
        cheats = Cheats(self.world, [parse(CUP)], int(self.chance.integers(2**31)))
        dice = at_random(self.chance, self.world.pick(kinds, set()), [])
        truth = Counter((lying.kind, lying.value) for lying in dice)
        begun_s = self.world.clock.now_s()
        if not cheats.lifts(dice):
            return []
        while (until_s := cheats.goes_on()) is not None:
            self.run_until(until_s)
        self.run_until_answered(begun_s)
        results = []
        for watcher in self.watchers:
            first = watcher.first(begun_s)
            what = result_of(first[1], truth)[0] if first else "void" if watcher.outcomes else "unanswered"
            results.append((watcher.label, CUP, what, ""))
        return results


def asked_in(outcome: NeedsConfirmation) -> str:
    """Which of OUTCOMES a throw has that another seat is asked about."""
    return "confirmed" if outcome.unsure else "vouched"


def result_of(outcome: Outcome | None, truth: Counter[tuple[Kind, int | None]]) -> tuple[str, str]:
    """Which of OUTCOMES that is, and what the panel says."""
    if isinstance(outcome, Accepted):
        return "accepted" if Counter(outcome.dice) == truth else "false", ""
    if isinstance(outcome, NeedsConfirmation):
        return asked_in(outcome), ""
    return ("void", outcome.text) if isinstance(outcome, Rejected | Void) else ("unanswered", "")


def line(label: str, kind: str, counts: Counter[str]) -> dict[str, object]:
    tried = counts.total()
    bound = most_risk(counts["false"], tried)
    return {
        "fps": label,
        "kind": kind,
        "tried": tried,
        **{outcome: counts[outcome] for outcome in OUTCOMES},
        "void_percent": round(100 * counts["void"] / max(1, tried), 2),
        "vouched_percent": round(100 * counts["vouched"] / max(1, tried), 2),
        "false_upper_95_percent": round(100 * bound, 3),
    }


def throw_at_tables(
    tallies: dict[tuple[str, str], Counter[str]],
    wanted: Sequence[str],
    throws: int,
    seed: int,
    rates: Sequence[int],
    limits: Sequence[Limit | None],
    *,
    pixels: bool,
) -> None:
    """Throws at one table after the other, honestly if nothing is wanted, and counts what became of it."""
    done = Counter[str]()
    for number in count(seed):
        table = Table(number, rates, pixels=pixels, reveals=REVEAL in wanted, limits=limits)
        reveals = 0
        for throw in range(A_TABLE):
            if reveals >= ENOUGH_REVEALS:
                break
            if all(done[name] >= throws for name in wanted or [HONEST]):
                return
            name = wanted[throw % len(wanted)] if wanted else HONEST
            results = table.cheat(name) if name in CHEATS else table.honest()
            revealed = any(kind in REVEALS for _, kind, _, _ in results)
            reveals += revealed
            done[name] += bool(results) and revealed == (name == REVEAL)
            for label, kind, what, why in results:
                tallies[label, kind][what] += 1
                if what == "false" or (name not in CHEATS and what != "accepted" and kind != LEANING):
                    told = f"seed {number}, throw {throw + 1}, {label} frames/s, {kind}: {what} {why}"
                    print(told, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--throws", type=int, default=1000, help="honest throws, or tries of each cheat")
    parser.add_argument("--seed", type=int, default=5000, help="of the first table")
    parser.add_argument("--fps", type=int, nargs="+", default=[30, 15], help="divisors of the highest one")
    parser.add_argument("--cheats", nargs="*", metavar="NAME", help="these cheats; all if none is named")
    parser.add_argument("--reveals", action="store_true", help="cups are lifted; nothing is thrown")
    parser.add_argument("--limit", nargs="+", metavar=("NAME", "VALUE"), help="one limit and its values")
    parser.add_argument("--pixels", action="store_true", help="the reader reads the dice")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    started_s = time.process_time()
    wanted = (REVEAL,) if args.reveals else () if args.cheats is None else args.cheats or CHEATS
    tallies: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    name, *values = args.limit or ("",)
    limits: Sequence[Limit | None] = [(name, float(value)) for value in values] or [None]
    with suppress(KeyboardInterrupt):
        throw_at_tables(tallies, wanted, args.throws, args.seed, args.fps, limits, pixels=args.pixels)
    for (label, kind), counts in list(tallies.items()) if not wanted else ():
        if kind not in (LEANING, *REVEALS):
            tallies[label, HONEST] += counts
    lines = [line(label, kind, counts) for (label, kind), counts in sorted(tallies.items())]
    if args.json:
        seconds = round(time.process_time() - started_s)
        told = {"seed": args.seed, "pixels": args.pixels, "processor_s": seconds, "kinds": lines}
        print(json.dumps(told))
        return
    for found in lines:
        print(
            "  ".join(
                f"{value:>14}" if name == "kind" else f"{name} {value}" for name, value in found.items()
            )
        )


if __name__ == "__main__":
    main()
