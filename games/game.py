"""The parts of a game. Each game's module ends with one `Game`; `games.registry` lists them.

Seats are in a ring, by index in list order: "left" is the next index, wrapping around.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TypeVar

from games.dice import Die, Kind
from games.errors import BadOption, NotNow
from games.prompts import Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import PLAIN_WORDS, Words, titled

StateT = TypeVar("StateT")
MOST = 10**9
LONGEST_NAME = 64
"""Longest name of a seat, in characters."""
LONGEST_TEXT = 100
"""Longest text of an option, in characters."""
Event = dict[str, Any]
"""Something that happened, for people and screens: an object with the key `event`."""
Step = tuple[StateT, list[Event]]
"""A new state and the events that led to it."""
Pick = Callable[[int], int]
"""A random choice out of `n`, as an index; the only source of randomness for a game."""


class Options(Protocol):
    """Options of a game: a frozen dataclass of counts, and of texts; `first` is a seat."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def check(self, seats: tuple[str, ...]) -> None:
        """Raises BadOption for an invalid combination of options, or an invalid number of seats."""


OptionsT = TypeVar("OptionsT", bound=Options)


def from_zero(default: int) -> int:
    """A count in an options class that may also be 0; other counts start at 1."""
    return field(default=default, metadata={"least": 0})


def text(default: str = "") -> str:
    """A text in an options class; its `check` decides whether it is valid. No menu offers it."""
    return field(default=default, metadata={"text": True})


def menu_options(options: type[OptionsT]) -> list[str]:
    """The names of the options that people choose from menus, where nothing can be typed."""
    return [name for name, field in options.__dataclass_fields__.items() if not field.metadata.get("text")]


def read_options(options: type[OptionsT], values: Mapping[str, object], seats: tuple[str, ...]) -> OptionsT:
    """The defaults with `values` in their place. Raises BadOption if one is invalid.

    A count is an integer up to MOST; None is valid only where it is the default. `first` is a seat; a text
    has at most LONGEST_TEXT characters.
    """
    fields = options.__dataclass_fields__
    for name, value in values.items():
        if name not in fields:
            raise BadOption("unknown option")
        if value is None and fields[name].default is None:
            continue
        if name == "first":
            if type(value) is not str or value not in seats:
                raise BadOption("first must be one of the seats")
        elif fields[name].metadata.get("text"):
            if type(value) is not str or len(value) > LONGEST_TEXT:
                raise BadOption(f"{name} must be a text of at most {LONGEST_TEXT} characters")
        else:
            least = fields[name].metadata.get("least", 1)
            if type(value) is not int or not least <= value <= MOST:
                raise BadOption(f"{name} must be a whole number from {least} to {MOST}")
    made = options(**values)
    made.check(seats)
    return made


def check_seats(seats: tuple[str, ...], fewest: int, most: int) -> None:
    """Raises BadOption unless there are `fewest` to `most` seats with distinct names.

    A name is not blank, has at most LONGEST_NAME characters, no control character and no lone surrogate.
    """
    if not fewest <= len(seats) <= most:
        raise BadOption(f"the game takes {fewest} to {most} seats")
    for seat in seats:
        if not seat.strip():
            raise BadOption("a seat needs a name")
        if len(seat) > LONGEST_NAME:
            raise BadOption(f"the name of a seat has at most {LONGEST_NAME} characters")
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in seat):
            raise BadOption("the name of a seat holds a control or an invalid character")
    if len(set(seats)) < len(seats):
        raise BadOption("two seats have the same name")


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

    def act(self, view: PlayerView) -> JsonObject: ...

    def pick(self, view: PlayerView, prompt: ThrowPrompt) -> tuple[Kind, ...]: ...

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


def no_dice(_state: Any) -> tuple[Die, ...]:
    return ()


def no_cups(_state: Any) -> tuple[int, ...]:
    return ()


def nothing_to_decide(_state: Any, _action: JsonObject) -> NoReturn:
    """The default `act`, for a game without decisions: it offers no actions, so this is never called."""
    raise NotNow("there is nothing to decide in this game")


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, OptionsT]):
    """The rules of one game as pure functions over its immutable state.

    `dice` and `act` are called only with requests that are legal answers to `prompt(state)`. `to_json` is the
    public state; no state contains dice under a cup. `aside` are dice from earlier throws that count as they
    lie and are not thrown again; `cups` is the number of dice under each seat's cup, in seat order.

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
        return self.words.title or titled(self.name)


def clockwise(start: int, seats: int) -> list[int]:
    """Every seat once, beginning with `start`."""
    return [*range(start, seats), *range(start)]


def next_left(seat: int, seats: int, among: Container[int]) -> int:
    """The first of `among` to the left of `seat`, `seat` itself last. Raises ValueError if there is none."""
    for candidate in clockwise((seat + 1) % seats, seats):
        if candidate in among:
            return candidate
    raise ValueError("no seat to choose from")


def best(seats: Sequence[str], scores: Sequence[int]) -> tuple[str, ...]:
    """The seats with the highest score, in seat order."""
    top = max(scores)
    return tuple(seat for seat, score in zip(seats, scores, strict=True) if score == top)


def with_item(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    items = list(values)
    items[index] = value
    return tuple(items)


@dataclass(frozen=True, slots=True)
class RollOff:
    """Seats still to throw, the next one first, and the (score, seat) of those that have thrown."""

    waiting: tuple[int, ...]
    thrown: tuple[tuple[int, int], ...] = ()

    @property
    def thrower(self) -> int:
        return self.waiting[0]

    def after(self, score: int) -> RollOff | int:
        """The roll-off after the next seat threw `score`, or the seat that won it."""
        thrown = (*self.thrown, (score, self.thrower))
        if len(self.waiting) > 1:
            return RollOff(self.waiting[1:], thrown)
        top = max(thrown)[0]
        tied = tuple(seat for score, seat in thrown if score == top)
        return tied[0] if len(tied) == 1 else RollOff(tied)
