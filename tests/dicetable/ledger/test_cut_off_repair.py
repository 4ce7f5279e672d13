"""A power cut at any step of a repair: the next start has the sound rows and reports what was lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import store
from dicetable.ledger.entries import JournalError
from dicetable.ledger.repair import BUILDING, FILES, RESTORED
from dicetable.ledger.store import taken
from tests.dicetable.ledger.books import fill, ledger, played
from tests.dicetable.ledger.repairs import ROWS, damaged

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.statements import Row


class PowerCutError(BaseException):
    """The power went."""


class Disk:
    """Counts the calls that change a disk or wait for it, cuts the power before one of them.

    What was not waited for is lost then: renames are undone, files are cut to half.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cut_before: int) -> None:
        self.cut_before = cut_before
        self.calls = 0
        self.renamed: list[tuple[Path, Path, set[Path]]] = []
        self.unsynced: set[Path] = set()
        self.real_replace = Path.replace
        self.real_fsync = os.fsync
        monkeypatch.setattr(Path, "replace", lambda path, target: self.replace(path, Path(target)))
        monkeypatch.setattr(os, "fsync", self.fsync)
        for owner, name in ((Path, "mkdir"), (Path, "unlink"), (shutil, "rmtree")):
            monkeypatch.setattr(owner, name, self.counted(getattr(owner, name)))

    def counted(self, call: Callable[..., object]) -> Callable[..., object]:
        def counting(*args: object, **named: object) -> object:
            self.step()
            return call(*args, **named)

        return counting

    def step(self) -> None:
        self.calls += 1
        if self.calls == self.cut_before:
            self.forget_what_was_not_synced()
            raise PowerCutError

    def forget_what_was_not_synced(self) -> None:
        for source, target, _ in reversed(self.renamed):
            self.real_replace(target, source)
        for path in self.unsynced:
            if path.exists():
                os.truncate(path, path.stat().st_size // 2)

    def replace(self, source: Path, target: Path) -> Path:
        self.step()
        assert source not in self.unsynced, f"{source.name} is renamed before its content is on the disk"
        self.real_replace(source, target)
        if not target.name.startswith("."):
            self.renamed.append((source, target, {source.parent, target.parent}))
        return target

    def fsync(self, descriptor: int) -> None:
        self.step()
        self.real_fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        self.unsynced.discard(path)
        for _, _, folders in self.renamed:
            folders.discard(path)
        self.renamed = [each for each in self.renamed if each[2]]


def after_cut(folder: Path, cut_before: int) -> tuple[int, list[Row], int | None]:
    """Cuts the power before that step of a repair; what the next start has: kept, rows, lost."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "table", copy)
    with pytest.MonkeyPatch.context() as patch:
        locks: list[int] = []

        def remembered(path: Path) -> int:
            locks.append(taken(path))
            return locks[-1]

        patch.setattr(store, "taken", remembered)
        disk = Disk(patch, cut_before)
        disk.unsynced.add(copy / BUILDING)
        try:
            ledger(copy).close()
            finished = True
        except PowerCutError:
            finished = False
            for lock in locks:
                os.close(lock)
    again = ledger(copy)
    assert again.repaired is not None, f"nothing is said after a cut before step {cut_before}"
    rows = played(again)
    assert not (copy / RESTORED).exists()
    assert all((again.repaired.aside / name).exists() for name in FILES if (folder / "table" / name).exists())
    told = again.repaired.kept, rows, again.repaired.last_lost
    again.add(b"{}", opens=True)
    again.close()
    last = ledger(copy)
    assert last.repaired is None
    last.close()
    return (-1, rows, 0) if finished else told


def test_a_repair_may_be_cut_off_before_each_of_its_steps(tmp_path: Path) -> None:
    rows = damaged(tmp_path)
    steps = 0
    for cut_before in range(1, 100):
        kept, found, lost = after_cut(tmp_path, cut_before)
        if kept == -1:
            break
        steps += 1
        assert 0 < kept < ROWS
        assert found == rows[:kept]
        assert lost == ROWS - kept
    assert steps > 20


@pytest.mark.parametrize("refused", range(1, 6))
def test_a_disk_that_refuses_a_step_of_a_repair_while_playing_loses_nothing(
    refused: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = ledger(tmp_path)
    fill(book, ROWS, picture_bytes=3000)
    before = list(book.rows())
    book.disconnect()
    with book.path.open("r+b") as file:
        file.write(bytes(64))
    calls = 0
    replace = Path.replace

    def refusing(path: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == refused:
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refusing)
    try:
        added = book.add(b"{}", opens=False)
    except JournalError:
        assert calls >= refused
        added = book.add(b"{}", opens=False)
    assert played(book) == [*before, added]


def test_a_restored_ledger_without_its_note_goes_on_in_a_new_epoch(tmp_path: Path) -> None:
    """Which rows the damaged files held beyond these is not known any more."""
    book = ledger(tmp_path)
    fill(book, 5)
    rows = list(book.rows())
    book.close()
    book.path.rename(tmp_path / RESTORED)  # it had moved the damaged files away already
    again = ledger(tmp_path)
    assert played(again) == rows
    assert again.repaired is not None
    assert again.repaired.last_lost is None
