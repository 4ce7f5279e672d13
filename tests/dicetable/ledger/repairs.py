"""A damaged ledger whose repair can be cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.ledger import database
from tests.dicetable.ledger.books import fill, ledger, left_by_a_kill

if TYPE_CHECKING:
    from common.statements import Row


ROWS = 40


def damaged(folder: Path) -> list[Row]:
    """A ledger whose last rows are lost; returns the sound ones."""
    book = ledger(folder / "book")
    fill(book, ROWS, match=10, picture_bytes=3000)
    rows = list(book.rows())
    left_by_a_kill(book, folder / "table")
    book.close()
    path = folder / "table" / f"{database.NAME}-wal"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    return rows
