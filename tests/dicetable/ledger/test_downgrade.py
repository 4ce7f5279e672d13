"""Downgrade to schema 1: release 0.1.0 finds every row, old and new, and can continue."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.ledger import database, downgrade, epochs, head, stored_rows, upkeep
from dicetable.ledger.entries import (
    Cause,
    Closed,
    Corrected,
    Decided,
    DieDetails,
    Ending,
    Epoch,
    LyingDie,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
    load,
)
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import fold
from tests.dicetable.ledger import release_0_1_0
from tests.dicetable.ledger.books import ledger, played
from tests.dicetable.ledger.torture import script

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from dicetable.ledger.entries import Entry

BOX = (1, 2, 3, 4)
NEW = Thrown(
    (("d6", 3),),
    (LyingDie("d6", 3, BOX, (12.5, 60.1), "red"),),
    details=(DieDetails((12.5, 60.1), "red", 2, 5),),
)
OLD = Thrown((("d6", 3),), (LyingDie("d6", 3, BOX),))
EVERY: list[Entry] = [
    Opened("sixes", ("ann", "bob"), {"rounds": 3}, 7, (1,), (1, 2), None),
    Decided("ann", {"type": "call", "value": 3}, by_table=True),
    NEW,
    Revealed("bob", (("d6", 3),), None, (DieDetails(confirmed_by="nobody"),)),
    Corrected(2, (("d6", 5),), (1, 2)),
    Sat(1, "ann", Sitting.SITS_OUT),
    Closed(Ending.ENDED),
]
EVERY_OF_SCHEMA_1: list[Entry] = [OLD if each is NEW else each for each in EVERY]


def downgraded(folder: Path) -> sqlite3.Connection:
    """The ledger after `dicetable ledger downgrade 1`, found sound by all that 0.1.0 checked."""
    assert main(["ledger", "downgrade", "1", "--folder", str(folder)]) == 0
    connection = database.connect_to_read(folder / database.NAME)
    assert database.version(connection) == 1
    database.check_schema(connection)
    data = (folder / head.NAME).read_bytes()
    assert (len(data), data[:4]) == (56, b"DTH1")
    remembered = head.read(folder / head.NAME)
    assert remembered is not None
    last = stored_rows.check(connection, remembered)
    assert last is not None
    assert (last.number, last.checksum) == (remembered.last, remembered.checksum)
    return connection


def test_every_kind_of_entry_comes_back_in_its_old_form(tmp_path: Path) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in EVERY:
            book.append(entry, b"a picture" if isinstance(entry, Thrown | Revealed) else b"")
    with closing(downgraded(tmp_path)) as connection:
        rows = list(stored_rows.rows(connection))
        fields = [set(json.loads(row.body)) for row in rows]
        assert fields == [set(downgrade.FIELDS_OF_SCHEMA_1[entry.entry]) for entry in EVERY]
        assert set(json.loads(rows[2].body)["lying"][0]) == {"kind", "value", "box"}
        shorn = [load(row.body) for row in rows]
        assert shorn == [
            Revealed("bob", (("d6", 3),), None) if isinstance(each, Revealed) else each
            for each in EVERY_OF_SCHEMA_1
        ]
        assert [stored_rows.evidence(connection, number) for number in (3, 4)] == [b"a picture", b"a picture"]


def test_rows_after_a_loss_are_numbered_anew_with_their_pictures(tmp_path: Path) -> None:
    """Rows 4 to 10 are lost in the middle, others at the tail; what came after both stays."""
    first = [*script("sixes", 3)[:10]]
    with closing(ledger(tmp_path)) as book:
        for entry in [*first, *script("money_shot", 4)[:12]]:
            book.append(entry, b"a picture" if isinstance(entry, Thrown) else b"")
        broken = list(book.rows())[3]
    data = (tmp_path / database.NAME).read_bytes()
    at = data.find(broken.previous + broken.checksum)
    (tmp_path / database.NAME).write_bytes(data[:at] + b"!" + data[at + 1 :])
    with closing(ledger(tmp_path)) as book:
        assert book.repaired is not None
        for entry in script("money_shot", 4)[12:16]:
            book.append(entry, b"a later picture" if isinstance(entry, Thrown) else b"")
        kept = played(book)
        entries = [load(book.players.to_names(row.body)) for row in kept]
        pictures = [stored_rows.evidence(book.connection, row.number) for row in kept if book.connection]
    assert [row.number for row in kept][2:5] == [3, 11, 12]
    with closing(downgraded(tmp_path)) as connection:
        rows = list(stored_rows.rows(connection))
        assert [row.number for row in rows] == list(range(1, len(kept) + 1))
        assert [load(row.body) for row in rows] == entries
        assert [row.match for row in rows] == [1] * 3 + [4] * 16
        assert [stored_rows.evidence(connection, row.number) for row in rows] == pictures
        assert pictures.count(b"a later picture") > 0
        assert connection.execute("SELECT before FROM gap").fetchall() == [(4,)]


def test_erased_names_stay_erased_and_the_match_can_be_played(tmp_path: Path) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in script("sixes", 3)[:12]:
            book.append(entry)
        upkeep.erase_name(book, "ann")
    with closing(downgraded(tmp_path)) as connection:
        _, error = fold(load(row.body) for row in stored_rows.rows(connection))
        assert error == ""
        assert b'"ann"' not in (tmp_path / database.NAME).read_bytes()


def test_up_again_it_goes_on_with_a_higher_epoch_and_numbers_never_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(release_0_1_0.LEDGER, tmp_path / "table")
    folder = tmp_path / "table"
    with closing(ledger(folder)) as book:
        book.append(Sat(2, "bob", Sitting.SITS_OUT))
        before = played(book)
        highest = book.last
    assert highest is not None
    assert (highest.number, len(before)) == (34, 33)
    downgraded(folder).close()
    copies = list(folder.glob(f"{database.NAME}.schema2-*"))
    assert len(copies) == 1
    book = ledger(folder)
    assert [row.body for row in played(book)] == [row.body for row in before]
    assert book.last is not None
    said = epochs.of(book.last)
    assert isinstance(said, Epoch)
    assert (said.epoch, said.why, book.last.number) == (3, Cause.ROLL_BACK, 35)
    assert said.head is not None
    assert (said.head.number, said.head.checksum) == (34, highest.checksum.hex())
    added = book.add(b"{}", opens=True)
    assert added.number == 36
    book.close()
    assert not (folder / epochs.ROLLED_BACK).exists()
    again = ledger(folder)
    assert (again.repaired, again.epoch, again.last) == (None, 3, added)
    again.close()
    capsys.readouterr()


def test_a_number_that_was_used_again_after_a_roll_back_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(ledger(tmp_path)) as book:
        for entry in script("sixes", 3)[:12]:
            book.append(entry)
    downgraded(tmp_path).close()
    ledger(tmp_path).close()
    capsys.readouterr()
    assert main(["ledger", "verify", "--folder", str(tmp_path)]) == 1
    assert (
        "number 12 was used twice: another row of this number was written before row 13"
        in capsys.readouterr().out
    )


def test_damage_after_a_roll_back_does_not_use_epoch_and_numbers_twice(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    shutil.copytree(release_0_1_0.LEDGER, folder)
    with closing(ledger(folder)) as book:
        assert (book.epoch, len(list(book.rows()))) == (2, 33)
    downgraded(folder).close()
    (folder / head.NAME).unlink()
    with (folder / database.NAME).open("r+b") as file:
        file.write(bytes(64))
    book = ledger(folder)
    assert book.repaired is not None
    assert (book.epoch, len(played(book))) == (3, 32)
    assert book.last is not None
    assert book.last.number == 34


@pytest.mark.parametrize("content", [None, "schema 1"])
def test_where_there_is_nothing_to_do_nothing_is_done(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "table"
    if content:
        shutil.copytree(release_0_1_0.LEDGER, folder)
    else:
        folder.mkdir()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["ledger", "downgrade", "1", "--folder", str(folder)]) == 0
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert main(["ledger", "downgrade", "9", "--folder", str(folder)]) == 2
    assert "there is no schema 9" in capsys.readouterr().err


class CutOffError(Exception):
    """The program ended here."""


@pytest.mark.parametrize("nth", range(1, 6))
def test_it_may_be_cut_off_before_each_of_its_steps(
    nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either schema is sound then, and neither release misses rows of the other."""
    with closing(ledger(tmp_path)) as book:
        for entry in EVERY:
            book.append(entry)
    steps = 0

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def counting(*args: object, **named: object) -> object:
            nonlocal steps
            steps += 1
            if steps == nth:
                raise CutOffError
            return call(*args, **named)

        return counting

    book = Ledger(tmp_path)
    with monkeypatch.context() as patch:
        for owner, name in ((downgrade, "atomic_write"), (downgrade, "sync"), (downgrade, "columns")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        with pytest.raises(CutOffError):
            upkeep.go_back(book, 1)
    again = ledger(tmp_path)
    assert again.repaired is None
    assert len(played(again)) == len(EVERY)


def test_each_migration_but_the_first_has_an_inverse() -> None:
    assert len(downgrade.INVERSES) == len(database.MIGRATIONS) - 1


SERVICE_ASKS = re.search("-I -c '(.*)'", (release_0_1_0.ROOT / "systemd/service.sh").read_text())
"""How `service.sh roll-back` asks a release for the schema that it knows."""
RESUMES = """
import json, sys
from pathlib import Path
from dicetable.journal import Sat, Sitting, dump
from dicetable.ledger.store import Ledger
from dicetable.table.evening import fold
ledger = Ledger(Path(sys.argv[1]))
evening, error = fold(ledger.entries())
rows = list(ledger.rows())
ledger.append(Sat(2, "bob", Sitting.SITS_OUT))
print(json.dumps([str(ledger.repaired), error, evening.match.state(), len(rows)]))
"""


@pytest.mark.slow
@pytest.mark.skipif(release_0_1_0.why_not() is not None, reason=str(release_0_1_0.why_not()))
def test_release_0_1_0_itself_plays_on(tmp_path: Path) -> None:
    """Written by 0.1.0, played on, brought down, played on by 0.1.0, played on."""
    sources = release_0_1_0.unpack(tmp_path / "sources")
    folder = tmp_path / "table"
    shutil.copytree(release_0_1_0.LEDGER, folder)
    with closing(ledger(folder)) as book:
        for entry in [Closed(Ending.ENDED), *script("sixes", 5)[:14]]:
            book.append(entry, b"a picture" if isinstance(entry, Thrown) else b"")
        evening, _ = fold(book.entries())
        count = len(played(book))
    assert SERVICE_ASKS is not None
    asks = ["-c", SERVICE_ASKS.group(1)]
    assert release_0_1_0.run(sources, *asks).stdout == "1\n"
    assert release_0_1_0.run(release_0_1_0.ROOT, *asks).stdout == f"{len(database.MIGRATIONS)}\n"
    downgraded(folder).close()
    ran = release_0_1_0.run(sources, "-c", RESUMES, str(folder))
    assert ran.stderr == ""
    assert evening.match is not None
    assert json.loads(ran.stdout) == ["None", "", evening.match.state(), count]
    verified = release_0_1_0.run(sources, "-m", "dicetable", "ledger", "verify", "--folder", str(folder))
    assert "all is as it was written" in verified.stdout
    with closing(ledger(folder)) as book:
        assert (book.repaired, book.epoch) == (None, 3)
        assert len(played(book)) == count + 1
        assert book.entries()[-2] == Sat(2, "bob", Sitting.SITS_OUT)
        assert fold(book.entries())[1] == ""
