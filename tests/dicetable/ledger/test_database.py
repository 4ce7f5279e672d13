from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pytest

from dicetable.doctor import parts
from dicetable.ledger import database
from dicetable.ledger.entries import JournalError
from dicetable.ledger.reader import Reader
from tests.dicetable.ledger.books import fill, ledger, played

if TYPE_CHECKING:
    from pathlib import Path

NEXT = (*database.MIGRATIONS, "CREATE TABLE more (number INTEGER PRIMARY KEY) STRICT;")
BROKEN = (*database.MIGRATIONS, "CREATE TABLE more (number INTEGER PRIMARY KEY) STRICT; SELECT nothing;")


def test_an_older_file_is_brought_up_to_date_after_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    rows = list(book.rows())
    book.close()
    with closing(database.connect(book.path, 2**20)) as connection:
        database.migrate(connection, book.path, "20270101T000000Z", NEXT)
        assert database.version(connection) == len(NEXT)
        database.check_schema(connection, NEXT)
    copy = tmp_path / f"{database.NAME}.schema2-20270101T000000Z"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (5,)
        assert database.version(connection) == 2
    monkeypatch.setattr(database, "MIGRATIONS", NEXT)
    migrate = partial(database.migrate, migrations=NEXT)
    monkeypatch.setattr(database, "migrate", migrate)
    monkeypatch.setattr(database.check_is_ledger, "__defaults__", (NEXT,))
    monkeypatch.setattr(database.check_schema, "__defaults__", (NEXT,))
    again = ledger(tmp_path)
    assert (again.repaired, list(again.rows())) == (None, rows)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    book.close()
    with closing(database.connect(book.path, 2**20)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            database.migrate(connection, book.path, "20270101T000000Z", BROKEN)
        database.check_schema(connection)
    assert ledger(tmp_path).repaired is None


def test_a_newer_file_is_no_damage_and_stays_as_it_is(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    book.close()
    with closing(database.connect(book.path, 2**20)) as connection:
        database.migrate(connection, book.path, "20270101T000000Z", NEXT)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(JournalError) as caught:
        ledger(tmp_path)
    assert caught.value.what == "The ledger was written by a newer version of dicetable."
    assert "upgrade, or roll back with" in caught.value.remedy
    with pytest.raises(JournalError, match="newer version"):
        Reader(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    finding = parts.ledger(tmp_path)
    assert (finding.ok, finding.state) == (False, caught.value.what)


def test_foreign_tables_and_triggers_are_not_run(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    book.close()
    with closing(sqlite3.connect(book.path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END")
        connection.commit()
    again = ledger(tmp_path)
    assert again.repaired is not None
    again.add(b"{}", opens=False)
    assert len(played(again)) == 6


def test_only_the_newest_copies_stay(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    assert book.connection is not None
    for day in range(1, 7):
        database.back_up(book.connection, tmp_path / f"{database.NAME}.schema{7 - day}-2027010{day}T000000Z")
    kept = sorted(path.name[-16:-8] for path in tmp_path.glob(f"{database.NAME}.schema*"))
    assert kept == ["20270104", "20270105", "20270106"]
