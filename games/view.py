"""What a player sees and decides, whether a person or a program."""

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
    """What a person at `seat` sees: the prompt, the public state, and the faces under a cup held there.

    `state` is the state of the game's own module, which contains no secret.
    """

    game: str
    seat: str
    prompt: Prompt
    state: Any
    cup: tuple[int, ...]


class Player(Protocol):
    """Decides for one seat, based on what is visible there."""

    def act(self, view: PlayerView) -> JsonObject:
        """One of the actions that the prompt offers."""

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]:
        """The dice to throw, out of those allowed."""

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        """The faces to keep under the cup when the other `count` dice are cast again."""


@dataclass(frozen=True, slots=True)
class Sharp:
    """A simulated player that plays one game by the odds; decisions that are None are made at random.

    The three functions have the signatures of a `Player`'s methods.
    """

    act: Callable[[PlayerView], JsonObject] | None = None
    pick: Callable[[PlayerView, ThrowPrompt], tuple[Kind, ...]] | None = None
    keep: Callable[[PlayerView, int], tuple[int, ...]] | None = None


BY_CHANCE = Sharp()
"""The player of a game that defines none."""
