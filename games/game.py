"""What a game is made of. Each game's module ends in one value of `Game`; `games.registry` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from games.errors import NotNow
from games.options import OptionsT
from games.view import BY_CHANCE, Sharp
from games.words import PLAIN_WORDS, Words, titled

if TYPE_CHECKING:
    from games.dice import Die
    from games.prompts import Prompt
    from games.requests import JsonObject

StateT = TypeVar("StateT")

Event = dict[str, Any]
"""What happened, for people and screens: an object with the key `event`."""

Step = tuple[StateT, list[Event]]
"""A new state and what happened on the way to it."""

Pick = Callable[[int], int]
"""A fair choice out of `n`, as an index; the only chance that a game may use."""


def no_dice(_state: Any) -> tuple[Die, ...]:
    """How a game says that no die thrown before still counts where it lies."""
    return ()


def no_cups(_state: Any) -> tuple[int, ...]:
    """How a game says that no dice are hidden."""
    return ()


def nothing_to_decide(_state: Any, _action: JsonObject) -> NoReturn:
    """How a game without decisions acts: it never offers an action, so none can reach it."""
    raise NotNow("there is nothing to decide in this game")


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, OptionsT]):
    """The rules of one game as pure functions over its immutable state.

    `dice` and `act` are only ever given what passed `games.checks` against `prompt(state)`. `to_json` is
    the public state; no state holds dice that are under a cup. `aside` are the dice thrown before that count
    as they lie and are not thrown again; `cups` is how many dice each seat, in order, has under a cup.

    The rest may be left out. `words` is what people read, `limit` the option that ends the game after so
    many rounds, `away` the actions that the table takes for a seat that sits out, the first that is offered,
    and `sharp` a simulated player that knows the odds.
    """

    name: str
    fewest_seats: int
    most_seats: int
    options: type[OptionsT]
    start: Callable[[tuple[str, ...], OptionsT, Pick], Step[StateT]]
    prompt: Callable[[StateT], Prompt]
    to_json: Callable[[StateT], JsonObject]
    dice: Callable[[StateT, tuple[Die, ...]], Step[StateT]]
    act: Callable[[StateT, JsonObject], Step[StateT]] = nothing_to_decide
    aside: Callable[[StateT], tuple[Die, ...]] = no_dice
    cups: Callable[[StateT], tuple[int, ...]] = no_cups
    words: Words = PLAIN_WORDS
    limit: str | None = None
    away: tuple[str, ...] = ()
    sharp: Sharp = BY_CHANCE

    @property
    def title(self) -> str:
        """What people call the game."""
        return self.words.title or titled(self.name)
