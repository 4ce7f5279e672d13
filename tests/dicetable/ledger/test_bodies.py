"""The quick way through the rows finds what the slow one finds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import database, stored_rows
from dicetable.ledger.rows import DamageError
from tests.dicetable.ledger.books import ledger
from tests.dicetable.ledger.torture import script

if TYPE_CHECKING:
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
