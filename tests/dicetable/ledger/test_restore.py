"""`dicetable ledger restore`: a copy takes the ledger's place, and the chain says so."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database, store, stored_rows
from dicetable.ledger.entries import Cause
from dicetable.ledger.reader import Reader
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = script("sixes", 3)[:12]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ledger of twelve rows, and beside it a copy from after the seventh."""
    with closing(ledger(tmp_path / "table")) as book:
        for number, entry in enumerate(ENTRIES, 1):
            book.append(entry)
            if number == 7 and book.connection is not None:
                book.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                shutil.copy(book.path, tmp_path / "copy.sqlite3")
    return tmp_path / "table"


def test_the_rows_of_the_copy_go_on_in_a_new_epoch(folder: Path, capsys: Captured) -> None:
    with closing(ledger(folder)) as book:
        before = played(book)
    assert main(["ledger", "restore", str(folder.parent / "copy.sqlite3"), "--folder", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(
        "the ledger now has the copy's 7 rows; the previous ledger is in "
    )
    with closing(ledger(folder)) as book:
        assert book.repaired is None
        assert played(book) == before[:7]
        assert book.last is not None
        said = stored_rows.epoch_in(book.last)
        assert said is not None
        assert (said.epoch, said.why, said.lost, book.last.number) == (2, Cause.RESTORE, ((8, 12),), 13)
        assert said.head is not None
        assert said.head.checksum == before[-1].checksum.hex()
        assert book.entries()[:7] == ENTRIES[:7]
        book.append(ENTRIES[7])
    with closing(Reader(folder)) as reader:
        assert len(reader.verify()[2]) == 1
    (aside,) = folder.glob("damaged-*")
    with closing(Reader(aside)) as reader:
        assert [line.entry for line in reader.lines()] == ENTRIES


def test_a_name_that_was_erased_since_stays_erased(folder: Path) -> None:
    with closing(ledger(folder)) as book:
        store.erase_name(book, "ann")
    assert main(["ledger", "restore", str(folder.parent / "copy.sqlite3"), "--folder", str(folder)]) == 0
    assert b"ann" not in (folder / database.NAME).read_bytes()


def test_what_is_no_ledger_changes_nothing(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "no").write_bytes(b"no ledger" * 1000)
    assert main(["ledger", "restore", str(tmp_path / "no"), "--folder", str(folder)]) == 1
    assert "no holds no row of a ledger: nothing was changed" in capsys.readouterr().err
    assert main(["ledger", "restore", str(tmp_path / "none"), "--folder", str(folder)]) == 1
    assert "there is no file" in capsys.readouterr().err
    with closing(ledger(folder)) as book:
        assert (book.entries(), book.repaired) == (ENTRIES, None)
