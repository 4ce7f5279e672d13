"""Parses JSON that comes from outside: whatever is wrong with it is one error, ValueError."""

from __future__ import annotations

import json
from typing import Any, Final

LARGEST: Final = 2**63
"""Whole numbers up to it can be stored."""


def parsed(data: bytes | str) -> Any:
    """The value in a text of JSON.

    Raises ValueError if it is none, or has what no text, no database or no program here takes: a lone
    surrogate, a whole number of more than 64 bits, a number that is none, too many brackets in brackets.
    """
    try:
        text = data if isinstance(data, str) else data.decode()
        found = json.loads(text, parse_int=whole, parse_constant=refused)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too many brackets in brackets") from None
    return found


def whole(digits: str) -> int:
    """A whole number of at most 64 bits; ValueError."""
    number = int(digits)
    if not -LARGEST <= number < LARGEST:
        raise ValueError("a number is too large")
    return number


def refused(constant: str) -> float:
    """Raises ValueError: NaN and infinity are no JSON."""
    raise ValueError(f"{constant} is no number")
