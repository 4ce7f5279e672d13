"""JSON for protocol and log: UTF-8, no duplicate keys, no NaN, integers within ±2⁵³, bounded size."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from games.errors import BadRequest

LONGEST_LINE = 2**20
"""The longest line in bytes, not counting its line feed."""

GREATEST_WHOLE = 2**53
DIGITS = len(str(GREATEST_WHOLE))


def whole(text: str) -> int:
    """The integer in `text`; one that is far too long is rejected before it is converted."""
    if len(text) > DIGITS + 1 or abs(number := int(text)) > GREATEST_WHOLE:
        raise BadRequest("a whole number is beyond 2^53")
    return number


def no_constant(name: str) -> NoReturn:
    """Rejects NaN, Infinity and -Infinity."""
    raise BadRequest(f"{name} is not JSON")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these pairs. Raises BadRequest for duplicate keys."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise BadRequest("a key is repeated")
    return made


ENCODER = json.JSONEncoder(separators=(",", ":"))
DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_int=whole, parse_constant=no_constant)


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
