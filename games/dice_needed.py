"""The dice that a game needs, as its own prompts ask for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from games.dice import VALUES, Kind
from games.errors import RuleError
from games.match import Match
from games.prompts import ActPrompt, AnyDicePrompt, ThrowPrompt
from games.registry import find
from games.requests import Act, Dice, Request

STEPS = 12
"""How many requests of a game are looked at. Fewer miss the dice of a later throw; more take longer."""


@dataclass(frozen=True, slots=True)
class DiceNeeded:
    """The dice that have to lie ready.

    Attributes:
        counts: the kinds and how many of each, in the order in which the game names them.
        per_seat: whether each seat needs these dice for itself, under its own cup.
        any: the players may throw whatever they like.
    """

    counts: tuple[tuple[Kind, int], ...] = ()
    per_seat: bool = False
    any: bool = False


def dice_needed(game: str, options: Mapping[str, object]) -> DiceNeeded:
    """The most dice that the beginning of a game asks for at once, with the fewest seats that it takes."""
    rules = find(game)
    most: Counter[Kind] = Counter()
    cups = 0
    chance = Random(0)  # noqa: S311 - a game to look at, and repeatable
    try:
        match = Match.new(game, tuple(map(str, range(rules.fewest_seats))), options, seed=0)
        for _ in range(STEPS):
            prompt = match.prompt
            if isinstance(prompt, AnyDicePrompt) and not prompt.needed:
                return DiceNeeded(any=True)
            request: Request
            if isinstance(prompt, ThrowPrompt):
                most |= Counter(prompt.dice)
                thrown = prompt.needed if isinstance(prompt, AnyDicePrompt) else prompt.dice[: prompt.count]
                request = Dice(tuple((kind, chance.choice(VALUES[kind])) for kind in thrown))
            elif isinstance(prompt, ActPrompt):
                request = Act(prompt.seat, next(prompt.actions[0].actions()))
            else:
                break
            match = match.apply(request)
            cups = max(cups, len(match.cups))
            most |= Counter({"d6": max(match.cups.values(), default=0)})
    except RuleError:  # a game of one's own may have a fault: what is known by then must do
        pass
    return DiceNeeded(tuple((kind, number) for kind, number in most.items() if number), per_seat=cups > 1)
