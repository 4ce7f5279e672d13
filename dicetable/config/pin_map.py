"""The pin or link number of each control and lamp, and the rules for such a map.

Controls and lamps are named as in hardware/ports.py. `seat1.ok = "gpio:17"` may be written with or without
quotes around the name: both mean the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from hardware.ports import CONTROLS, LAMPS, SEATS

KEYS = ("minus", "plus", "ok")
HEADER_PINS = range(2, 28)
"""The pins of the Raspberry Pi's header that may be used."""
RESERVED_PINS = {0: "the identification of add-on boards", 1: "the identification of add-on boards"}
LINK_NUMBERS = {"controls": len(CONTROLS), "lamps": len(LAMPS)}
FIRST_FREE = {"gpio": "gpio:17", "link": "link:3"}

PinMistake = tuple[str, str, str]
"""The place within the section, what is wrong, and a correct example."""


def flat(value: Any) -> Any:
    """Names with dots, whether TOML parsed them as nested tables or not."""
    if not isinstance(value, Mapping):
        return value
    spelled: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            spelled |= {f"{name}.{key}": deep for key, deep in inner.items()}
        else:
            spelled[str(name)] = inner
    return spelled


def numbers(written: Mapping[str, str]) -> dict[str, int]:
    """The numbers in values such as `gpio:17` or `link:3`, for a map without faults."""
    return {name: int(value.partition(":")[2]) for name, value in written.items()}


def faults(kind: str, controls: Mapping[str, Any], lamps: Mapping[str, Any]) -> list[PinMistake]:
    """All faults of a panel's two maps; kind is `gpio` or `link`."""
    maps = {"controls": controls, "lamps": lamps}
    found = [fault for what, written in maps.items() for fault in wrong_entries(kind, what, written)]
    return found + taken_twice(kind, maps) + incomplete(kind, maps)


def free(kind: str, what: str, maps: Mapping[str, Mapping[str, Any]]) -> str:
    """A number that is still free, as an example."""
    places = maps.values() if kind == "gpio" else [maps[what]]
    taken = {str(value) for written in places for value in written.values()}
    numbers = HEADER_PINS if kind == "gpio" else range(LINK_NUMBERS[what])
    left = [f"{kind}:{number}" for number in numbers if f"{kind}:{number}" not in taken]
    return left[0] if left else "none is left: fewer seats"


def wrong_entries(kind: str, what: str, written: Mapping[str, Any]) -> list[PinMistake]:
    """Unknown names, and values that are not valid numbers."""
    names = CONTROLS if what == "controls" else LAMPS
    found: list[PinMistake] = []
    for name, value in written.items():
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            singular = "control" if what == "controls" else "lamp"
            why = f"there is no {singular} of this name"
            found.append((f"{what}.{name}", why, f'{near[0] if near else names[0]} = "{FIRST_FREE[kind]}"'))
        elif reason := bad_number(kind, what, value):
            found.append((f"{what}.{name}", reason, f'{name} = "{FIRST_FREE[kind]}"'))
    return found


def bad_number(kind: str, what: str, value: Any) -> str | None:
    """What is wrong with a pin or link number; None if it is valid."""
    match = re.fullmatch(r"(gpio|link):([0-9]{1,3})", value) if isinstance(value, str) else None
    if match is None:
        return f"{value!r} is no {'pin' if kind == 'gpio' else 'number on the link'}"[:120]
    if match[1] != kind:
        return f"{value}: this driver has no {match[1]} numbers"
    number = int(match[2])
    if kind == "gpio" and number in RESERVED_PINS:
        return f"{value} is reserved for {RESERVED_PINS[number]}"
    if kind == "gpio" and number not in HEADER_PINS:
        return f"{value}: the header has gpio:{HEADER_PINS[0]} to gpio:{HEADER_PINS[-1]}"
    if kind == "link" and number >= LINK_NUMBERS[what]:
        return f"{value}: the board has {what} link:0 to link:{LINK_NUMBERS[what] - 1}"
    return None


def taken_twice(kind: str, maps: Mapping[str, Mapping[str, Any]]) -> list[PinMistake]:
    """Numbers that are used twice; controls and lamps share the pins, but not the link's numbers."""
    found: list[PinMistake] = []
    taken: dict[tuple[str, str], str] = {}
    for what, written in maps.items():
        unused = free(kind, what, maps)
        for name, value in written.items():
            place = ("" if kind == "gpio" else what, str(value))
            if place in taken:
                why = f"{value} is taken by {taken[place]} already"
                found.append((f"{what}.{name}", why, f'{name} = "{unused}"'))
            else:
                taken[place] = f"{what}.{name}"
    return found


def incomplete(kind: str, maps: Mapping[str, Mapping[str, Any]]) -> list[PinMistake]:
    """Seats that lack a button, and a table without its menu."""
    controls, number = maps["controls"], free(kind, "controls", maps)
    found: list[PinMistake] = []
    for seat in range(1, SEATS + 1):
        has = [key for key in KEYS if f"seat{seat}.{key}" in controls]
        if has and len(has) < len(KEYS):
            missing = next(key for key in KEYS if key not in has)
            name = f"seat{seat}.{missing}"
            why = "is missing: a seat has minus, plus and ok"
            found.append((f"controls.{name}", why, f'{name} = "{number}"'))
    if not any(name.startswith("seat") for name in controls):
        found.append(("controls", "no seat has controls", "seat1.minus, seat1.plus and seat1.ok"))
    if "table.menu" not in controls:
        why = "is missing: without it no game can be begun"
        found.append(("controls.table.menu", why, f'table.menu = "{number}"'))
    return found
