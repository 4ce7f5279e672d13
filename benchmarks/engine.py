"""Decisions per second over whole matches, dealing included: ours beside OpenSpiel and pokerkit.

Random two-seat Liar's Dice with five dice through `games.match.Match` and, in the same run and in turns,
OpenSpiel's liars_dice(numdice=5) and heads-up no-limit hold'em in pokerkit. Times are processor time of this
one thread; the table shows medians. Needs the extra `bench`:

    python -m benchmarks.engine [--rounds 9] [--seconds 1.0]

With `--lines` it times `dicetable engine` over that many lines of random games instead, start of the process
included:

    python -m benchmarks.engine --lines 10000 [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from games.match import Match
from games.players import LEVELS
from games.prompts import ActPrompt, BidOffer, OverPrompt
from games.registry import GAMES
from games.requests import Act, Dice, encode
from tests.games.tabletop import Tabletop

D6 = [("d6", face) for face in range(1, 7)]
GOAL = {"OpenSpiel": 0.25, "pokerkit": 20.0}
SEATS = ["ann", "bob", "cat", "dan"]


def play_ours(rng: Random) -> int:
    """One match of Liar's Dice, roll-off and every round; each legal action has the same chance."""
    match = Match.new("liars_dice", ("ann", "bob"), {"dice": 5}, seed=rng.getrandbits(32))
    decisions = 0
    while True:
        prompt = match.prompt
        if isinstance(prompt, ActPrompt):
            decisions += 1
            bids = prompt.actions[0]
            action: dict[str, object] | None = None
            if isinstance(bids, BidOffer):
                # Bids in dictionary order are numbered 5 · quantity + face − 2; a challenge comes after them.
                low = 5 * bids.min[0] + bids.min[1] - 2
                high = 5 * bids.max[0] + bids.max[1] - 2
                number = low + int(rng.random() * (high - low + len(prompt.actions)))
                if number <= high:
                    action = {"type": "bid", "quantity": number // 5, "face": number % 5 + 2}
            match = match.apply(Act(prompt.seat, action or {"type": "challenge"}))
        elif isinstance(prompt, OverPrompt):
            return decisions
        else:
            match = match.apply(Dice(rng.choices(D6, k=len(prompt.dice))))


@cache
def liars_dice() -> Any:
    import pyspiel

    return pyspiel.load_game("liars_dice(numdice=5)")


def play_open_spiel(rng: Random) -> int:
    """One game, which is one round. Its dice are fair, so a chance outcome is any legal action."""
    state = liars_dice().new_initial_state()
    decisions = 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    return decisions


def play_pokerkit(rng: Random) -> int:
    """One hand of heads-up no-limit hold'em; each kind of legal action has the same chance."""
    import pokerkit

    auto = pokerkit.Automation
    state = pokerkit.NoLimitTexasHoldem.create_state(
        (
            auto.ANTE_POSTING,
            auto.BET_COLLECTION,
            auto.BLIND_OR_STRADDLE_POSTING,
            auto.CARD_BURNING,
            auto.HOLE_DEALING,
            auto.BOARD_DEALING,
            auto.RUNOUT_COUNT_SELECTION,
            auto.HOLE_CARDS_SHOWING_OR_MUCKING,
            auto.HAND_KILLING,
            auto.CHIPS_PUSHING,
            auto.CHIPS_PULLING,
        ),
        True,  # noqa: FBT003 - pokerkit takes it by place
        0,
        (1, 2),
        2,
        (200, 200),
        2,
    )
    decisions = 0
    while state.status:
        decisions += 1
        legal = []
        if state.can_fold():
            legal.append("fold")
        if state.can_check_or_call():
            legal.append("call")
        if state.can_complete_bet_or_raise_to():
            legal.append("raise")
        action = rng.choice(legal)
        if action == "fold":
            state.fold()
        elif action == "call":
            state.check_or_call()
        else:
            least = state.min_completion_betting_or_raising_to_amount
            most = state.max_completion_betting_or_raising_to_amount
            state.complete_bet_or_raise_to(rng.randint(least, most))
    return decisions


def rate(play: Callable[[Random], int], rng: Random, seconds: float) -> float:
    """Decisions per second of processor time, over whole games for about so long."""
    begun = time.process_time()
    decisions = 0
    while (spent := time.process_time() - begun) < seconds:
        decisions += play(rng)
    return decisions / spent


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


def time_lines(count: int, runs: int) -> None:
    """Prints the median and the range of the seconds per run."""
    given = recorded(count)
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "dicetable", "engine"], input=given, capture_output=True, check=True
        )
        times.append(time.perf_counter() - begun)
        if done.stdout.count(b'{"ok":true') != count:
            sys.exit("the engine did not accept every line")
    print(f"{count} lines: {statistics.median(times):.2f} s ({min(times):.2f} … {max(times):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description="random games: decisions per second")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--lines", type=int, help="time `dicetable engine` over that many lines instead")
    args = parser.parse_args()
    if args.lines is not None:
        time_lines(args.lines, args.rounds)
        return
    players = {"ours": play_ours, "OpenSpiel": play_open_spiel, "pokerkit": play_pokerkit}
    rates: dict[str, list[float]] = {name: [] for name in players}
    for turn in range(args.rounds):
        for name, play in players.items():
            rates[name].append(rate(play, Random(turn), args.seconds))
    medians = {name: statistics.median(found) for name, found in rates.items()}
    for name, median in medians.items():
        print(f"{name:10} {median:10,.0f} decisions/s   ({min(rates[name]):,.0f} … {max(rates[name]):,.0f})")
    for name, goal in GOAL.items():
        ratio = statistics.median(a / b for a, b in zip(rates["ours"], rates[name], strict=True))
        print(f"ours / {name:10} {ratio:8.2f}   (goal {goal})")


if __name__ == "__main__":
    main()
