"""One flipped bit anywhere in the ledger's files: the table starts, and says so if it had to repair."""

from __future__ import annotations

import shutil
import sys
from contextlib import closing
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import database
from dicetable.ledger.store import Ledger
from tests.dicetable.ledger.bit_flips import (
    GOOD,
    Damage,
    Flip,
    Original,
    anywhere,
    counted,
    original,
    page_1,
    two_files,
)
from tests.extent import extent

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@pytest.fixture(scope="module")
def closed(memory: Path) -> Original:
    return original(memory / "closed", killed=False, entries=8)


@pytest.fixture(scope="module")
def killed(memory: Path) -> Original:
    return original(memory / "killed", killed=True, entries=8)


def all_good(there: Original, flips: Iterable[Damage], folder: Path) -> None:
    ends, first = counted(there, flips, folder)
    assert {end: first[end] for end in ends if end not in GOOD} == {}
    sys.stdout.write(f"{dict(ends)}\n")


def some_of_page_1(there: Original, count: int) -> list[Flip]:
    """Bits of the header and of the tables' SQL, which SQLite reads before anything else."""
    used = [flip for flip in page_1(there) if flip.bit < 8 * 128 or flip.bit > 8 * database.PAGE_BYTES // 2]
    return Random(5).sample(used, count)


def test_a_bit_of_page_1(closed: Original, memory: Path) -> None:
    all_good(closed, some_of_page_1(closed, extent(20, 100)), memory / "copy")


def test_bit_7_of_a_byte_of_the_tables(closed: Original, memory: Path) -> None:
    """It makes text that is no UTF-8, which sqlite3 itself cannot put into a message."""
    high = [flip for flip in page_1(closed) if flip.bit % 8 == 7 and flip.bit > 8 * 2500]
    all_good(closed, islice(high, 0, None, len(high) // 10), memory / "copy")


def test_the_versions_in_the_header(closed: Original, memory: Path) -> None:
    """With others SQLite reads the file and refuses to write it, or does neither."""
    flips = [Flip(database.NAME, 8 * byte + bit) for byte in (18, 19) for bit in range(8)]
    all_good(closed, flips, memory / "copy")


def test_damage_that_only_writing_meets(closed: Original, memory: Path) -> None:
    """The header's largest root page: the ledger reads as before, and SQLite refuses it a new page."""
    path = memory / "unwritable"
    shutil.copytree(closed.folder, path)
    Flip(database.NAME, 8 * 53 + 7).do(path)
    with closing(Ledger(path)) as book:
        assert (book.repaired, list(book.rows())) == (None, closed.rows)
        added = book.add(b'{"pad":"%s"}' % (b"x" * 20_000), opens=False)
        assert book.repaired is not None
        assert [*closed.rows, added] == [row for row in book.rows() if row.number != added.number - 1]


def test_a_table_whose_first_page_is_another_s(closed: Original, memory: Path) -> None:
    """The next picture would be written over rows."""
    root = b"tableevidenceevidence"
    at = (closed.folder / database.NAME).read_bytes().index(root) + len(root)
    all_good(closed, [Flip(database.NAME, 8 * at + bit) for bit in range(8)], memory / "copy")


def test_any_bit(closed: Original, killed: Original, memory: Path) -> None:
    for there in (closed, killed):
        all_good(there, anywhere(there, extent(10, 100), 1), memory / "copy")


def test_two_files_damaged_at_once(closed: Original, killed: Original, memory: Path) -> None:
    for there in (closed, killed):
        all_good(there, two_files(there, extent(15, 200), 1), memory / "copy")
