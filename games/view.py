"""What a player sees and decides: people and programs at a seat alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.dice import Kind
    from games.prompts import Prompt, ThrowPrompt
    from games.requests import JsonObject


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What a person at `seat` sees: what is awaited, the open state, and the faces under a cup held there.

    `state` is the state of the game's own module, which holds no secret.
    """

    game: str
    seat: str
    prompt: Prompt
    state: Any
    cup: tuple[int, ...]


class Player(Protocol):
    """Decides for one seat, from what can be seen there."""

    def act(self, view: PlayerView) -> JsonObject:
        """One of the actions that the prompt offers."""

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        """The dice to throw, out of those that may be thrown."""

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        """The faces to keep under the cup when the others, `count` of them, are cast again."""


@dataclass(frozen=True, slots=True)
class Sharp:
    """How a simulated player plays one game by the odds; what is None is left to chance.

    The three answer as the methods of a `Player` do.
    """

    act: Callable[[PlayerView], JsonObject] | None = None
    pick: Callable[[PlayerView, ThrowPrompt], tuple[Kind, ...]] | None = None
    keep: Callable[[PlayerView, int], tuple[int, ...]] | None = None


BY_CHANCE = Sharp()
"""The player of a game that brings none."""
