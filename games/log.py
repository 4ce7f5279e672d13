"""The entries of a match, as objects and as JSON lines. Text in, text out: callers handle the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from games import requests
from games.errors import BadLog, BadRequest
from games.requests import Dice, JsonObject, Request

InForce = tuple[tuple[int, Request], ...]
"""Requests in force, each with the revision that it led to, oldest first."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a match: the `new` request, its seed and each random draw."""

    game: str
    seats: tuple[str, ...]
    options: dict[str, Any]
    seed: int
    draws: tuple[int, ...]

    def to_json(self) -> JsonObject:
        return {
            "op": "new",
            "game": self.game,
            "seats": list(self.seats),
            "options": dict(self.options),
            "seed": self.seed,
            "draws": list(self.draws),
        }


@dataclass(frozen=True, slots=True)
class Correction:
    """The dice that the request leading to revision `throw` really threw.

    `in_force` are the requests that count from here on; it is computed, not recorded.
    """

    throw: int
    dice: Dice
    in_force: InForce

    def to_json(self) -> JsonObject:
        return {"op": "correct", "throw": self.throw, "dice": self.dice.to_json()["dice"]}


LogEntry = Request | Correction


def requests_in_force(entries: Sequence[LogEntry]) -> InForce:
    """The requests in force after these entries, which follow a match's opening."""
    in_force: list[tuple[int, Request]] = []
    for revision, entry in enumerate(entries, 1):
        if isinstance(entry, Correction):
            in_force = list(entry.in_force)
        else:
            in_force.append((revision, entry))
    return tuple(in_force)


def read_opening(entry: Any) -> Opening:
    """Parses the opening in a log's first entry. Raises BadRequest if it is invalid."""
    match entry:
        case {"op": "new", "options": options, "seed": seed, "draws": list(draws), **rest}:
            _, new = requests.operation({"op": "new", **rest})
            requests.check_new(new["game"], new["seats"], options, seed)
            if all(type(draw) is int for draw in draws):
                return Opening(new["game"], tuple(new["seats"]), dict(options), seed, tuple(draws))
    raise BadRequest("a log begins with a new entry that has its options, seed and draws")


def read_entry(entry: Any) -> Request | tuple[int, Dice]:
    """Parses a later entry; a correction becomes its throw and dice. Raises BadRequest if it is invalid."""
    match entry:
        case {"op": "correct", "throw": throw, "dice": dice, **rest} if type(throw) is int and not rest:
            return throw, Dice(dice)
    return requests.from_json(entry)


def dump(entries: Iterable[JsonObject]) -> bytes:
    return b"".join(map(requests.encode, entries))


def load(text: bytes) -> list[object]:
    """Parses the entries in JSON lines; the rest of a torn last line is dropped.

    A last line without a line feed counts only if it is complete. Raises BadLog for any other line that is
    not JSON.
    """
    *lines, tail = text.split(b"\n")
    entries = []
    for number, line in enumerate(lines, 1):
        try:
            entries.append(requests.decode(line))
        except BadRequest as error:
            raise BadLog(f"line {number}: {error}") from None
    if tail:
        try:
            entries.append(requests.decode(tail))
        except BadRequest:
            return entries
    return entries
