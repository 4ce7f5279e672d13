"""JSON from outside, in one place: whatever it holds, the answer is a plain value or ValueError.

Python's parser lets more through than databases, sockets and arithmetic can take: halves of characters,
numbers of any size, NaN, and lists within lists until the stack ends.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

HIGHEST: Final = 2**53 - 1
"""The highest whole number: the largest integer that JavaScript represents exactly."""
DEEPEST: Final = 32
"""So many objects and lists may lie in one another."""


def parsed(data: bytes | str, deepest: int = DEEPEST) -> Any:
    """The value that `data` holds. Raises ValueError with the reason if it is none that we take."""
    try:
        found = json.loads(data, parse_int=whole, parse_float=finite, parse_constant=refuse)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    check(found, deepest)
    return found


def whole(digits: str) -> int:
    """The number. Raises ValueError beyond HIGHEST."""
    if len(digits) > len(str(-HIGHEST)) or abs(int(digits)) > HIGHEST:
        raise ValueError(f"a number is beyond {HIGHEST}")
    return int(digits)


def finite(digits: str) -> float:
    """The number. Raises ValueError if no float can hold it."""
    if not math.isfinite(number := float(digits)):
        raise ValueError("a number is too large")
    return number


def refuse(constant: str) -> NoReturn:
    """Raises ValueError: JSON has no NaN and no infinity."""
    raise ValueError(f"{constant} is no number")


def check(value: Any, deepest: int) -> None:
    """Raises ValueError for lists and objects nested deeper than that, and for half a character."""
    layer, depth = [value], 0
    while layer:
        inner: list[Any] = []
        for each in layer:
            if isinstance(each, str):
                each.encode()  # UnicodeEncodeError is a ValueError
            elif isinstance(each, dict | list):
                if depth == deepest:
                    raise ValueError("is nested too deeply")
                inner += [*each.keys(), *each.values()] if isinstance(each, dict) else each
        layer, depth = inner, depth + 1
