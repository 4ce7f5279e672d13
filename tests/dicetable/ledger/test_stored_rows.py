"""Odd values are found, and the quick way through the rows finds what the slow one finds."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import database, stored_rows
from dicetable.ledger.database import DamageError
from dicetable.ledger.reader import Reader
from tests.dicetable.ledger.bit_flips import GOOD, Original, commands_end, original, started
from tests.dicetable.ledger.books import ledger
from tests.dicetable.ledger.scripts import script
from tests.extent import extent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = ("match", "at_utc", "body", "evidence_sha256", "previous", "checksum")


def test_bodies_are_those_of_the_rows(tmp_path: Path) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in [*script("six_by_6", 1), *script("sixes", 1)]:
            book.append(entry)
    with closing(database.connect_to_read(tmp_path / database.NAME)) as connection:
        rows = list(stored_rows.rows(connection))
        assert list(stored_rows.bodies(connection)) == [(row.at_utc, row.body) for row in rows]
        second = next(row.number for row in rows if row.number == row.match > 1)
        assert len(list(stored_rows.bodies(connection, second - 1))) == len(rows) - second + 1


@pytest.mark.parametrize("column", COLUMNS)
def test_a_row_that_was_changed_is_found(tmp_path: Path, column: str) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in script("six_by_6", 1):
            book.append(entry)
        assert book.connection is not None
        book.connection.execute("DROP TRIGGER entry_stays")
        changed = "7" if column == "match" else "'x'" if column == "at_utc" else "x'00'"
        book.connection.execute(f"UPDATE entry SET {column} = {changed} WHERE number = 5")
        with pytest.raises(DamageError, match=r"row [56] "):
            list(stored_rows.bodies(book.connection))


def test_a_row_that_is_missing_is_found(tmp_path: Path) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in script("six_by_6", 1):
            book.append(entry)
        assert book.connection is not None
        book.connection.execute("DELETE FROM entry WHERE number = 5")
        with pytest.raises(DamageError, match="row 6 "):
            list(stored_rows.bodies(book.connection))


ODD = ("NULL", "9223372036854775807", "'x'", "CAST(X'FF80' AS TEXT)", "-5", "1.5", "X'FF80'")
TABLES = ("entry", "evidence", "player", "epoch", "loss")


def columns() -> Iterator[tuple[str, str]]:
    """Every column but the row ids, which SQLite keeps whole numbers."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(database.SCHEMA)
        for table in TABLES:
            for _, name, _, _, _, key in model.execute(f"PRAGMA table_info({table})"):
                if not key:
                    yield table, name


@pytest.fixture(scope="module")
def there(memory: Path) -> Original:
    return original(memory / "sound", killed=False, entries=8)


def describe(path: Path, table: str, sql: str) -> None:
    """Sets what the file says of a table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
        connection.commit()


def put(path: Path, table: str, column: str, value: str) -> None:
    """Puts the value into the newest row of a table, as if its columns had no types."""
    with closing(sqlite3.connect(path)) as connection:
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema"))
        connection.execute("DROP TRIGGER entry_stays")
        connection.commit()
    lax = re.sub(r" (INTEGER|TEXT|BLOB)( NOT NULL)?(?=[,)\n])", "", schema[table]).replace(" STRICT", "")
    describe(path, table, lax)
    with closing(sqlite3.connect(path)) as connection:
        newest = f"SELECT max(rowid) FROM {table}"
        done = connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = ({newest})")
        assert done.rowcount == 1
        connection.execute(schema["entry_stays"])
        connection.commit()
    describe(path, table, schema[table])


@pytest.mark.parametrize(("table", "column"), list(columns()))
def test_whatever_a_column_holds_the_table_starts(
    there: Original, memory: Path, table: str, column: str
) -> None:
    ends = {}
    for value in ODD[: extent(2, 7)]:
        folder = memory / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(there.folder, folder / "table")
        put(folder / "table" / database.NAME, table, column, value)
        with closing(Reader(folder / "table")) as reader:
            faults = reader.verify()[2]
        assert not any("Error" in fault for fault in faults), (value, faults)
        if table == "entry":
            assert f"row {there.rows[-1].number} is not what was written" in faults, value
        ends[value] = commands_end(folder) or started(there, folder / "table")
    assert set(ends.values()) <= GOOD, ends


@pytest.mark.parametrize("number", [None, 0, -1, 2**63, 1.0, "1"])
def test_what_is_no_number_names_no_row(there: Original, number: int) -> None:
    with closing(database.connect_to_read(there.folder / database.NAME)) as connection:
        assert stored_rows.row(connection, number) is None
        assert stored_rows.evidence(connection, number) is None
        assert list(stored_rows.rows(connection, number)) == [] or number is None
