"""Repair of a damaged ledger: the sound rows go on in a new file, the damaged files are moved aside.

A repair may be cut off at any instant, also by a power cut. The new ledger is built under another name; one
rename, to `ledger.restored`, makes it the ledger, and from then on every start finishes the rest: the damaged
files go to the folder that the note `ledger.repair` names, then the new one takes the ledger's name. The note
stays until the next row is written, so that what was lost is said also after a second power cut.

The new ledger begins a new epoch, whose first row names what is lost.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dicetable.files import atomic_write, durable_rename, read_file, sync
from dicetable.ledger import carve, database, epochs, head, players
from dicetable.ledger.entries import Cause
from dicetable.ledger.rows import DamageError, Row, columns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from dicetable.ledger.entries import LostRows

FILES: Final = (database.NAME, f"{database.NAME}-wal", f"{database.NAME}-shm", head.NAME)
BUILDING: Final = "ledger.restored.part"
RESTORED: Final = "ledger.restored"
NOTE: Final = "ledger.repair"
MOST_NOTE_BYTES: Final = 64 * 1024
ASIDE: Final = "damaged-"
KEPT_ASIDE: Final = 5
PLAYER_ID: Final = re.compile(rb"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Repair:
    """What was found and done.

    Attributes:
        why: what was wrong.
        aside: the folder where the damaged files are now.
        kept: how many rows go on.
        last_lost: how many rows of the match that was running are known to be lost.
    """

    why: str
    aside: Path
    kept: int
    last_lost: int


@dataclass(frozen=True, slots=True)
class SoundParts:
    """What was found in damaged files.

    Attributes:
        rows: the sound ones, in any order.
        pictures: by their SHA-256.
        players: names by id; None where the name was erased.
    """

    rows: list[Row]
    pictures: dict[bytes, bytes]
    players: dict[str, str | None]


def repair(folder: Path, why: str, now: datetime, most_bytes: int, upto: int | None = None) -> Repair:
    """Puts a new ledger of all that is sound in the place of the damaged one.

    Cut off before the rename to `ledger.restored`, it has changed nothing; after it, `finish` does the rest.
    Rows after number `upto` are left out: nobody was shown them. Raises OSError or sqlite3.Error.
    """
    parts = sound_parts(folder / database.NAME, most_bytes)
    rows = joined(parts.rows, head.read(folder / head.NAME), upto)
    return begin_epoch(folder, EpochChange(Cause.REPAIR, why, rows, parts, upto), now, most_bytes)


def restore(folder: Path, copy: Path, now: datetime, most_bytes: int) -> Repair:
    """Puts what is sound in a copy of the ledger in its place; a name that was erased since stays erased.

    As safe to cut off as `repair`. Raises DamageError if the copy holds no row of a ledger.
    """
    present, parts = (sound_parts(path, most_bytes) for path in (folder / database.NAME, copy))
    rows = joined(parts.rows, None)
    if not rows:
        raise DamageError(f"{copy} holds no row of a ledger")
    both = SoundParts(
        [*present.rows, *parts.rows],
        {**present.pictures, **parts.pictures},
        {**parts.players, **present.players},
    )
    return begin_epoch(folder, EpochChange(Cause.RESTORE, str(copy), rows, both), now, most_bytes)


@dataclass(frozen=True, slots=True)
class EpochChange:
    """What begins a new epoch, and with what.

    Attributes:
        cause, why: of it.
        rows: those that go on, in order.
        parts: all that was found.
        upto: the highest number of a row that counts; None if all do.
    """

    cause: Cause
    why: str
    rows: list[Row]
    parts: SoundParts
    upto: int | None = None


def begin_epoch(folder: Path, change: EpochChange, now: datetime, most_bytes: int) -> Repair:
    """Builds the new ledger, and puts it in the place of the present one."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    rows, found = change.rows, change.parts.rows
    remembered = head.read(folder / head.NAME)
    heads = [remembered] if remembered else []
    highest = max([row.number for row in found] + [each.last for each in heads], default=0)
    begun = [epoch.epoch for row in found if (epoch := epochs.of(row))]
    entry = epochs.new(
        change.cause,
        max([1, *begun, *(each.epoch for each in heads)]),
        remembered or old_head(found),
        lost(rows, remembered, highest if change.upto is None else change.upto),
    )
    last = rows[-1] if rows else None
    begins = epochs.first_row(last, highest, now.isoformat(timespec="milliseconds"), entry)
    for leftover in folder.glob(f"{BUILDING}*"):
        leftover.unlink()
    building = folder / BUILDING
    with closing(database.connect(building, most_bytes)) as restored:
        database.create(restored)
        write(restored, [*rows, begins], change.parts)
    sync(building)
    last_lost = max(remembered.last - (last.number if last else 0), 0) if remembered else 0
    aside = folder / f"{ASIDE}{next_number(folder):06}-{stamp}"
    done = Repair(change.why, aside, len(rows), last_lost)
    note = {"why": done.why, "aside": done.aside.name, "kept": done.kept, "last_lost": done.last_lost}
    atomic_write(folder / NOTE, json.dumps(note).encode())
    durable_rename(building, folder / RESTORED)
    finish(folder)
    return done


def old_head(found: Iterable[Row]) -> head.Head | None:
    """What the head would be, by the rows that were found; None if there are none."""
    last = max(found, key=lambda row: row.number, default=None)
    return head.Head(1, last.number, last.checksum) if last else None


def lost(rows: Sequence[Row], remembered: head.Head | None, last: int) -> LostRows:
    """Which rows up to number `last` are lost."""
    begin = remembered.first if remembered else rows[0].number if rows else 1
    return epochs.lost_between(rows, begin, last)


def finish(folder: Path) -> Repair | None:
    """Finishes a repair that was cut off; what it found, until `forget`. None if there was none."""
    restored = folder / RESTORED
    if restored.exists():
        aside = folder / noted(folder)["aside"]
        aside.mkdir(exist_ok=True)
        for name in FILES:
            if (folder / name).exists():
                durable_rename(folder / name, aside / name)
        durable_rename(restored, folder / database.NAME)
        for old in sorted(folder.glob(f"{ASIDE}*"), key=number_of)[:-KEPT_ASIDE]:
            shutil.rmtree(old)
    elif not (folder / NOTE).exists():
        return None
    elif not (folder / noted(folder)["aside"]).is_dir():
        forget(folder)  # cut off before anything was restored: the damage will be found again
        return None
    note = noted(folder)
    return Repair(note["why"], folder / note["aside"], note["kept"], note["last_lost"])


def forget(folder: Path) -> None:
    """Removes the note: a row was written since the repair."""
    (folder / NOTE).unlink(missing_ok=True)


def noted(folder: Path) -> dict[str, Any]:
    """What a repair wrote down before it moved anything; a note that cannot be read names a new folder."""
    try:
        return checked_note(json.loads(read_file(folder / NOTE, MOST_NOTE_BYTES)))
    except (OSError, ValueError, RecursionError):
        return {"why": "not known", "aside": f"{ASIDE}{next_number(folder):06}", "kept": 0, "last_lost": 0}


def checked_note(note: object) -> dict[str, Any]:
    """The note if it is one; ValueError."""
    match note:
        case {"why": str(why), "aside": str(aside), "kept": int(kept), "last_lost": int(lost)}:
            if aside.startswith(ASIDE) and "/" not in aside:
                return {"why": why, "aside": aside, "kept": kept, "last_lost": lost}
    raise ValueError("no note of a repair")


def next_number(folder: Path) -> int:
    """One more than the highest number of a folder that holds damaged files."""
    return max(map(number_of, folder.glob(f"{ASIDE}*")), default=0) + 1


def number_of(aside: Path) -> int:
    """The number in `damaged-NUMBER-TIME`; 0 if it has none. A clock that is wrong thus changes no order."""
    number = aside.name.removeprefix(ASIDE).partition("-")[0]
    return int(number) if len(number) == 6 and number.isdecimal() else 0


def write(restored: sqlite3.Connection, rows: Sequence[Row], parts: SoundParts) -> None:
    """Fills a new ledger in one transaction."""
    restored.execute("BEGIN IMMEDIATE")
    restored.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", map(columns, rows))
    epochs.index(restored, [(row, epoch) for row in rows if (epoch := epochs.of(row)) is not None])
    pictures = parts.pictures
    kept = [(row.number, pictures[row.evidence_sha256]) for row in rows if row.evidence_sha256 in pictures]
    restored.executemany("INSERT INTO evidence VALUES (?, ?)", kept)
    players.insert(restored, named(rows, parts.players).items())
    restored.execute("COMMIT")


def sound_parts(path: Path, most_bytes: int) -> SoundParts:
    """Every sound row, picture and player in a database and its log; a name that was erased stays erased."""
    rows: dict[bytes, Row] = {}
    pictures: dict[bytes, bytes] = {}
    known: dict[str, str | None] = {}
    for number, found in carve.carve(path, path.with_name(f"{path.name}-wal"), most_bytes):
        match found:
            case (None, int(match), bytes(at), bytes(body), bytes(sha256), bytes(previous), bytes(checksum)):
                row = Row(number, match, at.decode("ascii", "replace"), body, sha256, previous, checksum)
                if row.sound:
                    rows[checksum] = row
            case (None, bytes(jpeg)):
                pictures[hashlib.sha256(jpeg).digest()] = jpeg
            case (bytes(each), bytes() | None as stored, bytes(summed)) if PLAYER_ID.fullmatch(each):
                player = each.decode()
                name = None if stored is None else stored.decode("utf-8", "replace")
                if summed == players.checksum(player, name):
                    known[player] = None if known.get(player, name) is None else name
    return SoundParts(list(rows.values()), pictures, known)


def named(rows: Sequence[Row], known: Mapping[str, str | None]) -> dict[str, str | None]:
    """The players of a new ledger: one whose record is lost has no name, and no two have the same."""
    found: dict[str, str | None] = {}
    taken: set[str] = set()
    for player, name in known.items():
        found[player] = None if name in taken else name
        taken |= {name} if name is not None else set()
    for row in rows:
        for player in players.named_in(row.body):
            found.setdefault(player, None)
    return found


def joined(found: Iterable[Row], remembered: head.Head | None, upto: int | None = None) -> list[Row]:
    """The rows that go on, in order: each match as far as it is whole, and nothing after number `upto`.

    A number that was used twice (a row that was given up, and the one after it) goes to the row that a later
    one or the head refers to.
    """
    found = [row for row in found if remembered is None or row.number >= remembered.first]
    meant = {row.previous for row in found} | ({remembered.checksum} if remembered else set())
    by_number = {row.number: row for row in sorted(found, key=lambda row: row.checksum in meant)}
    rows: list[Row] = []
    for number in sorted(by_number):
        row = by_number[number]
        if upto is not None and number > upto:
            break
        if rows and (row.follows(rows[-1]) or (row.previous == rows[-1].checksum and epochs.of(row))):
            if row.opens or row.match == rows[-1].match:
                rows.append(row)
        elif row.opens or (row.begins and not rows):
            if rows and rows[-1].number == number - 1:
                rows.pop()  # nothing follows it: another row of its number is lost
            rows.append(row)
    return rows
