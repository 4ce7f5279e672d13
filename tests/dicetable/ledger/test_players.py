"""Rows hold ids of players, so that a name can be erased."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.league import replay
from dicetable.ledger import database, upkeep
from dicetable.ledger.entries import Opened, Sat, Sitting, dump, load
from dicetable.ledger.reader import Reader
from dicetable.ledger.repair import NOTE
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import fold
from tests.dicetable.ledger.books import ledger
from tests.dicetable.ledger.release_0_1_0 import LEDGER
from tests.dicetable.ledger.torture import script

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
        upkeep.erase_name(book, NAME)
    with (folder / database.NAME).open("r+b") as file:
        file.write(bytes(64))
    book = ledger(folder)
    assert book.repaired is not None
    opened = book.entries()[0]
    assert isinstance(opened, Opened)
    assert opened.seats[0].startswith("player ")
    assert opened.seats[1:] == ("bob", "cleo", "dan")
    assert (folder / NOTE).exists()


def test_names_in_rows_of_0_1_0_are_said_to_stay(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "table"
    shutil.copytree(LEDGER, folder)
    with closing(ledger(folder)) as book:
        book.append(Opened("sixes", ("bob", "eve"), {}, 1, (), (1, 2), None))
    assert main(["ledger", "erase-name", "bob", "--folder", str(folder)]) == 0
    erased, *copies = capsys.readouterr().out.splitlines()
    assert erased.startswith("'bob' is erased, but not from ")
    assert erased.endswith(" rows of earlier releases: no name can be erased from these")
    assert len(copies) == 1
    assert ".schema1-" in copies[0]
    with closing(Reader(folder)) as reader:
        opened = [line.entry for line in reader.lines() if isinstance(line.entry, Opened)]
    assert [each.seats[-1] for each in opened] == ["dan", "dan", "eve"]
    assert opened[0].seats[1] == "bob"
    assert opened[2].seats[0].startswith("player ")


def test_who_begins_is_named_by_an_id_too(tmp_path: Path) -> None:
    """An option of a game names a seat; once the name is erased, the match can still be replayed."""
    opened = Opened("six_shooter", (NAME, "bob"), {"first": NAME}, 1, (), (1, 2), ())
    with closing(ledger(tmp_path)) as book:
        book.append(opened)
        (row,) = book.rows()
        assert NAME.encode() not in row.body
        assert book.entries() == [opened]
        match = replay.opened(json.loads(row.body))
        assert match.seats[0] == match.opening.options["first"] == book.players.ids[NAME]
        assert upkeep.erase_name(book, NAME) == 0
        state, damage = fold(book.entries())
        assert damage == ""
        assert state.asked == book.entries()[0].options["first"]  # type: ignore[union-attr]
    assert files_with(NAME, tmp_path) == []


@pytest.fixture
def opened_by_0_2_0(tmp_path: Path) -> Path:
    """A match whose opening has ids for the seats and the name itself for who begins."""
    opened = Opened("six_shooter", ("bob", NAME), {"first": NAME}, 1, (), (1, 2), ())
    with closing(ledger(tmp_path)) as book:
        body = json.loads(book.players.to_ids(dump(opened)))
        body["options"]["first"] = NAME
        book.add(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(), opens=True)
    return tmp_path


def test_a_match_that_0_2_0_opened_goes_on_with_ids(opened_by_0_2_0: Path) -> None:
    with closing(ledger(opened_by_0_2_0)) as book:
        book.append(Sat(1, NAME, Sitting.SITS_OUT))
        assert [NAME.encode() in row.body for row in book.rows()] == [True, False]
        assert book.entries()[-1] == Sat(1, NAME, Sitting.SITS_OUT)


def test_a_row_that_names_who_begins_is_named_as_an_exception(opened_by_0_2_0: Path) -> None:
    """It still says who began, as the one seat without a name."""
    with closing(ledger(opened_by_0_2_0)) as book:
        assert upkeep.erase_name(book, NAME) == 1
        state, error = fold(book.entries())
        assert error == ""
        assert state.asked == book.entries()[0].seats[1]  # type: ignore[union-attr]
        assert state.asked != NAME
