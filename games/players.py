"""Simulated players, from `random` to `sharp`. They decide from a `PlayerView`: what the seat can see."""

from collections.abc import Callable
from random import Random

from games.dice import Kind
from games.game import Player, PlayerView
from games.prompts import (
    ActPrompt,
    AnyDicePrompt,
    BetOffer,
    BidOffer,
    CallOffer,
    Offer,
    PickOffer,
    RecastOffer,
    ThrowPrompt,
)
from games.registry import find
from games.requests import JsonObject

FEW_DICE = 6
"""The most dice that a simulated player throws where any number may be thrown."""


def some_of(prompt: ThrowPrompt, chance: Random, most: int) -> tuple[Kind, ...]:
    """Dice that answer the prompt, drawn by chance: `most` at most where any number may be thrown."""
    if not isinstance(prompt, AnyDicePrompt):
        return tuple(chance.sample(prompt.dice, prompt.count))
    count = chance.randint(prompt.count, max(prompt.count, min(prompt.most, most)))
    spare = list(prompt.dice)
    for kind in prompt.needed:
        spare.remove(kind)
    return (*prompt.needed, *chance.sample(spare, count - len(prompt.needed)))


class RandomPlayer:
    """Takes any legal choice at random: first the kind of action, then its number."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - a simulated player, and repeatable

    def act(self, view: PlayerView) -> JsonObject:
        offer = self.chance.choice(offers_in(view))
        if isinstance(offer, RecastOffer) and not view.cup:
            # Who may not look casts all dice again: there is nothing to choose from.
            return {"type": "recast", "count": offer.max}
        return self.answer(offer)

    def answer(self, offer: Offer) -> JsonObject:
        between = self.chance.randint
        match offer:
            case BetOffer():
                return {"type": "bet", "amount": between(offer.min, offer.max)}
            case RecastOffer():
                return {"type": "recast", "count": between(offer.min, offer.max)}
            case CallOffer():
                return {"type": "call", "value": self.chance.choice(offer.calls)}
            case PickOffer():
                return {"type": offer.type, "value": self.chance.choice(offer.values)}
            case BidOffer():
                # Bids in lexicographic order are numbered 5 · quantity + face.
                number = between(5 * offer.min[0] + offer.min[1], 5 * offer.max[0] + offer.max[1])
                return {"type": "bid", "quantity": (number - 2) // 5, "face": (number - 2) % 5 + 2}
        return {"type": offer.type}

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:  # noqa: ARG002 - looks at nothing
        return some_of(prompt, self.chance, FEW_DICE)

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        return tuple(self.chance.sample(view.cup, len(view.cup) - count))


class SharpPlayer:
    """Plays by the odds in games that provide them, otherwise at random."""

    def __init__(self, seed: int) -> None:
        self.chance = RandomPlayer(seed)

    def act(self, view: PlayerView) -> JsonObject:
        act = find(view.game).sharp.act
        return act(view) if act else self.chance.act(view)

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        """The dice with the best prospects; equal dice in the order given."""
        if isinstance(prompt, AnyDicePrompt):
            return self.chance.pick(view, prompt)
        pick = find(view.game).sharp.pick
        return pick(view, prompt) if pick else prompt.dice[: prompt.count]

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        keep = find(view.game).sharp.keep
        return keep(view, count) if keep else self.chance.keep(view, count)


class TipsyPlayer:
    """Decides sharply or at random, by the toss of a coin each time."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311 - a simulated player, and repeatable
        self.moods: tuple[Player, Player] = (RandomPlayer(seed), SharpPlayer(seed))

    def act(self, view: PlayerView) -> JsonObject:
        return self.chance.choice(self.moods).act(view)

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        return self.chance.choice(self.moods).pick(view, prompt)

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        return self.chance.choice(self.moods).keep(view, count)


def offers_in(view: PlayerView) -> tuple[Offer, ...]:
    return view.prompt.actions if isinstance(view.prompt, ActPrompt) else ()


LEVELS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "tipsy": TipsyPlayer,
    "sharp": SharpPlayer,
}
"""Players by skill; each is made from a seed."""
