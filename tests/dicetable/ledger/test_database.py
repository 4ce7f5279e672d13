"""What the file holds, and what a later version may have added to it."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database, stored_rows
from dicetable.ledger.entries import Closed, Ending, Later, Opened, load
from dicetable.ledger.reader import Reader
from dicetable.table.table_state import fold
from tests.dicetable.ledger.books import fill, ledger, played

FIRST_SCHEMA = Path(__file__).with_name("schema_1.sql")
OPENED = (
    b'{"entry":"opened","game":"sixes","seats":["ann","bob","cleo"],"options":{},"seed":1,"draws":[],'
    b'"panel_seats":[1,2,3],"lying":null,"weather":"rain"}'
)


def test_what_a_later_version_added_is_ignored_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(ledger(tmp_path)) as book:
        book.add(OPENED, opens=True)
        book.add(b'{"entry":"applauded","seat":1}', opens=False)
        book.append(Closed(Ending.ENDED))
        rows = list(book.rows())
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.executescript("CREATE TABLE applause (number INTEGER); PRAGMA user_version = 2;")
    with closing(ledger(tmp_path)) as book:
        assert (book.repaired, list(book.rows())) == (None, rows)
        opened, applauded, closed = book.entries()
        assert isinstance(opened, Opened)
        assert (applauded, closed) == (Later("applauded"), Closed(Ending.ENDED))
        assert fold(book.entries())[1] == ""
        book.append(opened)
    with closing(Reader(tmp_path)) as reader:
        assert len(reader.matches()) == 2
    assert main(["ledger", "verify", "--folder", str(tmp_path)]) == 0
    assert main(["ledger", "show", "1", "--folder", str(tmp_path)]) == 0
    assert "applauded: written by a later version" in capsys.readouterr().out
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        assert connection.execute("SELECT count(*) FROM applause").fetchone() == (0,)


def test_no_entry_of_any_version_is_ignored() -> None:
    with pytest.raises(ValueError, match="entry"):
        load(b"{}")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "CREATE VIEW v AS SELECT * FROM entry",
    ],
)
def test_foreign_triggers_and_views_are_not_run(tmp_path: Path, sql: str) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    book.close()
    with closing(sqlite3.connect(book.path)) as connection:
        connection.execute(sql)
        connection.commit()
    again = ledger(tmp_path)
    assert again.repaired is not None
    again.add(b"{}", opens=False)
    assert len(played(again)) == 6


def test_a_ledger_of_the_first_schema_is_read_verified_and_gone_on_with(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.executescript(FIRST_SCHEMA.read_text())
    with closing(Reader(tmp_path)) as reader:
        *_, last = reader.lines()
        head = stored_rows.Head(1, last.row.number, last.row.checksum)
        stored_rows.write_head(tmp_path / stored_rows.HEAD_NAME, head)
        opened = [line.entry for line in reader.lines() if isinstance(line.entry, Opened)]
        assert [entry.game for entry in opened] == ["six_by_6", "liars_dice", "money_shot"]
        assert reader.evidence(2) == b"\xff\xd8\xff\xd9"
    with closing(ledger(tmp_path)) as book:
        before = list(book.rows())
        state, damage = fold(book.entries())
        assert (book.repaired, damage, len(before)) == (None, "", 38)
        assert state.opened is not None
        assert state.opened.seats == ("Bob", "Cleo", "Ann")
        assert state.match is not None
        assert state.match.revision > 0
        assert state.away("Ann")
        book.append(Closed(Ending.ENDED))
        assert list(book.rows())[:-1] == before
    with closing(Reader(tmp_path)) as reader:
        count, pictures, faults = reader.verify()
        assert (count, pictures > 10, faults) == (39, True, [])


def with_code(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("error", [OSError(errno.EIO, "I/O error"), with_code(sqlite3.SQLITE_IOERR_READ)])
def test_a_disk_that_fails_is_called_so_and_a_full_one_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    path = tmp_path / database.NAME
    assert "fail" in str(database.journal_error(path, error)).lower()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "full" in str(database.journal_error(path, error)).lower()


def test_a_fault_that_nobody_foresaw_is_told_with_its_type_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / database.NAME
    told = database.journal_error(path, ValueError("odd"))
    assert "ValueError: odd" in told.what
    assert str(path) in told.remedy
    assert "odd" in database.journal_error(path, sqlite3.DatabaseError("odd")).what


def test_a_folder_on_a_network_is_named_in_the_remedy(tmp_path: Path) -> None:
    error = database.OnNetworkError("nfs")
    assert str(tmp_path) in database.journal_error(tmp_path / database.NAME, error).remedy
