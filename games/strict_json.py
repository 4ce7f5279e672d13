"""JSON as protocol and log take it: UTF-8, no key twice, no NaN, whole numbers within ±2⁵³, bounded size."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from games.errors import BadRequest

LONGEST_LINE = 2**20
"""Bytes in a line, its line feed not counted."""

GREATEST_WHOLE = 2**53
DIGITS = len(str(GREATEST_WHOLE))


def whole(text: str) -> int:
    """The whole number in `text`; refused before it is converted if it is far too long."""
    if len(text) > DIGITS + 1 or abs(number := int(text)) > GREATEST_WHOLE:
        raise BadRequest("a whole number is beyond 2^53")
    return number


def no_constant(name: str) -> NoReturn:
    """NaN, Infinity and -Infinity are not JSON."""
    raise BadRequest(f"{name} is not JSON")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; no key may come twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise BadRequest("a key is repeated")
    return made


ENCODER = json.JSONEncoder(separators=(",", ":"))
DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_int=whole, parse_constant=no_constant)


def decode(line: bytes) -> object:
    """The value in a line, with or without its line feed; BadRequest if it is not strict JSON."""
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
    """The value as one line of ASCII, line feed included."""
    return ENCODER.encode(value).encode("ascii") + b"\n"
