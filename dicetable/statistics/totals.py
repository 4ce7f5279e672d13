"""The throws of a ledger: those of its rows, and the daily totals of the rows that it has pruned.

`count_pruned` writes the totals into a file beside the ledger before it deletes rows, so they reach up to the
row before its first one, or further if the deletion failed. A reader takes the days from here and the rows
after `reached` from the ledger, and so counts nothing twice. For each day and die they hold how often each
face came up. The order of the throws, and with it the pairs, is lost.
"""

import hashlib
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from common import files, texts
from common.files import durable_rename
from dicetable.ledger.reader import Reader
from dicetable.statistics.fold import OPENED, Folded, fold, fold_into
from dicetable.statistics.tapes import DayCounts
from games.dice import FACES, Kind

NAME: Final = "ledger.totals"
DAMAGED: Final = "ledger.totals-damaged"
MOST_BYTES: Final = 64 * 2**20
"""Most bytes of the file: ten years with twenty enrolled dice take up less."""
VERSION: Final = 1
"""The version, for people: nothing depends on it, since later versions only add fields."""
TALLIES: Final = ("throws", "by_hand", "hidden", "corrected", "unplaced", "misproposed", "vouched")
"""What `Folded` counts beside the dice."""
Numbered = tuple[int, str, bytes]
"""A row: its number, when it was accepted (ISO 8601, UTC), and the entry as it is stored."""


def stored_throws(folder: Path, since: str = "", day: str = "") -> tuple[Folded, tuple[str, ...]]:
    """Folds the throws of a ledger; also says what does not count and why, one sentence each.

    Neither rows accepted before `since` (ISO 8601, UTC) count nor days of the totals before `day`, such as
    2026-11-21. Raises DamageError, sqlite3.DatabaseError or BadEntry if the ledger is not what was written,
    JournalError or OSError if it is not there or cannot be read.
    """
    notes: tuple[str, ...] = ()
    with closing(Reader(folder)) as reader:
        reader.snapshot()
        try:
            gone = read(folder)
        except TotalsError as error:
            gone = Totals()
            notes = (texts.statistics.totals_damaged(str(folder / NAME), str(error)),)
        folded = gone.since(day)
        first = reader.first()
        fold(reader.bodies(gone.reached), since, folded)
    if counts := sum(sum(counted.counts) for tape in folded.tapes.kinds.values() for counted in tape.days):
        notes += (texts.statistics.rows_gone(counts),)
    if gone.first > 1:
        notes += (texts.statistics.gone_before(gone.first),)
    elif not gone.first and not notes and first > 1:
        notes += (texts.statistics.gone_before(first),)
    elif gone.first and first > gone.reached + 1:
        notes += (texts.statistics.gone_between(gone.reached + 1, first - 1),)
    if gone.unreadable:
        notes += (texts.statistics.totals_unreadable(gone.unreadable),)
    return folded, notes


class TotalsError(ValueError):
    """The file is not what was written; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class DieOfDay:
    """The throws of one die on one day; without a name, of all dice of the kind, also those with names."""

    kind: Kind
    name: str | None
    counts: DayCounts


@dataclass(slots=True)
class Day:
    """What was thrown on a day; `tallies` holds the other numbers of `Folded` that are not 0."""

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
        """Counts rows that are about to be deleted, up to the end of a match, and none twice."""
        fresh = (row for row in rows if row[0] > self.reached)
        for match in by_match(fresh):
            self.first = self.first or match[0][0]
            self.reached = match[-1][0]
            folded: dict[str, Folded] = {}
            try:
                fold_into(
                    lambda accepted, by_day=folded: by_day.setdefault(date_of(accepted), Folded()),  # type: ignore[misc]  # mypy infers no default
                    ((accepted, body) for _, accepted, body in match),
                )
            except (ValueError, TypeError):
                self.unreadable += len(match)
                continue
            for day, throws in folded.items():
                added, before = as_day(throws), self.days.get(day)
                self.days[day] = added if before is None else as_day(as_folded([before, added]))
        self.days = dict(sorted(self.days.items()))

    def since(self, day: str = "") -> Folded:
        """The throws from a day on, such as 2026-11-21, to which the rows after `reached` can be added."""
        return as_folded([throws for date, throws in self.days.items() if date >= day])


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
    return datetime.fromisoformat(at_utc).astimezone().date().isoformat()


def as_day(folded: Folded) -> Day:
    """The counts of what was thrown, without the order."""
    tapes = [(None, tape) for tape in folded.tapes.kinds.values()]
    named = [(name, tape) for name, own in sorted(folded.tapes.named.items()) for tape in own.values()]
    dice = []
    for name, tape in [*tapes, *named]:
        proposed = tuple(tape.proposed[face] for face in range(1, FACES[tape.kind] + 1))
        counts = DayCounts(tuple(map(int, tape.counts)), tuple(map(int, tape.asked)), proposed)
        dice.append(DieOfDay(tape.kind, name, counts))
    return Day(dice, {name: count for name in TALLIES if (count := getattr(folded, name))})


def as_folded(days: Iterable[Day]) -> Folded:
    folded = Folded()
    for day in days:
        for die in day.dice:
            folded.tapes.tape(die.kind, die.name).add_day(die.counts)
        for name, count in day.tallies.items():
            setattr(folded, name, getattr(folded, name) + count)
    return folded


@cache
def adapter() -> TypeAdapter[Totals]:
    return TypeAdapter(Totals)


def dump(totals: Totals) -> bytes:
    """The file's content: the SHA-256 of the JSON in its second line, and that line."""
    body = b'{"v":%d,%s' % (VERSION, adapter().dump_json(totals)[1:])
    return b"%s\n%s\n" % (hashlib.sha256(body).hexdigest().encode(), body)


def load(data: bytes) -> Totals:
    """Parses the file's content. Raises TotalsError."""
    sha256, _, body = data.rstrip(b"\n").partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != sha256:
        raise TotalsError("it is not what was written")
    try:
        return adapter().validate_json(body)
    except ValidationError as error:
        raise TotalsError("it holds no totals") from error


def read(folder: Path) -> Totals:
    """Reads the totals beside a ledger; empty if there are none. Raises TotalsError."""
    try:
        return load(files.read_file(folder / NAME, MOST_BYTES))
    except FileNotFoundError:
        return Totals()
    except OSError as error:
        raise TotalsError(f"it cannot be read ({error.strerror})") from error


def count_pruned(folder: Path, rows: Iterable[Numbered]) -> None:
    """Adds rows that are about to be deleted to the totals, durably. Raises OSError.

    A damaged file is set aside, and new totals begin.
    """
    try:
        totals = read(folder)
    except TotalsError:
        durable_rename(folder / NAME, folder / DAMAGED)
        totals = Totals()
    totals.count(rows)
    files.atomic_write(folder / NAME, dump(totals))
