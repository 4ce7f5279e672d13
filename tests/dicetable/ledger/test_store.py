from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import database, stored_rows
from dicetable.ledger.entries import Closed, Ending, JournalError, Opened
from dicetable.ledger.reader import Reader
from dicetable.ledger.repair import NOTE
from dicetable.ledger.store import LOCK, Bounds, Ledger
from tests.dicetable.ledger.books import fill, ledger, left_by_a_kill, noon, played

if TYPE_CHECKING:
    from common.statements import Row

ROOT = Path(__file__).resolve().parents[3]
OPENED = Opened("six_by_6", ("ann",), {}, 1, (), (1,), None)


def test_what_was_appended_is_there_after_a_kill(tmp_path: Path) -> None:
    book = ledger(tmp_path / "book")
    book.append(OPENED)
    book.append(Closed(Ending.OVER), b"picture")
    again = ledger(left_by_a_kill(book, tmp_path / "copy"))
    assert again.entries() == [OPENED, Closed(Ending.OVER)]
    assert [row.match for row in again.rows()] == [1, 1]
    assert again.repaired is None
    assert again.connection is not None
    assert stored_rows.evidence(again.connection, 2) == b"picture"
    assert stored_rows.evidence(again.connection, 1) is None


DIES_MAKING_IT = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.execute("CREATE TABLE half (made)")
connection.executemany("INSERT INTO half VALUES (?)", [("x" * 3000,)] * 100)
os._exit(0)
"""


def test_a_file_that_was_being_made_at_a_kill_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / database.NAME
    stored_rows.write_first_head(tmp_path / stored_rows.HEAD_NAME)
    subprocess.run([sys.executable, "-c", DIES_MAKING_IT, path], check=True)
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0
    book = ledger(tmp_path)
    book.append(OPENED)
    assert book.entries() == [OPENED]
    assert book.repaired is None


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    assert book.connection is not None
    assert book.connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert book.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_little_of_the_file_is_held_in_memory(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    assert book.connection is not None
    (kb,) = book.connection.execute("PRAGMA cache_size").fetchone()
    assert -512 <= kb < 0  # negative: in KB, not in pages


def test_rows_cannot_be_edited(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 2)
    assert book.connection is not None
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        book.connection.execute("UPDATE entry SET body = x'00' WHERE number = 1")


def test_only_the_newest_pictures_stay(tmp_path: Path) -> None:
    book = ledger(tmp_path, Bounds(pictures=3))
    fill(book, 30, picture_bytes=500)
    assert book.connection is not None
    kept = book.connection.execute("SELECT entry FROM evidence ORDER BY entry").fetchall()
    assert kept == [(22,), (25,), (28,)]
    book.add(b"{}", opens=False, evidence=b"x" * 262_145)
    assert stored_rows.evidence(book.connection, 31) is None


def test_old_matches_go_whole_before_a_new_one(tmp_path: Path) -> None:
    book = ledger(tmp_path, Bounds(days=0, rows=35))
    fill(book, 100, match=10)
    rows = list(book.rows())
    assert (rows[0].number, rows[-1].number) == (61, 100)
    book.close()
    again = ledger(tmp_path)
    assert (again.repaired, list(again.rows())) == (None, rows)


def test_young_matches_stay_however_many_are_started(tmp_path: Path) -> None:
    """Whoever starts and ends games without end pushes no evening out of the ledger."""
    time = noon()
    with closing(Ledger(tmp_path, Bounds(rows=35), lambda: time)) as book:
        for _ in range(13):  # a match every 30 days
            fill(book, 10, match=10)
            time += timedelta(days=30)
        fill(book, 200, match=2)
        assert next(iter(book.rows())).number == 11, "360 days old; the first match is 390 days old"
        time += timedelta(days=5)
        fill(book, 1)
        assert next(iter(book.rows())).number == 21


@pytest.mark.parametrize("days", [-400, 400, -20_000, 20_000])
def test_a_wrong_clock_makes_no_match_old(tmp_path: Path, days: int) -> None:
    time = noon()
    with closing(Ledger(tmp_path, Bounds(rows=35), lambda: time)) as book:
        for _ in range(10):
            fill(book, 10, match=10)
            time += timedelta(days=30)
        time += timedelta(days=days)
        fill(book, 40, match=2)
        assert next(iter(book.rows())).number == 1, "while the clock is wrong"
        time -= timedelta(days=days)
        fill(book, 40, match=2)
        assert next(iter(book.rows())).number == 1, "once it is right again"
        for _ in range(13):
            time += timedelta(days=30)
            fill(book, 10, match=10)
        assert next(iter(book.rows())).number > 100, "and it protects no match for ever"


def test_the_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    book = ledger(tmp_path, Bounds(days=0, rows=30, pictures=10))
    fill(book, 60, picture_bytes=30_000)
    book.close()
    size = (tmp_path / database.NAME).stat().st_size
    book = ledger(tmp_path, Bounds(days=0, rows=30, pictures=10))
    fill(book, 150, picture_bytes=30_000)
    book.close()
    assert (tmp_path / database.NAME).stat().st_size <= 1.3 * size


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    with pytest.raises(JournalError, match="Another program") as raised:
        ledger(tmp_path)
    assert "stop the other" in raised.value.remedy
    book.close()
    ledger(tmp_path).close()


def test_a_full_disk_takes_nothing_and_heals(tmp_path: Path) -> None:
    book = ledger(tmp_path, Bounds(most_bytes=64 * 4096))
    with pytest.raises(JournalError, match="disk is full"):
        fill(book, 1000, picture_bytes=20_000)
    rows = list(book.rows())
    assert book.last == rows[-1]
    book.close()
    again = ledger(tmp_path)
    assert list(again.rows()) == rows
    added = again.add(b"{}", opens=False)
    assert added.follows(rows[-1])


def test_a_row_that_was_never_acknowledged_is_taken_back(tmp_path: Path) -> None:
    """The commit reached the disk, but an error was told of it: the table did not go on with it."""
    book = ledger(tmp_path)
    fill(book, 5)
    said = book.last
    book.add(b'{"unacknowledged":true}', opens=False, evidence=b"its picture")
    book.disconnect()
    book.last = said
    added = book.add(b'{"next":true}', opens=False)
    assert [row.body for row in book.rows()][5:] == [b'{"next":true}']
    assert added.number == 6
    assert book.connection is not None
    assert stored_rows.evidence(book.connection, 6) is None
    again = ledger(left_by_a_kill(book, tmp_path / "copy"))
    assert (again.repaired, again.last) == (None, added)


def test_such_a_row_does_not_come_back_by_a_repair(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 5)
    said = book.last
    book.add(b'{"unacknowledged":true}', opens=False)
    book.disconnect()
    book.last = said
    with book.path.open("r+b") as file:
        file.write(bytes(64))
    added = book.add(b'{"next":true}', opens=False)
    assert book.repaired is not None
    assert [row.body for row in played(book)][5:] == [b'{"next":true}']
    assert added.number == 8  # 6 was the row that never counted, 7 begins an epoch
    book.close()
    again = ledger(tmp_path)
    assert (again.repaired, again.last) == (None, added)


@pytest.mark.parametrize("reached_the_disk", [True, False])
def test_the_names_of_an_entry_that_was_refused_come_with_the_next(
    *, reached_the_disk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Ledger.commit

    def refused(book: Ledger, row: Row, evidence: bytes) -> None:
        if reached_the_disk:
            commit(book, row, evidence)
        raise OSError(5, "Input/output error")

    book = ledger(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "commit", refused)
        with pytest.raises(JournalError):
            book.append(OPENED)
    book.append(OPENED)
    book.close()
    assert ledger(tmp_path).entries() == [OPENED]


def test_damage_that_shows_while_playing_is_repaired_on_the_way(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    fill(book, 40, picture_bytes=5000)
    before = list(book.rows())
    book.disconnect()
    with book.path.open("r+b") as file:
        file.write(bytes(64))
    added = book.add(b'{"next":true}', opens=False)
    assert book.repaired is not None
    assert played(book) == [*before, added]


IN_A_SMALL_FILE_SYSTEM = """
import subprocess, sys
from pathlib import Path
from dicetable.ledger.entries import JournalError
from dicetable.ledger.store import Ledger
folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder], check=True)
book = Ledger(folder)
def until_refused():
    number = book.last.number if book.last else 0
    for number in range(number, 5000):
        try:
            book.add(b"x" * 3000, opens=number == 0)
        except JournalError as error:
            return str(error)
def remount(how):
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)
print(until_refused())
stands = list(book.rows())
print(len(stands) == book.last.number)
remount("size=1m")
book.add(b"after", opens=False)
print(list(book.rows())[:-1] == stands)
stands = list(book.rows())
book.close()
remount("ro")
try:
    Ledger(folder)
except JournalError as error:
    print(error)
remount("rw")
book = Ledger(folder)
print(book.repaired, list(book.rows()) == stands)
"""


def test_a_disk_that_fills_up_or_goes_read_only(tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here (unshare -rm fails)")
    (tmp_path / "disk").mkdir()
    program = [sys.executable, "-c", IN_A_SMALL_FILE_SYSTEM, str(tmp_path / "disk")]
    ran = subprocess.run(["unshare", "-rm", *program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    full, whole, goes_on, read_only, back = ran.stdout.splitlines()
    assert "disk is full" in full
    assert "make room" in full
    assert (whole, goes_on, back) == ("True", "True", "None True")
    assert "can't write to the disk" in read_only


IN_A_FULL_FILE_SYSTEM = """
import os, subprocess, sys
from pathlib import Path
from dicetable.ledger.store import Ledger
from dicetable.service.healing_ledger import RETRY_S, HealingLedger
folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], check=True)
book = Ledger(folder)
for number in range(60):
    book.add(b"x" * 3000, opens=number % 10 == 0)
book.close()
data = bytearray((folder / "ledger.sqlite3").read_bytes())
data[data.find(b"x" * 3000) + 9] ^= 1
(folder / "ledger.sqlite3").write_bytes(data)
room = os.statvfs(folder)
(folder / "other").write_bytes(bytes(room.f_bavail * room.f_bsize))
healing = HealingLedger(folder, lambda: None)
left = []
for retry in range(20):
    healing.open(retry * RETRY_S)
    left.append(sorted(path.name for path in folder.iterdir()))
print(healing.degraded)
print(left.count(left[0]), any("damaged" in name for name in left[0]))
(folder / "other").unlink()
healing.open(21 * RETRY_S)
print(healing.repaired is not None, healing.repaired.kept if healing.repaired else healing.degraded)
print(sorted(path.name for path in folder.iterdir() if not path.name.startswith("ledger.sqlite3")))
"""


def test_retries_of_a_repair_on_a_full_disk_leave_nothing_behind(tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here (unshare -rm fails)")
    (tmp_path / "disk").mkdir()
    program = [sys.executable, "-c", IN_A_FULL_FILE_SYSTEM, str(tmp_path / "disk")]
    ran = subprocess.run(["unshare", "-rm", *program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr, ran.stderr[-300:]
    full, same, repaired, there = ran.stdout.splitlines()
    assert "disk is full" in full
    assert same == "20 False", "nothing more at any retry"
    assert repaired == "True 50"
    assert "part" not in there


@pytest.mark.parametrize("name", [database.NAME, stored_rows.HEAD_NAME, LOCK, NOTE])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_named_and_never_opened(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "table" / name
    path.parent.mkdir()
    if kind == "link":
        (tmp_path / "real").write_bytes(b"")
        path.symlink_to(tmp_path / "real")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    for opened in (ledger, Reader):
        with pytest.raises(JournalError, match=f"{name} is not a plain file"):
            opened(path.parent)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_folder_of_another_user_is_named_with_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    error = database.journal_error(tmp_path / database.NAME, PermissionError(number, os.strerror(number)))
    assert error.what == "The ledger's folder belongs to another user: the game waits."
    assert f"belongs to {tmp_path.owner()}: set `ledger.folder` to a folder of your own" in error.remedy


def test_a_missing_folder_below_another_user_s_names_the_one_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    error = database.journal_error(tmp_path / "new" / database.NAME, PermissionError(13, "Permission denied"))
    assert error.what == "The table may not make the ledger's folder: the game waits."
    owner = tmp_path.owner()
    assert error.remedy == f"{tmp_path} belongs to {owner}: set `ledger.folder` to a folder of your own"


def test_a_folder_that_cannot_even_be_looked_at_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refused)
    error = database.journal_error(tmp_path / database.NAME, PermissionError(13, "Permission denied"))
    assert error.what == "The table can't write to the disk: the game waits."
    assert str(error).startswith("The table can't write to the disk: the game waits: make ")


def test_a_ledger_that_another_program_locks_is_said_to_be_and_not_waited_for(tmp_path: Path) -> None:
    """The loop that reads the camera's messages stands still while the ledger waits."""
    book = ledger(tmp_path)
    fill(book, 3)
    with closing(sqlite3.connect(book.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(JournalError) as caught:
            book.add(b"{}", opens=False)
        assert caught.value.what == "Another program uses the ledger."
        other.execute("ROLLBACK")
    assert book.add(b"{}", opens=False).number == 4
    assert book.repaired is None
    assert book.connected().execute("PRAGMA busy_timeout").fetchone() == (100,)


def test_the_newest_games_are_found_without_reading_the_others(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    rules = ("", "The Anchor's", "")
    for game, house_rules in zip(("yacht", "ten_thousand", "mia"), rules, strict=True):
        book.append(Opened(game, ("ann", "bob"), {}, 1, (), (1, 2), None, house_rules=house_rules or None))
        book.append(Closed(Ending.ENDED))
    found = [(opened.game, opened.house_rules) for opened in book.openings(2)]
    assert found == [("mia", None), ("ten_thousand", "The Anchor's")]
    assert [opened.game for opened in book.openings(9)] == ["mia", "ten_thousand", "yacht"]


def test_a_table_resumes_from_the_newest_game_alone(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    for seed in (1, 2):
        book.append(replace(OPENED, seed=seed))
        book.append(Closed(Ending.ENDED))
    assert book.entries() == [replace(OPENED, seed=2), Closed(Ending.ENDED)]


def test_an_empty_ledger_has_no_games(tmp_path: Path) -> None:
    assert ledger(tmp_path).openings(9) == []
