"""Short notation for requests in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.match import Match
from games.requests import Act, Dice, Request

if TYPE_CHECKING:
    from collections.abc import Iterable


def act(seat: str, kind: str, **fields: Any) -> Act:
    return Act(seat, {"type": kind, **fields})


def bid(seat: str, quantity: int, face: int) -> Act:
    return act(seat, "bid", quantity=quantity, face=face)


def lie(*dice: str) -> Dice:
    """`lie("d6 1 1 4", "d20 17")`: three d6 and a d20."""
    return Dice([(kind, int(face)) for kind, *faces in map(str.split, dice) for face in faces])


def new(game: str, seats: str, **options: Any) -> Match:
    """A match of seats named by one letter each."""
    return Match.new(game, list(seats), options, seed=1)


def play(match: Match, requests: Iterable[Request]) -> Match:
    for request in requests:
        match = match.apply(request)
    return match
