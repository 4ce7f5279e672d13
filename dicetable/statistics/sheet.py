"""Throws from a table of comma-separated values, for dice that no table has seen.

The first line names the columns: `kind` and `value` of each die, and, where wanted, `die` (its name),
`throw` (dice of successive lines with the same entry were thrown together) and `asked` (1 where the value is
doubtful).
"""

from __future__ import annotations

import csv
from itertools import groupby
from typing import TYPE_CHECKING, Final

from dicetable.statistics.tapes import ALONE, ASKED, Tapes
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.dice import Kind

NEEDED: Final = ("kind", "value")
OPTIONAL: Final = ("die", "throw", "asked")
DOUBTFUL: Final = {"": False, "0": False, "1": True}
LONGEST_NAME: Final = 64


class SheetError(ValueError):
    """What is wrong with a table of throws, and in which line."""


def read(lines: Iterable[str]) -> Tapes:
    """The throws in the lines of a file, separated by commas or, as some programs write them, by semicolons.

    Raises:
        SheetError: the first line that is none of a table of throws.
    """
    text = list(lines)
    mark = ";" if text and ";" in text[0] else ","
    try:
        rows = [(number, row) for number, row in enumerate(csv.reader(text, delimiter=mark), 1) if any(row)]
    except csv.Error as error:
        raise SheetError(f"it is no table of comma-separated values: {error}") from None
    columns = header(rows[0][1] if rows else [])
    tapes = Tapes()
    known: dict[str, Kind] = {}
    dice = [(number, *die(number, columns, row, known)) for number, row in rows[1:]]
    for _, together in groupby(dice, key=lambda each: each[-1] or each[0]):
        thrown = list(together)
        kinds = [kind for _, kind, *_ in thrown]
        for _, kind, face, asked, name, _ in thrown:
            marks = (ALONE if kinds.count(kind) == 1 else 0) | (ASKED if asked else 0)
            tapes.add(kind, face, marks, name or None)
    return tapes


def header(row: list[str]) -> dict[str, int]:
    """Where each column is."""
    names = [name.strip().lower() for name in row]
    unknown = [name for name in names if name not in (*NEEDED, *OPTIONAL)]
    if unknown or not set(NEEDED) <= set(names) or len(set(names)) < len(names):
        raise SheetError(
            "line 1 must name the columns: kind,value and, if wanted, die, throw and asked"
            f"{f'; there is no column {unknown[0]!r}' if unknown else ''}"
        )
    return {name: place for place, name in enumerate(names)}


def die(
    number: int, columns: dict[str, int], row: list[str], known: dict[str, Kind]
) -> tuple[Kind, int, bool, str, str]:
    """The die of a line: its kind, face, whether it is doubtful, its name and its throw.

    `known` are the kinds of the names so far.
    """
    if len(row) != len(columns):
        raise SheetError(f"line {number} has {len(row)} values for {len(columns)} columns")
    value = {name: row[place].strip() for name, place in columns.items()}
    kind = next((each for each in FACES if each == value["kind"].lower()), None)
    if kind is None:
        raise SheetError(f"line {number}: {value['kind']!r} is no kind of die: {', '.join(FACES)} are")
    text = value["value"]
    face = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if not 1 <= face <= FACES[kind]:
        zero = ": write the face marked 0 as 10" if (kind, text) == ("d10", "0") else ""
        raise SheetError(f"line {number}: a {kind} shows 1 to {FACES[kind]}, not {text!r}{zero}")
    name = value.get("die", "")
    if len(name) > LONGEST_NAME or name in FACES:
        raise SheetError(f"line {number}: {name[:LONGEST_NAME]!r} cannot be the name of a die")
    if name and known.setdefault(name, kind) != kind:
        raise SheetError(
            f"line {number}: {name!r} is a {kind} here and a {known[name]} above: a die has one kind"
        )
    asked = value.get("asked", "")
    if asked not in DOUBTFUL:
        raise SheetError(f"line {number}: asked is 1, 0 or empty, not {asked!r}")
    return kind, face, DOUBTFUL[asked], name, value.get("throw", "")
