"""Daily totals of the throws whose rows the ledger has pruned, in a file beside it.

The ledger writes them before it deletes rows, so they reach up to the row before its first one, or further if
the deletion failed. A reader takes the days from here and the rows after `reached` from the ledger, and so
counts nothing twice. For each day and die they hold how often each face came up. The order of the throws, and
with it the pairs, is lost.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dicetable.files import atomic_write, durable_rename, read_file
from dicetable.statistics.fold import OPENED, Folded, fold_into
from dicetable.statistics.tapes import DayCounts
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dicetable.statistics.tapes import Tape
    from games.dice import Kind

NAME: Final = "ledger.totals"
DAMAGED: Final = "ledger.totals-damaged"
MOST_BYTES: Final = 64 * 2**20
"""More than the days of ten years with twenty enrolled dice take up."""
VERSION: Final = 1
TALLIES: Final = ("throws", "by_hand", "hidden", "corrected", "unplaced", "misproposed", "vouched")
"""What `Folded` counts beside the dice."""

Numbered = tuple[int, str, bytes]
"""A row: its number, when it was accepted (ISO 8601, UTC), and the entry as it is stored."""


class TotalsError(ValueError):
    """The file is not what was written; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class DieOfDay:
    """The throws of one die on one day.

    Attributes:
        kind: of it.
        name: None for all dice of the kind, also those with names.
        counts: by face.
    """

    kind: Kind
    name: str | None
    counts: DayCounts


@dataclass(slots=True)
class Day:
    """What was thrown on a day; `tallies` holds the other numbers of `Folded`, without those that are 0."""

    dice: list[DieOfDay] = field(default_factory=list)
    tallies: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Totals:
    """The throws of rows that were pruned.

    Attributes:
        first: the first row that was counted; 0 if none was. Earlier rows had been pruned before.
        reached: the last row that was counted.
        unreadable: rows in between that were not counted, since the program could not read their match.
        days: by local date, such as 2026-11-21; oldest first.
    """

    first: int = 0
    reached: int = 0
    unreadable: int = 0
    days: dict[str, Day] = field(default_factory=dict)

    def count(self, rows: Iterable[Numbered]) -> None:
        """Counts rows that are going, up to the end of a match; those that count already are left out."""
        fresh = (row for row in rows if row[0] > self.reached)
        for match in by_match(fresh):
            self.first = self.first or match[0][0]
            self.reached = match[-1][0]
            folded: dict[str, Folded] = {}
            try:
                fold_into(
                    lambda at, found=folded: found.setdefault(date_of(at), Folded()),  # type: ignore[misc]
                    ((at, body) for _, at, body in match),
                )
            except (ValueError, TypeError):
                self.unreadable += len(match)
                continue
            for day, found in folded.items():
                added, before = as_day(found), self.days.get(day)
                self.days[day] = added if before is None else as_day(as_folded([before, added]))
        self.days = dict(sorted(self.days.items()))

    def since(self, day: str = "") -> Folded:
        """The throws from a day on, such as 2026-11-21, for the rows after `reached` to be added to."""
        return as_folded([found for date, found in self.days.items() if date >= day])


def by_match(rows: Iterable[Numbered]) -> Iterable[list[Numbered]]:
    """The rows of each match; those before the first opening by themselves."""
    number = 0

    def match_of(row: Numbered) -> int:
        nonlocal number
        number += row[2].endswith(OPENED)
        return number

    return (list(group) for _, group in groupby(rows, match_of))


@lru_cache(1024)
def date_of(at_utc: str) -> str:
    """Which day it was here."""
    return datetime.fromisoformat(at_utc).astimezone().date().isoformat()


def as_day(folded: Folded) -> Day:
    """The counts of what was thrown, without the order."""
    tapes = [(None, tape) for tape in folded.tapes.kinds.values()]
    named = [(name, tape) for name, own in sorted(folded.tapes.named.items()) for tape in own.values()]
    dice = [DieOfDay(tape.kind, name, day_counts(tape)) for name, tape in [*tapes, *named]]
    return Day(dice, {name: count for name in TALLIES if (count := getattr(folded, name))})


def day_counts(tape: Tape) -> DayCounts:
    """All throws of a tape."""
    faces = range(1, FACES[tape.kind] + 1)
    return DayCounts(
        tuple(map(int, tape.counts)),
        tuple(map(int, tape.asked)),
        tuple(tape.proposed[face] for face in faces),
    )


def as_folded(days: Iterable[Day]) -> Folded:
    """The throws of some days, oldest first."""
    folded = Folded()
    for day in days:
        for die in day.dice:
            folded.tapes.tape(die.kind, die.name).add_day(die.counts)
        for name, count in day.tallies.items():
            setattr(folded, name, getattr(folded, name) + count)
    return folded


def dump(totals: Totals) -> bytes:
    """The file: the SHA-256 of the JSON in its second line, and that line."""
    found = {
        "v": VERSION,
        "first": totals.first,
        "reached": totals.reached,
        "unreadable": totals.unreadable,
        "days": {date: to_json(day) for date, day in totals.days.items()},
    }
    body = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%s\n%s\n" % (hashlib.sha256(body).hexdigest().encode(), body)


def to_json(day: Day) -> dict[str, Any]:
    """A day as the file has it; built by hand, since `asdict` takes many times as long."""
    dice = [
        {
            "kind": die.kind,
            "name": die.name,
            "counts": {
                "counts": die.counts.counts,
                "asked": die.counts.asked,
                "proposed": die.counts.proposed,
            },
        }
        for die in day.dice
    ]
    return {"dice": dice, "tallies": day.tallies}


def load(data: bytes) -> Totals:
    """The totals in a file. Raises TotalsError."""
    sha256, _, body = data.rstrip(b"\n").partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != sha256:
        raise TotalsError("it is not what was written")
    try:
        found = json.loads(body)
        if found["v"] != VERSION:
            raise TotalsError(f"it has version {found['v']}, this program knows {VERSION}")
        days = {date: as_written(day) for date, day in found["days"].items()}
        return Totals(found["first"], found["reached"], found["unreadable"], days)
    except TotalsError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TotalsError("it holds no totals") from error


def as_written(day: Mapping[str, Any]) -> Day:
    """A day out of the file, which is known to be what was written."""
    dice = [
        DieOfDay(die["kind"], die["name"], DayCounts(*(tuple(counts) for counts in die["counts"].values())))
        for die in day["dice"]
    ]
    return Day(dice, dict(day["tallies"]))


def read(folder: Path) -> Totals:
    """The totals beside a ledger; empty if there are none. Raises TotalsError."""
    try:
        return load(read_file(folder / NAME, MOST_BYTES))
    except FileNotFoundError:
        return Totals()
    except OSError as error:
        raise TotalsError(f"it cannot be read ({error.strerror})") from error


def note_pruning(folder: Path, rows: Iterable[Numbered]) -> None:
    """Writes down, before rows go, what was thrown in them. Raises OSError.

    A file that is damaged is set aside, and new totals begin.
    """
    try:
        totals = read(folder)
    except TotalsError:
        durable_rename(folder / NAME, folder / DAMAGED)
        totals = Totals()
    totals.count(rows)
    atomic_write(folder / NAME, dump(totals))
