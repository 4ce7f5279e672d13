"""A repair records its losses as a row of the chain, and no number is used twice."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from dicetable.ledger import database, stored_rows
from dicetable.ledger.entries import Cause, Epoch, OldHead
from dicetable.ledger.reader import Reader
from dicetable.ledger.store import Bounds
from tests.dicetable.ledger.books import fill, ledger, left_by_a_kill, played

if TYPE_CHECKING:
    from pathlib import Path

    from common.statements import Row


def cut(folder: Path, count: int = 40, share: float = 0.6) -> list[Row]:
    """A ledger of that many rows, the last of which are lost; returns all rows that were written."""
    book = ledger(folder / "book")
    fill(book, count, match=10)
    rows = list(book.rows())
    left_by_a_kill(book, folder / "table")
    book.close()
    path = folder / "table" / f"{database.NAME}-wal"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return rows


def faults(folder: Path) -> list[str]:
    with closing(Reader(folder)) as reader:
        return reader.verify()[2]


def test_rows_lost_at_the_tail_are_a_row_of_the_chain(tmp_path: Path) -> None:
    rows = cut(tmp_path)
    book = ledger(tmp_path / "table")
    kept = played(book)
    assert kept == rows[: len(kept)]
    assert 0 < len(kept) < 40
    assert book.last is not None
    assert (book.last.number, book.last.previous) == (41, kept[-1].checksum)
    said = OldHead(40, rows[-1].checksum.hex())
    assert stored_rows.epoch_in(book.last) == Epoch(2, Cause.REPAIR, said, ((len(kept) + 1, 40),))
    added = book.add(b"{}", opens=False)
    assert (added.number, added.match) == (42, kept[-1].match)
    book.close()
    again = ledger(tmp_path / "table")
    assert (again.repaired, again.epoch) == (None, 2)
    again.close()
    lost = [fault for fault in faults(tmp_path / "table") if "lost" in fault]
    assert lost == [f"rows {len(kept) + 1} to 40 are lost, as row 41 of 2026-11-21 says"]


def test_rows_from_before_the_first_game_outlast_a_repair(tmp_path: Path) -> None:
    book = ledger(tmp_path / "book")
    before = [book.add(b"{}", opens=False) for _ in range(2)]
    fill(book, 40, match=10)
    left_by_a_kill(book, tmp_path / "table")
    book.close()
    log = tmp_path / "table" / f"{database.NAME}-wal"
    log.write_bytes(log.read_bytes()[: int(log.stat().st_size * 0.6)])
    mended = ledger(tmp_path / "table")
    assert mended.repaired is not None
    assert played(mended)[:2] == before
    mended.close()


def test_a_loss_is_named_once_however_often_the_ledger_is_repaired(tmp_path: Path) -> None:
    cut(tmp_path)
    table = tmp_path / "table"
    ledger(table).close()
    with (table / database.NAME).open("r+b") as file:
        file.write(bytes(64))
    book = ledger(table)
    said = [epoch for row in book.rows() if (epoch := stored_rows.epoch_in(row)) is not None]
    assert [epoch.epoch for epoch in said] == [2, 3]
    assert said[1].lost == ()
    assert said[1].head == OldHead(41, next(row.checksum.hex() for row in book.rows() if row.number == 41))


def test_a_ledger_whose_rows_are_all_gone_goes_on_with_higher_numbers(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 30)
    book.close()
    book.path.unlink()
    book = ledger(tmp_path)
    assert [(row.number, stored_rows.epoch_in(row) is None) for row in book.rows()] == [(31, False)]
    assert book.add(b"{}", opens=True).number == 32
    book.close()
    assert "rows 1 to 30 are lost, as row 31 of 2026-11-21 says" in faults(tmp_path)


def test_the_epoch_goes_on_after_its_first_row_was_pruned_and_all_is_lost(tmp_path: Path) -> None:
    cut(tmp_path)
    book = ledger(tmp_path / "table", Bounds(days=0, rows=30))
    fill(book, 100, match=10)
    assert all(stored_rows.epoch_in(row) is None for row in book.rows())
    book.close()
    book.path.unlink()
    assert ledger(tmp_path / "table").epoch == 3


def test_an_older_copy_in_the_place_of_the_ledger_begins_an_epoch(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 20)
    book.close()
    copy = book.path.read_bytes()
    book = ledger(tmp_path)
    fill(book, 10)
    book.close()
    book.path.write_bytes(copy)
    book = ledger(tmp_path)
    assert (len(played(book)), book.epoch) == (20, 2)
    assert book.add(b"{}", opens=False).number == 32
    book.close()
    assert "rows 21 to 30 are lost, as row 31 of 2026-11-21 says" in faults(tmp_path)


def test_numbers_that_were_used_twice_are_named(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 20)
    book.close()
    aside = tmp_path / "damaged-20261120T120000Z"
    aside.mkdir()
    stored_rows.write_head(aside / stored_rows.HEAD_NAME, stored_rows.Head(1, 15, bytes(32)))
    twice = "row number 15 was used twice: another row with it was written and was set aside in "
    assert f"{twice}{aside.name}" in faults(tmp_path)


def test_the_epoch_of_a_row_is_exported(tmp_path: Path) -> None:
    rows = cut(tmp_path)
    ledger(tmp_path / "table").close()
    with closing(Reader(tmp_path / "table")) as reader:
        assert (reader.epoch_of(rows[0].number), reader.epoch_of(41), reader.epoch_of(50)) == (1, 2, 2)
