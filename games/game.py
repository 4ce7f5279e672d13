"""The parts of a game. Each game's module ends with one `Game`; `games.registry` lists them."""

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
"""Something that happened, for people and screens: an object with the key `event`."""

Step = tuple[StateT, list[Event]]
"""A new state and the events that led to it."""

Pick = Callable[[int], int]
"""A random choice out of `n`, as an index; the only source of randomness for a game."""


def no_dice(_state: Any) -> tuple[Die, ...]:
    """The default `aside`: no dice from earlier throws count where they lie."""
    return ()


def no_cups(_state: Any) -> tuple[int, ...]:
    """The default `cups`: no dice are hidden."""
    return ()


def nothing_to_decide(_state: Any, _action: JsonObject) -> NoReturn:
    """The default `act`, for a game without decisions: it offers no actions, so this is never called."""
    raise NotNow("there is nothing to decide in this game")


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, OptionsT]):
    """The rules of one game as pure functions over its immutable state.

    `dice` and `act` are called only with requests that `games.checks` accepted for `prompt(state)`. `to_json`
    is the public state; no state contains dice under a cup. `aside` are dice from earlier throws that count
    as they lie and are not thrown again; `cups` is the number of dice under each seat's cup, in seat order.

    The other fields are optional. `words` are the texts for people, `limit` is the option that ends the game
    after a number of rounds, `away` the actions that the table prefers for a seat that sits out (the first
    one offered), and `sharp` a simulated player that knows the odds.
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
        """The title of the game."""
        return self.words.title or titled(self.name)
