"""A ledger written by release 0.1.0 is kept unchanged, resumes, and continues."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database, epochs, head
from dicetable.ledger.entries import Cause, Sat, Sitting
from dicetable.ledger.reader import Reader
from dicetable.table.table_state import fold
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.release_0_1_0 import LEDGER, ROOT

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 32
DIES_AT = """
import os, signal, sys
from pathlib import Path
from dicetable.ledger import database
from dicetable.ledger.store import Ledger
connect = database.connect
def traced(path, most_bytes):
    connection = connect(path, most_bytes)
    def statement(sql):
        if sql.strip().startswith(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
    connection.set_trace_callback(statement)
    return connection
database.connect = traced
Ledger(Path(sys.argv[1]))
"""
"""Opens the ledger, and is killed before that statement."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(LEDGER, tmp_path / "table")
    return tmp_path / "table"


def bodies(path: Path) -> list[bytes]:
    with closing(sqlite3.connect(path)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM entry ORDER BY number")]


def test_it_is_read_before_it_is_upgraded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("list", "show", "export", "replay", "verify"):
        assert main(["ledger", action, "--folder", str(folder)]) == 0, action
    assert "Money Shot" in capsys.readouterr().out
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        assert database.version(connection) == 1


def test_its_rows_are_sealed_as_they_are_and_the_match_goes_on(folder: Path) -> None:
    before = bodies(folder / database.NAME)
    book = ledger(folder)
    assert book.repaired is None
    assert [row.body for row in played(book)] == before
    assert book.last is not None
    remembered = head.read(LEDGER / head.NAME)
    assert remembered is not None
    seal = epochs.of(book.last)
    assert seal is not None
    assert (seal.epoch, seal.why, seal.lost) == (2, Cause.UPGRADE, ())
    assert seal.head is not None
    assert (seal.head.number, seal.head.checksum) == (remembered.last, remembered.checksum.hex())
    assert book.last.number == ROWS + 1
    evening, error = fold(book.entries())
    assert error == ""
    assert evening.match is not None
    assert evening.match.game == "money_shot"
    book.append(Sat(2, "bob", Sitting.SITS_OUT))
    book.append(Sat(5, "eve", Sitting.JOINS_NEXT))
    after, error = fold(book.entries())
    assert error == ""
    assert after.away("bob")
    book.close()
    again = ledger(folder)
    assert (again.repaired, again.epoch) == (None, 2)
    assert len(again.entries()) == 20 + 3
    assert b'"name":"bob"' in list(again.rows())[-2].body  # of a match that cannot do without the name
    assert b"eve" not in list(again.rows())[-1].body
    again.close()
    with closing(Reader(folder)) as reader:
        assert reader.verify()[2] == []
    copy = next(folder.glob(f"{database.NAME}.schema1-*"))
    assert bodies(copy) == before


def test_one_that_is_damaged_is_repaired_and_names_the_loss(folder: Path) -> None:
    before = bodies(folder / database.NAME)
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        (checksum,) = connection.execute(
            "SELECT CAST(previous || checksum AS BLOB) FROM entry WHERE number = 26"
        ).fetchone()
    data = (folder / database.NAME).read_bytes()
    at = data.find(checksum)
    (folder / database.NAME).write_bytes(data[:at] + b"!" + data[at + 1 :])
    book = ledger(folder)
    assert book.repaired is not None
    assert [row.body for row in played(book)] == before[:25]
    assert book.last is not None
    said = epochs.of(book.last)
    assert said is not None
    assert (said.epoch, said.why, said.lost) == (2, Cause.REPAIR, ((26, 32),))
    assert said.head is not None
    assert said.head.number == ROWS
    assert book.last.number == ROWS + 1
    assert fold(book.entries())[1] == ""


def test_gaps_that_it_knew_are_losses(folder: Path) -> None:
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        connection.execute("DELETE FROM evidence WHERE entry BETWEEN 5 AND 12")
        connection.execute("DELETE FROM entry WHERE number BETWEEN 5 AND 12")
        connection.execute("INSERT INTO gap VALUES (13, '20261101T120000Z')")
        connection.commit()
    book = ledger(folder)
    assert book.repaired is None
    assert book.last is not None
    seal = epochs.of(book.last)
    assert seal is not None
    assert seal.lost == ((5, 12),)
    book.close()
    with closing(Reader(folder)) as reader:
        assert reader.verify()[2] == ["rows 5 to 12 are lost: row 33 of 2026-11-21 says so"]


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE player", "DROP TABLE gap", "INSERT INTO entry", "COMMIT"]
)
def test_an_upgrade_that_is_killed_is_done_again(folder: Path, statement: str) -> None:
    before = bodies(folder / database.NAME)
    killed = subprocess.run([sys.executable, "-c", DIES_AT, folder, statement], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        assert database.version(connection) == 1
    book = ledger(folder)
    assert [row.body for row in played(book)] == before
    assert (book.repaired, book.epoch) == (None, 2)
