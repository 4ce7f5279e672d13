"""JSON from outside, by the decoder of the rules' protocol.

Databases, sockets and arithmetic take less than that decoder lets through: no lone surrogates, no infinite
numbers, and no lists within lists until the stack ends.
"""

from __future__ import annotations

import math
from typing import Any, Final

from games.errors import BadRequest
from games.requests import DECODER

MAX_DEPTH: Final = 32
"""How deeply objects and lists may be nested."""


def parse_json(data: bytes | str, deepest: int = MAX_DEPTH) -> Any:
    """Parses strictly. Raises ValueError with the reason for anything that isn't a plain value."""
    try:
        value = DECODER.decode(data if isinstance(data, str) else str(data, "utf-8"))
    except BadRequest as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    check_plain(value, deepest)
    return value


def check_plain(value: Any, deepest: int = MAX_DEPTH) -> None:
    """Raises ValueError for a lone surrogate, an infinite number, or nesting deeper than `deepest`."""
    layer, depth = [value], 0
    while layer:
        inner: list[Any] = []
        for part in layer:
            if isinstance(part, str):
                part.encode()  # UnicodeEncodeError is a ValueError
            elif isinstance(part, float):
                if not math.isfinite(part):
                    raise ValueError("a number is too large")
            elif isinstance(part, dict | list):
                if depth == deepest:
                    raise ValueError("is nested too deeply")
                inner += [*part.keys(), *part.values()] if isinstance(part, dict) else part
        layer, depth = inner, depth + 1
