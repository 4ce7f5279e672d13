"""What is done about a damaged ledger: all that is sound goes on in a new one, the old one is moved aside."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable.ledger import carve, database, head
from dicetable.ledger.rows import Row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

FILES = (database.NAME, f"{database.NAME}-wal", f"{database.NAME}-shm", head.NAME)
RESTORED = "ledger.restored"
KEPT_ASIDE = 5


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


def repair(folder: Path, why: str, stamp: str, most_bytes: int) -> Repair:
    """Writes a new ledger of what is sound in the files, then moves them aside and it into their place.

    Raises OSError or sqlite3.Error, as a rule before anything was moved.
    """
    remembered = head.read(folder / head.NAME)
    found, pictures = sound_parts(folder, most_bytes)
    rows, gaps = joined(found, remembered)
    for leftover in folder.glob(f"{RESTORED}*"):
        leftover.unlink()
    with closing(database.connect(folder / RESTORED, most_bytes)) as restored:
        database.migrate(restored, folder / RESTORED, stamp)
        write(restored, rows, [(before, stamp) for before in gaps], pictures)
    aside = folder / f"damaged-{stamp}"
    while aside.exists():
        aside = aside.with_name(f"{aside.name}+")
    aside.mkdir()
    for name in FILES:
        if (folder / name).exists():
            (folder / name).rename(aside / name)
    (folder / RESTORED).rename(folder / database.NAME)
    database.keep_newest(folder.glob("damaged-*"), KEPT_ASIDE, shutil.rmtree)
    last = rows[-1].number if rows else 0
    return Repair(why, aside, len(rows), max(remembered.last - last, 0) if remembered else 0)


def write(
    restored: sqlite3.Connection,
    rows: Sequence[Row],
    gaps: Sequence[tuple[int, str]],
    pictures: Mapping[bytes, bytes],
) -> None:
    """Fills a new ledger in one transaction; `pictures` by their SHA-256."""
    restored.execute("BEGIN IMMEDIATE")
    restored.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", map(columns, rows))
    restored.executemany("INSERT INTO gap VALUES (?, ?)", gaps)
    kept = [(row.number, pictures[row.evidence_sha256]) for row in rows if row.evidence_sha256 in pictures]
    restored.executemany("INSERT INTO evidence VALUES (?, ?)", kept)
    restored.execute("COMMIT")


def columns(row: Row) -> tuple[int, int, str, bytes, bytes, bytes, bytes]:
    """The row as the table has it."""
    return (
        row.number,
        row.match,
        row.at_utc,
        row.body,
        row.evidence_sha256,
        row.previous,
        row.checksum,
    )


def sound_parts(folder: Path, most_bytes: int) -> tuple[list[Row], dict[bytes, bytes]]:
    """Every sound row in the files, in any order and perhaps twice, and pictures by their SHA-256."""
    rows: dict[bytes, Row] = {}
    pictures: dict[bytes, bytes] = {}
    for number, found in carve.carve(folder / database.NAME, folder / f"{database.NAME}-wal", most_bytes):
        match found:
            case (None, int(match), bytes(at), bytes(body), bytes(sha256), bytes(previous), bytes(checksum)):
                row = Row(number, match, at.decode("ascii", "replace"), body, sha256, previous, checksum)
                if row.sound:
                    rows[checksum] = row
            case (None, bytes(jpeg)):
                pictures[hashlib.sha256(jpeg).digest()] = jpeg
    return list(rows.values()), pictures


def joined(found: Iterable[Row], remembered: head.Head | None) -> tuple[list[Row], list[int]]:
    """The rows that go on, in order: each match as far as it is whole; and before which of them others lack.

    A number that was used twice (a row that was given up, and the one after it) goes to the row that a later
    one or the head refers to.
    """
    found = [row for row in found if remembered is None or row.number >= remembered.first]
    meant = {row.previous for row in found} | ({remembered.checksum} if remembered else set())
    by_number = {row.number: row for row in sorted(found, key=lambda row: row.checksum in meant)}
    rows: list[Row] = []
    gaps: list[int] = []
    for number in sorted(by_number):
        row = by_number[number]
        if rows and row.follows(rows[-1]):
            if row.opens or row.match == rows[-1].match:
                rows.append(row)
        elif row.opens or (row.begins and not rows):
            if rows:
                gaps.append(row.number)
            rows.append(row)
    return rows, gaps
