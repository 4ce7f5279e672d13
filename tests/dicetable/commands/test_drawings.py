"""`read --annotate`: never overwrites input files, and reports faults in one sentence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from tests.hardware.files import quarters, write

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    (tmp_path / "photos").mkdir()
    return write(tmp_path / "photos" / "base.png", quarters())


def drawn(*arguments: object) -> int:
    return main(["read", *map(str, arguments)])


def complaint(capsys: Captured, start: str) -> str:
    """The only line on standard error."""
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"dicetable read: --annotate {start}: ")
    return str(line)


def test_a_photograph_is_not_drawn_over_in_its_own_folder(photo: Path) -> None:
    before = photo.read_bytes()
    assert drawn(photo, "--annotate", photo.parent) == 0
    assert photo.read_bytes() == before
    assert sorted(path.name for path in photo.parent.iterdir()) == ["base-2.png", "base.png"]


@pytest.mark.parametrize("option", ["--empty", "link", "hard link", "later"])
def test_nothing_that_was_given_is_drawn_over(photo: Path, tmp_path: Path, option: str) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    other = seen / "base.png"
    more: list[object] = [other]
    if option == "link":
        other.symlink_to(photo)
        more = []
    elif option == "hard link":
        os.link(photo, other)
        more = []
    else:
        write(other, quarters(100, 90))
        if option == "--empty":
            more = ["--empty", other]
    before = other.read_bytes()
    assert drawn(photo, *more, "--annotate", seen) == 0
    assert (photo.read_bytes(), other.read_bytes()) == (write(photo, quarters()).read_bytes(), before)
    assert (seen / "base-2.png").exists()


def test_a_missing_photograph_is_not_made_by_drawing_another(photo: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    assert drawn(photo, seen / "base.png", "--annotate", seen) == 1
    assert [path.name for path in seen.iterdir()] == ["base-2.png"]


def test_each_photograph_has_a_drawing_of_its_own(photo: Path, tmp_path: Path) -> None:
    photos = [photo]
    for number, name in enumerate(("base-3.png", "base.jpg", "base.bmp", "base-2.png"), 2):
        photos.append(write(photo.parent / name, quarters(100 + number, 80)))
    assert drawn(*photos, "--annotate", tmp_path / "seen") == 0
    assert len(list((tmp_path / "seen").iterdir())) == len(photos)


def test_a_picture_that_is_no_drawing_stays(photo: Path) -> None:
    original = write(photo.parent / "later.png", quarters(100, 90))
    other = write(photo.parent / "later.jpg", quarters())
    before = original.read_bytes()
    assert drawn(other, "--annotate", photo.parent) == 0
    assert original.read_bytes() == before
    assert (photo.parent / "later-2.png").exists()


def test_drawings_of_an_earlier_run_are_renewed(photo: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert drawn(photo, "--annotate", tmp_path / "seen") == 0
    assert [path.name for path in (tmp_path / "seen").iterdir()] == ["base.png"]


def test_a_drawing_that_cannot_be_written_is_named_and_the_rest_is_drawn(
    photo: Path, tmp_path: Path, capsys: Captured
) -> None:
    target = tmp_path / "seen" / "base.png"
    target.mkdir(parents=True)
    other = write(tmp_path / "other.png", quarters())
    assert drawn(photo, other, "--annotate", target.parent) == 1
    (line,) = capsys.readouterr().err.splitlines()
    why = "cannot be written: Is a directory; name a file"
    assert line.startswith(f"dicetable read: --annotate {target} {why}")
    assert (target.parent / "other.png").exists()


def test_where_no_folder_can_be(photo: Path, capsys: Captured) -> None:
    assert drawn(photo, "--annotate", photo) == 1
    assert "it is a file: name a folder" in complaint(capsys, str(photo))
    assert drawn(photo, "--annotate", photo / "seen") == 1
    assert "it cannot be made (Not a directory): name another folder" in complaint(
        capsys, str(photo / "seen")
    )
