"""Files cut or changed at random offsets: damage is found and set aside, and the sound rows are kept."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import database, stored_rows
from dicetable.ledger.repair import varint
from dicetable.ledger.store import Bounds, Ledger
from tests.dicetable.ledger.books import fill, ledger, left_by_a_kill, played
from tests.extent import extent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from common.statements import Row

LOG = f"{database.NAME}-wal"


@dataclass(frozen=True)
class Original:
    folder: Path
    rows: list[Row]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Original]:
    """A ledger as a kill leaves it: some 500 KB in the database, more in its log."""
    folder = tmp_path_factory.mktemp("original")
    book = ledger(folder / "book")
    fill(book, 120, match=25, picture_bytes=6000)
    assert book.connection is not None
    book.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fill(book, 60, match=25, picture_bytes=6000, seed=2)
    rows = list(book.rows())
    yield Original(left_by_a_kill(book, folder / "killed"), rows)
    book.close()


def damage(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    if chance.random() < 0.3:
        path.write_bytes(data[:at])
        return f"{path.name} cut at {at}"
    data[at] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return f"{path.name} changed at {at}"


def comes_up(original: Original, folder: Path, seed: int) -> int:
    """Damages a copy, opens it, checks it; returns how many rows were lost."""
    chance = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original.folder, folder)
    done = damage(folder / chance.choice([database.NAME, database.NAME, LOG, stored_rows.HEAD_NAME]), chance)
    book = ledger(folder)
    rows = list(book.rows())
    if book.repaired is None:
        assert rows == original.rows, done
        known = rows
    else:
        assert (book.repaired.aside / stored_rows.HEAD_NAME).is_file(), done
        known = played(book)
        assert known == [row for row in original.rows if row in known], done
        assert book.repaired.kept == len(known)
        assert lost_rows(rows[-1]) == {row.number for row in original.rows} - {row.number for row in known}
    added = book.add(b"{}", opens=True)
    book.close()
    again = ledger(folder)
    assert again.repaired is None, done
    assert list(again.rows()) == [*rows, added], done
    again.close()
    return len(original.rows) - len(known)


def lost_rows(row: Row) -> set[int]:
    """Which numbers of rows are lost, as the first row of an epoch says."""
    epoch = stored_rows.epoch_in(row)
    assert epoch is not None
    return {number for first, last in epoch.lost for number in range(first, last + 1)}


def test_damage_is_found_and_the_rest_goes_on(original: Original, tmp_path: Path) -> None:
    lost = [comes_up(original, tmp_path / "copy", seed) for seed in range(extent(25, 1000))]
    assert sum(count > 0 for count in lost) <= 0.32 * len(lost)


def test_one_changed_row_costs_the_rest_of_its_match_only(original: Original, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(original.folder, folder)
    book = ledger(folder)
    book.close()  # everything is in one file now
    data = (folder / database.NAME).read_bytes()
    row = original.rows[30]
    at = data.find(row.body)
    assert at > 0
    assert data.find(row.body, at + 1) < 0
    (folder / database.NAME).write_bytes(data[:at] + b"!" + data[at + 1 :])
    book = ledger(folder)
    assert book.repaired is not None
    assert book.repaired.why == "row 31 is not what was written"
    assert played(book) == original.rows[:30] + original.rows[50:]
    assert lost_rows(list(book.rows())[-1]) == set(range(31, 51))
    assert book.repaired.last_lost == 0


def test_a_ledger_that_is_gone_is_missed(original: Original, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(original.folder, folder)
    (folder / database.NAME).unlink()
    (folder / LOG).unlink()
    book = ledger(folder)
    assert book.repaired is not None
    assert (book.repaired.kept, book.repaired.last_lost) == (0, 180)


@pytest.mark.parametrize("content", [b"", b"\0" * 9000, b"no database at all" * 500, b"SQLite format 3\0"])
def test_a_file_that_is_no_ledger_is_set_aside(content: bytes, tmp_path: Path) -> None:
    (tmp_path / database.NAME).write_bytes(content)
    book = ledger(tmp_path)
    fill(book, 3)
    assert len(played(book)) == 3
    assert book.repaired is not None


def test_an_emptied_ledger_without_its_head_is_not_new(tmp_path: Path) -> None:
    """A head is there before the database is: without one, something is lost."""
    fill(book := ledger(tmp_path), 3)
    book.close()
    for path in tmp_path.iterdir():
        if path.name in (stored_rows.HEAD_NAME, LOG, f"{database.NAME}-shm"):
            path.unlink()
    with closing(sqlite3.connect(book.path)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
    again = ledger(tmp_path)
    assert again.repaired is not None
    assert again.repaired.why == "ledger.head is gone"


def test_a_log_without_its_database_and_head_is_not_a_new_ledger(original: Original, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(original.folder, folder)
    (folder / database.NAME).unlink()
    (folder / stored_rows.HEAD_NAME).unlink()
    book = ledger(folder)
    assert book.repaired is not None
    assert book.repaired.why == "ledger.head is gone"


@pytest.mark.parametrize("bit", [0, 100, 500])
def test_rows_cut_off_are_missed_though_the_head_is_damaged_too(
    original: Original, tmp_path: Path, bit: int
) -> None:
    """How many are lost is not known then, and no number that a lost row may have had comes again."""
    folder = tmp_path / "copy"
    shutil.copytree(original.folder, folder)
    log = (folder / LOG).read_bytes()
    (folder / LOG).write_bytes(log[: len(log) // 2])
    head = bytearray((folder / stored_rows.HEAD_NAME).read_bytes())
    head[bit // 8] ^= 1 << bit % 8
    (folder / stored_rows.HEAD_NAME).write_bytes(head)
    book = ledger(folder)
    assert book.repaired is not None
    assert book.repaired.why == "ledger.head is not what was written"
    assert book.repaired.last_lost is None
    kept = played(book)
    assert kept == original.rows[: len(kept)]
    assert len(kept) < len(original.rows)
    assert book.add(b"{}", opens=True).number > original.rows[-1].number + 1
    book.close()
    assert ledger(folder).repaired is None


def test_fewer_rows_than_numbers_are_not_pruned(tmp_path: Path) -> None:
    """An epoch after a damaged head leaves a million numbers out."""
    bounds = Bounds(rows=30, days=0)
    fill(book := ledger(tmp_path, bounds), 20)
    book.close()
    (tmp_path / stored_rows.HEAD_NAME).write_bytes(b"no head")
    again = ledger(tmp_path, bounds)
    again.add(b"{}", opens=True)
    assert [row.number for row in played(again)][:20] == list(range(1, 21))


def test_few_damaged_ledgers_are_kept(tmp_path: Path) -> None:
    for _ in range(8):
        (tmp_path / database.NAME).write_bytes(b"\0" * 9000)
        book = ledger(tmp_path)
        assert book.repaired is not None
        book.close()
    assert len(list(tmp_path.glob("damaged-*"))) == 5


@pytest.mark.parametrize("name", ["damaged-{}.txt", "damaged-00000{}-20261121T120000Z", "damaged-photos-{}"])
def test_own_files_named_like_damaged_ledgers_stay_and_stop_no_start(tmp_path: Path, name: str) -> None:
    own = [tmp_path / name.format(number) for number in range(7)]
    for path in own[:6]:
        path.write_text("mine")
    if "photos" in name:
        own[6].mkdir()
        (own[6] / "one.jpg").write_text("mine")
    for _ in range(7):
        (tmp_path / database.NAME).write_bytes(b"\0" * 9000)
        book = ledger(tmp_path)
        assert book.repaired is not None
        book.close()
    assert [path.read_text() for path in own[:6]] == ["mine"] * 6
    assert "photos" not in name or (own[6] / "one.jpg").is_file()


def test_the_newest_damaged_ledger_stays_though_the_clock_starts_in_1970(tmp_path: Path) -> None:
    for _ in range(6):
        (tmp_path / database.NAME).write_bytes(b"\0" * 9000)
        ledger(tmp_path).close()
    (tmp_path / database.NAME).write_bytes(b"\0" * 9001)
    book = Ledger(tmp_path, now=lambda: datetime(1970, 1, 1, tzinfo=UTC))
    assert book.repaired is not None
    assert (book.repaired.aside / database.NAME).stat().st_size == 9001
    assert len(list(tmp_path.glob("damaged-*"))) == 5, "older ones are let go, or they fill the disk"


def test_the_longest_number_of_a_cell_ends_after_nine_bytes() -> None:
    assert varint(b"\xff" * 9 + b"\x01", 0) == (2**64 - 1, 9)
    assert varint(b"\x00\x81\x00", 1) == (128, 3)
