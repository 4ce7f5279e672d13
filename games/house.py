"""The house as a player: it decides for a seat whose dice people throw, and never looks under a cup."""

from dataclasses import replace
from random import Random
from typing import Final, Literal, TypeAlias
from zlib import crc32

from games.dice import Kind
from games.game import Player, PlayerView
from games.players import RandomPlayer, SharpPlayer
from games.prompts import ThrowPrompt
from games.registry import find
from games.requests import JsonObject, encode

Strength: TypeAlias = Literal["easy", "medium", "hard"]
SLIPS: Final[dict[Strength, float]] = {"easy": 0.6, "medium": 0.2, "hard": 0.0}
"""How often the house takes a legal choice at random, by strength; otherwise it plays by the odds.

Higher: easier to beat.
"""


class House:
    """Decides by what everyone at the table has seen: two tables that look alike get the same decision."""

    def __init__(self, strength: Strength) -> None:
        self.slips = SLIPS[strength]

    def act(self, view: PlayerView) -> JsonObject:
        return self.mood(view).act(replace(view, cup=()))

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        return self.mood(view).pick(replace(view, cup=()), prompt)

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:  # noqa: ARG002 - it has seen no die
        """Keeps no die: without a look all dice under the cup are cast again."""
        return ()

    def mood(self, view: PlayerView) -> Player:
        """The player that makes this decision; its chance comes from the public state alone."""
        seed = crc32(view.seat.encode() + encode(find(view.game).to_json(view.state)))
        # CRC-32 is linear: the seeds of like states are alike, and Random spreads them.
        slips = Random(seed).random() < self.slips  # noqa: S311 - a player's mood, and it must be repeatable
        return RandomPlayer(seed) if slips else SharpPlayer(seed)
