"""What a game is made of. Each game's module ends in one value of `Game`; `games.registry` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from games.errors import NotNow
from games.options import OptionsT
from games.requests import Dice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from games.dice import Die
    from games.prompts import Prompt
    from games.requests import JsonObject, Request

StateT = TypeVar("StateT")

Event = dict[str, Any]
"""What happened, for people and screens: an object with the key `event`."""

Step = tuple[StateT, list[Event]]
"""A new state and what happened on the way to it."""

Pick = Callable[[int], int]
"""A fair choice out of `n`, as an index; the only chance that a game may use."""


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, OptionsT]):
    """The rules of one game as pure functions over its immutable state.

    `dice` and `act` are only ever given what passed `games.checks.check` against `prompt(state)`; a game
    without decisions has no `act`. `to_json` is the public state; no state holds dice that are under a cup.
    """

    name: str
    fewest_seats: int
    most_seats: int
    options: type[OptionsT]
    start: Callable[[tuple[str, ...], OptionsT, Pick], Step[StateT]]
    prompt: Callable[[StateT], Prompt]
    to_json: Callable[[StateT], JsonObject]
    dice: Callable[[StateT, tuple[Die, ...]], Step[StateT]]
    act: Callable[[StateT, Mapping[str, Any]], Step[StateT]] | None = None

    def apply(self, state: StateT, request: Request) -> Step[StateT]:
        """The state after a request that answers its prompt, and what happened."""
        if isinstance(request, Dice):
            return self.dice(state, request.dice)
        if self.act is None:
            raise NotNow(f"there is nothing to decide in {self.name}")
        return self.act(state, request.action)
