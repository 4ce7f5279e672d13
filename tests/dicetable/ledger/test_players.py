"""Rows hold ids of players, so that a name can be erased."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database, store
from dicetable.ledger.entries import Opened, Sat, Sitting, dump, load
from dicetable.ledger.reader import Reader
from dicetable.ledger.repair import NOTE, named
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import fold
from league import replay
from tests.dicetable.ledger.books import ledger
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.ledger.entries import Entry

Captured = pytest.CaptureFixture[str]
NAME = "Žofie"


def entries() -> list[Entry]:
    """A match of which the first seat is called Žofie."""
    return [load(dump(entry).replace(b'"ann"', f'"{NAME}"'.encode())) for entry in script("sixes", 3)[:12]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(ledger(tmp_path / "table")) as book:
        for entry in [*entries(), Sat(1, NAME, Sitting.SITS_OUT)]:
            book.append(entry)
    return tmp_path / "table"


def files_with(name: str, folder: Path) -> list[str]:
    """The files below a folder that hold a name."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(folder)) for path in files if name.encode() in path.read_bytes())


def test_no_row_holds_a_name_and_all_come_back_with_it(folder: Path) -> None:
    book = ledger(folder)
    assert book.entries() == [*entries(), Sat(1, NAME, Sitting.SITS_OUT)]
    assert not any(name.encode() in row.body for row in book.rows() for name in (NAME, '"bob"', '"cleo"'))
    opened = json.loads(next(book.rows()).body)
    assert all(list(seat) == ["player"] and len(seat["player"]) == 16 for seat in opened["seats"])


def test_a_player_keeps_the_id_from_match_to_match(folder: Path) -> None:
    book = ledger(folder)
    book.append(Opened("sixes", ("bob", NAME), {}, 1, (), (1, 2), None))
    first, *_, last = (json.loads(row.body) for row in book.rows())
    assert last["seats"] == [first["seats"][1], first["seats"][0]]


def test_an_erased_name_is_in_no_file_and_the_match_goes_on(folder: Path, capsys: Captured) -> None:
    before = list(ledger_rows(folder))
    assert files_with(NAME, folder) == [database.NAME]
    assert main(["ledger", "erase-name", NAME, "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == f"{NAME!r} is erased: no row contains it\n"
    assert files_with(NAME, folder) == []
    assert list(ledger_rows(folder)) == before
    evening, error = fold(ledger_entries(folder))
    assert error == ""
    assert evening.match is not None
    first = evening.match.state()["seats"][0]["seat"]
    assert first.startswith("player ")
    assert main(["ledger", "show", "--folder", str(folder)]) == 0
    assert f"Sixes: {first}, bob, cleo, dan" in capsys.readouterr().out
    assert main(["ledger", "verify", "--folder", str(folder)]) == 0
    with closing(Ledger(folder)) as book:
        book.append(Sat(1, first, Sitting.PLAYS))
        assert book.entries()[-1] == Sat(1, first, Sitting.PLAYS)


def test_a_name_is_not_erased_while_another_program_would_keep_it_in_the_files(
    folder: Path, capsys: Captured
) -> None:
    with closing(sqlite3.connect(folder / database.NAME, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM player").fetchone() == (4,)
        assert main(["ledger", "erase-name", NAME, "--folder", str(folder)]) == 1
        assert "Another program uses the ledger" in capsys.readouterr().err
        reader.execute("COMMIT")
    assert main(["ledger", "erase-name", NAME, "--folder", str(folder)]) == 0
    assert files_with(NAME, folder) == []


def ledger_rows(folder: Path) -> list[bytes]:
    with closing(Ledger(folder)) as book:
        return [row.body for row in book.rows()]


def ledger_entries(folder: Path) -> list[Entry]:
    with closing(Ledger(folder)) as book:
        return list(book.entries())


def test_a_name_that_nobody_has_is_said_to_be_none(folder: Path, capsys: Captured) -> None:
    assert main(["ledger", "erase-name", "Nemo", "--folder", str(folder)]) == 1
    assert "there is no player 'Nemo'" in capsys.readouterr().err


def test_copies_that_hold_the_name_are_named(folder: Path, capsys: Captured) -> None:
    copy = folder / "damaged-000001-20261121T120000Z" / database.NAME
    copy.parent.mkdir()
    shutil.copy(folder / database.NAME, copy)
    assert main(["ledger", "erase-name", NAME, "--folder", str(folder)]) == 0
    assert f"{copy} still contains the name: delete" in capsys.readouterr().out


def test_an_erased_name_stays_erased_in_a_repair_and_the_others_stay(folder: Path) -> None:
    with closing(Ledger(folder)) as book:
        store.erase_name(book, NAME)
    with (folder / database.NAME).open("r+b") as file:
        file.write(bytes(64))
    book = ledger(folder)
    assert book.repaired is not None
    opened = book.entries()[0]
    assert isinstance(opened, Opened)
    assert opened.seats[0].startswith("player ")
    assert opened.seats[1:] == ("bob", "cleo", "dan")
    assert (folder / NOTE).exists()


def test_no_two_players_have_one_name_after_a_repair() -> None:
    """Old pages may hold a name that was erased and given to another player since."""
    first, second, erased = "a" * 16, "b" * 16, "c" * 16
    assert named([], {first: "bob", second: "bob", erased: None}) == {
        first: "bob",
        second: None,
        erased: None,
    }


def test_who_begins_is_named_by_an_id_too(tmp_path: Path) -> None:
    """An option of a game names a seat; once the name is erased, the match can still be replayed."""
    opened = Opened("six_shooter", (NAME, "bob"), {"first": NAME}, 1, (), (1, 2), ())
    with closing(ledger(tmp_path)) as book:
        book.append(opened)
        (row,) = book.rows()
        assert NAME.encode() not in row.body
        assert book.entries() == [opened]
        match = replay.open_match(json.loads(row.body))
        assert match.seats[0] == match.opening.options["first"] == book.players.ids[NAME]
        store.erase_name(book, NAME)
        state, damage = fold(book.entries())
        assert damage == ""
        assert state.to_act == book.entries()[0].options["first"]  # type: ignore[union-attr]
    assert files_with(NAME, tmp_path) == []


def test_a_player_who_is_not_what_was_written_is_noticed(folder: Path) -> None:
    """No row changes, and the chain says nothing about names."""
    data = (folder / database.NAME).read_bytes()
    (folder / database.NAME).write_bytes(data.replace(b"bob", b"bib"))
    with closing(Reader(folder)) as reader:
        assert "is not what was written" in reader.verify()[2][0]
    with closing(Ledger(folder)) as book:
        assert book.repaired is not None
        assert "is not what was written" in book.repaired.why
        opened = book.entries()[0]
        assert isinstance(opened, Opened)
        assert opened.seats[1].startswith("player ")
        assert opened.seats[2:] == ("cleo", "dan")
        book.append(Sat(3, "cleo", Sitting.SITS_OUT))
    with closing(Ledger(folder)) as book:
        assert book.repaired is None


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM player WHERE name = 'bob'",
        "UPDATE player SET name = NULL WHERE name = 'bob'",
        "UPDATE player SET id = (SELECT id FROM player WHERE name = 'dan') WHERE name = 'bob'",
        "INSERT INTO epoch VALUES (2, 3)",
        "INSERT INTO loss VALUES (3, 3)",
    ],
)
def test_the_tables_beside_the_chain_are_checked(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        connection.execute(sql)
        connection.commit()
    with closing(Ledger(folder)) as book:
        assert book.repaired is not None
        assert len(book.entries()) == len(entries()) + 2
        book.append(Sat(3, "cleo", Sitting.SITS_OUT))
    with closing(Ledger(folder)) as book:
        assert book.repaired is None
