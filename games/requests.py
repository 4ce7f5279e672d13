"""The requests to a running match, and the strict JSON of protocol and log.

A request is a seat's action, or the dice that lie on the table. One that exists is well formed;
`games.prompts` decides whether it is legal now. Strict JSON is UTF-8 without duplicate keys or NaN, with
integers within ±2⁵³ and of bounded size.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from games.dice import Die
from games.errors import BadRequest

LONGEST_LINE = 2**20
"""The longest line in bytes, not counting its line feed."""
GREATEST_WHOLE = 2**53
DIGITS = len(str(GREATEST_WHOLE))
ENCODER = json.JSONEncoder(separators=(",", ":"))
JsonObject = dict[str, Any]
LISTS = (list, tuple)
PAIRS = frozenset(LISTS)
set_once = object.__setattr__
ACTION_FIELDS = frozenset({"type", "amount", "count", "quantity", "face", "value"})
"""Every field that an action of any game may have."""
# The keys of each request besides `op`: required and optional ones.
KEYS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "new": (frozenset({"game", "seats"}), frozenset({"options", "seed"})),
    "act": (frozenset({"seat", "action"}), frozenset()),
    "dice": (frozenset({"dice"}), frozenset()),
    "state": (frozenset(), frozenset()),
}


def whole(text: str) -> int:
    """The integer in `text`; one that is far too long is rejected before it is converted."""
    if len(text) > DIGITS + 1 or abs(number := int(text)) > GREATEST_WHOLE:
        raise BadRequest("a whole number is beyond 2^53")
    return number


def no_constant(name: str) -> NoReturn:
    raise BadRequest(f"{name} is not JSON")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these pairs. Raises BadRequest for duplicate keys."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise BadRequest("a key is repeated")
    return made


DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_int=whole, parse_constant=no_constant)
"""Strict JSON, of the protocol and of what comes over a network. Raises BadRequest, ValueError and
RecursionError."""


def decode(line: bytes) -> object:
    """The value in a line, with or without a line feed. Raises BadRequest if it is not strict JSON."""
    if len(line.removesuffix(b"\n")) > LONGEST_LINE:
        raise BadRequest("the line is longer than 1 MiB")
    try:
        return DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadRequest("the line is not UTF-8") from None
    except RecursionError:
        raise BadRequest("the line is nested too deeply") from None
    except ValueError:
        raise BadRequest("the line is not JSON") from None


def encode(value: object) -> bytes:
    """The value as one line of ASCII, with a line feed."""
    return ENCODER.encode(value).encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True, init=False)
class Act:
    """One seat's action, for example `Act("ann", {"type": "bet", "amount": 3})`.

    Raises BadRequest unless the seat is a string and the action a dict with a string `type` and
    no field outside ACTION_FIELDS. The action is copied.
    """

    seat: str
    action: JsonObject

    def __init__(self, seat: object, action: object) -> None:
        if type(seat) is not str:
            raise BadRequest("seat must be a string")
        if not isinstance(action, dict) or type(action.get("type")) is not str:
            raise BadRequest("action must be an object with a string type")
        if not ACTION_FIELDS.issuperset(action):
            raise BadRequest("action has an unknown field")
        set_once(self, "seat", seat)
        set_once(self, "action", action.copy())

    def to_json(self) -> JsonObject:
        return {"op": "act", "seat": self.seat, "action": dict(self.action)}


@dataclass(frozen=True, slots=True, init=False)
class Dice:
    """Dice that were read, for example `Dice((("d6", 4), ("d6", 1)))`, in any order.

    Raises BadRequest unless each die is a pair of a string and an integer. Kinds and faces that no
    die has are checked against the prompt (WrongDice), not here.
    """

    dice: tuple[Die, ...]

    def __init__(self, dice: object) -> None:
        if not isinstance(dice, LISTS):
            raise BadRequest("dice must be a list of pairs")
        if not PAIRS.issuperset(map(type, dice)):
            raise BadRequest("each die must be a pair")
        try:
            pairs = tuple([(kind, face) for kind, face in dice])
        except ValueError:
            raise BadRequest("each die must be a pair") from None
        for kind, face in pairs:
            if type(kind) is not str or type(face) is not int:
                raise BadRequest("each die must be a string and a whole number")
        set_once(self, "dice", pairs)

    def to_json(self) -> JsonObject:
        return {"op": "dice", "dice": [list(die) for die in self.dice]}


Request = Act | Dice


def operation(message: object) -> tuple[str, JsonObject]:
    """The operation in a decoded message, and the message. Raises BadRequest if its keys are wrong."""
    if not isinstance(message, dict):
        raise BadRequest("a request must be an object")
    op = message.get("op")
    if type(op) is not str or op not in KEYS:
        raise BadRequest("unknown op")
    must, may = KEYS[op]
    fields = message.keys() - {"op"}
    if missing := sorted(must - fields):
        raise BadRequest(f"missing field: {missing[0]}")
    if fields - must - may:
        raise BadRequest("unknown field")
    return op, message


def check_new(game: object, seats: object, options: object, seed: object) -> None:
    """Raises BadRequest if the parts of a `new` request have wrong types."""
    if type(game) is not str:
        raise BadRequest("game must be a string")
    if not isinstance(seats, LISTS) or any(type(seat) is not str for seat in seats):
        raise BadRequest("seats must be a list of strings")
    if not isinstance(options, Mapping):
        raise BadRequest("options must be an object")
    if type(seed) is not int or abs(seed) > GREATEST_WHOLE:
        raise BadRequest("seed must be a whole number within ±2^53")


def read(op: str, message: JsonObject) -> Request:
    """The `act` or `dice` request in a message that has its keys. Raises BadRequest if it is neither."""
    if op == "act":
        return Act(message["seat"], message["action"])
    if op == "dice":
        return Dice(message["dice"])
    raise BadRequest(f"{op} is not a request to a running match")


def from_json(message: object) -> Request:
    """The `act` or `dice` request in a decoded message. Raises BadRequest if it is neither."""
    return read(*operation(message))
