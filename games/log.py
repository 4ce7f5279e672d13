"""The records of a match, as objects and as JSON lines. Text in, text out: files are the caller's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from games import requests, strict_json
from games.errors import BadLog, BadRequest
from games.requests import Dice, JsonObject, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


InForce = tuple[tuple[int, Request], ...]
"""Requests that count, each with the revision that it led to, oldest first."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How a match began: the `new` request, its seed and each draw that the seed gave."""

    game: str
    seats: tuple[str, ...]
    options: dict[str, Any]
    seed: int
    draws: tuple[int, ...]

    def to_json(self) -> JsonObject:
        """The first record of a log."""
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
    """The dice that were really thrown by the request that led to revision `throw`.

    `in_force` are the requests that count from here on; it is worked out, not recorded.
    """

    throw: int
    dice: Dice
    in_force: InForce

    def to_json(self) -> JsonObject:
        """The record of a correction."""
        return {"op": "correct", "throw": self.throw, "dice": self.dice.to_json()["dice"]}


Record = Request | Correction


def requests_in_force(records: Sequence[Record]) -> InForce:
    """The requests that count after these records of one match, which follow its opening."""
    in_force: list[tuple[int, Request]] = []
    for revision, record in enumerate(records, 1):
        if isinstance(record, Correction):
            in_force = list(record.in_force)
        else:
            in_force.append((revision, record))
    return tuple(in_force)


def read_opening(record: Any) -> Opening:
    """The opening in a log's first record; BadRequest if it is none."""
    match record:
        case {"op": "new", "options": options, "seed": seed, "draws": list(draws), **rest}:
            _, new = requests.operation({"op": "new", **rest})
            requests.check_new(new["game"], new["seats"], options, seed)
            if all(type(draw) is int for draw in draws):
                return Opening(new["game"], tuple(new["seats"]), dict(options), seed, tuple(draws))
    raise BadRequest("a log begins with a new record that has its options, seed and draws")


def read_record(record: Any) -> Request | tuple[int, Dice]:
    """A later record of a log, a correction as its throw and dice; BadRequest if it is none."""
    match record:
        case {"op": "correct", "throw": throw, "dice": dice, **rest} if type(throw) is int and not rest:
            return throw, Dice(dice)
    return requests.from_json(record)


def dump(records: Iterable[JsonObject]) -> bytes:
    """The records as JSON lines."""
    return b"".join(map(strict_json.encode, records))


def load(text: bytes) -> list[object]:
    """The records in JSON lines; what a torn write left of a last line is dropped.

    A last line without its line feed counts only if it is whole. Raises BadLog at any other line that is
    not JSON.
    """
    *lines, tail = text.split(b"\n")
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(strict_json.decode(line))
        except BadRequest as error:
            raise BadLog(f"line {number}: {error}") from None
    if tail:
        try:
            records.append(strict_json.decode(tail))
        except BadRequest:
            return records
    return records
