"""House rules as parameters: parses the options of a `new` request into a game's own frozen dataclass."""

from __future__ import annotations

import unicodedata
from dataclasses import Field, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from games.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

MOST = 10**9
LONGEST_NAME = 64
"""Longest name of a seat, in characters."""


class Options(Protocol):
    """Options of a game: a frozen dataclass in which every field is a count, except `first`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def check(self, seats: tuple[str, ...]) -> None:
        """Raises BadOption for an invalid combination of options, or an invalid number of seats."""


OptionsT = TypeVar("OptionsT", bound=Options)


def from_zero(default: int) -> int:
    """A count in an options class that may also be 0; other counts start at 1."""
    return field(default=default, metadata={"least": 0})


def read(options: type[OptionsT], given: Mapping[str, object], seats: tuple[str, ...]) -> OptionsT:
    """The defaults with the given values in place. Raises BadOption if one is invalid.

    A count is an integer up to MOST; None is valid only where it is the default. `first` is a seat.
    """
    known = options.__dataclass_fields__
    for name, value in given.items():
        if name not in known:
            raise BadOption("unknown option")
        if value is None and known[name].default is None:
            continue
        if name == "first":
            if type(value) is not str or value not in seats:
                raise BadOption("first must be one of the seats")
        else:
            least = known[name].metadata.get("least", 1)
            if type(value) is not int or not least <= value <= MOST:
                raise BadOption(f"{name} must be a whole number from {least} to {MOST}")
    made = options(**given)
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
            raise BadOption("the name of a seat holds a control character or half a surrogate pair")
    if len(set(seats)) < len(seats):
        raise BadOption("two seats have the same name")
