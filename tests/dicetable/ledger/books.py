"""Ledgers for tests."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dicetable.ledger import stored_rows
from dicetable.ledger.store import DEFAULT_BOUNDS, Bounds, Ledger

if TYPE_CHECKING:
    from pathlib import Path

    from common.statements import Row

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def noon() -> datetime:
    return NOON


def ledger(folder: Path, bounds: Bounds = DEFAULT_BOUNDS) -> Ledger:
    return Ledger(folder, bounds, noon)


def fill(book: Ledger, count: int, *, match: int = 10, picture_bytes: int = 0, seed: int = 1) -> None:
    """So many rows of different lengths, a new match after each `match` of them."""
    chance = random.Random(seed)
    for number in range(count):
        body = b'{"entry":%d,"pad":"%s"}' % (number, b"x" * chance.randint(0, 300))
        evidence = chance.randbytes(picture_bytes) if number % 3 == 0 else b""
        book.add(body, opens=number % match == 0, evidence=evidence)


def played(book: Ledger) -> list[Row]:
    """The rows but those that begin an epoch."""
    return [row for row in book.rows() if stored_rows.epoch_in(row) is None]


def left_by_a_kill(book: Ledger, copy: Path) -> Path:
    """The folder as it would be if the program had been killed now: with its write-ahead log."""
    shutil.copytree(book.folder, copy)
    return copy
