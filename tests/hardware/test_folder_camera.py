"""A folder as a camera: order of names, faults named and passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.photograph import FolderCamera, natural
from tests.hardware.fakes import FakeClock
from tests.hardware.files import quarters, write


def camera(folder: Path) -> FolderCamera:
    started = FolderCamera(folder, FakeClock())
    started.start()
    return started


def names(seen: FolderCamera) -> list[str | None]:
    """The name of each frame to come, None for a photograph that gave none."""
    given = []
    while seen.left:
        frame = seen.frame(0)
        given.append(frame.name if frame else None)
    return given


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    for name in ("throw10.png", "throw2.png", "throw1.PNG", "Throw3.jpeg", "11.png", "9.png"):
        write(tmp_path / name.lower(), quarters())
        (tmp_path / name.lower()).rename(tmp_path / name)
    expected = ["9.png", "11.png", "throw1.PNG", "throw2.png", "Throw3.jpeg", "throw10.png"]
    assert names(camera(tmp_path)) == expected


def test_any_names_can_be_sorted() -> None:
    paths = [Path(name) for name in ("a", "1", "a1", "1a", "", "²", "٣", "a1b2", "-")]
    assert len(sorted(paths, key=natural)) == len(paths)


def test_a_bad_photograph_is_named_and_the_next_one_comes(tmp_path: Path) -> None:
    for name in ("1.png", "3.png"):
        write(tmp_path / name, quarters())
    (tmp_path / "2.jpg").write_bytes(b"\xff\xd8 torn")
    seen = camera(tmp_path)
    first = seen.frame(0)
    assert first is not None
    assert seen.degraded is None
    assert seen.frame(0) is None
    assert seen.degraded is not None
    assert "2.jpg" in seen.degraded.what
    assert "cut short" in seen.degraded.what
    assert seen.degraded.remedy
    last = seen.frame(0)
    assert last is not None
    assert last.name == "3.png"
    assert seen.degraded is None
    assert seen.left == 0


@pytest.mark.parametrize("name", [None, "notes.txt", "photo.jpg.part", "jpg"])
def test_a_folder_without_photographs_says_so(tmp_path: Path, name: str | None) -> None:
    if name:
        (tmp_path / name).write_text("x")
    seen = camera(tmp_path)
    assert seen.degraded is not None
    assert "no photographs" in seen.degraded.what
    assert seen.frame(0) is None


def test_a_folder_that_is_not_there_says_so_and_heals(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    seen = camera(folder)
    assert seen.degraded is not None
    assert "cannot be opened" in seen.degraded.what
    folder.mkdir()
    write(folder / "1.png", quarters())
    seen.start()
    assert seen.degraded is None
    assert names(seen) == ["1.png"]


def test_a_photograph_that_vanishes_is_named(tmp_path: Path) -> None:
    write(tmp_path / "1.png", quarters())
    seen = camera(tmp_path)
    (tmp_path / "1.png").unlink()
    assert seen.frame(0) is None
    assert seen.degraded is not None
    assert "there is no such file" in seen.degraded.what


def test_stopped_and_started_it_begins_again(tmp_path: Path) -> None:
    for name in ("1.png", "2.png"):
        write(tmp_path / name, quarters())
    seen = camera(tmp_path)
    seen.frame(0)
    seen.start()
    assert seen.left == 1
    seen.stop()
    assert seen.left == 0
    seen.start()
    assert names(seen) == ["1.png", "2.png"]
