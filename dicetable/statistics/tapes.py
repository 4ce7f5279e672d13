"""The throws of every die: two bytes a throw, oldest first; for pruned throws only the counts of each day.

`read_sheet` takes them from a table of comma-separated values, for dice that no table has seen. Its first
line names the columns: `kind` and `value` of each die, and, where wanted, `die` (its name), `throw` (dice of
successive lines with the same entry were thrown together) and `asked` (1 where the value is doubtful).
"""

import csv
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dicetable.table.bias import Counts, Faces
from games.dice import FACES, VALUES, Kind, place_of

ASKED: Final = 1
"""Mark of a die that a person answered for (its value, or that it was fairly thrown), or that a photograph
shows in doubt."""
ALONE: Final = 2
"""Mark of a die that was the only one of its kind in its throw, so that it is identifiable."""
NEEDED: Final = ("kind", "value")
OPTIONAL: Final = ("die", "throw", "asked")
DOUBTFUL: Final = {"": False, "0": False, "1": True}
LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The throws of one die on a day whose rows were pruned: how often each face came up, from 1 on.

    `asked` are those of `counts` that a person answered for; `proposed` are values that the table proposed.
    """

    counts: tuple[int, ...]
    asked: tuple[int, ...]
    proposed: tuple[int, ...]


class Tape:
    """The throws of one die, or of all dice of one kind: the face and the marks of each throw.

    A face is its place among those of the kind, from 1: that is what it shows, but on a percentile die.
    `proposed` counts the values that the table proposed when it was not sure. `days` are the earlier days for
    which only counts are known, oldest first.
    """

    __slots__ = ("days", "kind", "marks", "proposed", "rolled")

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.days: list[DayCounts] = []
        self.rolled = array("B")
        self.marks = array("B")
        self.proposed = Counter[int]()

    def __len__(self) -> int:
        return len(self.rolled) + sum(sum(day.counts) for day in self.days)

    def add_day(self, day: DayCounts) -> None:
        """Adds the counts of a day, before the first throw that is known by itself."""
        self.days.append(day)
        self.proposed.update(dict(enumerate(day.proposed, 1)))

    @property
    def faces(self) -> Faces:
        """Faces 1 … k in the order of the throws, without those of `days`; uint8."""
        return np.frombuffer(self.rolled, np.uint8)

    def marked(self, mark: int) -> NDArray[np.bool_]:
        """Whether each of `faces` has the mark."""
        return np.asarray(np.frombuffer(self.marks, np.uint8) & mark, np.bool_)

    @property
    def day_ends(self) -> Counts:
        """The counts at the beginning and after each of `days`; int64, shape (days + 1, k)."""
        counts = [(0,) * FACES[self.kind], *(day.counts for day in self.days)]
        return np.cumsum(np.array(counts, np.int64), axis=0)

    @property
    def counts(self) -> Counts:
        """How often each face came up, with those that were asked for; int64, shape (k,)."""
        return np.asarray(self.day_ends[-1] + self.count(self.faces))

    @property
    def asked(self) -> Counts:
        """How often each face came up among those that were asked for; int64, shape (k,)."""
        before = np.array([(0,) * FACES[self.kind], *(day.asked for day in self.days)], np.int64)
        return np.asarray(before.sum(axis=0) + self.count(self.faces[self.marked(ASKED)]))

    def count(self, faces: Faces) -> Counts:
        return np.bincount(faces, minlength=FACES[self.kind] + 1)[1:]


class Tapes:
    """The tapes of all dice: one for each kind, and one for each die that has a name.

    A kind's tape holds every throw of that kind, also those of its dice with names.
    """

    def __init__(self) -> None:
        self.kinds: dict[Kind, Tape] = {}
        self.named: dict[str, dict[Kind, Tape]] = {}

    def tape(self, kind: Kind, name: str | None = None) -> Tape:
        """The tape of a kind, or of the die of that name as far as it was taken for one of this kind."""
        tapes = self.kinds if name is None else self.named.setdefault(name, {})
        if kind not in tapes:
            tapes[kind] = Tape(kind)
        return tapes[kind]

    def add(self, kind: Kind, face: int, marks: int, name: str | None = None) -> None:
        tape = self.kinds.get(kind)
        if tape is None:
            tape = self.tape(kind)
        place = place_of((kind, face))
        tape.rolled.append(place)
        tape.marks.append(marks)
        if name is not None:
            own = self.tape(kind, name)
            own.rolled.append(place)
            own.marks.append(marks | ALONE)

    def extend(self, dice: Iterable[tuple[Kind, bytes, bytes]]) -> None:
        """Adds thrown dice without names: of each kind the places of its faces, and their marks."""
        kinds = self.kinds
        for kind, faces, marks in dice:
            if kind not in kinds:
                kinds[kind] = Tape(kind)
            tape = kinds[kind]
            tape.rolled.frombytes(faces)
            tape.marks.frombytes(marks)

    def propose(self, kind: Kind, face: int, name: str | None = None) -> None:
        """Counts the value that the table proposed for the die that was added last."""
        place = place_of((kind, face))
        self.kinds[kind].proposed[place] += 1
        if name is not None:
            self.named[name][kind].proposed[place] += 1

    def __len__(self) -> int:
        return sum(map(len, self.kinds.values()))

    def all(self) -> dict[str, Tape]:
        """Every tape by the name of its kind or die; kinds first, d4 before d6.

        A die with throws of two kinds was taken for another die at times: the kind that it has most often is
        the die, see `strays`.
        """
        kinds: dict[str, Tape] = {kind: self.kinds[kind] for kind in FACES if kind in self.kinds}
        dice = {name: max(own.values(), key=len) for name, own in sorted(self.named.items())}
        return kinds | {name: tape for name, tape in dice.items() if name not in kinds}

    def alone(self) -> frozenset[str]:
        """The kinds whose throws are all of one named die: a report would show the same numbers twice."""
        dice = [max(own.values(), key=len) for own in self.named.values()]
        return frozenset(die.kind for die in dice if len(die) == len(self.kinds[die.kind]))

    def strays(self) -> Mapping[str, Mapping[Kind, int]]:
        """The throws of each name of another kind than most, by kind; names without any are left out."""
        strays: dict[str, Counter[Kind]] = {}
        for name, own in self.named.items():
            most = max(own.values(), key=len)
            others = {kind: len(tape) for kind, tape in own.items() if tape is not most}
            if others:
                strays[name] = Counter(others)
        return strays


class SheetError(ValueError):
    """A table of throws is wrong; the text says in which line, and how."""


def read_sheet(lines: Iterable[str]) -> Tapes:
    """Reads lines with commas or semicolons. Raises SheetError at the first wrong line."""
    text = list(lines)
    mark = ";" if text and ";" in text[0] else ","
    try:
        rows = [(number, row) for number, row in enumerate(csv.reader(text, delimiter=mark), 1) if any(row)]
    except csv.Error as error:
        raise SheetError(f"it is no table of comma-separated values: {error}") from None
    columns = header(rows[0][1] if rows else [])
    tapes = Tapes()
    kinds_of_names: dict[str, Kind] = {}
    dice = [(number, *die_of_line(number, columns, row, kinds_of_names)) for number, row in rows[1:]]
    for _, together in groupby(dice, key=lambda die: die[-1] or die[0]):
        thrown = list(together)
        kinds = [kind for _, kind, *_ in thrown]
        for _, kind, face, doubtful, name, _ in thrown:
            marks = (ALONE if kinds.count(kind) == 1 else 0) | (ASKED if doubtful else 0)
            tapes.add(kind, face, marks, name or None)
    return tapes


def header(row: list[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in row]
    unknown = [name for name in names if name not in (*NEEDED, *OPTIONAL)]
    if unknown or not set(NEEDED) <= set(names) or len(set(names)) < len(names):
        raise SheetError(
            "line 1 must name the columns: kind,value and, if wanted, die, throw and asked"
            f"{f'; there is no column {unknown[0]!r}' if unknown else ''}"
        )
    return {name: place for place, name in enumerate(names)}


def die_of_line(
    number: int, columns: dict[str, int], row: list[str], kinds_of_names: dict[str, Kind]
) -> tuple[Kind, int, bool, str, str]:
    """The die of a line: its kind, face, whether it is doubtful, its name and its throw.

    `kinds_of_names` are the kinds of the names so far.
    """
    if len(row) != len(columns):
        raise SheetError(f"line {number} has {len(row)} values for {len(columns)} columns")
    value = {name: row[place].strip() for name, place in columns.items()}
    kind = next((name_of_kind for name_of_kind in FACES if name_of_kind == value["kind"].lower()), None)
    if kind is None:
        raise SheetError(f"line {number}: {value['kind']!r} is no kind of die: {', '.join(FACES)} are")
    text = value["value"]
    face = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else -1
    if face not in VALUES[kind]:
        zero = ": write the face marked 0 as 10" if (kind, text) == ("d10", "0") else ""
        shows = "0, 10 … 90" if kind == "d100" else f"1 to {FACES[kind]}"
        raise SheetError(f"line {number}: a {kind} shows {shows}, not {text!r}{zero}")
    name = value.get("die", "")
    if len(name) > LONGEST_NAME or name in FACES:
        raise SheetError(f"line {number}: {name[:LONGEST_NAME]!r} cannot be the name of a die")
    if name and kinds_of_names.setdefault(name, kind) != kind:
        raise SheetError(
            f"line {number}: {name!r} is a {kind} here and a {kinds_of_names[name]} above: a die has one kind"
        )
    mark = value.get("asked", "")
    if mark not in DOUBTFUL:
        raise SheetError(f"line {number}: asked is 1, 0 or empty, not {mark!r}")
    return kind, face, DOUBTFUL[mark], name, value.get("throw", "")
