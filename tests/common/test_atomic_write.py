"""A file is either complete or unchanged, and devices, pipes and folders are not replaced."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from common import files
from common.files import check_writable


def test_an_older_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    for data in (b"old", b"new"):
        check_writable(path)
        files.atomic_write(path, data)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_whole_leaves_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:  # noqa: ARG001 - takes what os.fsync takes
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as refused:
        files.atomic_write(path, b"new")
    assert refused.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_goes_on_leading_to_the_file(tmp_path: Path) -> None:
    path, link = tmp_path / "page.pdf", tmp_path / "link.pdf"
    path.write_bytes(b"old")
    link.symlink_to(path)
    files.atomic_write(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.atomic_write(pipe, b"through")
    assert os.read(reader, 20) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for tried in (check_writable, lambda path: files.atomic_write(path, b"lost")):
        with pytest.raises(OSError, match="No such device"):
            tried(tmp_path / "pipe")


def test_a_reader_that_stops_reading_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "READER_S", 0.01)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(TimeoutError, match="pipe"):
        files.atomic_write(pipe, b"x" * 1_000_000)
    os.close(reader)


def test_more_than_a_pipe_holds_goes_through_one_that_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (tmp_path / "copy").open("wb") as copy, subprocess.Popen(["/bin/cat", pipe], stdout=copy) as cat:
        held = os.open(pipe, os.O_WRONLY)  # waits until it reads
        files.atomic_write(pipe, b"x" * 1_000_000)
        os.close(held)
        assert cat.wait(300) == 0
    assert (tmp_path / "copy").read_bytes() == b"x" * 1_000_000


@pytest.mark.parametrize("name", [".", "/", "none/page.pdf"])
def test_where_nothing_can_be_written(tmp_path: Path, name: str) -> None:
    for tried in (check_writable, lambda path: files.atomic_write(path, b"new")):
        with pytest.raises(OSError, match="directory"):
            tried(tmp_path / name)


def test_the_data_is_on_the_disk_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    synced, replaced = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        done.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        synced(descriptor)

    def replace(path: Path, target: Path) -> Path:
        done.append("rename")
        return replaced(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    files.atomic_write(tmp_path / "page.pdf", b"new")
    assert done == [".page.pdf.part", "rename", tmp_path.name]
