"""Repair of a damaged ledger: the sound rows go on in a new file, the damaged files are moved aside.

A repair may be cut off at any instant, also by a power cut. The new ledger is built under another name; one
rename, to `ledger.restored`, makes it the ledger, and from then on every start finishes the rest: the damaged
files go to the folder that the note `ledger.repair` names, the head in the note takes its place, then the new
one takes the ledger's name. The note stays until the next row is written, so that a second power cut does not
hide the loss.

The new ledger begins a new epoch, whose first row names what is lost.

`carve` finds the rows in the raw pages of the damaged database and its write-ahead log, whatever SQLite makes
of them: its own `.recover` finds fewer rows, and Debian 12's does not work, see
docs/research/ledger-recovery.md. It follows only pointers that it can check, and a row counts only
if its checksum fits. Formats: https://sqlite.org/fileformat2.html, sections 1.6 (pages), 2.1 (records) and
4.1 (log).
"""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from common import files
from common.files import durable_rename, sync
from common.statements import Row
from common.strict_json import parse_json
from dicetable.ledger import database, players
from dicetable.ledger.database import LONGEST_VALUE_BYTES, PAGE_BYTES, DamageError
from dicetable.ledger.entries import Cause, Epoch, OldHead, dump
from dicetable.ledger.stored_rows import (
    HEAD_NAME,
    Head,
    chained,
    columns,
    epoch_in,
    index_epochs,
    lost_between,
    packed_head,
    sound_head,
    unpacked_head,
)

FILES: Final = (database.NAME, f"{database.NAME}-wal", f"{database.NAME}-shm", HEAD_NAME)
BUILDING: Final = "ledger.restored.part"
RESTORED: Final = "ledger.restored"
NOTE: Final = "ledger.repair"
MOST_NOTE_BYTES: Final = 64 * 1024
ASIDE: Final = "damaged-"
ASIDE_NAME = re.compile(rf"{ASIDE}[0-9]{{6}}(-[0-9]{{8}}T[0-9]{{6}}Z)?")
KEPT_ASIDE: Final = 5
LEFT_OUT: Final = 1_000_000
"""How many numbers an epoch leaves out if no head says how many rows were written. With fewer, a lost row's
number might be used twice, which a league takes for a fork; with more, people can't read the numbers out."""
PLAYER_ID: Final = re.compile(rb"[0-9a-f]{16}")
TABLE_LEAF: Final = 0x0D
LOG_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24
MOST_COLUMNS: Final = 16
WHOLE_BYTES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
Value = int | bytes | None


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair found and did: the damage, the folder of the damaged files, how many rows go on.

    `last_lost` is how many rows are lost at the end; None if no head tells.
    """

    why: str
    aside: Path
    kept: int
    last_lost: int | None


@dataclass(frozen=True, slots=True)
class SoundParts:
    """The sound contents of damaged files: rows in any order, pictures by their SHA-256, names by player id.

    A name that was erased is None.
    """

    rows: list[Row]
    pictures: dict[bytes, bytes]
    players: dict[str, str | None]


def repair(folder: Path, why: str, now: datetime, most_bytes: int, upto: int | None = None) -> Repair:
    """Puts a new ledger of all that is sound in the place of the damaged one.

    Cut off before the rename to `ledger.restored`, it has changed nothing; after it, `finish` does the rest.
    Rows after number `upto` are left out: no player has seen them. Raises OSError or sqlite3.Error.
    """
    parts = sound_parts(folder / database.NAME, most_bytes)
    rows = joined(parts.rows, sound_head(folder / HEAD_NAME), upto)
    return begin_epoch(folder, Cause.REPAIR, why, rows, parts, now, most_bytes, upto)


def restore_copy(folder: Path, copy: Path, now: datetime, most_bytes: int) -> Repair:
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
    return begin_epoch(folder, Cause.RESTORE, str(copy), rows, both, now, most_bytes)


def begin_epoch(
    folder: Path,
    cause: Cause,
    why: str,
    rows: list[Row],
    parts: SoundParts,
    now: datetime,
    most_bytes: int,
    upto: int | None = None,
) -> Repair:
    """Builds a new ledger of these rows, and puts it in the place of the present one.

    `parts` is all that was found; numbers above `upto` do not count as lost.
    """
    remembered = sound_head(folder / HEAD_NAME)
    newest = max(parts.rows, key=lambda row: row.number, default=None)
    head = remembered or (Head(1, newest.number, newest.checksum) if newest else None)
    highest = max(newest.number if newest else 0, head.last if head else 0)
    epochs = [epoch.epoch for row in parts.rows if (epoch := epoch_in(row))]
    first = remembered.first if remembered else rows[0].number if rows else 1
    entry = Epoch(
        max([1, remembered.epoch if remembered else 1, *epochs]) + 1,
        cause,
        OldHead(head.last, head.checksum.hex()) if head else None,
        lost_between(rows, first, highest if upto is None else upto),
    )
    last = rows[-1] if rows else None
    at_utc = now.isoformat(timespec="milliseconds")
    number = highest + 1 if remembered else highest + 1 + LEFT_OUT
    begins = chained(last, opens=False, at_utc=at_utc, body=dump(entry), number=number)
    for leftover in folder.glob(f"{BUILDING}*"):
        leftover.unlink()
    building = folder / BUILDING
    with closing(database.connect(building, most_bytes)) as restored:
        database.create(restored)
        write(restored, [*rows, begins], parts)
    sync(building)
    last_lost = max(remembered.last - (last.number if last else 0), 0) if remembered else None
    aside = folder / f"{ASIDE}{next_number(folder):06}-{now:%Y%m%dT%H%M%SZ}"
    new_head = packed_head(Head(rows[0].number if rows else number, number, begins.checksum, entry.epoch))
    note = {
        "why": why,
        "aside": aside.name,
        "kept": len(rows),
        "last_lost": last_lost,
        "head": new_head.hex(),
    }
    files.atomic_write(folder / NOTE, json.dumps(note).encode())
    durable_rename(building, folder / RESTORED)
    finish(folder)
    return Repair(why, aside, len(rows), last_lost)


def finish(folder: Path) -> Repair | None:
    """Finishes a repair that was cut off, and reports it while its note is there; None if there was none."""
    restored = folder / RESTORED
    if restored.exists():
        note = noted(folder)
        aside = folder / note["aside"]
        aside.mkdir(exist_ok=True)
        for name in FILES:
            if (folder / name).exists() and not (aside / name).exists():
                durable_rename(folder / name, aside / name)
        files.atomic_write(folder / HEAD_NAME, note["head"])
        durable_rename(restored, folder / database.NAME)
        for old in asides(folder)[:-KEPT_ASIDE]:
            shutil.rmtree(old)
    elif not (folder / NOTE).exists():
        return None
    elif not (folder / noted(folder)["aside"]).is_dir():
        (folder / NOTE).unlink(
            missing_ok=True
        )  # cut off before anything was restored: the damage will be found again
        return None
    note = noted(folder)
    return Repair(note["why"], folder / note["aside"], note["kept"], note["last_lost"])


def noted(folder: Path) -> dict[str, Any]:
    """The note that a repair wrote before it moved anything.

    One that can't be read names a new folder and no head: the next start sees that the head is damaged.
    """
    try:
        note = parse_json(files.read_file(folder / NOTE, MOST_NOTE_BYTES))
    except (OSError, ValueError):
        note = None
    match note:
        case {
            "why": str(why),
            "aside": str(aside),
            "kept": int(kept),
            "last_lost": int() | None as lost,
            "head": str(head),
        }:
            with suppress(ValueError, DamageError):
                unpacked_head(bytes.fromhex(head))
                if aside.startswith(ASIDE) and "/" not in aside:
                    return {
                        "why": why,
                        "aside": aside,
                        "kept": kept,
                        "last_lost": lost,
                        "head": bytes.fromhex(head),
                    }
    aside = f"{ASIDE}{next_number(folder):06}"
    return {"why": "not known", "aside": aside, "kept": 0, "last_lost": None, "head": b""}


def next_number(folder: Path) -> int:
    """The number after all that any file or folder there has."""
    names = [path.name for path in folder.glob(f"{ASIDE}*") if ASIDE_NAME.fullmatch(path.name)]
    return max((int(name.split("-")[1]) for name in names), default=0) + 1


def asides(folder: Path) -> list[Path]:
    """What repairs have set aside, oldest first by number, so that a wrong clock changes no order.

    Other files and folders that people have named like them are theirs.
    """
    named = [path for path in folder.glob(f"{ASIDE}*") if ASIDE_NAME.fullmatch(path.name)]
    return sorted(path for path in named if path.is_dir() and not path.is_symlink())


def write(restored: sqlite3.Connection, rows: Sequence[Row], parts: SoundParts) -> None:
    restored.execute("BEGIN IMMEDIATE")
    restored.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", map(columns, rows))
    index_epochs(restored, [(row, epoch) for row in rows if (epoch := epoch_in(row)) is not None])
    pictures = parts.pictures
    evidence = [
        (row.number, pictures[row.evidence_sha256]) for row in rows if row.evidence_sha256 in pictures
    ]
    restored.executemany("INSERT INTO evidence VALUES (?, ?)", evidence)
    players.insert(restored, named(rows, parts.players).items())
    restored.execute("COMMIT")


def named(rows: Sequence[Row], known_names: Mapping[str, str | None]) -> dict[str, str | None]:
    """The players of a new ledger: one whose record is lost has no name, and no two have the same."""
    names: dict[str, str | None] = {}
    taken: set[str] = set()
    for player, name in known_names.items():
        names[player] = None if name in taken else name
        taken |= {name} if name is not None else set()
    for row in rows:
        for player in players.named_in(row.body):
            names.setdefault(player, None)
    return names


def joined(sound: Iterable[Row], remembered: Head | None, upto: int | None = None) -> list[Row]:
    """The rows that go on, in order: each match as far as it is whole, and nothing after number `upto`.

    If a number was used twice (by a row that was given up, and the one after it), the row counts that a later
    one or the head refers to.
    """
    sound = [row for row in sound if remembered is None or row.number >= remembered.first]
    meant = {row.previous for row in sound} | ({remembered.checksum} if remembered else set())
    by_number = {row.number: row for row in sorted(sound, key=lambda row: row.checksum in meant)}
    rows: list[Row] = []
    for number in sorted(by_number):
        row = by_number[number]
        if upto is not None and number > upto:
            break
        if rows and (row.follows(rows[-1]) or (row.previous == rows[-1].checksum and epoch_in(row))):
            if row.opens or row.match == rows[-1].match:
                rows.append(row)
        elif row.opens or (row.begins and not rows):
            if rows and rows[-1].number == number - 1:
                rows.pop()  # nothing follows it: another row of its number is lost
            rows.append(row)
    return rows


def sound_parts(path: Path, most_bytes: int) -> SoundParts:
    """Every sound row, picture and player in a database and its log; a name that was erased stays erased."""
    rows: dict[bytes, Row] = {}
    pictures: dict[bytes, bytes] = {}
    names: dict[str, str | None] = {}
    for number, cells in carve(path, path.with_name(f"{path.name}-wal"), most_bytes):
        match cells:
            case (
                None,
                int(match),
                bytes(when),
                bytes(body),
                bytes(sha256),
                bytes(previous),
                bytes(checksum),
            ):
                row = Row(number, match, when.decode("ascii", "replace"), body, sha256, previous, checksum)
                if row.sound:
                    rows[checksum] = row
            case (None, bytes(jpeg)):
                pictures[hashlib.sha256(jpeg).digest()] = jpeg
            case (bytes(key), bytes() | None as stored, bytes(summed)) if PLAYER_ID.fullmatch(key):
                player = key.decode()
                name = None if stored is None else stored.decode("utf-8", "replace")
                if summed == players.checksum(player, name):
                    names[player] = None if names.get(player, name) is None else name
    return SoundParts(list(rows.values()), pictures, names)


class UnreadableError(ValueError):
    """These bytes are not a row."""


def carve(database: Path, log: Path, most_bytes: int) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Every (rowid, values) in any page of the files, stale copies too; text comes as bytes.

    Reads at most `most_bytes` of each file, and the log only if there is a database.
    """
    if not database.is_file():
        return
    frames = list(chunks(log, LOG_HEADER_BYTES, FRAME_HEADER_BYTES, most_bytes))
    with database.open("rb") as file:
        pages = DatabasePages(
            file.fileno(), most_bytes, {page_number(frame): frame[FRAME_HEADER_BYTES:] for frame in frames}
        )
        for number, page in enumerate(chunks(database, 0, 0, most_bytes), 1):
            yield from rows_of(page, 100 if number == 1 else 0, pages)
        for frame in frames:
            yield from rows_of(frame[FRAME_HEADER_BYTES:], 100 if page_number(frame) == 1 else 0, pages)


def page_number(frame: bytes) -> int:
    return int.from_bytes(frame[:4], "big")


class DatabasePages:
    """Each page as it was written last: in the log if it is there, else in the database."""

    def __init__(self, database: int, most_bytes: int, in_log: Mapping[int, bytes]) -> None:
        self.database = database
        self.most = most_bytes // PAGE_BYTES
        self.in_log = in_log

    def page(self, number: int) -> bytes:
        """The page, filled up with zeros; UnreadableError if there is none of that number."""
        if number in self.in_log:
            return self.in_log[number]
        if not 1 <= number <= self.most:
            raise UnreadableError(f"no page {number}")
        return os.pread(self.database, PAGE_BYTES, (number - 1) * PAGE_BYTES).ljust(PAGE_BYTES, b"\0")


def chunks(path: Path, skip: int, header: int, most_bytes: int) -> Iterator[bytes]:
    """The pages of a file, each with the header before it; a torn last one is filled up with zeros."""
    if not path.is_file():
        return
    size = header + PAGE_BYTES
    with path.open("rb") as file:
        file.seek(skip)
        for _ in range(most_bytes // size):
            chunk = file.read(size)
            if not chunk:
                return
            yield chunk.ljust(size, b"\0")


def rows_of(page: bytes, start: int, pages: DatabasePages) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """The rows whose cells lie in this page, if it is a leaf of a table."""
    if page[start] != TABLE_LEAF:
        return
    (count,) = struct.unpack_from(">H", page, start + 3)
    room = (PAGE_BYTES - start - 8) // 2
    for index in range(min(count, room)):
        (position,) = struct.unpack_from(">H", page, start + 8 + 2 * index)
        try:
            yield row_at(page, position, pages)
        except (UnreadableError, IndexError):
            continue


def row_at(page: bytes, position: int, pages: DatabasePages) -> tuple[int, tuple[Value, ...]]:
    size, position = varint(page, position)
    rowid, position = varint(page, position)
    if size > LONGEST_VALUE_BYTES:
        raise UnreadableError("too long")
    # SQLite's file format: a payload that is too long keeps so much in the page that the rest fills
    # overflow pages whole, each of which begins with the number of the next.
    most = PAGE_BYTES - 35
    if size <= most:
        return rowid, values(page[position : position + size])
    least = (PAGE_BYTES - 12) * 32 // 255 - 23
    local = least + (size - least) % (PAGE_BYTES - 4)
    local = local if local <= most else least
    parts = [page[position : position + local]]
    following = int.from_bytes(page[position + local : position + local + 4], "big")
    for _ in range((size - local + PAGE_BYTES - 5) // (PAGE_BYTES - 4)):
        overflow = pages.page(following)
        parts.append(overflow[4:])
        following = int.from_bytes(overflow[:4], "big")
    return rowid, values(b"".join(parts)[:size])


def values(record: bytes) -> tuple[Value, ...]:
    size, position = varint(record, 0)
    types: list[int] = []
    while position < size and len(types) < MOST_COLUMNS:
        kind, position = varint(record, position)
        types.append(kind)
    columns: list[Value] = []
    for kind in types:
        if kind in WHOLE_BYTES:
            end = position + WHOLE_BYTES[kind]
            columns.append(int.from_bytes(record[position:end], "big", signed=True))
        elif kind in (8, 9):
            end = position
            columns.append(kind - 8)
        elif kind >= 12:
            end = position + (kind - 12) // 2
            columns.append(record[position:end])
        else:
            end = position + (8 if kind == 7 else 0)
            columns.append(None)
        if end > len(record):
            raise UnreadableError("cut short")
        position = end
    return tuple(columns)


def varint(data: bytes, start: int) -> tuple[int, int]:
    """The variable-length integer at an offset, and the offset after it."""
    number = 0
    # Seven bits a byte, the highest first; a ninth byte gives all its eight.
    for step in range(8):
        byte = data[start + step]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, start + step + 1
    return number << 8 | data[start + 8], start + 9
